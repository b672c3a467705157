"""What is left of a population's budget: as the ε that can still be bought, and as a figure."""

from __future__ import annotations

from fractions import Fraction

from pmwpub import figures
from pmwpub.ledger import Balance
from pmwpub.privacy.budget import ZCDP, ApproxDP, as_fraction, epsilon_of, zcdp_of
from pmwpub.rounding import above, below, down, up


def left(remaining: ZCDP, delta: Fraction) -> str:
    """What a budget can still buy: the largest ε of three digits at which a release fits, never more."""
    epsilon = epsilon_of(remaining, delta)
    rounded = up(epsilon, 3)
    fits = epsilon > 0 and zcdp_of(ApproxDP(as_fraction(rounded), delta)) <= remaining
    return rounded if fits else down(epsilon, 3)


def balance_plot(balance: Balance, running: ZCDP, *, closed: bool = False) -> figures.Plot:
    """What is spent, what of it is still at work, and what is left, as lengths in ρ.

    running  the part of what is spent whose result is still being made
    closed   whether nothing more is bought of the population: what is left is no budget any more
    """

    def amount(rho: ZCDP) -> figures.Amount:
        return figures.Amount(above(rho.rho), epsilon_of(rho, balance.delta))

    remaining = figures.Amount(below(balance.remaining.rho), float(left(balance.remaining, balance.delta)))
    settled = balance.spent - running
    return figures.drawn_once(
        figures.budget_bar,
        amount(balance.total),
        amount(running),
        amount(settled),
        remaining,
        delta=above(balance.delta),
        closed=closed,
    )
