"""One column of several public tables, by its distinct cells: what a review looks at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from pmwpub.records import Ints
from pmwpub.tabular.files.chunks import Coded
from pmwpub.tabular.files.reading import TextTable


@dataclass(frozen=True, eq=False)
class TableColumn:
    """A column in one table.

    table  the table's name, as people know it
    coded  its cells, missing ones included
    blank  the texts that stand for no value
    """

    table: str
    coded: Coded = field(repr=False)
    blank: frozenset[str]

    @cached_property
    def all_counts(self) -> dict[str, int]:
        """text -> how often."""
        return self.coded.counts()

    @cached_property
    def counts(self) -> dict[str, int]:
        """text -> how often, without missing ones."""
        if not self.blank & self.all_counts.keys():
            return self.all_counts
        return {text: often for text, often in self.all_counts.items() if text not in self.blank}

    @cached_property
    def rows(self) -> int:
        """Rows that have a value."""
        return sum(self.counts.values())

    @cached_property
    def often(self) -> Ints:
        """How often each distinct value stands."""
        return np.fromiter(self.counts.values(), np.int64, len(self.counts))

    @cached_property
    def whole_numbers(self) -> Ints | None:
        """The distinct values in rising order where all are whole numbers of at most 18 digits; None otherwise.

        A number that begins with a nought, but for 0 itself, is a code.
        """
        cells = list(self.counts)
        digits = "".join(cells).replace("-", "")
        if not (digits.isascii() and digits.isdecimal()) or any(map(_is_code, cells)):
            return None
        try:
            return np.sort(np.fromiter(map(int, cells), np.int64, len(cells)))
        except ValueError:  # a hyphen between digits
            return None

    @cached_property
    def runs(self) -> int:
        """Stretches of consecutive rows with one value, missing ones included."""
        places = self.coded.places
        return 1 + int(np.count_nonzero(places[1:] != places[:-1])) if len(places) else 0


def _is_code(cell: str) -> bool:
    return len(cell) > 18 or (cell[:1] == "0" and cell != "0")


@dataclass(frozen=True, eq=False)
class PublicColumn:
    """A column in every public table that has it."""

    name: str
    tables: tuple[TableColumn, ...]

    @classmethod
    def of(
        cls, name: str, tables: Sequence[TextTable], labels: Sequence[str], missing_tokens: Sequence[str]
    ) -> PublicColumn:
        """The column of that name in tables that are called by `labels`."""
        blank = frozenset(missing_tokens)
        return cls(
            name,
            tuple(
                TableColumn(label, table.column(name), blank)
                for table, label in zip(tables, labels, strict=True)
                if name in table.header
            ),
        )

    @cached_property
    def counts(self) -> dict[str, int]:
        """text -> how often in all tables, without missing ones."""
        if len(self.tables) == 1:
            return self.tables[0].counts
        found: Counter[str] = Counter()
        for one in self.tables:
            found.update(one.counts)
        return dict(found)

    @property
    def rows(self) -> int:
        """Rows that have a value, in all tables."""
        return sum(one.rows for one in self.tables)

    @property
    def has_blanks(self) -> bool:
        """Whether any cell stands for no value."""
        return any(len(one.coded.places) > one.rows for one in self.tables)
