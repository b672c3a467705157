"""The residual spaces of marginals: what each subset of attributes adds to its own subsets.

A marginal over attributes S splits into orthogonal parts, one for each A within S (Xiao, He, Zhang, Kifer 2023): with
m_i the levels of attribute i and P_A the product over A of I - 11'/m_i, the part of A is P_A v_A for the counts v_A of
the marginal over A. The part of the empty set is n, which is public. An attribute of one level adds nothing.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

import numpy as np

from pmwpub.errors import MethodRefused
from pmwpub.mechanisms.baselines.prefix_refusal import refuse_prefixes
from pmwpub.queries.counts import PrivateCounts
from pmwpub.queries.workload import Marginal, Workload
from pmwpub.records import Floats, Ints

Subset = tuple[int, ...]

MAX_SUBSETS = 200_000
MAX_NOISY_CELLS = 2 * 10**7
MICROSECONDS_A_CELL = 28
"""What one exact discrete Gaussian takes on one core."""


class Emphasis(StrEnum):
    """What a design makes least.

    QUERIES    the sum of the variances of all answers: the least RMS error
    MARGINALS  the sum over marginals of the mean variance of their answers: large marginals count no more than small
               ones, whose cells hold more rows and noise that shows more; the lesser maximum, as a rule
    """

    QUERIES = "queries"
    MARGINALS = "marginals"


@dataclass(frozen=True)
class ResidualSpaces:
    """Every subset that a workload's marginals need, not counting the empty one; all public.

    wider  sets of attributes beyond the subsets that are counted and measured as well

    Raises MethodRefused where there are too many of them, no attribute has two levels, or queries are no cells.
    """

    workload: Workload
    emphasis: Emphasis = Emphasis.QUERIES
    wider: tuple[Subset, ...] = ()

    def __post_init__(self) -> None:
        refuse_prefixes(self.workload)
        found = len(self.subsets)
        if not found:
            raise MethodRefused("No attribute of the workload has two levels: every answer is n.")
        if found > MAX_SUBSETS:
            raise MethodRefused(
                f"The workload's marginals have {found:,} subsets of attributes, more than {MAX_SUBSETS:,}; "
                "take fewer marginals or a smaller k."
            )

    @cached_property
    def subsets(self) -> tuple[Subset, ...]:
        """Smaller ones first, then in lexicographic order."""
        found: set[Subset] = set()
        for marginal in self.workload.marginals:
            found.update(self.within(marginal.attributes))
        return tuple(sorted(found, key=lambda subset: (len(subset), subset)))

    def within(self, attributes: Subset) -> list[Subset]:
        """The nonempty sets of those attributes that have two levels or more."""
        wide = [a for a in attributes if self.workload.domain.shape[a] > 1]
        return [subset for size in range(1, len(wide) + 1) for subset in itertools.combinations(wide, size)]

    def needed(self, attributes: Subset) -> list[Subset]:
        """The subsets that lie within a marginal of any width."""
        return [subset for subset in self.within(attributes) if subset in self.place]

    @cached_property
    def tables(self) -> tuple[Subset, ...]:
        """The subsets, and the wider sets after them."""
        return self.subsets + self.wider

    @cached_property
    def place(self) -> Mapping[Subset, int]:
        """Where each subset stands in `subsets`."""
        return {subset: place for place, subset in enumerate(self.subsets)}

    @cached_property
    def closure(self) -> Workload:
        """`tables` as a workload: what has to be counted."""
        return Workload(self.workload.domain, tuple(map(Marginal, self.tables)))

    def shape(self, subset: Subset) -> tuple[int, ...]:
        return tuple(self.workload.domain.shape[a] for a in subset)

    def cells(self, subset: Subset) -> int:
        return math.prod(self.shape(subset))

    def kept(self, subset: Subset) -> float:
        """pi_A, the product of 1 - 1/m_i: every diagonal entry of P_A."""
        return math.prod(1 - 1 / m for m in self.shape(subset))

    @cached_property
    def loss_weights(self) -> Floats:
        """float64 (subsets,): what a design makes least is the sum of these times sigma_A^2.

        A cell of S has the variance sum over A of sigma_A^2 pi_A / (product over S - A of m_i^2).
        """
        weights = np.zeros(len(self.subsets))
        for marginal in self.workload.marginals:
            cells = self.cells(marginal.attributes) if self.emphasis is Emphasis.QUERIES else 1
            for subset in self.within(marginal.attributes):
                weights[self.place[subset]] += cells * self._share(marginal.attributes, subset)
        return weights

    def variances(self, noise: Floats) -> Floats:
        """The variance of each cell of each marginal of the workload, in squared rows: float64 (W,), closed form.

        noise  float64 (subsets,)  sigma_A^2, the variance of the noise on the residual of A
        """
        return np.array(
            [
                sum(
                    noise[self.place[subset]] * self._share(marginal.attributes, subset)
                    for subset in self.within(marginal.attributes)
                )
                for marginal in self.workload.marginals
            ]
        )

    def _share(self, attributes: Subset, subset: Subset) -> float:
        others = (self.workload.domain.shape[a] for a in attributes if a not in subset)
        return self.kept(subset) / math.prod(m * m for m in others)

    def answers(self, residuals: Mapping[Subset, Floats], n: int) -> Floats:
        """The workload's counts from the residuals: float64 (Q,), consistent with each other and with n rows.

        residuals  subset -> array of that subset's shape
        """
        parts = []
        for marginal in self.workload.marginals:
            shape = self.shape(marginal.attributes)
            total = np.full(shape, n / math.prod(shape))
            for subset in self.within(marginal.attributes):
                inside = tuple(m if a in subset else 1 for a, m in zip(marginal.attributes, shape, strict=True))
                total += residuals[subset].reshape(inside) * (math.prod(inside) / math.prod(shape))
            parts.append(total.ravel())
        return np.concatenate(parts)

    def counted(self, counts: PrivateCounts) -> dict[Subset, Ints]:
        """Counts of `closure` -> each of `tables`.

        Raises MethodRefused for the counts of another workload.
        """
        if len(counts.counts) != self.closure.queries:
            raise MethodRefused("The private counts are not those of the workload's subsets; count `closure`.")
        ends = self.closure.offsets
        return {
            subset: counts.counts[ends[w] : ends[w + 1]].reshape(self.shape(subset))
            for w, subset in enumerate(self.tables)
        }


def projected(table: Floats) -> Floats:
    """P_A v: along each axis, minus the mean."""
    for axis in range(table.ndim):
        table = table - table.mean(axis=axis, keepdims=True)
    return table


def scaled_projection(table: Ints) -> Ints:
    """N P_A v for the N cells of the table, in whole numbers: along each axis, m times the entry minus the sum."""
    for axis in range(table.ndim):
        table = table * table.shape[axis] - table.sum(axis=axis, keepdims=True)
    return table


def refuse_slow(cells: int) -> None:
    """Raises MethodRefused where so much exact noise would take too long."""
    if cells > MAX_NOISY_CELLS:
        raise MethodRefused(
            f"{cells:,} noisy cells are needed, about {cells * MICROSECONDS_A_CELL / 6e7:,.0f} minutes of noise; "
            f"at most {MAX_NOISY_CELLS:,} are drawn. Take fewer marginals, a smaller k, or bins."
        )
