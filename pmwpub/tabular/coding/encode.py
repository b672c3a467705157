"""From text cells to integer codes, by the rules of a schema; one column at a time, one look a distinct cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from pmwpub.errors import FileRefused
from pmwpub.records import Bools, Codes, Dataset, Ints, Support, code_type
from pmwpub.tabular.coding import written_cells
from pmwpub.tabular.coding.whole_columns import coder
from pmwpub.tabular.files.chunks import Chunk
from pmwpub.tabular.files.reading import TextTable
from pmwpub.tabular.files.text.inert_cells import place_in, stands_in
from pmwpub.tabular.schema.table_schema import Schema
from pmwpub.tabular.weights.row_weights import WeightReader


@dataclass(frozen=True, eq=False)
class Encoded:
    """An encoded table and what became of the cells that the schema does not know.

    ignored   names of the file's columns that the schema does not name (file order)
    dropped   public rows left out because a cell has no level; always 0 for a private table
    broken    public rows left out because they break a rule of the schema; always 0 for a private table
    by_rule   how many of these break each rule, in the schema's order: a row may break several
    unplaced  column -> number of cells without a level
    weights   int64 (rows,), what each row of a public table weighs in units, 1 at least; None where each counts once
    weightless  public rows left out because they weigh nothing
    as_truth  int64 (rows,): what each row weighs where the table plays a private one whose rows are weighed, in units;
              None of a private table, and where the schema weighs no private row or the file lacks the column

    Privacy: of a private table, `ignored` and `unplaced` are for the steward only; the repr shows neither.
    """

    dataset: Dataset
    ignored: tuple[str, ...] = field(default=(), repr=False)
    dropped: int = 0
    broken: int = 0
    by_rule: tuple[int, ...] = ()
    unplaced: Mapping[str, int] = field(default_factory=dict, repr=False)
    as_truth: Ints | None = field(default=None, repr=False)
    weights: Ints | None = field(default=None, repr=False)
    weightless: int = 0

    @property
    def support(self) -> Support:
        """The support of a public table; rows that are weighed count with their weight."""
        return Support.of(self.dataset, self.weights)


def encode_public(table: TextTable, schema: Schema, *, written: bool = True, ruled: bool = True) -> Encoded:
    """Encode a public table; a row with a cell that has no level, or that breaks a rule, is left out and counted.

    So is a row that weighs nothing, where the schema weighs public rows and the table has the column of weights.
    A table that plays a private one keeps such rows, and has no `weights`: `as_truth` has what a private row weighs.

    written  read cells as this package writes them, too (`written_cells`); versions that did not are asked so
    ruled    leave out rows that break a rule; not of a table that plays a private one, whose rows all stay

    Raises SchemaError when the file lacks a column of the schema, FileRefused when no row is left.
    """
    schema.check_header(table.header, with_id=False)
    encoder = Encoder(table.header, schema, written=written)
    codes = encoder.codes(table.cells).T
    whole = np.all(codes < np.asarray(schema.domain.shape), axis=1)
    dropped = int(len(whole) - whole.sum())
    unplaced = encoder.unplaced
    if dropped == len(whole):
        raise FileRefused(
            f"In each of the {dropped:,} rows a cell has no level in the schema, most often in column "
            f"{max(unplaced, key=unplaced.__getitem__)!r}; compare the schema's levels with the file."
        )
    ruly, by_rule = _kept_by_rules(codes, whole, schema) if ruled else (whole, ())
    broken = int(whole.sum() - ruly.sum())
    weights = _weights_of(table, schema, ruly) if ruled else None
    keep = ruly if weights is None else ruly & (weights > 0)
    rows = Dataset(schema.domain, codes if keep.all() else codes[keep])
    as_private = _weights_as_truth(table, schema)
    return Encoded(
        dataset=rows,
        ignored=encoder.ignored,
        dropped=dropped,
        broken=broken,
        by_rule=by_rule,
        unplaced=unplaced,
        as_truth=None if as_private is None else as_private[keep],
        weights=None if weights is None else weights[keep],
        weightless=int(ruly.sum() - keep.sum()),
    )


def weighed_by(encoded: Encoded, schema: Schema) -> str:
    """What the rows of an encoded public table are weighed by, in words; "" where each counts once."""
    column = schema.public_weights
    return "" if encoded.weights is None or column is None else column.words


def _weights_of(table: TextTable, schema: Schema, kept: Bools) -> Ints | None:
    """int64 (rows,), what each row of a public table weighs; None where each counts once.

    Raises FileRefused where no row that is kept weighs anything.
    """
    reader = WeightReader.of_public(table.header, schema)
    if reader is None:
        return None
    weights = reader.weights(table.cells)
    if not weights[kept].any():
        raise FileRefused(
            f"None of the {int(kept.sum()):,} rows that could be used weighs anything by the column "
            f"{reader.column.name!r}: its cells must be numbers of at least half a unit ({reader.column.unit})."
        )
    return weights


def _weights_as_truth(table: TextTable, schema: Schema) -> Ints | None:
    """What each row of a public table would weigh as a private one, where it has the column."""
    column = schema.weight_column
    if column is None or not stands_in(table.header, column.name):
        return None
    reader = WeightReader.of(table.header, schema)
    return None if reader is None else reader.weights(table.cells)


def _kept_by_rules(codes: Codes, whole: Bools, schema: Schema) -> tuple[Bools, tuple[int, ...]]:
    """Which whole rows break no rule, and how many break each; FileRefused where none is left.

    codes  (rows, d), of a public table
    whole  bool (rows,): which rows have a level everywhere
    """
    if schema.row_rules is None:
        return whole, ()
    keep, by_rule = whole.copy(), []
    for broken in schema.row_rules.broken_by_rule(codes):
        keep &= ~broken
        by_rule.append(int(np.count_nonzero(broken & whole)))
    if not keep.any():
        worst = schema.rules[by_rule.index(max(by_rule))].text
        raise FileRefused(
            f"Each of the {int(whole.sum()):,} rows that have a level everywhere breaks a rule of the schema, most "
            f"often “{worst}”; compare the rules with the file."
        )
    return keep, tuple(by_rule)


class Encoder:
    """Encodes the chunks of tables with one header, one look a distinct cell, and counts cells without a level.

    A parent's code is a function of its child's, whatever the table has in a column of the parent's name: that column
    is among the `ignored`.

    written  whether cells are read as this package writes them, too (`written_cells`). Of version 2 all are, of public
             and of private tables alike; of version 1 private cells are not, as before it

    Privacy: `unplaced` of private rows is for the steward only.
    """

    def __init__(self, header: Sequence[str], schema: Schema, *, written: bool | None = None) -> None:
        written = schema.version >= 2 if written is None else written
        declared = {place_in(header, column.name) for column in schema.columns if stands_in(header, column.name)}
        self.ignored = tuple(name for place, name in enumerate(header) if place not in declared)
        self._columns, self._domain = schema.encoded, schema.domain
        self._positions = [place_in(header, column.name) for column in self._columns]
        coding = written_cells.coder if written else coder
        self._coders = [coding(schema, column) for column in self._columns]
        self._type = code_type(schema.domain)
        self._missed = np.zeros(len(self._columns), dtype=np.int64)

    def codes(self, chunk: Chunk) -> Codes:
        """(d, rows) codes, "no level" where nothing else applies; adds to `unplaced`."""
        codes = np.empty((len(self._domain.attributes), len(chunk)), dtype=self._type)
        for row, position in enumerate(self._positions):
            column = chunk.coded(position)
            by_cell = self._coders[row](column.distinct).astype(codes.dtype)
            by_cell.take(column.places, out=codes[row])
            self._missed[row] += np.count_nonzero(codes[row] == self._columns[row].no_level)
        self._domain.derive(codes)
        return codes

    @property
    def unplaced(self) -> dict[str, int]:
        """Column -> number of cells without a level so far, where there are some."""
        counted = zip(self._columns, self._missed.tolist(), strict=True)
        return {column.name: missed for column, missed in counted if missed}
