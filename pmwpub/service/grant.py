"""Prices in one currency: percent of a population's grant, counted in ρ, which adds up. All words about it stand here.

ε in the small print is what a purchase means by itself: pure where its mechanisms are pure and that is less, else at
the population's δ. Such an ε is no part of the accounts: it is never added to another one and decides nothing. What is
promised is the grant's own (ε, δ), for all that is bought together.

Percentages have two decimals. What is taken is rounded up and what is left down, so the two make 100 %. A price, and a
row of a history, is rounded up by itself: no charge is shown as less than it is, nor as nothing, and what is left falls
by no more than the price said. So the rows of a history may add up to some hundredths more than all of it shows.
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
    """Rows of the history, each with what it took of the grant, rounded up, before its ρ."""
    own = [percent_taken(ZCDP(round(Fraction(row["rho"]) * UNIT)), total) for row in rows]
    return [{"id": row["id"], "percent_of_grant": percent} | dict(row) for row, percent in zip(rows, own, strict=True)]


def taken(rho: ZCDP, total: ZCDP) -> str:
    """A charge, or a sum of charges, as percent of the grant; rounded up."""
    return _percent(_taken(rho, total))


def remaining(rho: ZCDP, total: ZCDP) -> str:
    """What is left as percent of the grant; rounded down."""
    return _percent(math.floor(_steps(rho, total)))


def price_words(price: Price) -> str:
    """What a purchase takes, rounded up: the percentage that is left falls by no more."""
    return f"{taken(price.rho, price.total)} of the grant"


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
    epsilon = left(rho, delta)
    enough = f", enough for one release at ε = {epsilon}" if as_fraction(epsilon) else ""
    return f"{remaining(rho, total)} of the grant{enough}"


def _taken(rho: ZCDP, total: ZCDP) -> int:
    """What is taken, in hundredths of a per cent, rounded up."""
    return math.ceil(_steps(rho, total))


def _steps(rho: ZCDP, total: ZCDP) -> Fraction:
    return Fraction(STEPS * rho.units, total.units) if total.units else Fraction(0)


def _percent(steps: int) -> str:
    whole, part = divmod(steps, 100)
    return f"{whole:,}.{part:02d} %" if part else f"{whole:,} %"
