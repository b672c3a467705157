"""Prices in one currency: percent of a population's grant, counted in ρ, which adds up. All words about it stand here.

ε in the small print is what a purchase means by itself: pure where its mechanisms are pure and that is less, else at
the population's δ. Such an ε is no part of the accounts: it is never added to another one and decides nothing. What is
promised is the grant's own (ε, δ), for all that is bought together.

Percentages have two decimals. What is taken is rounded up and what is left down, so the two make 100 %. A part of what
is taken is what all of it shows with the part, less what it shows without: so a price is what the rest falls by, and
the parts of a history add up to the whole.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from pmwpub.ledger import Balance, Booking
from pmwpub.privacy.budget import UNIT, ZCDP, as_fraction
from pmwpub.rounding import above, below, up
from pmwpub.service.budget_left import left

STEPS = 10_000
"""A hundredth of a per cent is a step of the whole grant."""

Row = Mapping[str, str | int | float]


@dataclass(frozen=True)
class Price:
    """What a plan costs, and what would be left.

    rho      exact; the sum of the charges
    epsilon  of this rho alone, at the population's delta
    total    the population's grant
    pure     the sum of the pure epsilons, where all of it is bought at pure ones; else None
    """

    rho: ZCDP
    epsilon: float
    delta: Fraction
    remaining: ZCDP
    affordable: bool
    total: ZCDP
    pure: Fraction | None = None


def pure_epsilon(bookings: Sequence[Booking]) -> Fraction | None:
    """The sum of the pure epsilons that booked plans were bought at; None where one was bought in rho."""
    found = [json.loads(booking.plan_json).get("epsilon") for booking in bookings]
    return None if None in found else sum(map(as_fraction, found), Fraction(0))


def percent_taken(rho: ZCDP, total: ZCDP) -> float:
    """`taken` as a number, for programs."""
    return above(Fraction(_taken(rho, total), 100))


def percent_left(rho: ZCDP, total: ZCDP) -> float:
    """`remaining` as a number, for programs."""
    return below(Fraction(math.floor(_steps(rho, total)), 100))


def with_percent(rows: Sequence[Row], total: ZCDP) -> list[dict[str, str | int | float]]:
    """Rows of the history, each with what it took of the grant after its ρ; together they are what was taken."""
    so_far, own = ZCDP(0), {}
    for row in sorted(rows, key=lambda row: int(row["id"])):
        before, so_far = so_far, so_far + ZCDP(round(Fraction(row["rho"]) * UNIT))
        own[row["id"]] = above(Fraction(_taken(so_far, total) - _taken(before, total), 100))
    return [{"id": row["id"], "percent_of_grant": own[row["id"]]} | dict(row) for row in rows]


def taken(rho: ZCDP, total: ZCDP) -> str:
    """A charge, or a sum of charges, as percent of the grant; rounded up."""
    return _percent(_taken(rho, total))


def remaining(rho: ZCDP, total: ZCDP) -> str:
    """What is left as percent of the grant; rounded down."""
    return _percent(math.floor(_steps(rho, total)))


def price_words(price: Price) -> str:
    """What a purchase takes: by so much the percentage falls that is left."""
    before, after = (math.floor(_steps(rho, price.total)) for rho in (price.remaining + price.rho, price.remaining))
    steps = before - after if price.affordable else _taken(price.rho, price.total)
    less = "less than " if not steps and price.rho.units else ""
    return f"{less}{_percent(max(steps, 1) if less else steps)} of the grant"


def price_small_print(price: Price) -> str:
    """What a purchase means by itself, and what is charged."""
    return (
        f"By itself that is {alone(price)}. What is taken is the percentage (ρ = {decimal(price.rho.rho)}), which adds "
        "up; ε does not."
    )


def alone(price: Price) -> str:
    """The smaller of the two valid ε of a purchase, rounded up: "ε = 0.15 (pure)", or "ε = 0.387 at δ = 1e-8"."""
    if price.pure is not None and price.pure <= price.epsilon:
        return f"ε = {up(price.pure)} (pure)"
    return f"ε = {up(price.epsilon)} at δ = {up(price.delta, 3)}"


def left_after(price: Price) -> str:
    """What would be left of the grant after a purchase, and what that is good for."""
    return _left(price.remaining, price.total, price.delta)


def what_is_left(balance: Balance) -> str:
    """What is left of the grant, and what that is good for."""
    return _left(balance.remaining, balance.total, balance.delta)


def promise_words(balance: Balance) -> str:
    """What is promised for all that is bought together."""
    return f"Promised for everything together: ε = {up(balance.epsilon_total, 3)} at δ = {up(balance.delta, 3)}"


def spent_words(balance: Balance) -> str:
    """What was taken so far; that is accounting, and no promise of its own."""
    spent = taken(balance.spent, balance.total)
    return f"{spent} of the grant was taken so far: accounting, not a promise; what is promised is the whole"


def decimal(rho: Fraction) -> str:
    """ρ, a whole multiple of 1e-15, as an exact decimal without trailing zeros."""
    whole, part = divmod(int(rho * 10**15), 10**15)
    return f"{whole}.{part:015d}".rstrip("0").rstrip(".")


def _left(rho: ZCDP, total: ZCDP, delta: Fraction) -> str:
    return f"{remaining(rho, total)} of the grant, enough for one release at ε = {left(rho, delta)}"


def _taken(rho: ZCDP, total: ZCDP) -> int:
    """What is taken, in hundredths of a per cent, rounded up."""
    return math.ceil(_steps(rho, total))


def _steps(rho: ZCDP, total: ZCDP) -> Fraction:
    return Fraction(STEPS * rho.units, total.units) if total.units else Fraction(0)


def _percent(steps: int) -> str:
    whole, part = divmod(steps, 100)
    return f"{whole:,}.{part:02d} %" if part else f"{whole:,} %"
