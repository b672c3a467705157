"""The cells of a table on the atoms of a support, for many columns of numbers at once."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from pmwpub.records import Floats, Support

AtomValues = npt.NDArray[np.floating[Any]]
"""(m, columns), float32 or float64, C-contiguous: numbers of atoms."""


@dataclass(frozen=True, eq=False)
class SupportCells:
    """Which cell of one table each atom is in: first * step + second.

    attributes     one or two positions in the domain, ascending
    shape          the sizes of the attributes
    first, second  (m,) codes: columns of the support, the same one for a 1-way table, whose step is 0
    """

    attributes: tuple[int, ...]
    shape: tuple[int, ...]
    first: npt.NDArray[Any] = field(repr=False)
    second: npt.NDArray[Any] = field(repr=False)
    step: int

    @classmethod
    def of(cls, support: Support, attributes: tuple[int, ...]) -> SupportCells:
        """The cells of a table of these attributes."""
        shape = tuple(support.domain.shape[a] for a in attributes)
        first, second = support.columns[attributes[0]], support.columns[attributes[-1]]
        return cls(attributes, shape, first, second, shape[1] if len(shape) == 2 else 0)

    @property
    def count(self) -> int:
        """How many cells the table has."""
        return math.prod(self.shape)

    def sums(self, values: AtomValues) -> Floats:
        """float64 (cells, columns): what the atoms of each cell add up to."""
        from pmwpub.mechanisms.table_fit.replicates.replicate_kernels import add_up

        found = np.zeros((self.count, values.shape[1]))
        add_up(self.first, self.second, self.step, values, found)
        return found


class ScaledValues:
    """Numbers of atoms that are scaled cell by cell, table after table; scaling waits for the next sums: one pass less.

    values  float32 (m, columns): they are changed
    """

    def __init__(self, values: npt.NDArray[np.float32]) -> None:
        self._values = values
        self._waiting: tuple[SupportCells, npt.NDArray[np.float32]] | None = None

    def sums(self, cells: SupportCells) -> Floats:
        """float64 (cells, columns): what the atoms of each cell add up to."""
        from pmwpub.mechanisms.table_fit.replicates.replicate_kernels import scale_and_add_up

        if self._waiting is None:
            return cells.sums(self._values)
        found = np.zeros((cells.count, self._values.shape[1]))
        before, factors = self._waiting
        scale_and_add_up(
            before.first,
            before.second,
            before.step,
            factors,
            cells.first,
            cells.second,
            cells.step,
            self._values,
            found,
        )
        self._waiting = None
        return found

    def scale(self, cells: SupportCells, factors: Floats) -> None:
        """Multiply the numbers of each cell's atoms by its factors, float64 (cells, columns)."""
        self.settled()
        self._waiting = cells, factors.astype(np.float32)

    def settled(self) -> npt.NDArray[np.float32]:
        """The numbers, with all scaling done."""
        from pmwpub.mechanisms.table_fit.replicates.replicate_kernels import scale

        if self._waiting is not None:
            cells, factors = self._waiting
            scale(cells.first, cells.second, cells.step, factors, self._values)
            self._waiting = None
        return self._values


def places_in(shape: tuple[int, ...], part: tuple[int, ...]) -> npt.NDArray[np.int64]:
    """int64 (cells,): for each cell of a table, the cell of a smaller table that holds it.

    part  which axes the smaller table has, ascending

    >>> places_in((2, 3), (1,)).tolist()
    [0, 1, 2, 0, 1, 2]
    """
    own = [shape[axis] for axis in part]
    along = [size if axis in part else 1 for axis, size in enumerate(shape)]
    return np.broadcast_to(np.arange(math.prod(own)).reshape(along), shape).ravel()
