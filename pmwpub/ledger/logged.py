"""What a server logs of purchases: one JSON line for each charge and each end, with nothing that private rows decide.

A line has the time, the event and the booking's number, a charge its rho too: all of it stands in the ledger for
everybody. There is no reason of an end, no refusal, no value, no name of a file or population.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Sequence

from pmwpub.ledger.agreements import Agreement
from pmwpub.ledger.database import now
from pmwpub.ledger.model import Booking, Order, Population
from pmwpub.ledger.store import Ledger
from pmwpub.ledger.table_handles import TableHandle

LOG = logging.getLogger("pmwpub.purchases")


def log_lines() -> None:
    """Write the lines to stderr, each by itself, whatever else is configured."""
    if not LOG.handlers:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(logging.Formatter("%(message)s"))
        LOG.addHandler(handler)
        LOG.setLevel(logging.INFO)
        LOG.propagate = False


class LoggedLedger(Ledger):
    """A ledger that logs what it has committed, once it stands."""

    def book_all(
        self,
        name: str,
        orders: Sequence[Order],
        *,
        table: TableHandle | None = None,
        terms: Population | None = None,
        refuse_elsewhere: bool = True,
        agree: Sequence[Agreement] = (),
    ) -> list[Booking]:
        """As `Ledger.book_all`; a line for each fresh booking."""
        booked = super().book_all(
            name, orders, table=table, terms=terms, refuse_elsewhere=refuse_elsewhere, agree=agree
        )
        for booking, order in zip(booked, orders, strict=True):
            if booking.fresh:
                rho = sum(float(charge.rho.rho) for charge in order.charges)
                _line("charge", booking.id, rho=rho)
        return booked

    def finish(self, booking_id: int, result: bytes) -> None:
        """As `Ledger.finish`, with a line once the result is stored."""
        super().finish(booking_id, result)
        _line("done", booking_id)

    def void(self, booking_id: int) -> None:
        """As `Ledger.void`, with a line, which is the same for every reason."""
        super().void(booking_id)
        _line("no result", booking_id)


def _line(event: str, booking: int, **more: float) -> None:
    LOG.info(json.dumps({"time": now(), "event": event, "booking": booking, **more}))
