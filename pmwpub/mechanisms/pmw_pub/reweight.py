"""Multiplicative-weights steps, and the replay of past measurements."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from pmwpub.errors import DomainError
from pmwpub.queries.incidence import PublicProblem, finest_total
from pmwpub.records import Floats, Ints

Positions = npt.NDArray[np.uint32]


def exact_within(rows: int, n: int) -> bool:
    """Whether sums of whole weights, from public rows that count so often, are exact in 64 bits beside n private rows.

    rows  the sum of multiplicities; n  private rows, or the units that they weigh together
    """
    return finest_total(n) // 4 // rows >= 1


class Iterate:
    """A_t up to a common factor: atom x has weight values[x]/total.

    A step touches the atoms that satisfy its query and no other; the common factor stays implicit.

    values  float64 (m,)  at the start whole numbers
    total   their sum
    scalings  how often all values were multiplied by a power of two, to keep the total within bounds
    """

    def __init__(self, multiplicity: Ints, n: int) -> None:
        """Start from whole weights in proportion to `multiplicity`, int64 (m,), fit for n private rows.

        Raises DomainError if n and the sum of multiplicities are too large for 64-bit sums.
        """
        rows = int(multiplicity.sum())
        self._most = finest_total(n)
        if (unit := self._most // 4 // rows) < 1:
            raise DomainError(f"{n:,} private and {rows:,} public rows are too many for exact 64-bit sums.")
        self.unit = unit
        self.values: Floats = (multiplicity * unit).astype(np.float64)
        self.total = float(rows * unit)
        self.scalings = 0

    @property
    def weights(self) -> Floats:
        """float64 (m,), summing to one."""
        shares: Floats = self.values / self.total
        return shares

    def step(self, satisfied: Ints | Positions, answer: float) -> None:
        """One step of Algorithm 1 (Liu et al. 2021): A_t(x) ∝ A_{t-1}(x) exp(q_t(x) (a_t - q_t(A_{t-1}))/2).

        satisfied  (s,)  atoms x with q_t(x) = 1; if none is, or all are, nothing changes
        answer     a_t
        """
        self.steps(satisfied, np.array([0, len(satisfied)]), np.array([answer]), np.zeros(1, dtype=np.int64))

    def steps(self, members: Ints | Positions, edges: Ints, answers: Floats, order: Ints) -> None:
        """Steps towards answers[i] for i in `order`; the atoms of i are members[edges[i] : edges[i + 1]]."""
        from pmwpub.mechanisms.pmw_pub.weight_kernels import step_all

        self.total = float(step_all(self.values, self.total, members, edges, answers, order))

    def settle(self) -> None:
        """Sum up afresh, and scale by a power of two if the total left its bounds; to be called once a round."""
        from pmwpub.mechanisms.pmw_pub.weight_kernels import total_of

        self.total = float(total_of(self.values))
        while self.total > self._most:
            self._scale(0.25)
        while self.total < self._most / 64:
            self._scale(4.0)

    def _scale(self, factor: float) -> None:
        self.values *= factor
        self.total *= factor
        self.scalings += 1


@dataclass
class _Measured:
    """All noisy counts of one query so far; their mean is the inverse-variance average, the scales being equal."""

    noisy_counts: list[int] = field(default_factory=list)

    def answer(self, n: int) -> float:
        """The averaged answer, clamped to [0, 1]."""
        return min(1.0, max(0.0, sum(self.noisy_counts) / len(self.noisy_counts) / n))


class Memory:
    """The measurements of a run, in the order in which each query was first measured, and their atoms."""

    def __init__(self, problem: PublicProblem, n: int, replay_seed: int) -> None:
        self._problem = problem
        self._n = n
        self._order = random.Random(replay_seed)
        self._places: dict[int, int] = {}
        self._measured: list[_Measured] = []
        self._answers: list[float] = []
        self._edges = [0]
        self._members: Positions = np.empty(0, dtype=np.uint32)

    def add(self, query: int, noisy_count: int) -> int:
        """Record a noisy count, and return the measurement's place; a query measured again gains one, it loses none."""
        if query not in self._places:
            self._places[query] = len(self._measured)
            self._measured.append(_Measured())
            self._answers.append(0.0)
            self._append(self._problem.members(query))
        place = self._places[query]
        self._measured[place].noisy_counts.append(noisy_count)
        self._answers[place] = self._measured[place].answer(self._n)
        return place

    def answer(self, place: int) -> float:
        """The averaged answer of one measurement, in [0, 1]."""
        return self._answers[place]

    def step(self, iterate: Iterate, place: int) -> None:
        """One multiplicative-weights step towards a measurement."""
        self._steps(iterate, [place])

    def replay(self, iterate: Iterate, newest: int) -> None:
        """Steps for all measurements whose estimated error is at least half the newest one's, in random order.

        Errors are |q_i(A_t) - a_i| after the newest step; each replayed step computes q(A) afresh
        (Liu et al. 2021, "Empirical Optimizations"). The order comes from a public seed.

        Privacy: post-processing of noisy measurements and public data.
        """
        errors = np.abs(np.array(self._answers) - self._held(iterate) / iterate.total)
        due = np.flatnonzero(errors >= errors[newest] / 2.0).tolist()
        self._order.shuffle(due)
        self._steps(iterate, due)

    def _append(self, members: Ints) -> None:
        begin, end = self._edges[-1], self._edges[-1] + len(members)
        if end > len(self._members):
            larger = np.empty(max(end, 2 * len(self._members)), dtype=np.uint32)
            larger[:begin] = self._members[:begin]
            self._members = larger
        self._members[begin:end] = members
        self._edges.append(end)

    def _held(self, iterate: Iterate) -> Floats:
        from pmwpub.mechanisms.pmw_pub.weight_kernels import masses

        held: Any = np.empty(len(self._measured))
        masses(iterate.values, self._members, np.array(self._edges), held)
        return held  # type: ignore[no-any-return]

    def _steps(self, iterate: Iterate, places: list[int]) -> None:
        order = np.array(places, dtype=np.int64)
        iterate.steps(self._members, np.array(self._edges), np.array(self._answers), order)
