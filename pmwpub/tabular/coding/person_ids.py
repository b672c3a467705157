"""How many rows one ID owns, in bounded memory: a pass over the rows for each part of the IDs' numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from pmwpub.tabular.coding.rows_without_id import RowsWithoutId
from pmwpub.tabular.files.chunks import Chunk, TableStream
from pmwpub.tabular.files.row_numbers import Words, words_of
from pmwpub.tabular.files.text.inert_cells import place_in
from pmwpub.tabular.schema.column_types import IdColumn
from pmwpub.tabular.schema.table_schema import Schema

_AT_ONCE = 1 << 24  # rows whose IDs are kept during one pass: some 400 MB


@dataclass(eq=False, repr=False)
class Identities:
    """The IDs of those rows whose ID falls into one of `parts` parts, by 128 bits of each ID's BLAKE2b.

    column    None: nothing to check
    position  of the id column in the header
    nobody    finds rows that are no ID's

    Privacy: private; the repr shows nothing.
    """

    column: IdColumn | None
    position: int
    rows_per_person: int
    nobody: RowsWithoutId
    parts: int
    part: int = 0
    _found: list[Words] = field(default_factory=list)

    @classmethod
    def of(cls, table: TableStream, schema: Schema, n: int, rows_per_person: int) -> Identities:
        """The first part of as many as n rows need."""
        column, nobody = schema.id_column, RowsWithoutId.of(table.header, schema)
        position = -1 if column is None else place_in(table.header, column.name)
        return cls(column, position, rows_per_person, nobody, 1 if column is None else -(-n // _AT_ONCE))

    def others(self) -> Iterator[Identities]:
        """The further parts, each to be looked at in a pass of its own."""
        for part in range(1, self.parts):
            yield replace(self, part=part, _found=[])

    def add(self, chunk: Chunk) -> None:
        """The next rows."""
        if self.column is None:
            return
        coded = chunk.coded(self.position)
        ids = words_of([self.column.tidy(text) for text in coded.distinct], 2)[coded.places]
        ids = ids[~self.nobody.among(chunk)]
        self._found.append(ids[ids[:, 1] % np.uint64(self.parts) == self.part] if self.parts > 1 else ids)

    @property
    def exceeding(self) -> frozenset[bytes]:
        """The IDs of this part that own more rows than one person may: the bytes of each ID's two words."""
        k = self.rows_per_person
        if self.column is None or not self._found or k >= sum(map(len, self._found)):
            return frozenset()
        ids = np.concatenate(self._found)
        ids = ids[np.lexsort(ids.T)]
        return frozenset(row.tobytes() for row in ids[k:][np.all(ids[k:] == ids[:-k], axis=1)])

    def exceeding_in(self, table: TableStream) -> frozenset[bytes]:
        """`exceeding`, after a pass over the table."""
        for chunk in table.chunks():
            self.add(chunk)
        return self.exceeding
