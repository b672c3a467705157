"""Measuring one private count."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from pmwpub.errors import BudgetError
from pmwpub.privacy.budget import ZCDP, as_fraction
from pmwpub.privacy.noise import SECURE, NoiseSource, float_above, gaussian_rho


@dataclass(frozen=True)
class DiscreteGaussian:
    """A whole count plus discrete Gaussian noise (Canonne, Kamath, Steinke 2020).

    scale        sigma, in counts (not in shares of n: divide by n afterwards)
    sensitivity  k, the most that one person moves the count

    Privacy: neighbours replace one person's at most k rows by as many. The rows taken out hold 0 to k that
    satisfy the query, and so do the rows put in, so the count moves by at most k. Integer Gaussian noise whose
    centre moves by the integer k costs k^2/(2 sigma^2) in zCDP, exactly as the continuous law does (ibid.,
    Theorem 4); dividing by the public n and clamping are post-processing.

    Raises BudgetError for a scale outside (0, 2^53] or a sensitivity below one.
    """

    scale: Fraction
    sensitivity: int = 1

    def __post_init__(self) -> None:
        if self.sensitivity < 1:
            raise BudgetError(f"A sensitivity of at least one count is needed; {self.sensitivity} came.")
        object.__setattr__(self, "scale", as_fraction(self.scale))
        float_above(self.scale)

    @classmethod
    def costing(cls, epsilon0: Fraction, sensitivity: int) -> DiscreteGaussian:
        """The measurement that costs epsilon0^2/2: sigma = k/epsilon0.

        Raises BudgetError where epsilon0 is not positive or so small that the noise cannot be drawn.
        """
        if epsilon0 <= 0:
            raise BudgetError("A share of zero buys no measurement; take fewer rounds or more budget.")
        return cls(Fraction(sensitivity) / epsilon0, sensitivity)

    @property
    def rho(self) -> ZCDP:
        """The charge: OpenDP's map at the float scale that is drawn from, rounded up."""
        return gaussian_rho(self.scale, self.sensitivity)

    def measure(self, count: int, *, noise: NoiseSource = SECURE) -> int:
        """`count` plus noise; not clamped.

        Privacy: `rho` of zCDP for a count of this sensitivity.
        """
        return noise.gaussian(int(count), self.scale)
