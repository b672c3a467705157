"""The numbers of private rows, in whole units and clipped to public ends, summed in one pass over their file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pmwpub.errors import FileRefused, SchemaError
from pmwpub.records import Codes, Floats, Ints
from pmwpub.tabular.coding.rows_without_id import RowsWithoutId
from pmwpub.tabular.files.chunks import Chunk, TableStream
from pmwpub.tabular.files.row_numbers import Digest, RowNumbers
from pmwpub.tabular.files.text.inert_cells import PLAIN_NUMBER, before_inert, place_in
from pmwpub.tabular.private_pass import ahead, kept_rows
from pmwpub.tabular.schema.column_types import NumericColumn
from pmwpub.tabular.schema.table_schema import Schema


@dataclass(frozen=True)
class SummedColumn:
    """A numeric column, its unit, and the ends, in units, to which its numbers are clipped."""

    name: str
    unit: float
    low: int
    high: int

    def units(self, values: Floats) -> Ints:
        """Numbers in whole units, halves up, between the ends: each a function of that number alone.

        values  float64 in any shape, infinities among them
        """
        with np.errstate(over="ignore"):
            scaled = np.clip(values / self.unit, self.low, self.high)
        return np.clip(np.floor(scaled + 0.5).astype(np.int64), self.low, self.high)


def number_sums(
    table: TableStream, schema: Schema, columns: Sequence[SummedColumn], *, digest: bytes, n: int, rows_per_person: int
) -> Ints:
    """int64 (c, 2): of each column the sum of its numbers in whole units, and how many rows have a number.

    columns  numeric ones of the schema
    digest   what loading the table found: `Survey.digest`

    A row whose cell writes no number, or one that the schema takes for no value, adds nothing to either.

    Raises SchemaError for a column that is no numeric one, FileRefused where the file is another one by now.

    Privacy: exact sums of private rows. What a row adds, (units, 1) or (0, 0), is a function of its own cell and of
    public facts, whatever stands beside it, with units from low to high. Where the schema keeps k rows of each ID, the
    rows that do not stay, and those without an ID, add nothing: a function of that ID's own rows, of which at most k
    add anything (coding.kept_rows).
    """
    seen, sums = Digest(table.header), np.zeros(2 * len(columns), dtype=np.int64)
    limit = kept_rows(table, schema, n, rows_per_person)
    added = _added(table, schema, columns, seen)
    blocks = (terms for _, terms in added) if limit is None else limit.limited(added, [0] * len(sums))
    for terms in blocks:
        sums += terms.sum(axis=1, dtype=np.int64)
    if seen.value != digest:
        raise FileRefused("The private file changed after it was loaded and checked; load it again.")
    return sums.reshape(-1, 2)


def _added(
    table: TableStream, schema: Schema, columns: Sequence[SummedColumn], seen: Digest
) -> Iterator[tuple[Chunk, Codes]]:
    """Each chunk with int64 (2c, rows): the units and 1 of each row with a number in a column, else zeros."""
    numbers = RowNumbers(table.header)
    nobody = replace(RowsWithoutId.of(table.header, schema), no_level=(0,) * (2 * len(columns)))
    asked = [(place_in(table.header, one.name), one, number_of(schema, one.name)) for one in columns]
    for chunk in ahead(table.chunks()):
        seen.add(numbers.of(chunk))
        terms = np.empty((2 * len(columns), len(chunk)), dtype=np.int64)
        for place, (position, column, number) in enumerate(asked):
            coded = chunk.coded(position)
            found = [number(cell) for cell in coded.distinct]
            known = np.fromiter((one is not None for one in found), np.int64, len(found))
            values = np.fromiter((0.0 if one is None else one for one in found), np.float64, len(found))
            terms[2 * place] = (column.units(values) * known)[coded.places]
            terms[2 * place + 1] = known[coded.places]
        yield chunk, nobody.cleared(chunk, terms)  # type: ignore[arg-type]


def number_of(schema: Schema, name: str) -> Callable[[str], float | None]:
    """cell -> the number that it writes in a numeric column, infinities included; None where it has none.

    A missing code, a missing token and a number in a missing range are none. Under version 2 a cell that this package
    wrote is read, too (`coding.written_cells`).

    Raises SchemaError for a column that is no numeric attribute.
    """
    column = next((one for one in schema.encoded if one.name == name), None)
    if not isinstance(column, NumericColumn):
        raise SchemaError(f"A mean is one of a numeric column of the schema; {name!r} is none.")
    missing = column.missing_test(schema.tokens_of(column))

    def read(cell: str) -> float | None:
        text = column.tidy(cell)
        return None if missing(text) is not None else column.value(text)

    def read_back(cell: str) -> float | None:
        value = read(cell)
        if value is not None or missing(column.tidy(cell)) is not None:
            return value
        pointed = column.reads_points and PLAIN_NUMBER.fullmatch(cell) is not None
        return read(cell.replace(".", ",") if pointed else before_inert(cell))

    return read if schema.version == 1 else read_back
