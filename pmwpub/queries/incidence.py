"""The public side of a workload: exact answers of a weighted support, and the atoms that satisfy a query.

A `PublicProblem` holds what depends on public things only, so it may be shared by sessions and kept
by workers. Nothing of size W x m or Q x m is ever stored: cells are computed on the fly.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pmwpub.errors import DomainError
from pmwpub.queries.cell_space import answered
from pmwpub.queries.threads import Threads
from pmwpub.queries.workload import Workload
from pmwpub.records import Floats, Ints, Support, loop_type

ALONE = Threads()


@dataclass(frozen=True, eq=False)
class QuantisedWeights:
    """Whole weights on the atoms: atom x has mass values[x] / total.

    values  int64 (m,), not negative
    total   S, their sum; (2n + 1) S < 2^63 for the n that they were made for
    """

    values: Ints
    total: int


def quantise(weights: Floats, n: int) -> QuantisedWeights:
    """Round weights down to multiples of a power of two, so that all later sums are exact integers.

    weights  float64 (m,), not negative, summing to one within rounding
    n        the private row count: it bounds the scale, since n * S must fit an int64

    Raises DomainError if every weight would become zero.
    """
    scale = 1 << (finest_total(n).bit_length() - 1)
    values = np.floor(weights * float(scale)).astype(np.int64)
    total = int(values.sum())
    if total < 1:
        raise DomainError("No weight is left after rounding.")
    return QuantisedWeights(values, total)


def finest_total(n: int) -> int:
    """The largest total S of whole weights for n private rows: (2n + 1) S <= 2^62, and S <= 2^52 as floats hold it."""
    return min(1 << 52, (1 << 62) // (2 * n + 1))


def rounded_answers(sums: Ints, total: int, n: int) -> Ints:
    """r_q = floor(n s_q / S + 1/2), in integers: q(A) in private rows, halves up.

    sums  int64 (Q,)  s_q; (2n + 1) S < 2^63
    """
    return (sums * (2 * n) + total) // (2 * total)


class PublicProblem:
    """A support and a workload on it: everything of PMW^Pub that is public.

    Raises DomainError if their domains differ.
    """

    def __init__(self, workload: Workload, support: Support) -> None:
        if workload.domain != support.domain:
            raise DomainError("The support and the workload were made with different schemas.")
        self.workload = workload
        self.support = support

    @property
    def most_bytes(self) -> int:
        """The bytes that it holds once all that it may be asked for is found: codes by row and by column, the tables
        of the workload, and two numbers a query."""
        codes = self.support.codes
        atoms = codes.nbytes + codes.size * loop_type(self.support.domain).itemsize + self.support.multiplicity.nbytes
        numbers = 3 * self.workload.queries + (self.workload.cells if self.workload.prefixes else 0)
        return atoms + 8 * (2 * self.workload.widest + 2) * len(self.workload.tables) + 8 * numbers

    def sums(self, values: Ints, threads: Threads = ALONE) -> Ints:
        """s_q = the sum of values[x] over the atoms x that satisfy q.

        values  int64 (m,); returns int64 (Q,)
        """
        sums = np.zeros(self.workload.cells, dtype=np.int64)
        self.add_sums(values, np.arange(len(self.workload.tables)), self.workload.cell_offsets, sums, threads)
        return answered(self.workload, sums)

    def add_sums(self, values: Ints, chosen: Ints, starts: Ints, out: Ints, threads: Threads = ALONE) -> None:
        """Add the sums of all cells of the tables `chosen` to out; those of chosen[i] lie in out[starts[i] :
        starts[i + 1]]."""
        from pmwpub.queries.incidence_kernels import add_weights

        workload, columns = self.workload, self.support.columns

        def part(begin: int, end: int) -> None:
            add_weights(
                columns,
                values,
                workload.positions,
                workload.strides,
                workload.arity,
                chosen[begin:end],
                starts[begin : end + 1],
                out,
            )

        threads.spread(part, len(chosen))

    @cached_property
    def start_sums(self) -> Ints:
        """int64 (Q,): public rows that satisfy each query; q(A_0) is start_sums / support.rows."""
        sums = self.sums(self.support.multiplicity)
        sums.flags.writeable = False
        return sums

    @cached_property
    def coverage(self) -> Ints:
        """int64 (Q,): atoms that satisfy each query."""
        coverage = self.sums(np.ones(len(self.support), dtype=np.int64))
        coverage.flags.writeable = False
        return coverage

    def members(self, query: int) -> Ints:
        """The atoms that satisfy one query: ascending int64 positions."""
        satisfied = np.ones(len(self.support), dtype=bool)
        for one in self.workload.conditions(query):
            codes = self.support.columns[one.attribute]
            satisfied &= (codes >= one.least) & (codes <= one.most)
        return np.flatnonzero(satisfied).astype(np.int64)
