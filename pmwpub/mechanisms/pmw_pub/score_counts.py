"""How many scores have each value, kept up to date while single marginals' scores change."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from pmwpub.privacy.selection_laws import Gaps
from pmwpub.records import Ints

LISTED = 4_000_000
"""The largest score up to which every value has a number of its own: 32 MB, and at most twice that for the groups."""


class ScoreCounts(Protocol):
    """Scores, or bounds of scores, by value: whole numbers that are not negative.

    Privacy: private, as the scores are.
    """

    @property
    def top(self) -> int:
        """The largest value that occurs."""
        ...

    def shift(self, chosen: Ints, edges: Ints, scores: Ints, by: int) -> None:
        """Count the scores of the marginals `chosen` once more, or, with by = -1, once less.

        edges  int64 (W + 1,)  the scores of marginal w lie in scores[edges[w] : edges[w + 1]]

        None may exceed the largest that was counted at first.
        """
        ...

    def groups(self) -> tuple[int, Gaps, Ints]:
        """The largest value; uint64 gaps from it to each that occurs, ascending; int64 how often each occurs."""
        ...


def counted(scores: Ints, zeros: int) -> ScoreCounts:
    """Count int64 (entries,) scores, and so many more that are 0.

    Beyond LISTED the memory grows with the number of distinct scores, so not with n.
    """
    return Listed(scores, zeros) if int(scores.max(initial=0)) <= LISTED else Sorted(scores, zeros)


class Listed:
    """A number for every value up to the largest: int64 (largest + 1,)."""

    def __init__(self, scores: Ints, zeros: int) -> None:
        self._sizes: Ints = np.bincount(scores, minlength=1)
        self._sizes[0] += zeros

    @property
    def top(self) -> int:
        return len(self._sizes) - 1 - int(np.argmax(self._sizes[::-1] > 0))

    def shift(self, chosen: Ints, edges: Ints, scores: Ints, by: int) -> None:
        from pmwpub.mechanisms.pmw_pub.score_kernels import shift_sizes

        shift_sizes(chosen, edges, scores, self._sizes, by)

    def groups(self) -> tuple[int, Gaps, Ints]:
        sizes = self._sizes[::-1]
        present = np.flatnonzero(sizes)
        first = int(present[0])
        found = sizes[present]
        present -= first
        return len(sizes) - 1 - first, present.view(np.uint64), found


class Sorted:
    """Distinct values, int64 ascending, and the number of each, which may have become 0."""

    def __init__(self, scores: Ints, zeros: int) -> None:
        self._values, self._sizes = np.unique(scores, return_counts=True)
        self._add(np.zeros(1, dtype=np.int64), np.array([zeros]))

    @property
    def top(self) -> int:
        return int(self._values[np.flatnonzero(self._sizes)[-1]])

    def shift(self, chosen: Ints, edges: Ints, scores: Ints, by: int) -> None:
        if len(chosen):
            moved = np.concatenate([scores[edges[w] : edges[w + 1]] for w in chosen])
            values, sizes = np.unique(moved, return_counts=True)
            self._add(values, by * sizes)

    def groups(self) -> tuple[int, Gaps, Ints]:
        present = np.flatnonzero(self._sizes)[::-1]
        values = self._values[present]
        top = int(values[0])
        return top, (top - values).view(np.uint64), self._sizes[present]

    def _add(self, values: Ints, sizes: Ints) -> None:
        """Change the numbers of distinct ascending values, of which some may be new."""
        places = np.searchsorted(self._values, values)
        known = np.isin(values, self._values, assume_unique=True)
        self._sizes[places[known]] += sizes[known]
        self._values = np.insert(self._values, places[~known], values[~known])
        self._sizes = np.insert(self._sizes, places[~known], sizes[~known])
