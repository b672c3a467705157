"""Whether what was bought before plans said how files are read was bought on files that were read as they are now.

The hash of such a plan is one for all readings of its files. What it bought counts as bought by a plan of today only
where the files are known to have been read then as they are read now:

- A stored release says it itself: its certificate names how each public table was read.
- Of any other result a candidate's notes say it, if all that are stored agree and the first is older than the booking.
  The reading of a candidate cannot change but by removing it, which deletes its notes, so one that was read in another
  way when the booking was made has no note of before it. Times are the server's, in whole seconds: one that is not
  earlier proves nothing, nor does any where the recorded times ever went back. A booking with no result may have been
  added again from a witness to a store whose notes are older than the ledger that made it: its notes prove nothing.
- How the private file was read stands nowhere. A plan that has it read by default takes it that it was; any other takes
  it that it was read otherwise, unless the ledger knows the table of then for the one of now.
"""

from __future__ import annotations

import json
from dataclasses import replace

from pmwpub.errors import PlanError
from pmwpub.ledger import Booking, Ledger, PlanKey, TableHandle
from pmwpub.plans import RELEASE_KINDS, PublicInputs
from pmwpub.release.bundle import Bundle
from pmwpub.service.core import Service, kind_of
from pmwpub.service.inputs.stored_tables import NOTE, options_of
from pmwpub.service.inputs.study import Study
from pmwpub.service.private_table import PrivateTable
from pmwpub.service.purchases.protocol import Plan, Purchase, WithoutPublicTables
from pmwpub.tabular.files.text.read_options import ReadOptions

PRIVATE_READING = (
    "The plan says that the private file is read in another way than it was when it was loaded here; plan again. "
    "Nothing was charged."
)


def same_reading_as_then(
    ledger: Ledger, population: str, booking: Booking, plan: Plan, *, table: TableHandle | None = None
) -> bool:
    """Whether a booking under `plan.earlier` was certainly made on files that were read as `plan` has them read.

    table  the private table of now, where its steward may be told whether the booking was made on it; None elsewhere

    Privacy: without `table` a function of public documents and released bytes alone. With it the answer depends on the
    private rows: it is for the steward of a service that answers comparisons.
    """
    if plan.private_read_as is not None and not (table is not None and ledger.booked_for(booking.id, table)):
        return False
    if isinstance(plan, WithoutPublicTables):
        return True
    certified = _certified(ledger, booking)
    if certified is not None:
        return certified == plan.inputs.read_as
    return booking.status != "no result" and _noted(ledger, population, booking, plan.inputs)


def other_reading_than_now(ledger: Ledger, booking: Booking, plan: Plan) -> bool:
    """Whether a booking under the very hash of `plan` was certainly made on public tables that were read otherwise.

    That can be only of a release from before plans said how files are read, whose certificate says so.

    Privacy: a function of released bytes alone.
    """
    if isinstance(plan, WithoutPublicTables):
        return False
    certified = _certified(ledger, booking)
    return certified is not None and certified != plan.inputs.read_as


def _certified(ledger: Ledger, booking: Booking) -> tuple[tuple[str, str], ...] | None:
    """How the public tables of a stored release were read, as its plan would say it; None of anything else."""
    if booking.status != "done" or kind_of(booking) not in RELEASE_KINDS:
        return None
    stated = Bundle.from_bytes(ledger.result(booking.id)).certificate.candidate
    read = ((one.sha256, one.read_as) for one in stated if one.read_as not in (None, ReadOptions().spelt))
    return tuple(sorted((sha256, text) for sha256, text in read if text is not None))


def _noted(ledger: Ledger, population: str, booking: Booking, inputs: PublicInputs) -> bool:
    return ledger.times_in_order(population) and all(
        _noted_before(ledger, population, booking, sha256, inputs.reading_of(sha256)) for sha256 in inputs.candidates
    )


def _noted_before(ledger: Ledger, population: str, booking: Booking, sha256: str, read_as: str | None) -> bool:
    """Whether a candidate's notes begin before a booking and all say one reading."""
    notes = ledger.document_versions(population, NOTE, sha256)
    if not notes or notes[0][0] >= booking.created:
        return False
    wanted = ReadOptions() if read_as is None else ReadOptions.parse(read_as)
    return all((options_of(json.loads(body)) or ReadOptions()) == wanted for _, body in notes)


def read_as_now(service: Service, one: Purchase, current: Study) -> Purchase:
    """A plan that was bought before plans said how public tables are read, with how they are read now."""
    plan = one.plan
    if isinstance(plan, WithoutPublicTables) or plan.inputs.read_as:
        return one
    if service.ledger.booking(current.population.name, PlanKey((plan.earlier or plan).sha256)) is None:
        return one
    inputs = plan.inputs.model_copy(update={"read_as": current.readings(plan.inputs.candidates)})
    return replace(one, plan=plan.model_copy(update={"inputs": inputs}))  # type: ignore[type-var]


def read_as_loaded(one: Purchase, private: PrivateTable) -> Purchase:
    """A plan with how the loaded private file was read; PlanError where it says another reading."""
    said = one.plan.private_read_as
    if said == private.read_as:
        return one
    if said is not None:
        raise PlanError(PRIVATE_READING)
    return replace(one, plan=one.plan.model_copy(update={"private_read_as": private.read_as}))  # type: ignore[type-var]
