"""Reading back what is stored of purchases: by plan and draw, or for many bookings at once."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Protocol, TypeVar

from pmwpub.errors import LedgerError, NoResult, PlanError
from pmwpub.ledger import Booking, PlanKey, Population
from pmwpub.plans import RELEASE_KINDS, AcceptancePlan, ErrorPlan
from pmwpub.release.bundle import Bundle, pack
from pmwpub.release.reporting.late_report import completed, late_files
from pmwpub.release.reporting.pending_report import PENDING
from pmwpub.service.core import Outcome, Service, kind_of
from pmwpub.service.private_table import PrivateTable

OTHER_SCHEMA = "The private table was encoded with another schema than the release's; load it under that one."
LATE = "late-report"
"""The kind of document that a report is kept as, with its certificate, where it was made after its release was stored;
its key is the hash of the release's stored bytes."""


class _StillToCome(Exception):
    """A report could not be made, or not be kept: nothing is cached, and it is tried again."""


def stored_release(service: Service, population: str, release: PlanKey) -> Bundle:
    """The stored bytes of a release, as a bundle.

    Raises PlanError where the population has no such release, NoResult where it has no stored result.
    """
    booking = service.ledger.booking(population, release)
    if booking is None or kind_of(booking) not in RELEASE_KINDS:
        raise PlanError(f"{population!r} has no release of that plan and draw; see its ledger for those that it has.")
    if booking.status != "done":
        raise NoResult("No result is stored for that release, so it has no error to be measured; nothing was charged.")
    return bundle_of(service, population, _result(service, booking), booking.result)


def release_measured_by(
    service: Service, private: PrivateTable, plan: ErrorPlan | AcceptancePlan, terms: Population
) -> Bundle:
    """The stored release that a plan measures on the private table, once these and the population belong together.

    Raises PlanError or NoResult where they do not, before anything is charged.
    """
    private.check(plan.n, plan.rows_per_person, terms)
    bundle = stored_release(service, private.population, PlanKey(plan.release, plan.release_repeat))
    if plan.kept_ids != bundle.schema.kept_ids:
        raise PlanError("The plan and the release differ in what becomes of further rows of one ID; plan again.")
    check_schema(private, bundle)
    if private.dataset.domain != bundle.schema.domain:
        raise PlanError(OTHER_SCHEMA)
    return bundle


def check_schema(private: PrivateTable, bundle: Bundle) -> None:
    """Raise PlanError unless the private table was encoded with the schema of a release; its rows are not touched."""
    if private.schema_sha256 != bundle.schema.sha256:
        raise PlanError(OTHER_SCHEMA)


class OfRelease(Protocol):
    """What was bought of one stored release, such as its error."""

    @property
    def plan(self) -> ErrorPlan | AcceptancePlan: ...


Bought = TypeVar("Bought", bound=OfRelease)


def measured_release(bought: OfRelease) -> PlanKey:
    """The release that something was bought of."""
    return PlanKey(bought.plan.release, bought.plan.release_repeat)


def bought_of(
    service: Service, population: str, kind: str, read: Callable[[Outcome], Bought], release: PlanKey | None
) -> list[Bought]:
    """All that was bought of one kind of plan, oldest first; what was bought of one release alone, if it is named.

    read  one of them, from what became of it
    """
    found = [read(outcome) for outcome in outcomes(service, population, kind)]
    return [one for one in found if release is None or measured_release(one) == release]


def bundle_of(service: Service, population: str, result: bytes, sha256: str | None = None) -> Bundle:
    """The bundle of stored bytes, unpacked and parsed once for all sessions: what was released is public.

    A report that could not be made when they were stored is tried each time, until it is there. The first one is kept
    in the store, with the certificate that names it, and is the release's from then on, whatever version opens it.

    sha256  of the bytes, where it is known
    """
    digest = hashlib.sha256(result).hexdigest() if sha256 is None else sha256
    bundle = service.cache(f"bundle:{digest}", lambda: Bundle.from_bytes(result))
    if PENDING not in bundle.parts:
        return bundle
    try:
        return service.cache(f"late:{population}:{digest}", lambda: _late(service, population, digest, bundle))
    except _StillToCome:
        return bundle


def _late(service: Service, population: str, digest: str, bundle: Bundle) -> Bundle:
    """A bundle with the report that is kept for it, or that is made and kept now; _StillToCome without either.

    A server for viewers alone keeps nothing: what it makes is its own, for as long as it runs.
    """
    if not _is_kept(service, population, digest):
        files = late_files(bundle)
        if files is None:
            raise _StillToCome
        if service.looks_on(population):
            return completed(bundle, files)
        try:
            service.ledger.put_document(population, LATE, digest, pack(files), once=True)
        except LedgerError as refusal:
            raise _StillToCome from refusal
    return completed(bundle, Bundle.from_bytes(service.ledger.document(population, LATE, digest)).parts)


def _is_kept(service: Service, population: str, digest: str) -> bool:
    return digest in {entry.key for entry in service.ledger.documents(population, LATE)}


def outcomes(service: Service, population: str, *kinds: str) -> list[Outcome]:
    """What became by now of all that was bought of some kinds of plans, oldest first; nothing is run.

    A recorded outcome is final; bookings and results are read in one view of the store, a result once for all sessions.
    Each booking without an outcome is asked by itself whether it is still at work, as `Service.outcome` does it.
    """
    with service.ledger.view():
        bookings = service.bought(population, *kinds)
        results = {one.id: _result(service, one) for one in bookings if one.status == "done"}
    return [_outcome(service, one, results.get(one.id)) for one in bookings]


def _result(service: Service, booking: Booking) -> bytes:
    return service.cache(f"result:{booking.result}", lambda: service.ledger.result(booking.id))


def _outcome(service: Service, booking: Booking, result: bytes | None) -> Outcome:
    if result is not None:
        return Outcome(booking, "done", result=result)
    return Outcome(booking, "no result") if booking.status == "no result" else service.outcome(booking)
