"""The noisy total of all weights: what shares are taken of, where nobody declares it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from pmwpub.errors import PlanError
from pmwpub.privacy.budget import ZCDP
from pmwpub.privacy.noise import SECURE, NoiseSource
from pmwpub.privacy.vector_gaussian import VectorGaussian

DEVIATIONS = Fraction(49, 25)
"""1.96, of 95 % of a normal law."""


@dataclass(frozen=True)
class TotalNoise:
    """What a noisy total of n rows costs and is off by.

    n      rows
    cap    W, the most that one of them weighs, in units
    reach  k W: by how much one person may move the total

    Raises PlanError where these are none, BudgetError for a budget that no noise can be drawn at.
    """

    n: int
    cap: int
    reach: int
    budget: ZCDP

    def __post_init__(self) -> None:
        if self.n < 1 or not 1 <= self.cap <= self.reach:
            raise PlanError("A total is of at least one row, which weighs one unit or more.")
        _ = self.law

    @property
    def law(self) -> VectorGaussian:
        """One entry, which k replaced rows move by at most k W; it costs at most the budget."""
        return VectorGaussian.costing(self.budget, self.reach**2)

    @property
    def half_width(self) -> int:
        """In units, of the 95 % interval."""
        return math.ceil(DEVIATIONS * self.law.scale)


def total_release(total: int, law: TotalNoise, *, noise: NoiseSource = SECURE) -> int:
    """The noisy total in units: a whole number from 1 to n W.

    total  exact

    Raises PlanError for a total that n rows of at most W units cannot have.

    Privacy: neighbours replace one person's at most k of n rows, n public. A row's weight is a function of its own cell
    and the schema, 0 to W units (`WeightColumn.weight_of`); so the k rows taken out take between 0 and k W from the
    total, those put in add between 0 and k W, and it moves by at most k W, a whole number. Integer Gaussian noise of
    scale sigma costs (k W)^2/(2 sigma^2) in zCDP (`VectorGaussian`). Clamping is post-processing, by public numbers.
    """
    if not 0 <= total <= law.n * law.cap:
        raise PlanError("The total is that of another table than the one that was planned.")
    (noisy,) = law.law.measure(np.array([total], dtype=np.int64), noise=noise).tolist()
    return min(max(int(noisy), 1), law.n * law.cap)
