"""Planning the noisy largest error of a finished release on the private table, and reading it back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pmwpub.errors import CertificateError
from pmwpub.ledger import Booking, PlanKey
from pmwpub.noisy_interval import NoisyInterval
from pmwpub.plans import ErrorPlan
from pmwpub.release.bundle import CERTIFICATE
from pmwpub.release.certificates.certificate_reading import ChargedCertificate, read_certificate
from pmwpub.release.certificates.unchanged_certificate import UnchangedCertificate
from pmwpub.release.checking import read_folder
from pmwpub.release.households.household_certificate import HouseholdCertificate
from pmwpub.release.rebuilding import differing
from pmwpub.service.bought.stored_releases import bought_of, measured_release, stored_release
from pmwpub.service.core import Outcome, Service
from pmwpub.service.reading_back.stored_results import StoredError, plan_and_result


@dataclass(frozen=True)
class MeasuredError:
    """The stored noisy error of one release; `error` is None where it is at work or has no result."""

    plan: ErrorPlan
    outcome: Outcome
    error: NoisyInterval | None = None
    remarks: tuple[str, ...] = ()

    @property
    def release(self) -> PlanKey:
        """The release that it is the error of."""
        return measured_release(self)


def error_plan(service: Service, population: str, release: PlanKey, *, epsilon: str) -> ErrorPlan:
    """Plan the error of a stored release at a pure epsilon.

    Raises PlanError where the population has no such release, NoResult where it has no stored result.
    """
    bundle = stored_release(service, population, release)
    terms = service.ledger.population(population)
    return ErrorPlan(
        n=terms.n,
        rows_per_person=terms.rows_per_person,
        kept_ids=bundle.schema.kept_ids,
        weights=bundle.certificate.weights,
        release=release.plan_sha256,
        release_repeat=release.repeat,
        epsilon=epsilon,
    )


def measured_errors(service: Service, population: str, release: PlanKey | None = None) -> list[MeasuredError]:
    """Every noisy error that was bought, oldest first; those of one release alone, if it is named."""
    return bought_of(service, population, "error", read_error, release)


def measured(service: Service, booking: Booking) -> MeasuredError:
    """One noisy error, read back by its booking."""
    return read_error(service.outcome(booking))


def read_error(outcome: Outcome) -> MeasuredError:
    """One noisy error as it is stored; ValueError for what is none."""
    plan, stored = plan_and_result(outcome, ErrorPlan, StoredError)
    if stored is None:
        return MeasuredError(plan, outcome)
    return MeasuredError(plan, outcome, stored.error.interval, stored.remarks)


def named_release(text: str, draw: int = 0) -> PlanKey:
    """A release by the SHA-256 of its plan and the number of its draw, or by the folder of its files.

    Raises CertificateError for a folder whose files are not those of its certificate: a purchase measures the stored
    release, so other files would mislead; and for another draw than that of the folder.
    """
    if not Path(text).is_dir():
        return PlanKey(text, draw)
    files = read_folder(Path(text))
    certificate = read_certificate(files[CERTIFICATE])
    if isinstance(certificate, UnchangedCertificate):
        raise CertificateError("That folder holds a public table unchanged: no release was bought.")
    return draw_in_folder(certificate, differing(certificate, files), draw)


def draw_in_folder(
    certificate: ChargedCertificate | HouseholdCertificate, changed: Sequence[str], draw: int
) -> PlanKey:
    """The draw that a folder's certificate is of; CertificateError for changed files, and where another one is meant.

    draw  the one that was asked for; 0 where none was
    """
    if changed:
        raise CertificateError(f"{', '.join(changed)} differs from the folder's certificate; name the plan.")
    if draw not in (0, certificate.repeat):
        raise CertificateError(
            f"That folder holds draw {certificate.repeat}, not {draw}; name the plan itself. Nothing was charged."
        )
    return PlanKey(certificate.plan_sha256, certificate.repeat)
