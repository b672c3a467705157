"""Released rows held against the schema's rules as they are written: the last check before they leave."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from pmwpub.errors import RuleBroken
from pmwpub.records import Codes, code_type
from pmwpub.tabular.coding import written_cells
from pmwpub.tabular.coding.decode import OWN_FILES
from pmwpub.tabular.files.chunks import Chunk
from pmwpub.tabular.files.reading import open_table
from pmwpub.tabular.files.text.inert_cells import place_in
from pmwpub.tabular.files.text.read_options import ReadOptions
from pmwpub.tabular.schema.table_schema import Schema


class WrittenRows:
    """Reads lines of a CSV that this package wrote through their schema, and refuses those that break a rule.

    header  the first line of the CSV, with its end

    Privacy: only released rows come here, so whether they pass is a function of released data.
    """

    def __init__(self, schema: Schema, header: bytes) -> None:
        self._schema, self._header, self._rules = schema, header, schema.row_rules

    def kept(self, lines: bytes) -> bytes:
        """The lines themselves; RuleBroken, naming the rule, where a row among them breaks one."""
        if self._rules is None:
            return lines
        table = open_table(self._header + lines, options=ReadOptions(), limits=OWN_FILES)
        for chunk in table.chunks():
            codes = self._codes(table.header, chunk)
            for rule, broken in zip(self._schema.rules, self._rules.broken_by_rule(codes), strict=True):
                if broken.any():
                    raise RuleBroken(
                        f"A row that was to be released breaks the rule “{rule.text}”; no row was written. This is a "
                        "fault of the program."
                    )
        return lines

    def _codes(self, header: tuple[str, ...], chunk: Chunk) -> Codes:
        """(rows, d): what the cells say in the columns of the rules, and nothing in the others."""
        domain = self._schema.domain
        codes = np.empty((len(chunk), len(domain.shape)), dtype=code_type(domain))
        codes[:] = domain.shape
        for position, code in self._coders.items():
            column = chunk.coded(place_in(header, domain.attributes[position].name))
            codes[:, position] = code(column.distinct)[column.places]
        return codes

    @cached_property
    def _coders(self) -> dict[int, written_cells.CellCoder]:
        positions = () if self._rules is None else self._rules.positions
        return {at: written_cells.coder(self._schema, self._schema.encoded[at]) for at in positions}
