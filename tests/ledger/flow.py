"""The order that every release keeps: charge, draw, store, show. Written once here, to be killed and to be broken."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from ledger.terms import charge

from pmwpub.errors import NoResult
from pmwpub.ledger import Ledger, PlanKey
from pmwpub.privacy.budget import ZCDP

NO_RESULT = b"no result"
ROUND = 3
ROUNDS = 4

Draw = Callable[[], bytes]
Flow = Callable[[Ledger, PlanKey, Draw], bytes]


def nothing(_step: str) -> None:
    """No step is special."""


def release(ledger: Ledger, key: PlanKey, draw: Draw, *, reached: Callable[[str], None] = nothing) -> bytes:
    """What is shown for a plan: drawn by the one caller whose booking is fresh, else what is stored."""
    reached("before the charge")
    booking = ledger.book("A", key, "{}", [charge(ROUND * ROUNDS)])
    reached("after the charge")
    if booking.fresh:
        drawn = b"".join(draw() for _ in range(ROUNDS))
        reached("after the draw")
        ledger.finish(booking.id, drawn)
        reached("after the result")
    try:
        return ledger.result(booking.id)
    except NoResult:
        return NO_RESULT


@dataclass
class Meter:
    """Draws that know their price: each round must be charged before it is drawn, and nothing else charged."""

    ledger: Ledger
    drawn: int = 0
    uncharged: list[int] = field(default_factory=list)

    def draw(self) -> bytes:
        self.drawn += 1
        if self.ledger.balance("A").spent < ZCDP(ROUND * self.drawn):
            self.uncharged.append(self.drawn)
        return bytes([self.drawn])
