"""Secure noise: integers and bits from the operating system's randomness, with no seed.

The integer laws are OpenDP's discrete Gaussian and discrete Laplace (Canonne, Kamath, Steinke 2020); uniform
bits come from `secrets`. OpenDP takes its scale as a float and treats that float exactly, so the float handed
over is never below the exact fraction, and what is charged is what OpenDP's own privacy map says of it.
"""

from __future__ import annotations

import math
import secrets
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Protocol

from pmwpub.errors import BudgetError, MechanismError
from pmwpub.privacy.budget import ZCDP, shown

MAX_SCALE = 2**53
MAX_VALUE = 2**62
"""OpenDP's 64-bit noise saturates at the ends of its type (seen at a scale of 1e19).

From a value within 2^62, noise of scale at most 2^53 reaches them with probability below e^-500.
"""


class NoiseSource(Protocol):
    """Where mechanisms draw from: SECURE in the program, doubles in the tests."""

    def gaussian(self, value: int, scale: Fraction) -> int:
        """`value` plus discrete Gaussian noise: P(z) proportional to exp(-z^2/(2 scale^2)) on the integers."""
        ...

    def laplace(self, value: int, scale: Fraction) -> int:
        """`value` plus discrete Laplace noise: P(z) proportional to exp(-|z|/scale) on the integers."""
        ...

    def gaussians(self, values: list[int], scale: Fraction) -> list[int]:
        """Independent `gaussian` noise on each value."""
        ...

    def laplaces(self, values: list[int], scale: Fraction) -> list[int]:
        """Independent `laplace` noise on each value."""
        ...

    def bits(self, k: int) -> int:
        """Uniform on 0 .. 2^k - 1."""
        ...

    def below(self, n: int) -> int:
        """Uniform on 0 .. n - 1."""
        ...

    def bernoulli_exp(self, x: Fraction) -> bool:
        """True with probability exactly e^-x, for x >= 0."""
        ...


@dataclass(frozen=True)
class SecureNoise:
    """The only source that the program uses; it has no seed and no state.

    Privacy: the laws are exact. Adding `gaussian` noise of scale s to a count of sensitivity k costs
    k^2/(2 s^2) in zCDP, `laplace` noise is (k/s)-DP; `gaussian_rho` and `laplace_epsilon` give the charge.

    Raises BudgetError for a scale outside (0, 2^53], MechanismError for a value beyond 2^62.
    """

    def gaussian(self, value: int, scale: Fraction) -> int:
        return self.gaussians([value], scale)[0]

    def laplace(self, value: int, scale: Fraction) -> int:
        return self.laplaces([value], scale)[0]

    def gaussians(self, values: list[int], scale: Fraction) -> list[int]:
        return list(_gaussian_vector(float_above(scale))(_checked(values)))

    def laplaces(self, values: list[int], scale: Fraction) -> list[int]:
        return list(_laplace_vector(float_above(scale))(_checked(values)))

    def bits(self, k: int) -> int:
        return secrets.randbits(k)

    def below(self, n: int) -> int:
        return secrets.randbelow(n)

    def bernoulli_exp(self, x: Fraction) -> bool:
        return bernoulli_exp(x, self)


SECURE: NoiseSource = SecureNoise()


def bernoulli_exp(x: Fraction, noise: NoiseSource) -> bool:
    """True with probability exactly e^-x, from uniform integers alone (Canonne, Kamath, Steinke 2020, Algorithm 1).

    For x <= 1: flip Bernoulli(x/1), Bernoulli(x/2), ... until the first failure, the K-th flip. Then
    P(K > j) = x^j/j!, so P(K odd) = sum over j of (-x)^j/j! = e^-x. A larger x is one flip of e^-1 for each
    whole unit, then one of the rest; the first failure ends it.

    Raises MechanismError for a negative x.
    """
    if x < 0:
        raise MechanismError(f"A probability e^-x needs x >= 0; {shown(x)} came.")
    whole, rest = divmod(x, 1)
    for _ in range(whole):
        if not _bernoulli_exp_small(1, 1, noise):
            return False
    return _bernoulli_exp_small(rest.numerator, rest.denominator, noise)


