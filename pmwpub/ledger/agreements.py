"""What the plans of one population must agree on: asked of the store in the transaction that adds further ones.

A population may have tens of thousands of plans. So the store itself looks for those that may disagree, by pieces of
their texts, and only these are read and judged. A plan's text is JSON without white space, so that `"name":` stands
nowhere but where a key does: inside a text its quotes are escaped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, func, select

from pmwpub.ledger.tables import bookings


@dataclass(frozen=True)
class Agreement:
    """A rule about a plan that is added and all others of its population.

    check    is given the text of another plan that may disagree, and raises where it does
    about    pieces that the text of each plan has which may disagree
    settled  a piece that none of them has; "" where no piece tells
    """

    check: Callable[[str], None]
    about: tuple[str, ...] = ()
    settled: str = ""

    def concerns(self, plan_json: str) -> bool:
        """Whether a plan may disagree, by the pieces of its text."""
        return all(piece in plan_json for piece in self.about) and not (self.settled and self.settled in plan_json)


def require(connection: Connection, population_id: int, rules: Sequence[Agreement], new: Sequence[str]) -> None:
    """Raise what a rule raises about a plan that the population has, or about one of the new ones."""
    for rule in rules:
        for text in _stored(connection, population_id, rule):
            rule.check(text)
        for text in filter(rule.concerns, new):
            rule.check(text)


def _stored(connection: Connection, population_id: int, rule: Agreement) -> Iterator[str]:
    """The texts of the population's plans that a rule concerns."""

    def has(piece: str) -> ColumnElement[bool]:
        place = func.strpos if connection.dialect.name == "postgresql" else func.instr
        return place(bookings.c.plan_json, piece) > 0

    asked = [bookings.c.population_id == population_id, *map(has, rule.about)]
    asked += [~has(rule.settled)] if rule.settled else []
    yield from connection.execute(select(bookings.c.plan_json).where(*asked).order_by(bookings.c.id)).scalars()
