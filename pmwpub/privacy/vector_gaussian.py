"""Discrete Gaussian noise on a vector of whole numbers, priced by how far one person moves the whole vector."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from pmwpub.errors import BudgetError, MechanismError
from pmwpub.privacy.budget import ZCDP
from pmwpub.privacy.noise import MAX_VALUE, SECURE, NoiseSource, float_above
from pmwpub.records import Ints

PRECISION = 40
"""Scales are rounded up to so many significant bits."""


@dataclass(frozen=True)
class VectorGaussian:
    """Independent discrete Gaussian noise of one scale on each entry of an integer vector.

    scale                sigma, in units of the entries
    squared_sensitivity  the most that |a - b|^2 can be for the vectors a and b of neighbours

    Privacy: for entries a_i and b_i of two neighbours, the Rényi divergence of order alpha between a_i + Z and b_i + Z
    is at most alpha (a_i - b_i)^2/(2 sigma^2), for a_i - b_i is whole (Canonne, Kamath, Steinke 2020, Theorem 4); the Z
    are independent, so divergences add up to alpha |a - b|^2/(2 sigma^2): rho = squared_sensitivity/(2 sigma^2).
    What is drawn has the float scale at or above `scale`, so it costs no more.

    Raises BudgetError for a scale outside (0, 2^53] or a sensitivity of zero.
    """

    scale: Fraction
    squared_sensitivity: Fraction

    def __post_init__(self) -> None:
        if self.squared_sensitivity <= 0:
            raise BudgetError("A vector that nobody moves needs no noise; a positive sensitivity is needed.")
        float_above(self.scale)

    @classmethod
    def costing(cls, rho: ZCDP, squared_sensitivity: Fraction | int) -> VectorGaussian:
        """The least noise, to 40 bits, that costs at most rho.

        Raises BudgetError for a budget of zero or one so small that the noise cannot be drawn.
        """
        if rho.units < 1:
            raise BudgetError("A share of zero buys no measurement; take more budget.")
        return cls(sqrt_above(Fraction(squared_sensitivity) / (2 * rho.rho)), Fraction(squared_sensitivity))

    @property
    def rho(self) -> ZCDP:
        """squared_sensitivity/(2 sigma^2), rounded up."""
        return ZCDP.at_least(self.squared_sensitivity / (2 * self.scale**2))

    def measure(self, values: Ints, *, noise: NoiseSource = SECURE) -> Ints:
        """The entries plus noise, in the same shape.

        values  int64 or object array of whole numbers within 2^62

        Privacy: `rho` of zCDP if one person moves the vector by at most the stated sensitivity.
        Raises MechanismError for entries beyond 2^62.
        """
        entries = [int(value) for value in np.asarray(values).ravel()]
        if any(abs(entry) > MAX_VALUE for entry in entries):
            raise MechanismError("Noise can be added to whole numbers within 2^62 only; a larger one came.")
        noisy: Ints = np.array(noise.gaussians(entries, self.scale), dtype=np.int64).reshape(np.shape(values))
        return noisy


def sqrt_above(square: Fraction, bits: int = PRECISION) -> Fraction:
    """The square root of a positive fraction, rounded up to about `bits` significant bits; exact in a float."""
    exponent = (square.numerator.bit_length() - square.denominator.bit_length()) // 2
    shift = bits - exponent
    scaled = square * Fraction(4) ** shift
    root = math.isqrt(math.ceil(scaled))
    return Fraction(root + (root * root < scaled)) / Fraction(2) ** shift
