"""Exact laws of selection, by groups of equal scores: what `selection` draws from."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from pmwpub.errors import MechanismError
from pmwpub.privacy.exp_enclosures import exp_minus, weights_by_gap
from pmwpub.privacy.noise import NoiseSource
from pmwpub.records import Ints

FIRST_BITS = 64
DENSE = 1 << 22
Gaps = npt.NDArray[np.uint64]


class Buckets(Protocol):
    """Scores (or bounds of scores) grouped by value, best first."""

    @property
    def gaps(self) -> Gaps:
        """The largest value minus each distinct one, ascending from 0."""
        ...

    @property
    def sizes(self) -> Ints:
        """How many scores have each value."""
        ...

    @property
    def count(self) -> int:
        """How many scores there are in all."""
        ...

    def member(self, bucket: int, noise: NoiseSource) -> int:
        """The position of one score of a bucket, uniformly."""
        ...


@dataclass(frozen=True, eq=False, repr=False)
class ScoreBuckets:
    """Scores grouped by value, best first. Private, as the scores are: its repr shows nothing.

    scores  int64 (Q,)
    top     the largest score
    gaps    uint64: top minus each distinct score, ascending from 0
    sizes   int64: how many scores each gap has
    """

    scores: Ints
    top: int
    gaps: Gaps
    sizes: Ints

    @property
    def count(self) -> int:
        return len(self.scores)

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
            return cls(scores, top, gaps.astype(np.uint64), counts[gaps])
        values, sizes = np.unique(scores, return_counts=True)
        # Differences of 64-bit numbers modulo 2^64: a gap may exceed what an int64 holds.
        gaps64 = values[-1:].astype(np.uint64) - values[::-1].astype(np.uint64)
        return cls(scores, top, gaps64, sizes[::-1].astype(np.int64))

    def member(self, bucket: int, noise: NoiseSource) -> int:
        """The position of one score of a bucket, uniformly."""
        place = noise.below(int(self.sizes[bucket]))
        return int(np.flatnonzero(self.scores == self.top - int(self.gaps[bucket]))[place])


@dataclass(frozen=True)
class _Table:
    """Cumulative weights in some unit: lower[j] <= C_j <= upper[j]; those beyond add at most `tail`."""

    lower: Sequence[int] | Ints
    upper: Sequence[int] | Ints
    tail: int


@dataclass(frozen=True, eq=False, repr=False)
class ExponentialLaw:
    """P(position i) proportional to e^(rate * scores[i]), exactly.

    Let C_j be the true weight of the buckets 0 .. j, W that of all, and U uniform on [0, 1): the bucket j with
    C_(j-1) <= U W < C_j has the stated law. Only the leading bits of U are drawn, and C and W are enclosed by
    integers. Where that decides j, it is the j that the real numbers would give; where it does not, the bits
    drawn stay and more are added, with narrower enclosures. Weights too small to register lie in one tail,
    which is opened the same way. So no weight is floored or cut off, and no float takes part. The first
    enclosures are those of `weights_by_gap`, in 64-bit numbers; later ones have twice as many bits as are drawn.
    """

    buckets: Buckets
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
            self._tables[bits] = self._first_table() if bits <= FIRST_BITS else self._table(2 * bits)
        table = self._tables[bits]
        low = threshold * int(table.lower[-1]) >> bits
        high = -(-(threshold + 1) * (int(table.upper[-1]) + table.tail) >> bits)
        bucket = bisect_right(table.upper, low)
        return bucket if bucket < len(table.lower) and high <= table.lower[bucket] else None

    def _first_table(self) -> _Table:
        """Sums of at most 2^62 and a little: count < 2^(62 - bits), and a weight is at most 2^bits and a few units."""
        bits = (62 - self.buckets.count.bit_length()) // 2 * 2
        gaps, sizes = self.buckets.gaps, self.buckets.sizes
        lower, upper = weights_by_gap(self.rate, bits, int(gaps[-1]))
        reached = np.minimum(gaps, np.uint64(len(lower) - 1)).astype(np.int64)
        return _Table(np.cumsum(sizes * lower[reached]), np.cumsum(sizes * upper[reached]), 0)

    def _table(self, bits: int) -> _Table:
        lows, highs, remaining, tail = [], [], self.buckets.count, 0
        gaps, sizes = self.buckets.gaps.tolist(), self.buckets.sizes.tolist()
        for (lower, upper), size in zip(gap_weights(gaps, self.rate, bits), sizes, strict=True):
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
        return list(gap_weights(self.buckets.gaps.tolist(), self.rate, 2 * FIRST_BITS))

    def _possible(self, drawn: list[int]) -> list[int]:
        """The buckets whose A can still be the least, in whole numbers: `least` bounds that least A in 2^-128."""
        one, bits = 1 << 2 * FIRST_BITS, self.first_bits
        least, possible = one, []
        for bucket, (start, size, (lower, upper)) in enumerate(
            zip(drawn, self.buckets.sizes.tolist(), self._weights, strict=True)
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
        size, exponent = int(self.buckets.sizes[bucket]), self.rate * int(self.buckets.gaps[bucket])
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
