"""The scores of PMW^Pub's selection, evaluated only where they may matter: bounds from the drift of the weights.

Let v_x be the whole weight of atom x and S their sum, so that q(A) = s_q/S with s_q the sum over the atoms that
satisfy q. Between the round in which s_q was last summed up and now, s_q rose by at most the sum of all rises of
v_x among the atoms that satisfy q: those have, on each attribute of q, the level that q asks for. So with P_l the
cumulated rises of atoms with level l, and N_l the cumulated falls,

    s_q - min over q's levels l of (N_l - N_l then)  <=  s_q now  <=  s_q + min over l of (P_l - P_l then),

all in whole numbers. Where q asks "at most level j" of an attribute, the atoms that satisfy it have one of the levels
up to j, so that the sums of the rises, and of the falls, of all these levels stand in the place of one level's: a
prefix may move by as much, and by more than any one of its cells. As S is known, r_q = floor(n s_q/S + 1/2) lies
between the same function of both ends, and the score |c_q - r_q| is at most the larger distance of c_q from them. Atoms
that no step of a round touched keep their v_x: the common factor of a step is in S alone.
"""

from __future__ import annotations

import numpy as np

from pmwpub.mechanisms.pmw_pub.active_queries import ActiveQueries, ScoreBounds
from pmwpub.mechanisms.pmw_pub.reweight import Iterate
from pmwpub.mechanisms.pmw_pub.score_counts import LISTED, ScoreCounts, counted
from pmwpub.mechanisms.pmw_pub.weight_changes import Drift, WholeWeights
from pmwpub.queries.cell_space import cumulate
from pmwpub.queries.counts import PrivateCounts
from pmwpub.queries.incidence import ALONE, PublicProblem, rounded_answers
from pmwpub.queries.threads import Threads, starts_of
from pmwpub.records import Ints

NEGLIGIBLE = 40.0
"""Exponents beyond which a weight counts for nothing when tables are picked for evaluation (and only there)."""

FIRST_BATCH = 4
"""Tables that are evaluated after the first rejection of a round."""

SMALL = 1_000_000
"""Cells that are summed up in the time that a round of bounds takes by itself."""


