"""The best-mixture error of a public support, as a certified interval that tightens as long as one asks.

f_{D,Q}(S) = min over mixtures mu on S of max_q |q(D) - q(mu)|   (Liu et al. 2021, Section 3).
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from pmwpub.errors import DomainError
from pmwpub.mechanisms.best_mixture.bounds import (
    MixtureInterval,
    dual_bound,
    forced_error,
    largest_error,
    whole_weights,
)
from pmwpub.mechanisms.best_mixture.descent import Descent
from pmwpub.mechanisms.best_mixture.linear_program import CuttingPlanes, members_of
from pmwpub.queries.counts import PrivateCounts
from pmwpub.queries.incidence import PublicProblem
from pmwpub.queries.workload import Workload
from pmwpub.records import Floats, Ints, Support

CLOSED = Fraction(1, 10**9)
"""A finished linear program leaves less than this, or it is not believed to be finished."""
NARROW = Fraction(1, 10**12)
"""Less is not looked for: floats prove hardly less."""
STEP_WORK = 5 * 10**8
"""Cell visits of one refine() by descent: about a second of one core."""
SMALL = 5_000
"""Up to so many cell visits a pass, the linear program comes first."""
LARGE = 5_000_000
"""Beyond so many, it is cut short."""
DESCENT_PASSES = 400
"""Passes before the linear program takes over, unless the descent is slow before.