def _bernoulli_exp_small(numerator: int, denominator: int, noise: NoiseSource) -> bool:
    flips = 1
    while noise.below(denominator * flips) < numerator:
        flips += 1
    return flips % 2 == 1


def float_above(scale: Fraction) -> float:
    """The smallest float that is at least `scale`: rounding goes toward more noise.

    Raises BudgetError for a scale outside (0, 2^53].
    """
    if not 0 < scale <= MAX_SCALE:
        raise BudgetError(
            f"The noise scale must be positive and at most 2^53 counts; {shown(scale)} came. "
            "A share this small or this large cannot be drawn: change epsilon or the number of rounds."
        )
    nearest = float(scale)
    return nearest if Fraction(nearest) >= scale else math.nextafter(nearest, math.inf)


def gaussian_rho(scale: Fraction, sensitivity: int) -> ZCDP:
    """What discrete Gaussian noise of this scale costs in zCDP: OpenDP's map, rounded up to whole units.

    Raises BudgetError for a scale outside (0, 2^53] or a sensitivity below one.
    """
    return ZCDP.at_least(_exact(_gaussian_scalar(float_above(scale)).map(_positive(sensitivity))))


def laplace_epsilon(scale: Fraction, sensitivity: int) -> Fraction:
    """The epsilon of discrete Laplace noise of this scale: OpenDP's map, which rounds up, as an exact fraction.

    Raises BudgetError for a scale outside (0, 2^53] or a sensitivity below one.
    """
    return _exact(_laplace_scalar(float_above(scale)).map(_positive(sensitivity)))


def _exact(cost: float) -> Fraction:
    if not math.isfinite(cost):
        raise BudgetError("The noise scale is so small that its privacy cost is not a finite number.")
    return Fraction(cost)


def _positive(sensitivity: int) -> int:
    if not 1 <= sensitivity <= MAX_VALUE:
        raise BudgetError(
            f"A sensitivity of 1 to 2^62 counts is needed; a {'smaller' if sensitivity < 1 else 'larger'} one came. "
            "Take another epsilon."
        )
    return sensitivity


def _checked(values: list[int]) -> list[int]:
    if any(abs(value) > MAX_VALUE for value in values):
        raise MechanismError("Noise can be added to whole numbers within 2^62 only; a larger one came.")
    return [int(value) for value in values]


def _opendp() -> tuple[Any, Any, Any]:
    """OpenDP's measurements, domains and metrics: its prelude would load its bridges to other libraries, too."""
    from opendp import domains, measurements, metrics
    from opendp.mod import enable_features

    enable_features("contrib")
    return measurements, domains, metrics


@lru_cache(maxsize=256)
def _gaussian_scalar(scale: float) -> Any:
    measurements, domains, metrics = _opendp()
    return measurements.make_gaussian(domains.atom_domain(T="i64"), metrics.absolute_distance(T="i64"), scale)


@lru_cache(maxsize=256)
def _laplace_scalar(scale: float) -> Any:
    measurements, domains, metrics = _opendp()
    return measurements.make_laplace(domains.atom_domain(T="i64"), metrics.absolute_distance(T="i64"), scale)


@lru_cache(maxsize=256)
def _gaussian_vector(scale: float) -> Any:
    measurements, domains, metrics = _opendp()
    rows = domains.vector_domain(domains.atom_domain(T="i64"))
    return measurements.make_gaussian(rows, metrics.l2_distance(T="i64"), scale)


@lru_cache(maxsize=256)
def _laplace_vector(scale: float) -> Any:
    measurements, domains, metrics = _opendp()
    rows = domains.vector_domain(domains.atom_domain(T="i64"))
    return measurements.make_laplace(rows, metrics.l1_distance(T="i64"), scale)
