"""Discrete noise on a lattice that divides one row's share, for lazy rounding."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Protocol

from pmwpub.errors import BudgetError
from pmwpub.privacy.budget import ZCDP, pure
from pmwpub.privacy.noise import NoiseSource, float_above, gaussian_rho, laplace_epsilon

FINENESS = 64
"""Lattice steps a row, at least; and a step for each 1/64 of the noise scale, at least."""


class LatticeLaw(Protocol):
    """Noise in whole lattice steps; 2^j steps make one private row, so k rows are a whole number of steps."""

    @property
    def steps_per_row(self) -> int:
        """2^j."""
        ...

    @property
    def scale(self) -> Fraction:
        """In lattice steps."""
        ...

    @property
    def rho(self) -> ZCDP:
        """The charge."""
        ...

    def draw(self, value: int, noise: NoiseSource) -> int:
        """`value` plus noise."""
        ...

    def reach(self, confidence: Fraction) -> int:
        """A number of steps that the noise exceeds with probability at most 1 - confidence."""
        ...


@dataclass(frozen=True)
class LatticeLaplace:
    """Discrete Laplace noise of scale k 2^j/epsilon steps, that is k/epsilon rows; 2^j is the power of two from 64 and
    64 epsilon up.

    Privacy: a whole number of steps that moves by at most k 2^j between neighbours becomes epsilon-DP, and rho is
    epsilon^2/2, or what OpenDP's map gives for epsilon where that is more (its float scale is rounded up).

    Raises BudgetError unless epsilon is positive and the noise can be drawn.
    """

    epsilon: Fraction
    rows_per_person: int = 1

    def __post_init__(self) -> None:
        _check_rows(self.rows_per_person)
        if self.epsilon <= 0:
            raise BudgetError(f"The epsilon of a noisy error must be positive; {float(self.epsilon):g} came.")
        float_above(self.scale)

    @cached_property
    def steps_per_row(self) -> int:
        return _power_of_two(max(Fraction(FINENESS), FINENESS * self.epsilon))

    @cached_property
    def scale(self) -> Fraction:
        return self.rows_per_person * self.steps_per_row / self.epsilon

    @cached_property
    def rho(self) -> ZCDP:
        mapped = laplace_epsilon(self.scale, self.rows_per_person * self.steps_per_row)
        return pure(max(self.epsilon, mapped))

    def draw(self, value: int, noise: NoiseSource) -> int:
        return noise.laplace(value, self.scale)

    def reach(self, confidence: Fraction) -> int:
        """From P(|Z| >= t) = 2 a^t/(1 + a), a = e^(-1/scale)."""
        scale, beta = float_above(self.scale), _beta(confidence)
        beyond = scale * (math.log(2 / beta) - math.log1p(math.exp(-1 / scale)))
        return max(0, math.ceil(beyond * (1 + 1e-9)))


@dataclass(frozen=True)
class LatticeGaussian:
    """Discrete Gaussian noise of sigma_rows rows, in steps of 1/64 row and 1/64 sigma or finer.

    Privacy: a whole number of steps that moves by at most k 2^j between neighbours costs k^2/(2 sigma^2) in zCDP; rho
    is what OpenDP's map gives, rounded up.

    Raises BudgetError unless sigma is positive and the noise can be drawn.
    """

    sigma_rows: Fraction
    rows_per_person: int = 1

    def __post_init__(self) -> None:
        _check_rows(self.rows_per_person)
        if self.sigma_rows <= 0:
            raise BudgetError("The scale of Gaussian noise must be positive.")
        float_above(self.scale)

    @classmethod
    def costing(cls, rho: Fraction, rows_per_person: int = 1) -> LatticeGaussian:
        """The smallest sigma, to nine digits and rounded up, that costs at most rho: k/sqrt(2 rho)."""
        if rho <= 0:
            raise BudgetError("A share of zero buys no noisy error.")
        square = Fraction(rows_per_person * rows_per_person) / (2 * rho)
        digits = 10 ** max(9, 9 + len(str(square.denominator)) - len(str(square.numerator)))
        return cls(Fraction(math.isqrt(math.ceil(square * digits * digits)) + 1, digits), rows_per_person)

    @cached_property
    def steps_per_row(self) -> int:
        return _power_of_two(max(Fraction(FINENESS), FINENESS / self.sigma_rows))

    @cached_property
    def scale(self) -> Fraction:
        return self.sigma_rows * self.steps_per_row

    @cached_property
    def rho(self) -> ZCDP:
        return gaussian_rho(self.scale, self.rows_per_person * self.steps_per_row)

    def draw(self, value: int, noise: NoiseSource) -> int:
        return noise.gaussian(value, self.scale)

    def reach(self, confidence: Fraction) -> int:
        """From P(Z >= t) <= P(sigma N >= t - 1) (Canonne, Kamath, Steinke 2020, Proposition 25)."""
        from statistics import NormalDist

        sigma = float_above(self.scale)
        return math.ceil(sigma * -NormalDist().inv_cdf(_beta(confidence) / 2) * (1 + 1e-9)) + 1


def _power_of_two(at_least: Fraction) -> int:
    return int(1 << (math.ceil(at_least) - 1).bit_length())


def _beta(confidence: Fraction) -> float:
    if not 0 < confidence < 1:
        raise BudgetError(f"A confidence lies strictly between 0 and 1; {float(confidence):g} came.")
    return float(1 - confidence)


def _check_rows(rows_per_person: int) -> None:
    if rows_per_person < 1:
        raise BudgetError(f"A person owns at least one row; {rows_per_person} came.")
