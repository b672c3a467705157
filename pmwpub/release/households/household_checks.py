"""The folder of a release of households checked against its certificate, without public or private tables."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path

from pmwpub.errors import CertificateError
from pmwpub.mechanisms.households.household_counts import HouseholdTables
from pmwpub.plans.household_plans import planned_tables
from pmwpub.privacy.budget import ZCDP, epsilon_of
from pmwpub.release.certificates.certificate_parts import OUTSIDE, decimal_rho
from pmwpub.release.households.household_certificate import MECHANISM, NEIGHBOURS, SENSITIVITY, STATEMENT
from pmwpub.release.households.household_files import CERTIFICATE, HOUSEHOLD_FILES, SCHEMA, TABLES
from pmwpub.release.households.household_rebuilding import noisy_counts, planned_of, stated_release
from pmwpub.strict_json import read_strictly

NOT_CHECKED = (
    "that the weights follow from the noisy tables and the public one, and the households from the weights: rebuild.py "
    "does, given the public table",
    "that the noise was drawn as stated, and that the ledger was not tampered with",
    "that the public table owes nothing to the private one, that nobody stands in two households, and what only the "
    "ledger knows",
)


def is_of_households(folder: Path) -> bool:
    """Whether the certificate in a folder says that it is of households."""
    try:
        stated = read_strictly((folder / CERTIFICATE).read_bytes())
    except (OSError, ValueError):
        return False
    return isinstance(stated, dict) and stated.get("engine") == "households"


def household_files_in(folder: Path) -> dict[str, bytes]:
    """The files that a release of households has, as far as they lie in a folder."""
    return {name: (folder / name).read_bytes() for name in HOUSEHOLD_FILES if (folder / name).is_file()}


def checked_households(files: Mapping[str, bytes]) -> tuple[str, ...]:
    """What was recomputed and holds, a sentence each; CertificateError, which says what does not hold."""
    try:
        return tuple(_findings(files))
    except KeyError as lacking:
        raise CertificateError(f"The folder lacks {lacking.args[0]}.") from lacking


def _findings(files: Mapping[str, bytes]) -> Iterator[str]:
    certificate, schema = stated_release({name: files[name] for name in (CERTIFICATE, SCHEMA)})
    wanted = set(HOUSEHOLD_FILES) - {CERTIFICATE}
    if set(certificate.files) != wanted:
        raise CertificateError("The certificate does not name the files of a release of households.")
    for name in sorted(wanted):
        if hashlib.sha256(files[name]).hexdigest() != certificate.files[name]:
            raise CertificateError(f"{name} is not the file that the certificate names.")
    yield "each file has the SHA-256 that the certificate states"
    plan = planned_of(certificate, schema)
    words = (certificate.neighbours, certificate.sensitivity, certificate.statement, certificate.mechanism)
    if words != (NEIGHBOURS, SENSITIVITY, STATEMENT, MECHANISM) or certificate.outside_the_guarantee != OUTSIDE:
        raise CertificateError("The certificate promises something else than a release of households does.")
    yield "the plan has its hash, and names the schema, n, the largest household and the public table that are stated"
    tables = planned_tables(schema, plan.inputs.workload.build(schema.persons.domain))
    _check_tables(certificate.tables, tables)
    costs = [(certificate.largest_household if one.of == "persons" else 1) ** 2 / Fraction(one.scale) ** 2
             for one in certificate.tables]  # fmt: skip
    if sum(costs, Fraction(0)) > plan.budget.rho or certificate.rho != decimal_rho(plan.budget.units):
        raise CertificateError("The noise of the tables costs more than the rho that is stated.")
    yield "the noise of all tables, H²/σ² for one of persons and 1/σ² for one of households, costs no more than rho"
    if certificate.epsilon < epsilon_of(ZCDP(plan.budget.units), Fraction(certificate.delta)):
        raise CertificateError("The epsilon that is stated is too small for its rho and delta.")
    yield "epsilon is no smaller than rho and delta make it"
    noisy_counts(files[TABLES], certificate, schema, tables.persons.queries)
    yield "tables.csv lists every cell of the tables that are stated"


def _check_tables(stated: tuple[object, ...], tables: HouseholdTables) -> None:
    found = []
    for of, workload in (("persons", tables.persons), ("households", tables.own)):
        names = workload.domain.names
        found += [(of, tuple(names[place] for place in one.attributes)) for one in workload.marginals]
    if [(one.of, one.columns) for one in stated] != found:  # type: ignore[attr-defined]
        raise CertificateError("The certificate lists other tables than its plan measures.")
