"""Some rows of a table at a time, each column as its distinct texts and the place of each row's among them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pandas as pd

from pmwpub.tabular.options import ReadOptions

Places = npt.NDArray[np.signedinteger[Any]]


@dataclass(frozen=True, eq=False)
class Coded:
    """One column of a chunk.

    distinct  the texts that occur, and maybe others
    places    (rows,)  row i has distinct[places[i]]
    """

    distinct: Sequence[str] = field(repr=False)
    places: Places = field(repr=False)


class Chunk(Protocol):
    """Consecutive rows; columns go by their position in the header."""

    def __len__(self) -> int: ...

    def coded(self, position: int) -> Coded:
        """A column by its distinct texts; FileRefused where a cell cannot be read."""
        ...

    def texts(self, position: int) -> pd.api.extensions.ExtensionArray:
        """A column with each cell written out."""
        ...


@dataclass(frozen=True, eq=False)
class Cells:
    """Rows of delimited text: all cells in one flat list, row by row."""

    cells: list[str] = field(repr=False)
    width: int

    def __len__(self) -> int:
        return len(self.cells) // self.width

    def coded(self, position: int) -> Coded:
        places, distinct = pd.factorize(np.array(self.cells[position :: self.width], dtype=object))
        return Coded(distinct.tolist(), places)

    def texts(self, position: int) -> pd.api.extensions.ExtensionArray:
        return pd.array(self.cells[position :: self.width], dtype="str")


@dataclass(frozen=True, eq=False)
class Whole:
    """A whole table as one chunk."""

    frame: pd.DataFrame = field(repr=False)

    def __len__(self) -> int:
        return len(self.frame)

    def coded(self, position: int) -> Coded:
        places, distinct = pd.factorize(self.frame.iloc[:, position])
        return Coded(list(distinct), places)

    def texts(self, position: int) -> pd.api.extensions.ExtensionArray:
        return self.frame.iloc[:, position].array


@dataclass(frozen=True, eq=False)
class TableStream:
    """A table that is gone through in chunks, as often as needed, and never held whole.

    header   column names, trimmed and in NFC
    begin    starts a pass over the rows; a pass raises FileRefused for what is wrong with the file
    notes    what was tidied in the header, by column position
    options  how the text is read; None of a Parquet table

    Privacy: may stand for private rows; its repr shows neither names nor cells.
    """

    header: tuple[str, ...] = field(repr=False)
    begin: Callable[[], Iterator[Chunk]] = field(repr=False)
    notes: tuple[str, ...] = field(default=(), repr=False)
    options: ReadOptions | None = None

    def chunks(self) -> Iterator[Chunk]:
        """One pass over the rows, in file order."""
        return self.begin()
