"""What is proved about a best-mixture error: bounds recomputed in whole numbers, whatever solver suggested them.

f = min over mixtures mu on the support of max_q |q(D) - q(mu)|, with q(D) = c_q/n (Liu et al. 2021, Section 3).
A mixture proves f <= its own largest error. Empty and full cells, and any weights y on the queries with
sum |y_q| <= 1, prove f >= something. Floats only ever propose the mixture and the y: they are turned into
whole numbers first, and every sum behind a bound is then exact, so no padding for rounding is needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from pmwpub.errors import DomainError
from pmwpub.queries.cell_space import spread_back
from pmwpub.queries.counts import PrivateCounts
from pmwpub.queries.incidence import PublicProblem
from pmwpub.records import Floats, Ints

FINE = 2**60
"""Whole weights sum to at most this: 2^60 and a little still fit an int64."""

COUNT_BITS = 31


@dataclass(frozen=True, eq=False, repr=False)
class MixtureInterval:
    """lower <= f <= upper, both exact, and a mixture that attains `upper`; its repr shows nothing.

    weights  int64 (m,), not negative, not all zero: atom x has mass weights[x] / sum(weights)

    Privacy: an exact function of private counts, for the steward alone.
    """

    lower: Fraction
    upper: Fraction
    weights: Ints

    def __post_init__(self) -> None:
        if not 0 <= self.lower <= self.upper <= 1:
            raise DomainError("A certified interval must satisfy 0 <= lower <= upper <= 1.")

    @property
    def width(self) -> Fraction:
        return self.upper - self.lower


def whole_weights(weights: Floats) -> Ints:
    """Weights as whole numbers: shares of 2^60, rounded down.

    weights  float64 (m,), not negative, finite, not all zero; returns int64 (m,), summing to between 1 and 2^61

    Raises DomainError otherwise.
    """
    total = float(np.sum(weights))
    if not (np.all(np.isfinite(weights)) and np.all(weights >= 0) and total > 0):
        raise DomainError("A mixture needs finite weights that are not negative and not all zero.")
    values: Ints = np.floor(weights / total * FINE).astype(np.int64)
    return values


def largest_error(counts: PrivateCounts, sums: Ints, total: int) -> Fraction:
    """max_q |c_q/n - s_q/S| over all queries, exact.

    sums   int64 (Q,)  s_q, in 0..S
    total  S, below 2^62

    Floats only shortlist: c/n - s/S comes out of six roundings of numbers of at most 1, hence within 2^-50,
    so a query more than 2^-48 below the largest is not the largest. The shortlist is compared in integers.
    """
    sizes = np.abs(counts.counts / counts.n - sums / total)
    shortlist = np.flatnonzero(sizes >= sizes.max() - 2.0**-48)
    pairs = set(zip(counts.counts[shortlist].tolist(), sums[shortlist].tolist(), strict=True))
    return max(Fraction(abs(total * c - counts.n * s), counts.n * total) for c, s in pairs)


def forced_error(counts: PrivateCounts, coverage: Ints, atoms: int) -> Fraction:
    """The error that no mixture avoids, from cells that are empty or full: an exact c/n.

    A query that no atom satisfies has q(mu) = 0, hence error c_q/n; one that all atoms satisfy has q(mu) = 1,
    hence error (n - c_q)/n.

    coverage  int64 (Q,)  atoms that satisfy each query, 0..atoms
    """
    missed = counts.counts[coverage == 0].max(initial=0)
    lacking = (counts.n - counts.counts[coverage == atoms]).max(initial=0)
    return Fraction(int(max(missed, lacking)), counts.n)


def dual_bound(counts: PrivateCounts, problem: PublicProblem, dual: Floats) -> Fraction:
    """The lower bound that weights on the queries prove, exact: (y.c/n - max_x sum_q y_q q(x)) / sum |y_q|.

    For any mixture mu and y with sum |y_q| = 1:  max_q |q(D) - q(mu)| >= sum_q y_q (q(D) - q(mu))
    >= y.q(D) - max_x sum_q y_q q(x), since a mixture's value is at most that of its best atom.

    dual  float64 (Q,), finite, of any scale; made whole, then everything is recomputed from the whole numbers.
    Returns 0, which is always a bound, where it proves less.
    """
    from pmwpub.mechanisms.best_mixture.mixture_kernels import pull_back

    whole, norm = whole_dual(dual, FINE)
    if norm == 0:
        return Fraction(0)
    workload = problem.workload
    pulled = np.zeros(len(problem.support), dtype=np.int64)
    values = spread_back(workload, whole)  # sums of parts of `whole`: at most the norm, which fits
    pull_back(problem.support.columns, workload.positions, workload.strides, workload.cell_offsets, values, pulled)
    bound = Fraction(_dot(whole, counts.counts) - counts.n * int(pulled.max()), counts.n * norm)
    return max(bound, Fraction(0))


def whole_dual(dual: Floats, most: int) -> tuple[Ints, int]:
    """Proposed weights, float64 (Q,), of any scale, as whole numbers y, and sum |y_q|, about `most` at most.

    The sum is 0 where all of them are, or their scale is no number.
    """
    scale = float(np.abs(dual).sum())
    if not np.isfinite(scale) or scale <= 0:
        return np.zeros(len(dual), dtype=np.int64), 0
    whole = np.trunc(dual / scale * most).astype(np.int64)
    return whole, int(np.abs(whole).sum())


def _dot(whole: Ints, counts: Ints) -> int:
    """sum whole[q] * counts[q], exact: the low and the high half of `whole` apart, in blocks that cannot overflow.

    |whole| < 2^61 makes the high half less than 2^30 and the low one less than 2^31; a block of 2^k terms with
    counts below 2^c needs 31 + c + k < 63 bits.
    """
    touched = np.flatnonzero(whole)
    low = whole[touched] & ((1 << COUNT_BITS) - 1)
    high = whole[touched] >> COUNT_BITS
    selected = counts[touched]
    bits = int(selected.max(initial=0)).bit_length()
    block = 1 << max(0, 62 - COUNT_BITS - bits)
    if COUNT_BITS + bits > 62:
        return sum(y * c for y, c in zip(whole[touched].tolist(), selected.tolist(), strict=True))
    total = 0
    for start in range(0, len(touched), block):
        part = slice(start, start + block)
        total += (int(high[part] @ selected[part]) << COUNT_BITS) + int(low[part] @ selected[part])
    return total
