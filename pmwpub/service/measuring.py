"""Buying the noisy largest error of a finished release on the private table."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path

from pmwpub.errors import CertificateError, NoResult, PlanError
from pmwpub.jobs.work import ErrorWork
from pmwpub.ledger import Booking, Charge, PlanKey
from pmwpub.mechanisms.assessment import NoisyError
from pmwpub.mechanisms.release_error import error_charge
from pmwpub.plans import ErrorPlan
from pmwpub.queries.counts import count
from pmwpub.release.bundle import CERTIFICATE, Bundle
from pmwpub.release.certificate import Certificate
from pmwpub.release.checking import read_folder
from pmwpub.release.rebuilding import differing, workload_of
from pmwpub.service.assessing import NoisyNumber
from pmwpub.service.core import Outcome, Price, PrivateTable, Service, kind_of
from pmwpub.service.remarks import remarks_from


@dataclass(frozen=True)
class MeasuredError:
    """The stored noisy error of one release; `error` is None where it is at work or has no result."""

    plan: ErrorPlan
    outcome: Outcome
    error: NoisyNumber | None = None
    remarks: tuple[str, ...] = ()


def error_plan(service: Service, population: str, release: PlanKey, *, epsilon: str) -> ErrorPlan:
    """Plan the error of a stored release at a pure epsilon.

    Raises PlanError where the population has no such release, NoResult where it has no stored result.
    """
    stored_release(service, population, release)
    terms = service.ledger.population(population)
    return ErrorPlan(
        n=terms.n,
        rows_per_person=terms.rows_per_person,
        release=release.plan_sha256,
        release_repeat=release.repeat,
        epsilon=epsilon,
    )


def charges_of(plan: ErrorPlan) -> list[Charge]:
    """One charge: discrete Laplace noise on the largest error."""
    share = error_charge(plan.exact_epsilon, plan.n, plan.rows_per_person)
    return [
        Charge(
            purpose=f"error of release {plan.release[:12]}, draw {plan.release_repeat + 1}",
            mechanism=share.mechanism,
            sensitivity=share.sensitivity,
            scale=share.scale_text,
            rho=share.rho,
        )
    ]


def price(service: Service, population: str, plan: ErrorPlan, *, repeat: int = 0) -> Price:
    """What the plan costs; nothing if it was sent before."""
    booked = service.ledger.booking(population, PlanKey(plan.sha256, repeat))
    return service.price(population, charges_of(plan) if booked is None else [])


def measure(service: Service, private: PrivateTable, plan: ErrorPlan, *, repeat: int = 0) -> Outcome:
    """Buy the noisy error of a stored release. A plan that was sent before returns what is stored, uncharged.

    Raises PlanError, NoResult, Overspent and TableBlocked before anything is charged.

    Privacy: the weights are read from the store before the charge and stay fixed; see mechanisms.release_error.
    """
    bundle = _checked(service, private, plan)
    remarks = remarks_from(service.ledger.marks(private.population))
    return service.spend(
        private.population,
        PlanKey(plan.sha256, repeat),
        plan.canonical,
        charges_of(plan),
        private=private,
        task="error",
        work=lambda: _work(bundle, plan, private),
        to_bytes=lambda booking, found: _to_bytes(found, remarks),
    )


def measured_errors(service: Service, population: str, release: PlanKey | None = None) -> list[MeasuredError]:
    """Every error that was bought, oldest first; of one release, if it is named."""
    found = [measured(service, booking) for booking in service.bought(population, "error")]
    return [one for one in found if release is None or _release_of(one.plan) == release]


def measured(service: Service, booking: Booking) -> MeasuredError:
    """One booking read back."""
    plan = ErrorPlan.model_validate_json(booking.plan_json)
    outcome = service.outcome(booking)
    if outcome.result is None:
        return MeasuredError(plan, outcome)
    body = json.loads(outcome.result)
    return MeasuredError(plan, outcome, NoisyNumber(**body["error"]), tuple(body["remarks"]))


def stored_release(service: Service, population: str, release: PlanKey) -> Bundle:
    """The stored bytes of a release, as a bundle."""
    booking = service.ledger.booking(population, release)
    if booking is None or kind_of(booking) != "release":
        raise PlanError(f"{population!r} has no release of that plan and draw; see its ledger for those that it has.")
    if booking.status != "done":
        raise NoResult("No result is stored for that release, so it has no error to be measured; nothing was charged.")
    return Bundle.from_bytes(service.ledger.result(booking.id))


def named_release(text: str, draw: int = 0) -> PlanKey:
    """A release by the SHA-256 of its plan and the number of its draw, or by the folder of its files.

    Raises CertificateError for a folder whose files are not those of its certificate: the stored ones are measured.
    """
    if not Path(text).is_dir():
        return PlanKey(text, draw)
    files = read_folder(Path(text))
    certificate = Certificate.from_bytes(files[CERTIFICATE])
    changed = differing(certificate, files)
    if changed:
        raise CertificateError(f"{', '.join(changed)} differs from the folder's certificate; name the plan.")
    return PlanKey(certificate.plan_sha256, certificate.repeat)


def _release_of(plan: ErrorPlan) -> PlanKey:
    return PlanKey(plan.release, plan.release_repeat)


def _checked(service: Service, private: PrivateTable, plan: ErrorPlan) -> Bundle:
    """The release, once plan, private table and population are seen to belong together."""
    terms = service.ledger.population(private.population)
    private.check(plan.n, plan.rows_per_person, terms)
    bundle = stored_release(service, private.population, _release_of(plan))
    if private.schema_sha256 != bundle.schema.sha256 or private.dataset.domain != bundle.schema.domain:
        raise PlanError("The private table was encoded with another schema than the release's; load it under that one.")
    return bundle


def _work(bundle: Bundle, plan: ErrorPlan, private: PrivateTable) -> ErrorWork:
    workload = workload_of(bundle.certificate, bundle.schema)
    counts = count(workload, private.dataset)
    return ErrorWork(workload, bundle.distribution(), counts, plan.exact_epsilon, plan.rows_per_person)


def _to_bytes(found: object, remarks: tuple[str, ...]) -> bytes:
    if not isinstance(found, NoisyError):
        raise PlanError("An error's task returns a noisy error.")
    body = {"error": asdict(_number(found)), "remarks": remarks}
    return json.dumps(body, sort_keys=True).encode()


def _number(noisy: NoisyError) -> NoisyNumber:
    epsilon = Fraction(0) if noisy.epsilon is None else noisy.epsilon
    return NoisyNumber(float(noisy.value), float(noisy.low), float(noisy.high), float(noisy.confidence), str(epsilon))
