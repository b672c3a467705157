"""Rows that name nobody, under a schema that keeps k rows of each ID: they count in n and satisfy no predicate.

Such a row's ID is blank, or one of the schema's missing tokens, by the rules by which the column compares texts. All
of them are not one person's rows: were k of them to stay, as of an ID, then the rows of one of these people, replaced
by k of an ID that no row has, would move a count by 2k. `kept_rows` has the proof with them.

Where a schema does not keep k rows, nothing is left out here: blank IDs are checked against k as any ID.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pmwpub.records import Codes
from pmwpub.tabular.files.chunks import Chunk
from pmwpub.tabular.files.text.inert_cells import place_in
from pmwpub.tabular.schema.column_types import IdColumn
from pmwpub.tabular.schema.table_schema import Schema


@dataclass(frozen=True, eq=False)
class RowsWithoutId:
    """Finds the rows without an ID, chunk by chunk.

    column    None: no row is one
    position  of the column in the header
    tokens    the schema's missing tokens, tidied
    no_level  of each attribute

    Privacy: whether a row is one is a function of its own ID and the schema.
    """

    column: IdColumn | None
    position: int
    tokens: frozenset[str]
    no_level: tuple[int, ...]

    @classmethod
    def of(cls, header: Sequence[str], schema: Schema) -> RowsWithoutId:
        """Of tables with this header under this schema."""
        column = schema.id_column
        if column is None or schema.rows_beyond != "keep":
            return cls(None, -1, frozenset(), ())
        tokens = frozenset(map(column.tidy, schema.missing_tokens))
        return cls(column, place_in(header, column.name), tokens, schema.domain.shape)

    def among(self, chunk: Chunk) -> npt.NDArray[np.bool_]:
        """Which rows of the chunk have no ID: bool (rows,)"""
        if self.column is None:
            return np.zeros(len(chunk), dtype=bool)
        coded = chunk.coded(self.position)
        texts = map(self.column.tidy, coded.distinct)
        nobody = (not text.strip() or text in self.tokens for text in texts)
        return np.fromiter(nobody, bool, len(coded.distinct))[coded.places]

    def cleared(self, chunk: Chunk, codes: Codes) -> Codes:
        """The chunk's codes (d, rows), changed in place: no level in the rows without an ID."""
        if self.column is not None:
            codes[:, self.among(chunk)] = np.asarray(self.no_level)[:, None]
        return codes
