"""A table by its distinct rows and how often each stands: what a simulated table of 10^9 rows is kept as."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from pmwpub.domain import Domain
from pmwpub.queries.incidence import PublicProblem
from pmwpub.queries.workload import Workload
from pmwpub.records import Codes, Ints, Support

_BLOCK = 1 << 16  # rows


@dataclass(frozen=True, eq=False, repr=False)
class RepeatedRows:
    """Rows that may be looked at, each with a level everywhere; memory goes with the distinct ones alone.

    distinct  the distinct rows, with how often each stands
    """

    distinct: Support = field(repr=False)

    @property
    def domain(self) -> Domain:
        return self.distinct.domain

    @property
    def codes(self) -> Codes:
        """(m, d): the distinct rows."""
        return self.distinct.codes

    @property
    def repeats(self) -> Ints:
        """int64 (m,): how often each stands."""
        return self.distinct.multiplicity

    def __len__(self) -> int:
        return self.distinct.rows

    def blocks(self) -> Iterator[Codes]:
        """(d, rows) C-contiguous codes with every row written out, a block at a time."""
        ends = np.cumsum(self.repeats)
        for begin in range(0, len(self), _BLOCK):
            rows = np.arange(begin, min(begin + _BLOCK, len(self)))
            yield np.ascontiguousarray(self.codes[np.searchsorted(ends, rows, side="right")].T)

    def counted(self, workload: Workload) -> Ints:
        """int64 (Q,): the rows that satisfy each query, exact."""
        return PublicProblem(workload, self.distinct).start_sums

    def projected(self, names: Iterable[str]) -> RepeatedRows:
        """The rows on the named attributes alone, in the domain's order; as many rows."""
        kept = sorted({self.domain.index(name) for name in names})
        smaller = self.domain.project(self.domain.names[position] for position in kept)
        return RepeatedRows(Support.merged(smaller, self.codes[:, kept], self.repeats))