Where a solved program proves no more than the empty cells do, they decide, or nearly: then it would need thousands of
rows, and the descent goes on first.
"""
DESCENT_LIMIT = 10_000
SIMPLEX_ITERATIONS = 500
PROGRAM_STEPS, LARGE_PROGRAM_STEPS = 400, 40
"""Then the descent goes on."""
PROGRAM_ENTRIES = 20_000_000
"""Of its matrix, at most: about a quarter of a gigabyte."""


class BestMixture:
    """f of one private table over one support and workload; `refine()` until narrow enough or exhausted.

    counts    the private counts c_q of the workload
    workload  any marginals and prefix tables
    support   any atoms; those that no query tells apart are merged

    The interval starts from empty and full cells (lower) and from the public table itself (upper), and only ever
    tightens. Every end is exact and proved (see mixture_bounds); nothing relies on the solvers being right.

    Raises DomainError if counts, workload and support do not fit together.

    Privacy: non-private. The interval, its width and the number of steps are for the steward alone; f itself is
    k/n-sensitive (see assessment), `lower` and `upper` are not. Its repr shows nothing.
    """

    def __init__(self, counts: PrivateCounts, workload: Workload, support: Support) -> None:
        if counts.counts.shape != (workload.queries,):
            raise DomainError(
                f"The workload has {workload.queries:,} queries and the private counts {counts.counts.shape[0]:,}."
            )
        merged, self._place = _merge(workload, support)
        self._atoms = len(support)
        self._counts = counts
        self._problem = PublicProblem(workload, merged)
        coverage = self._problem.sums(np.ones(len(merged), dtype=np.int64))
        self._lower = forced_error(counts, coverage, len(merged))
        self._weights: Ints = merged.multiplicity
        self._upper = largest_error(counts, self._problem.start_sums, merged.rows)
        self._descent: Descent | None = None
        self._planes: CuttingPlanes | None = None
        self._program_left = PROGRAM_STEPS if self._visits <= LARGE else LARGE_PROGRAM_STEPS
        self._program_idle = False
        self._solved = False
        self._stalled = False

    def __repr__(self) -> str:
        return "BestMixture(hidden)"

    @property
    def private_rows(self) -> int:
        """n, public."""
        return self._counts.n

    @property
    def interval(self) -> MixtureInterval:
        """The bounds proved so far."""
        weights = np.zeros(self._atoms, dtype=np.int64)
        weights[self._place] = self._weights
        weights.flags.writeable = False
        return MixtureInterval(self._lower, self._upper, weights)

    @property
    def exhausted(self) -> bool:
        """Nothing is left to try: the interval is closed, or as narrow as the solvers can make it."""
        if self._upper == self._lower or self._solved:
            return True
        return not self._wants_program() and self._descent_over(DESCENT_LIMIT)

    def refine(self) -> MixtureInterval:
        """About a second of work; the interval afterwards, never wider than before."""
        if not self.exhausted:
            if self._wants_program():
                self._refine_by_program()
            else:
                self._refine_by_descent()
        return self.interval

    @property
    def _visits(self) -> int:
        return len(self._problem.support) * len(self._problem.workload.tables)

    @property
    def passes(self) -> int:
        """Passes of the descent so far; for the steward."""
        return self._descent.passes if self._descent else 0

    def _wants_program(self) -> bool:
        if not self._program_left:
            return False
        if self._visits <= SMALL or self._descent_over(DESCENT_LIMIT):
            return True
        slow = self._descent is not None and self._descent.slow
        return not self._program_idle and (slow or self._descent_over(DESCENT_PASSES))

    def _descent_over(self, limit: int) -> bool:
        return self._stalled or self.passes >= limit

    def _refine_by_descent(self) -> None:
        if self._descent is None:
            self._descent = Descent(self._counts, self._problem)
        descent = self._descent
        before, lower = descent.best, float_below(self._lower)
        descent.run(max(1, min(50, STEP_WORK // (2 * self._visits))), lower)
        if descent.best < before:
            self._propose_mixture(descent.weights)
        if descent.dual_gain > self._lower:
            self._propose_dual(descent.dual)
        self._stalled = descent.best <= lower
        self._solved = self._upper - self._lower <= NARROW

    def _refine_by_program(self) -> None:
        if self._planes is None:
            support = self._problem.support
            start, target = support.multiplicity / support.rows, self._counts.counts / self._counts.n
            self._planes = CuttingPlanes(target, start, self._rows, float_below(self._lower))
            if not self._planes.add_worst(self._residual(self._weights), float(self._lower)):
                self._finish_program()
                return
        solved = self._planes.solve(SIMPLEX_ITERATIONS)
        self._program_left -= 1
        before = self._lower
        residual = self._propose_mixture(self._planes.weights)
        self._propose_dual(self._planes.dual)
        if solved and self._lower == before:
            self._doubt_program()
        if solved and not self._planes.add_worst(residual, float(self._lower)):
            self._finish_program()
        elif self._planes.entries > PROGRAM_ENTRIES:
            self._program_left = 0

    def _rows(self, queries: Ints) -> list[tuple[Ints, Floats]]:
        return [(each, np.ones(len(each))) for each in members_of(self._problem, queries)]

    def _doubt_program(self) -> None:
        self._program_idle = True
        if self._descent is not None:
            self._descent.trust_bound()

    def _finish_program(self) -> None:
        self._solved = self._upper - self._lower <= CLOSED
        self._program_left = 0

    def _residual(self, whole: Ints) -> Floats:
        answers: Floats = self._problem.sums(whole) / int(whole.sum())
        return self._counts.counts / self._counts.n - answers

    def _propose_mixture(self, weights: Floats) -> Floats:
        """Take over a mixture if it proves a smaller upper bound; its q(D) - q(mu) in floats, (Q,)."""
        whole = whole_weights(weights)
        total = int(whole.sum())
        sums = self._problem.sums(whole)
        error = largest_error(self._counts, sums, total)
        if error < self._upper:
            self._upper, self._weights = error, whole
        residual: Floats = self._counts.counts / self._counts.n - sums / total
        return residual

    def _propose_dual(self, dual: Floats) -> None:
        self._lower = max(self._lower, dual_bound(self._counts, self._problem, dual))


def _merge(workload: Workload, support: Support) -> tuple[Support, Ints]:
    """One atom for each class that no query tells apart, with the class's multiplicity, and where it stood.

    Mixtures only enter through q(mu), so f is the same.
    """
    used = sorted({attribute for table in workload.tables for attribute in table.attributes})
    if len(used) == len(workload.domain.attributes):
        return support, np.arange(len(support), dtype=np.int64)
    _, first, inverse = np.unique(support.codes[:, used], axis=0, return_index=True, return_inverse=True)
    multiplicity = np.zeros(len(first), dtype=np.int64)
    np.add.at(multiplicity, inverse.ravel(), support.multiplicity)
    return Support(support.domain, support.codes[first], multiplicity), first.astype(np.int64)


def float_below(bound: Fraction) -> float:
    """The largest float that is not above a bound, or the one before it."""
    nearest = float(bound)
    return nearest if Fraction(nearest) <= bound else math.nextafter(nearest, -math.inf)
