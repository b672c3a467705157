"""Closing populations for good: retiring them, and moving them from one store to another.

The steps of a move: the receiving store gives an address; here the population is closed and its sum recorded, in one
transaction; then the file is written, as often as anybody likes; there it is taken in, in one transaction; its receipt
is recorded here. So at no moment is it open in both stores. Between the second step and the fourth it is open in none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO

from sqlalchemy import Connection

from pmwpub.errors import ExportRefused, LedgerError, PopulationClosed
from pmwpub.ledger import bookings, populations
from pmwpub.ledger.database import lock_store
from pmwpub.ledger.members import access
from pmwpub.ledger.moving import arrivals, closings, departures
from pmwpub.ledger.moving.arrivals import Renumbering
from pmwpub.ledger.moving.closings import Closing, Departure
from pmwpub.ledger.moving.export_file import Export, manifest_of, opened_export, write_export
from pmwpub.ledger.moving.receipts import address_of, belongs, confirms, receipt_of, ticket
from pmwpub.ledger.parts.outcomes import Outcomes
from pmwpub.ledger.parts.registered import Registered

AT_WORK = "A plan of {name!r} is still worked on. Wait for its end, or stop it; then export again. Nothing was changed."
NO_ADDRESS = (
    "That is no address for {name!r}: no store gives it out, so none could take the population in. An address has 40 "
    "hexadecimal digits, as `pmwpub ledger address NAME` prints it for this very name on the store that is to receive. "
    "Copy it from there. Nothing was changed."
)
OTHER_ADDRESS = (
    "{name!r} was closed here for the address {address}, and only the store of that address can take it in: in two "
    "stores its budget could be spent twice. Nothing was written."
)
NOT_CLOSED = "{name!r} was not exported here, so there is nothing to confirm or to write."
OTHER_NOW = (
    "The export of {name!r} cannot be written again as it was: what is stored of it is not what was closed. Documents "
    "were deleted after its arrival was recorded, or the store was put back from an old copy. Use the file that was "
    "written then."
)
NO_RECEIPT = (
    "That is no receipt for this export by the store that it went to. Copy the receipt that `pmwpub ledger import` "
    "printed there. Nothing was changed."
)


Check = Callable[[Export], None]


def _unasked(_export: Export) -> None:
    """Any export will do."""


@dataclass(frozen=True)
class TakenIn:
    """A population that stands in this store by an export.

    total    the sum of the export
    receipt  for the store that it came from
    again    whether it had been taken in before, so that nothing was changed
    """

    population: str
    total: str
    receipt: str
    again: bool


class Movable(Registered, Outcomes):
    """The part of a `Ledger` that closes populations."""

    def closing(self, name: str) -> Closing | None:
        """Why and since when a population is closed; None for an open one."""
        return closings.closing_of(self.marks(name))

    def retire(self, name: str) -> Closing:
        """Close a population for good; one that is closed already stays as it is. What is at work comes to its end."""
        with self._deciding() as connection:
            population_id = populations.identify(connection, name, lock=True)
            access.require_owner(connection, population_id)
            if closings.closed(connection, population_id) is None:
                populations.mark(connection, population_id, closings.RETIRED, closings.RETIREMENT)
            found = closings.closed(connection, population_id)
        if found is None:
            raise LedgerError(f"The retirement of {name!r} was not recorded.")
        return found

    def address(self, name: str) -> str:
        """The address under which this store would take in a population of that name.

        Raises PopulationExists where the name, or one that looks like it, stands here.
        """
        with self._database.reading() as connection:
            access.require_program(connection)
            arrivals.refuse_taken(connection, name)
            return address_of(ticket(connection, name), name)

    def depart(self, name: str, address: str, check: Check = _unasked) -> Departure:
        """Close a population and fix what its export holds, in one transaction; once closed so, say so again.

        check  raises for an export that should not be made, which is asked before anything is closed

        Raises what `check` does, LedgerError for an address that is none of that name, while one of its plans is at
        work, and for what no store could take in, PopulationClosed for one that went to another address.
        """
        with self._database.reading() as connection:
            access.require_program(connection)
        with self._database.reading() as connection:
            booked = bookings.every(connection, populations.identify(connection, name))
        if not belongs(address, name):
            raise LedgerError(NO_ADDRESS.format(name=name))
        for booking in booked:
            if booking.status == "charged" and (self.at_work(booking.id) or not self.close_unattended(booking.id)):
                raise LedgerError(AT_WORK.format(name=name))
        with self._deciding() as connection:
            lock_store(connection)
            population_id = populations.identify(connection, name, lock=True)
            known = closings.closed(connection, population_id)
            if known is not None and known.departure is not None:
                if known.departure.address != address:
                    raise PopulationClosed(OTHER_ADDRESS.format(name=name, address=known.departure.address))
                return known.departure
            self._end_unattended(connection, name, population_id)
            return _departed(connection, name, population_id, address, check)

    def _end_unattended(self, connection: Connection, name: str, population_id: int) -> None:
        """Record "no result" for plans that broke off; LedgerError for one that somebody works on after all."""
        for booking in bookings.every(connection, population_id):
            if booking.status == "charged":
                if not self._working.claimed(connection, booking.id):
                    raise LedgerError(AT_WORK.format(name=name))
                bookings.close(connection, booking.id)

    def write_export(self, name: str, stream: IO[bytes]) -> Departure:
        """Write the export of a population that was closed for it: always the same bytes.

        Raises LedgerError where it was not closed so, or where the store no longer has what it had then.
        """
        with self._database.reading() as connection:
            population_id = populations.identify(connection, name)
            access.require_program(connection)
            found = closings.closed(connection, population_id)
            if found is None or found.departure is None:
                raise LedgerError(NOT_CLOSED.format(name=name))
            gone = found.departure
            record = departures.record_of(connection, name, population_id, gone.documents)
            manifest = manifest_of(name, gone.address, record)
            if manifest.total != gone.total:
                raise LedgerError(OTHER_NOW.format(name=name))
            write_export(stream, Export(manifest, record, partial(departures.blob, connection, name)))
            return gone

    def take_in(self, path: Path, renumbered: Renumbering, check: Check = _unasked) -> TakenIn:
        """Take in an export, all of it or nothing; the same one again changes nothing.

        check  raises for an export that should not be taken in; it is asked of a new one alone

        Raises what `check` does, ExportRefused for a file that is none, was altered, or goes elsewhere,
        PopulationExists where the name, or one that looks like it, stands here by another way.
        """
        with opened_export(path) as export, self._deciding() as connection:
            access.require_program(connection)
            self._guard.ready()
            name, total = export.manifest.population, export.manifest.total
            again = arrivals.known_already(connection, export)
            if not again:
                check(export)
                arrivals.take_in(connection, export, renumbered)
            return TakenIn(name, total, receipt_of(ticket(connection, name), total), again)

    def confirm_arrival(self, name: str, receipt: str) -> Departure:
        """Record here that the other store took a population in, by the receipt that it gave; once.

        Raises LedgerError where it was not exported, ExportRefused for a receipt that is none of that store's.
        """
        with self._deciding() as connection:
            population_id = populations.identify(connection, name, lock=True)
            access.require_program(connection)
            found = closings.closed(connection, population_id)
            if found is None or found.departure is None:
                raise LedgerError(NOT_CLOSED.format(name=name))
            gone = found.departure
            if not confirms(receipt, name, gone.address, gone.total):
                raise ExportRefused(NO_RECEIPT)
            if not gone.arrived:
                populations.mark(connection, population_id, closings.ARRIVED, "By the receipt of the other store.")
            return gone


def _departed(connection: Connection, name: str, population_id: int, address: str, check: Check) -> Departure:
    last = departures.last_document(connection, population_id)
    record = departures.record_of(connection, name, population_id, last)
    departures.check_movable(connection, name, record)
    manifest = manifest_of(name, address, record)
    check(Export(manifest, record, partial(departures.blob, connection, name)))
    gone = Departure(address, manifest.total, last)
    populations.mark(connection, population_id, closings.MOVED_AWAY, gone.note)
    return gone
