"""Enclosures of e^(-x) in whole numbers: one at a time, and for every gap up to a reach."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import numpy as np

from pmwpub.records import Ints


@lru_cache(maxsize=4096)
def exp_minus(x: Fraction, bits: int) -> tuple[int, int]:
    """Integers around 2^bits e^-x, at most one apart but for rounding in the 64th further bit; x >= 0.

    MPFR rounds its functions correctly in the direction asked for (Fousse et al. 2007).
    """
    import gmpy2

    if x == 0:
        return 1 << bits, 1 << bits
    if x >= bits:  # e^-x <= e^-bits < 2^-bits
        return 0, 1
    exponent = gmpy2.mpq(-x.numerator, x.denominator)
    down = gmpy2.context(precision=bits + 64, round=gmpy2.RoundDown)
    up = gmpy2.context(precision=bits + 64, round=gmpy2.RoundUp)
    low, low_unit = down.exp(gmpy2.mpfr(exponent, 0, down)).as_integer_ratio()
    high, high_unit = up.exp(gmpy2.mpfr(exponent, 0, up)).as_integer_ratio()
    return int((low << bits) // low_unit), int(-((-high << bits) // high_unit))


LONGEST = 1 << 22
"""Gaps that a table lists at most; those beyond lie in its last entry."""


def weights_by_gap(rate: Fraction, bits: int, reach: int) -> tuple[Ints, Ints]:
    """Arrays lower and upper, int64: lower[g] <= 2^bits e^(-rate g) <= upper[g]; the last entry holds for all g beyond.

    bits   even, at most 60
    reach  the largest gap that is asked for; the arrays end earlier where nothing registers any more

    Kept between calls; do not write into them. The enclosures are a few units wide.
    """
    listed, last = 1, max(1, min(reach + 1, LONGEST))
    while listed < last:
        listed *= 2
    return _weights(rate, bits, listed)


@lru_cache(maxsize=4)
def _weights(rate: Fraction, bits: int, listed: int) -> tuple[Ints, Ints]:
    """By doubling: the weights of g and G multiply to that of g + G, one product rounded down and one up."""
    lower, upper = np.array([1 << bits], dtype=np.int64), np.array([1 << bits], dtype=np.int64)
    while len(lower) < listed and lower[-1] > 0:
        below, above = exp_minus(rate * len(lower), bits)
        lower = np.concatenate([lower, _product(lower, below, bits)])
        upper = np.concatenate([upper, _product(upper, above, bits) + 1])
    lower, upper = np.append(lower, 0), np.append(upper, upper[-1])
    lower.flags.writeable = upper.flags.writeable = False
    return lower, upper


def _product(numbers: Ints, factor: int, bits: int) -> Ints:
    """floor(numbers * factor / 2^bits) for numbers and factor of at most a little over 2^bits, without overflow.

    With halves a = a1 2^h + a0 and b = b1 2^h + b0, 2h = bits: a b / 2^bits = a1 b1 + (a1 b0 + a0 b1 + a0 b0/2^h)/2^h.
    """
    half = bits // 2
    low = (1 << half) - 1
    high_a, low_a, high_b, low_b = numbers >> half, numbers & low, factor >> half, factor & low
    found: Ints = high_a * high_b + ((high_a * low_b + low_a * high_b + (low_a * low_b >> half)) >> half)
    return found
