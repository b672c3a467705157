"""Whole weights on the atoms, and by how much any query can have risen or fallen since its sum was last known."""

from __future__ import annotations

import numpy as np

from pmwpub.errors import DomainError
from pmwpub.mechanisms.pmw_pub.bounding_levels import BoundingLevels
from pmwpub.mechanisms.pmw_pub.reweight import Iterate
from pmwpub.queries.incidence import PublicProblem
from pmwpub.queries.threads import Threads
from pmwpub.records import Ints

MOST = 1 << 53
"""More than any sum of whole weights: larger changes bound nothing, and are cut to it before they overflow."""


class WholeWeights:
    """v_x = floor(values[x]) of an `Iterate`, their sum S, and what the latest round changed. All public.

    values  int64 (m,)
    total   S

    Raises DomainError if every weight is zero.
    """

    def __init__(self, problem: PublicProblem, iterate: Iterate) -> None:
        self._columns = problem.support.columns
        shape = np.array(problem.workload.domain.shape, dtype=np.int64)
        self.bounding = BoundingLevels.of(problem.workload)
        self._levels = np.arange(int(shape.max())) < shape[:, None]
        self.values = np.floor(iterate.values).astype(np.int64)
        self.total = int(self.values.sum())
        self._scalings = iterate.scalings
        self._risen, self._fallen = np.empty((2, len(self.values)), dtype=np.uint32)
        self._risen_by, self._fallen_by = np.empty((2, len(self.values)), dtype=np.int64)
        self._up = self._down = 0

    def follow(self, iterate: Iterate) -> bool:
        """Take over new weights; False if they were scaled, so that the changes say nothing about sums."""
        from pmwpub.mechanisms.pmw_pub.weight_kernels import whole_changes

        self._up, self._down, change = whole_changes(
            iterate.values, self.values, self._risen, self._risen_by, self._fallen, self._fallen_by
        )
        self.total += int(change)
        if self.total < 1:
            raise DomainError("No weight is left after rounding.")
        same, self._scalings = self._scalings == iterate.scalings, iterate.scalings
        return same

    def changes_by_level(self, threads: Threads) -> tuple[Ints, Ints]:
        """int64 (bounding levels,) each: the latest round's rises, and falls, of the atoms that each one holds."""
        from pmwpub.mechanisms.pmw_pub.weight_kernels import add_by_level

        rises, falls = np.zeros((2, *self._levels.shape), dtype=np.int64)

        def part(begin: int, end: int) -> None:
            columns = self._columns[begin:end]
            add_by_level(columns, self._risen[: self._up], self._risen_by[: self._up], rises[begin:end])
            add_by_level(columns, self._fallen[: self._down], self._fallen_by[: self._down], falls[begin:end])

        threads.spread(part, len(self._columns))
        return self.bounding.extended(rises[self._levels]), self.bounding.extended(falls[self._levels])


class Drift:
    """The cumulated rises and falls of each bounding level since each table's sums were exact.

    Tables whose sums were last exact in the same round share a row.

    rows          int64 (T,)
    rises, falls  int64 (rows, levels)
    """

    def __init__(self, tables: int, levels: int) -> None:
        self.rows = np.zeros(tables, dtype=np.int64)
        self.rises = np.zeros((1, levels), dtype=np.int64)
        self.falls = np.zeros((1, levels), dtype=np.int64)
        self._current = 0

    def add(self, rises: Ints, falls: Ints) -> None:
        """A round's changes, int64 (levels,) each; begins a row of its own for what becomes exact in the new round."""
        np.minimum(self.rises + rises, MOST, out=self.rises)
        np.minimum(self.falls + falls, MOST, out=self.falls)
        unused = np.flatnonzero(np.bincount(self.rows, minlength=len(self.rises)) == 0)
        if not len(unused):
            unused = np.array([len(self.rises)])
            self.rises = np.concatenate([self.rises, np.zeros_like(self.rises)])
            self.falls = np.concatenate([self.falls, np.zeros_like(self.falls)])
        self._current = int(unused[0])
        self.rises[self._current] = self.falls[self._current] = 0

    def forget(self, tables: Ints) -> None:
        """The sums of these tables are exact in the round that `add` began."""
        self.rows[tables] = self._current

    def restart(self) -> None:
        """The sums of all tables are exact now."""
        self.rows[:] = self._current = 0
        self.rises[0] = self.falls[0] = 0
