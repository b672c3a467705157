"""What is checked of a public table that was published unchanged: that it states no price, and nothing measured."""

from __future__ import annotations

from pmwpub.errors import CertificateError
from pmwpub.release.bundle import SCHEMA, WEIGHTS
from pmwpub.release.certificates.stated_plans import any_plan_of
from pmwpub.release.certificates.unchanged_certificate import MECHANISM, UnchangedCertificate
from pmwpub.release.checks.engine_checks import EngineChecks, Files, given, stated_workload
from pmwpub.release.rebuilding import schema_of
from pmwpub.tabular.coding.decode import read_weights


def unchanged_checks(certificate: UnchangedCertificate, files: Files) -> EngineChecks:
    """The checks of a public table unchanged."""
    return EngineChecks(
        mechanism=MECHANISM,
        agreement="the schema and the workload agree",
        agrees=lambda: _agrees(certificate, files),
        same_terms=lambda: bool(any_plan_of(certificate).n),
        price=lambda: "" if (certificate.rho, certificate.epsilon) == ("0.000000000000000", 0) else "it is not 0.",
        measured=((f"every row of {WEIGHTS} has a weight", lambda: _weighted(certificate, files)),),
    )


def _agrees(certificate: UnchangedCertificate, files: Files) -> str:
    stated = stated_workload(certificate, files).queries
    return "" if stated == certificate.queries else "another number of queries is named."


def _weighted(certificate: UnchangedCertificate, files: Files) -> str:
    """Every weight is above zero: a public row that is published has its share, and no other row stands there."""
    released = read_weights(given(files, WEIGHTS), schema_of(certificate, given(files, SCHEMA)))
    if not len(released.weights):
        raise CertificateError(f"{WEIGHTS} is empty.")
    return "" if float(released.weights.min()) > 0 else "a row has no weight."
