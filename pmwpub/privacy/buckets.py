"""Exact laws of selection, by groups of equal scores: what `selection` draws from."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import Any

import numpy as np

from pmwpub.errors import MechanismError
from pmwpub.privacy.noise import NoiseSource
from pmwpub.records import Ints

FIRST_BITS = 64
DENSE = 1 << 22


@dataclass(frozen=True, eq=False, repr=False)
class ScoreBuckets:
    """Scores grouped by value, best first. Private, as the scores are: its repr shows nothing.

    scores  int64 (Q,)
    top     the largest score
    gaps    top minus each distinct score, ascending from 0
    sizes   how many scores each gap has
    """

    scores: Ints
    top: int
    gaps: list[int]
    sizes: list[int]

    @classmethod
    def of(cls, scores: Ints) -> ScoreBuckets:
        """Group int64 (Q,) scores: one pass by counting, or by sorting where they are spread out.

        Raises MechanismError unless scores is a one-dimensional int64 array with an entry.
        """
        if not isinstance(scores, np.ndarray) or scores.dtype != np.int64 or scores.ndim != 1:
            raise MechanismError("Scores must be a one-dimensional int64 array.")
        if not scores.size:
            raise MechanismError("A selection needs at least one score; none came.")
        top, bottom = int(scores.max()), int(scores.min())
        if top - bottom <= max(DENSE, 2 * scores.size):
            counts = np.bincount(top - scores)
            gaps = np.flatnonzero(counts)
            return cls(scores, top, gaps.tolist(), counts[gaps].tolist())
        values, sizes = np.unique(scores, return_counts=True)
        return cls(scores, top, [top - value for value in reversed(values.tolist())], sizes[::-1].tolist())

    def member(self, bucket: int, noise: NoiseSource) -> int:
        """The position of one score of a bucket, uniformly."""
        place = noise.below(self.sizes[bucket])
        return int(np.flatnonzero(self.scores == self.top - self.gaps[bucket])[place])


@dataclass(frozen=True)
class _Table:
    """Cumulative weights in units of 2^-bits: lower[j] <= C_j <= upper[j]; those beyond add at most `tail`."""

    lower: list[int]
    upper: list[int]
    tail: int


@dataclass(frozen=True, eq=False, repr=False)
class ExponentialLaw:
    """P(position i) proportional to e^(rate * scores[i]), exactly.

    Let C_j be the true weight of the buckets 0 .. j, W that of all, and U uniform on [0, 1): the bucket j with
    C_(j-1) <= U W < C_j has the stated law. Only the leading bits of U are drawn, and C and W are enclosed by
    integers. Where that decides j, it is the j that the real numbers would give; where it does not, the bits
    drawn stay and more are added, with narrower enclosures. Weights too small to register lie in one tail,
    which is opened the same way. So no weight is floored or cut off, and no float takes part.
    """

    buckets: ScoreBuckets
    rate: Fraction
    first_bits: int = FIRST_BITS
    _tables: dict[int, _Table] = field(default_factory=dict)

    def draw(self, noise: NoiseSource) -> int:
        """One position."""
        bits = self.first_bits
        threshold = noise.bits(bits)
        while (bucket := self._decide(threshold, bits)) is None:
            threshold = threshold << bits | noise.bits(bits)
            bits *= 2
        return self.buckets.member(bucket, noise)

    def _decide(self, threshold: int, bits: int) -> int | None:
        """The bucket of every U in [threshold, threshold + 1)/2^bits, if it is one and the same."""
        if bits not in self._tables:
            self._tables[bits] = self._table(2 * bits)
        table = self._tables[bits]
        low = threshold * table.lower[-1] >> bits
        high = -(-(threshold + 1) * (table.upper[-1] + table.tail) >> bits)
        bucket = bisect_right(table.upper, low)
        return bucket if bucket < len(table.lower) and high <= table.lower[bucket] else None

    def _table(self, bits: int) -> _Table:
        lows, highs, remaining, tail = [], [], len(self.buckets.scores), 0
        for (lower, upper), size in zip(
            gap_weights(self.buckets.gaps, self.rate, bits), self.buckets.sizes, strict=True
        ):
            if not lower:
                tail = remaining * upper
                break
            lows.append(size * lower)
            highs.append(size * upper)
            remaining -= size
        return _Table(list(accumulate(lows)), list(accumulate(highs)), tail)


@dataclass(frozen=True, eq=False, repr=False)
class PermuteAndFlipLaw:
    """The law of permute-and-flip, exactly.

    Permute-and-flip picks the i with the largest rate * scores[i] + E_i, the E_i independent exponential variables
    (Ding, Kifer, et al. 2021). The largest of N of them is -log(1 - V^(1/N)) for one uniform V = 1 - S, so each bucket
    needs one uniform S, and the bucket with the least A = e^(rate gap) (1 - (1 - S)^(1/N)) wins. Only the leading bits
    of each S are drawn; A is enclosed, and buckets that could still win get more bits until one is left. From
    s/N <= 1 - (1 - s)^(1/N) <= 2 s/N (the latter for s <= 1/2) nearly all buckets are out without any logarithm.
    """

    buckets: ScoreBuckets
    rate: Fraction
    first_bits: int = FIRST_BITS

    def draw(self, noise: NoiseSource) -> int:
        """One position."""
        bits = self.first_bits
        drawn = [noise.bits(bits) for _ in self.buckets.gaps]
        rivals = [(bucket, drawn[bucket]) for bucket in self._possible(drawn)]
        while len(rivals) > 1:
            enclosures = [self._enclose(bucket, start, bits) for bucket, start in rivals]
            bound = min(high for _, high in enclosures)
            rivals = [rival for rival, (low, _) in zip(rivals, enclosures, strict=True) if low <= bound]
            if len(rivals) > 1:
                rivals = [(bucket, start << bits | noise.bits(bits)) for bucket, start in rivals]
                bits *= 2
        return self.buckets.member(rivals[0][0], noise)

    @cached_property
    def _weights(self) -> list[tuple[int, int]]:
        return list(gap_weights(self.buckets.gaps, self.rate, 2 * FIRST_BITS))

    def _possible(self, drawn: list[int]) -> list[int]:
        """The buckets whose A can still be the least, in whole numbers: `least` bounds that least A in 2^-128."""
        one, bits = 1 << 2 * FIRST_BITS, self.first_bits
        least, possible = one, []
        for bucket, (start, size, (lower, upper)) in enumerate(
            zip(drawn, self.buckets.sizes, self._weights, strict=True)
        ):
            if start * one << 2 * FIRST_BITS > (least * size * upper) << bits:
                continue
            possible.append(bucket)
            if 2 * (start + 1) <= 1 << bits and lower:
                least = min(least, -(-(2 * (start + 1) * one * one) // ((size * lower) << bits)))
        return possible

    def _enclose(self, bucket: int, start: int, bits: int) -> tuple[Any, Any]:
        """Bounds of A for S in [start, start + 1]/2^bits, by correctly rounded functions."""
        import gmpy2

        down, up = (gmpy2.context(precision=bits + 64, round=way) for way in (gmpy2.RoundDown, gmpy2.RoundUp))
        size, exponent = self.buckets.sizes[bucket], self.rate * self.buckets.gaps[bucket]
        growth = gmpy2.mpq(exponent.numerator, exponent.denominator)
        bounds = []
        for first, second, edge in ((up, down, start), (down, up, start + 1)):
            root = first.expm1(first.div(first.log1p(gmpy2.mpfr(gmpy2.mpq(-edge, 1 << bits), 0, first)), size))
            bounds.append(second.mul(second.exp(gmpy2.mpfr(growth, 0, second)), second.minus(root)))
        return bounds[0], bounds[1]


def gap_weights(gaps: Sequence[int], rate: Fraction, bits: int) -> Iterator[tuple[int, int]]:
    """Integers around 2^bits e^(-rate gap) for ascending gaps, from 0.

    By the recurrence e^(-rate g') = e^(-rate g) e^(-rate (g' - g)), each step rounded both ways.
    """
    lower, upper, previous = 1 << bits, 1 << bits, 0
    for gap in gaps:
        if gap != previous:
            down, up = exp_minus(rate * (gap - previous), bits)
            lower, upper, previous = lower * down >> bits, -(-upper * up >> bits), gap
        yield lower, upper


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
