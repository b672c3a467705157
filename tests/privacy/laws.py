"""The stated laws, computed without the package: what the tests of samplers compare with."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import mpmath

DIGITS = 60


def gaussian_masses(scale: float, *, span: float = 12.0) -> tuple[list[int], list[float]]:
    """The discrete Gaussian on the integers within `span` scales of zero."""
    reach = math.ceil(span * scale) + 2
    outcomes = list(range(-reach, reach + 1))
    masses = [math.exp(-(z * z) / (2 * scale * scale)) for z in outcomes]
    total = math.fsum(masses)
    return outcomes, [mass / total for mass in masses]


def laplace_masses(scale: float, *, span: float = 60.0) -> tuple[list[int], list[float]]:
    """The discrete Laplace on the integers within `span` scales of zero."""
    reach = math.ceil(span * scale) + 2
    outcomes = list(range(-reach, reach + 1))
    shrink = math.exp(-1 / scale)
    return outcomes, [(1 - shrink) / (1 + shrink) * shrink ** abs(z) for z in outcomes]


def exponential_masses(scores: Sequence[int], epsilon: Fraction, sensitivity: int) -> list[float]:
    """P(i) proportional to e^(u_i epsilon/(2k)), to 60 digits."""
    with mpmath.workdps(DIGITS):
        rate, top = _real(epsilon) / (2 * sensitivity), max(map(int, scores))
        weights = {score: mpmath.exp((score - top) * rate) for score in set(map(int, scores))}
        total = mpmath.fsum(weights[int(score)] for score in scores)
        shares = {score: float(weight / total) for score, weight in weights.items()}
        return [shares[int(score)] for score in scores]


def permute_and_flip_masses(scores: Sequence[int], epsilon: Fraction, sensitivity: int) -> list[float]:
    """Permute-and-flip's law (McKenna and Sheldon 2020), to 60 digits.

    With p_i = e^((u_i - max u) epsilon/(2k)) and an item's place in the random order as a uniform time t, item i
    wins if it flips heads and no earlier one does: p_i times the integral over t in [0, 1] of the product of
    (1 - p_j t) over the others, a polynomial.
    """
    with mpmath.workdps(DIGITS):
        rate, top = _real(epsilon) / (2 * sensitivity), max(map(int, scores))
        heads = [mpmath.exp((score - top) * rate) for score in map(int, scores)]
        return [float(heads[i] * _first_heads(heads[:i] + heads[i + 1 :])) for i in range(len(heads))]


def _first_heads(others: Sequence[mpmath.mpf]) -> mpmath.mpf:
    coefficients = [mpmath.mpf(1)]
    for p in others:
        padded = [*coefficients, mpmath.mpf(0)]
        coefficients = [padded[d] - (p * padded[d - 1] if d else 0) for d in range(len(padded))]
    return mpmath.fsum(c / (d + 1) for d, c in enumerate(coefficients))


def renyi(ours: Sequence[float], theirs: Sequence[float], order: float) -> float:
    """The Rényi divergence of two laws on the same outcomes, of an order above 1."""
    with mpmath.workdps(DIGITS):
        total = mpmath.fsum(
            mpmath.mpf(p) ** order * mpmath.mpf(q) ** (1 - order) for p, q in zip(ours, theirs, strict=True)
        )
        return float(mpmath.log(total) / (order - 1))


def _real(number: Fraction) -> mpmath.mpf:
    return mpmath.mpf(number.numerator) / number.denominator
