"""The active queries of a run, and their bounds grouped by value. Private, as counts are: no repr shows anything."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pmwpub.mechanisms.pmw_pub.bounding_levels import BoundingLevels
from pmwpub.privacy.noise import NoiseSource
from pmwpub.privacy.selection_laws import Gaps
from pmwpub.queries.counts import PrivateCounts
from pmwpub.queries.incidence import PublicProblem
from pmwpub.records import Ints


@dataclass(frozen=True, eq=False, repr=False)
class ActiveQueries:
    """The active queries, table after table. Private, as the counts are: its repr shows nothing.

    A query is active if a private row or an atom satisfies it. Of all others c_q = s_q = 0 in every round: they
    have score 0 and full weight, and are drawn by their number.

    edges    int64 (T + 1,)   where the entries of each table begin
    cells    int64 (entries,)  the query's cell in its table; of a prefix the last cell that satisfies it
    levels   uint32 (entries, widest)  its levels, numbered as `BoundingLevels` does
    queries  int64 (entries,)  its number in the workload, ascending
    counts   int64 (entries,)  c_q
    """

    edges: Ints
    cells: Ints
    levels: npt.NDArray[np.uint32]
    queries: Ints
    counts: Ints

    @classmethod
    def of(cls, counts: PrivateCounts, problem: PublicProblem, bounding: BoundingLevels) -> ActiveQueries:
        from pmwpub.mechanisms.pmw_pub.score_kernels import active_entries

        workload = problem.workload
        present = (counts.counts > 0) | (problem.start_sums > 0)
        queries = np.flatnonzero(present)
        edges = np.zeros(len(workload.tables) + 1, dtype=np.int64)
        cells = np.empty(len(queries), dtype=np.int64)
        levels = np.empty((len(queries), workload.widest), dtype=np.uint32)
        shape = np.array(workload.domain.shape, dtype=np.int64)
        grid = workload.positions, workload.strides, workload.arity, workload.offsets
        last = workload.last_sizes, workload.last_queries, bounding.last_starts(workload)
        active_entries(present, edges, cells, levels, shape, bounding.starts, *grid, *last)
        return cls(edges, cells, levels, queries, counts.counts[queries])


@dataclass(frozen=True, eq=False, repr=False)
class ScoreBounds:
    """The bounds of one moment, grouped by value; see `privacy.selection_laws.Buckets`."""

    scores: Ints
    queries: Ints
    top: int
    gaps: Gaps
    sizes: Ints
    count: int

    def member(self, bucket: int, noise: NoiseSource) -> int:
        """A query of the bucket, uniformly; the active ones come first, then the others, which all have score 0."""
        from pmwpub.mechanisms.pmw_pub.score_kernels import places_of

        place = noise.below(int(self.sizes[bucket]))
        value = self.top - int(self.gaps[bucket])
        entry = int(places_of(self.scores, value, place))
        if entry >= 0:
            return int(self.queries[entry])
        return _inactive(self.queries, place - int(np.count_nonzero(self.scores == value)))


def _inactive(queries: Ints, place: int) -> int:
    """The place-th number that is not in `queries` (ascending): skip those that lie before it."""
    # queries[i] - i inactive numbers lie before queries[i].
    before = queries - np.arange(len(queries))
    return place + int(np.searchsorted(before, place, side="right"))
