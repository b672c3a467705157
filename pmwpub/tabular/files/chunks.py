"""Some rows of a table at a time, each column as its distinct texts and the place of each row's among them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from pmwpub.tabular.files.text.read_options import ReadOptions

if TYPE_CHECKING:
    import pandas as pd

Places = npt.NDArray[np.signedinteger[Any]]
FEW = 1 << 15
"""The most distinct texts of a column that is kept by them in memory; one of more is written out."""


@dataclass(frozen=True, eq=False)
class Coded:
    """One column of a chunk.

    distinct  the texts that occur, and maybe others
    places    (rows,)  row i has distinct[places[i]]
    """

    distinct: Sequence[str] = field(repr=False)
    places: Places = field(repr=False)

    def texts(self) -> pd.api.extensions.ExtensionArray:
        """The column with each cell written out."""
        import pandas as pd

        return pd.array(self.distinct, dtype="str").take(self.places)

    def counts(self) -> dict[str, int]:
        """How often each text occurs, for the texts that do: text -> number of cells."""
        found = np.bincount(self.places, minlength=len(self.distinct)).tolist()
        return {text: often for text, often in zip(self.distinct, found, strict=True) if often}


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
        return _factorized(np.array(self.cells[position :: self.width], dtype=object))

    def texts(self, position: int) -> pd.api.extensions.ExtensionArray:
        import pandas as pd

        return pd.array(self.cells[position :: self.width], dtype="str")


@dataclass(frozen=True, eq=False)
class Whole:
    """A whole table as one chunk: each column by its distinct texts, or written out where these are many."""

    columns: tuple[Coded | pd.api.extensions.ExtensionArray, ...] = field(repr=False)
    rows: int

    def __len__(self) -> int:
        return self.rows

    def coded(self, position: int) -> Coded:
        column = self.columns[position]
        return column if isinstance(column, Coded) else _factorized(column)

    def texts(self, position: int) -> pd.api.extensions.ExtensionArray:
        column = self.columns[position]
        return column.texts() if isinstance(column, Coded) else column


class Gathering:
    """One column of a table while its chunks come in: by distinct texts as long as these are few."""

    def __init__(self) -> None:
        self._known: dict[str, int] = {}
        self._places: list[Places] = []
        self._texts: list[pd.api.extensions.ExtensionArray] | None = None

    def add(self, chunk: Chunk, position: int) -> None:
        """Take in the column's cells of the next chunk."""
        if self._texts is not None:
            self._texts.append(chunk.texts(position))
            return
        coded = chunk.coded(position)
        numbers = [self._known.setdefault(text, len(self._known)) for text in coded.distinct]
        kind = np.min_scalar_type(-len(self._known) - 1)
        self._places.append(np.array(numbers, dtype=kind).take(coded.places))
        if len(self._known) > FEW:
            self._texts = [self._gathered().texts()]
            self._known, self._places = {}, []

    def column(self) -> Coded | pd.api.extensions.ExtensionArray:
        """The column of all cells so far."""
        if self._texts is None:
            return self._gathered()
        import pandas as pd

        return pd.concat([pd.Series(part) for part in self._texts], ignore_index=True).array

    def _gathered(self) -> Coded:
        return Coded(list(self._known), np.concatenate(self._places))


def whole(chunks: Iterator[Chunk], width: int) -> Whole:
    """Gather a table of `width` columns and at least one row in memory."""
    columns, rows = [Gathering() for _ in range(width)], 0
    for chunk in chunks:
        rows += len(chunk)
        for position, column in enumerate(columns):
            column.add(chunk, position)
    return Whole(tuple(column.column() for column in columns), rows)


def _factorized(cells: Any) -> Coded:
    import pandas as pd

    places, distinct = pd.factorize(cells)
    return Coded(distinct.tolist(), places)  # a list of an Arrow array would be made a cell at a time


@dataclass(frozen=True, eq=False)
class TableStream:
    """A table that is gone through in chunks, as often as needed, and never held whole.

    header   column names, trimmed and in NFC
    begin    starts a pass over the rows; a pass raises FileRefused for what is wrong with the file
    notes    what was tidied in the header, by column position
    options  how the text is read; None of a Parquet table

    Privacy: it may stand for private rows; its repr shows neither names nor cells.
    """

    header: tuple[str, ...] = field(repr=False)
    begin: Callable[[], Iterator[Chunk]] = field(repr=False)
    notes: tuple[str, ...] = field(default=(), repr=False)
    options: ReadOptions | None = None

    def chunks(self) -> Iterator[Chunk]:
        """One pass over the rows, in file order."""
        return self.begin()
