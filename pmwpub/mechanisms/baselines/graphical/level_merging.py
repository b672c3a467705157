"""Levels of attributes taken together, and tables of counts before and after."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce

import numpy as np

from pmwpub.mechanisms.baselines.matrix.residuals import Subset
from pmwpub.records import Bools, Floats, Ints


@dataclass(frozen=True, eq=False)
class Merging:
    """For each attribute, the merged level of each level.

    groups  int64 (levels,) for each attribute, onto 0, 1, ...

    Privacy: a table of merged levels holds sums of cells, so every row is still in one cell at most, and replacing k
    rows moves it no further than the table that it is made of: 2 k in all, sqrt(2) k in Euclidean norm.
    """

    groups: tuple[Ints, ...]

    @classmethod
    def of_rare(cls, rare: Sequence[Bools]) -> Merging:
        """An attribute's rare levels become its last one where they are several; the others keep their order."""
        return cls(tuple(_without(few) if few.sum() > 1 else np.arange(len(few)) for few in rare))

    @cached_property
    def sizes(self) -> tuple[Ints, ...]:
        """How many levels each merged one is made of, for each attribute."""
        return tuple(np.bincount(groups) for groups in self.groups)

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of merged levels of each attribute."""
        return tuple(len(sizes) for sizes in self.sizes)

    def cells(self, subset: Subset) -> Ints:
        """Of how many cells each cell of a merged table is the sum: int64, in its shape."""
        return reduce(np.multiply.outer, (self.sizes[a] for a in subset))

    def gathered(self, subset: Subset, counts: Ints) -> Ints:
        """A table in merged levels: int64, sums of cells."""
        for axis, attribute in enumerate(subset):
            along = np.moveaxis(counts, axis, 0)
            merged = np.zeros((self.shape[attribute], *along.shape[1:]), dtype=np.int64)
            np.add.at(merged, self.groups[attribute], along)
            counts = np.moveaxis(merged, 0, axis)
        return counts

    def spread(self, subset: Subset, counts: Floats) -> Floats:
        """A table in all levels again, each merged count shared out evenly: float64."""
        for axis, attribute in enumerate(subset):
            counts = np.take(counts, self.groups[attribute], axis)
        cells = self.cells(subset)
        return counts / cells[np.ix_(*(self.groups[a] for a in subset))]


def _without(rare: Bools) -> Ints:
    kept = np.cumsum(~rare) - 1
    groups: Ints = np.where(rare, kept[-1] + 1, kept).astype(np.int64)
    return groups