class DriftScores:
    """u_q = |c_q - r_q| for the current weights of an `Iterate`: bounds for all, exact where evaluated.

    start_sums  int64 (Q,)  s_q of the iterate's start, in its units

    Privacy: for weights that are a function of earlier outputs r_q is public, so one person's k rows move each u_q by
    at most k, exactly. Only `privacy.selection` may look at them.
    """

    def __init__(
        self,
        counts: PrivateCounts,
        problem: PublicProblem,
        iterate: Iterate,
        start_sums: Ints,
        threads: Threads = ALONE,
    ) -> None:
        self._problem, self._threads, self._n = problem, threads, counts.n
        self._whole = WholeWeights(problem, iterate)
        self._entries = ActiveQueries.of(counts, problem, self._whole.bounding)
        self._drift = Drift(len(problem.workload.tables), len(self._whole.bounding))
        self._sums = start_sums[self._entries.queries] * iterate.unit
        self._scores = np.abs(self._entries.counts - rounded_answers(self._sums, self._whole.total, self._n))
        self._sizes = self._counted()
        self._stale = np.zeros(len(problem.workload.tables), dtype=bool)
        self._queue: Ints | None = None
        self._pending, self._comparable = False, True
        self._bounds_pay = _bounds_pay(problem, len(self._entries.queries))

    def __len__(self) -> int:
        return self._problem.workload.queries

    def advance(self, iterate: Iterate) -> None:
        """Take over the weights of a new round. What was exact becomes a bound once bounds are asked for."""
        # Changes that nobody asked for before the next ones come are lost: then all is summed up afresh.
        self._comparable = self._whole.follow(iterate) and not self._pending
        self._pending = True

    def exact(self) -> Ints:
        """Every score, int64 (Q,)."""
        if self._pending:
            self._evaluate_all()
        else:
            self._evaluate(np.flatnonzero(self._stale))
        scores = np.zeros(len(self), dtype=np.int64)
        scores[self._entries.queries] = self._scores
        return scores

    def answers(self) -> Ints:
        """r_q for every query, int64 (Q,); public."""
        self.exact()
        answers = np.zeros(len(self), dtype=np.int64)
        answers[self._entries.queries] = rounded_answers(self._sums, self._whole.total, self._n)
        return answers

    def sharpen(self, rate: float, rejections: int) -> None:
        """Evaluate the stale tables whose bounds weigh most, twice as many after each rejection."""
        self._refresh()
        if not self._stale.any():
            return
        if self._queue is None:
            self._queue = self._by_weight(rate)
        waiting = self._queue[self._stale[self._queue]]
        taken = FIRST_BATCH << rejections
        self._queue = waiting[taken:]
        self._evaluate(waiting[:taken])

    def buckets(self) -> ScoreBounds:
        """The bounds, grouped."""
        self._refresh()
        top, gaps, sizes = self._sizes.groups()
        return ScoreBounds(self._scores, self._entries.queries, top, gaps, sizes, len(self))

    def resolve(self, position: int) -> tuple[int, int]:
        """The bound and the score of one query."""
        entry = int(np.searchsorted(self._entries.queries, position))
        if entry == len(self._scores) or self._entries.queries[entry] != position:
            return 0, 0
        bound = int(self._scores[entry])
        table = int(np.searchsorted(self._problem.workload.offsets, position, side="right")) - 1
        if self._stale[table]:
            self._evaluate(np.array([table]))
        return bound, int(self._scores[entry])

    def _refresh(self) -> None:
        """Bounds for the weights of a new round, or exact scores where bounds would cost as much or say nothing."""
        if not self._pending:
            return
        if not (self._comparable and self._bounds_pay):
            self._evaluate_all()
            return
        self._drift.add(*self._whole.changes_by_level(self._threads))
        self._bound()
        self._stale[:] = True
        self._queue = None
        self._sizes = self._counted()
        self._pending = False

    def _bound(self) -> None:
        from pmwpub.mechanisms.pmw_pub.score_kernels import bounded_scores

        entries, drift, total = self._entries, self._drift, self._whole.total
        shift, high, low, half, bits = _fixed_point(total, self._n)

        def part(begin: int, end: int) -> None:
            bounded_scores(
                begin, end, entries.edges, entries.levels, entries.counts, self._sums, drift.rows, drift.rises,
                drift.falls, total, shift, high, low, half, bits, self._n, self._scores,
            )  # fmt: skip

        self._threads.spread(part, len(drift.rows))

    def _evaluate(self, chosen: Ints) -> None:
        """Make the scores of stale tables exact."""
        edges, offsets = self._entries.edges, self._problem.workload.cell_offsets
        self._sizes.shift(chosen, edges, self._scores, -1)
        self._sum_up(chosen, starts_of(offsets[chosen + 1] - offsets[chosen]))
        self._sizes.shift(chosen, edges, self._scores, 1)
        self._stale[chosen] = False
        self._drift.forget(chosen)

    def _evaluate_all(self) -> None:
        self._sum_up(np.arange(len(self._stale)), self._problem.workload.cell_offsets)
        self._stale[:] = False
        self._drift.restart()
        self._sizes = self._counted()
        self._pending = False

    def _sum_up(self, chosen: Ints, starts: Ints) -> None:
        from pmwpub.mechanisms.pmw_pub.score_kernels import exact_scores

        tables, entries = np.zeros(int(starts[-1]), dtype=np.int64), self._entries
        self._problem.add_sums(self._whole.values, chosen, starts, tables, self._threads)
        cumulate(self._problem.workload, tables, chosen, starts)
        exact_scores(
            tables, starts, chosen, entries.edges, entries.cells, entries.counts, self._whole.total, self._n,
            self._sums, self._scores,
        )  # fmt: skip

    def _counted(self) -> ScoreCounts:
        """How many queries have each bound; inactive ones have 0."""
        return counted(self._scores, len(self) - len(self._scores))

    def _by_weight(self, rate: float) -> Ints:
        """The stale tables, heaviest first. Floats are good enough: any order keeps the law."""
        from pmwpub.mechanisms.pmw_pub.score_kernels import likelihoods

        stale, found, top = np.flatnonzero(self._stale), np.zeros(len(self._stale)), self._sizes.top
        weights = np.exp(-rate * np.arange(1 + min(top, int(NEGLIGIBLE / rate), LISTED)))
        likelihoods(stale, self._entries.edges, self._scores, top, weights, found)
        order: Ints = stale[np.argsort(-found[stale], kind="stable")]
        return order


def _bounds_pay(problem: PublicProblem, entries: int) -> bool:
    """Whether bounds for all entries cost clearly less than summing up every table."""
    atoms, attributes = len(problem.support), len(problem.workload.domain.attributes)
    return len(problem.workload.tables) * atoms > 3 * (2 * attributes * atoms + 4 * entries) + SMALL


def _fixed_point(total: int, n: int) -> tuple[int, int, int, int, int]:
    """(shift, high, low, half, bits) with which n s/S + 1/2 is enclosed for all 0 <= s <= S, without a division.

    With a = s >> shift, a 2^shift <= s < (a + 1) 2^shift; so low = floor(n 2^(shift + bits)/S) and
    high = ceil(the same) give a low/2^bits <= n s/S <= (a + 1) high/2^bits. a < 2^31 and high < 2^31 + 1, or, where
    shift is 0, a high <= n 2^bits + S + high: products stay below 2^63.
    """
    shift, bits = max(0, total.bit_length() - 31), 61 - n.bit_length()
    low, rest = divmod(n << (shift + bits), total)
    return shift, low + (rest > 0), low, 1 << (bits - 1), bits
