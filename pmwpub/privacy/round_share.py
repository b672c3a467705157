"""A run's budget as equal shares for its rounds: one selection and one measurement each."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from pmwpub.errors import BudgetError
from pmwpub.privacy.budget import UNIT, ZCDP
from pmwpub.privacy.measurement import DiscreteGaussian
from pmwpub.privacy.selection import ExponentialMechanism, Selection

EPSILON0_DECIMALS = 18
"""A round's epsilon0 is rounded down to so many decimals."""


@dataclass(frozen=True)
class RoundShare:
    """What one of several equal rounds may do: select one query, then measure it.

    epsilon0     the round's parameter of Algorithm 1 (Liu et al. 2021)
    selection    costs epsilon0^2/2
    measurement  a discrete Gaussian of scale k/epsilon0 counts; costs epsilon0^2/2
    rho          what the ledger is charged for the round: both, each rounded up
    """

    epsilon0: Fraction
    selection: Selection
    measurement: DiscreteGaussian

    @property
    def rho(self) -> ZCDP:
        return self.selection.rho + self.measurement.rho


@lru_cache(maxsize=256)
def split(
    budget: ZCDP, rounds: int, *, rows_per_person: int = 1, selection: type[Selection] | None = None
) -> RoundShare:
    """Equal shares for `rounds` rounds: rounds * share.rho <= budget, nearly all of it used.

    A round costs epsilon0^2, so rounds of them cost rounds * epsilon0^2 = eps~^2/2 (Algorithm 1 of Liu et al.
    2021 sets epsilon0 = eps~/sqrt(2 T)). epsilon0 is rounded down to 18 decimals, then lowered until the two
    charges, as rounded up, fit. `selection` is the law of the selection; by default the exponential mechanism.

    The latest ones are kept, for a plan is asked for its schedule many times on its way to a release.

    Raises BudgetError for less than one round or row, and where a share would be zero.
    """
    if rounds < 1:
        raise BudgetError(f"A split needs at least one round; {rounds} came.")
    law = ExponentialMechanism if selection is None else selection
    allowed = budget.units // rounds
    target = allowed
    while target > 0:
        epsilon0 = Fraction(math.isqrt(target * 10 ** (2 * EPSILON0_DECIMALS) // UNIT), 10**EPSILON0_DECIMALS)
        measurement = DiscreteGaussian.costing(epsilon0, rows_per_person)
        share = RoundShare(epsilon0, law.costing(epsilon0), measurement)
        if share.rho.units <= allowed:
            return share
        target -= share.rho.units - allowed
    raise BudgetError(
        f"{budget.units} units of 1e-15 are too few for {rounds} rounds; take fewer rounds or more budget."
    )
