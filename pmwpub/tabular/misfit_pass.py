"""Private rows that a schema does not fit, counted column by column in one pass over their file.

A cell is a misfit where the schema gives it no level, "(other)", or the end bin of numbers that it does not reach.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from pmwpub.errors import FileRefused, SchemaError
from pmwpub.records import Codes, Floats, Ints
from pmwpub.tabular.coding.encode import Encoder
from pmwpub.tabular.coding.rows_without_id import RowsWithoutId
from pmwpub.tabular.files.chunks import Chunk, TableStream
from pmwpub.tabular.files.reading import TextTable
from pmwpub.tabular.files.row_numbers import Digest, RowNumbers
from pmwpub.tabular.nesting.parent_columns import named_instead
from pmwpub.tabular.private_pass import ahead, kept_rows
from pmwpub.tabular.schema.column_types import NumericColumn
from pmwpub.tabular.schema.table_schema import Schema


def misfits(
    table: TableStream,
    schema: Schema,
    columns: Sequence[str],
    *,
    digest: bytes,
    n: int,
    rows_per_person: int,
    rules: bool = False,
) -> Ints:
    """int64 (c + 1,): the rows whose cell in each of the columns is a misfit, then those with any such cell.

    columns  names of attributes of the schema; of others nothing is looked at
    rules    whether the rows that break a rule of the schema are counted too, behind the columns
    digest   what loading the table found: `Survey.digest`

    Raises SchemaError for a name that is no attribute's, FileRefused where the file is another one by now.

    Privacy: exact counts of private rows; they move by at most k each. Whether a cell is a misfit is a function of the
    cell and the schema, whatever stands beside it (coding.whole_columns). Where the schema keeps k rows of each ID, the
    rows that do not stay, and those without an ID, misfit nowhere: a function of that ID's own rows, of which at most
    k are counted (coding.kept_rows).
    """
    seen, counts = Digest(table.header), np.zeros(len(columns) + rules + 1, dtype=np.int64)
    limit = kept_rows(table, schema, n, rows_per_person)
    flagged = _flagged(table, schema, columns, seen, rules=rules)
    blocks = (flags for _, flags in flagged) if limit is None else limit.limited(flagged, [0] * len(counts))
    for flags in blocks:
        counts += np.count_nonzero(flags, axis=1)
    if seen.value != digest:
        raise FileRefused("The private file changed after it was loaded and checked; load it again.")
    return counts


def public_misfits(table: TextTable, schema: Schema, columns: Sequence[str]) -> Floats:
    """float64 (c,): the share of a public table's rows whose cell in each of the columns is a misfit."""
    unclipped = _unclipped(schema, columns)
    flags = _of_codes(Encoder(table.header, unclipped, written=True).codes(table.cells), unclipped)
    return flags.mean(axis=1, dtype=np.float64)


def _flagged(
    table: TableStream, schema: Schema, columns: Sequence[str], seen: Digest, *, rules: bool
) -> Iterator[tuple[Chunk, Codes]]:
    """Each chunk with uint8 (c + 1, rows): 1 for a misfit in each column, a broken rule where asked, a misfit in any
    column; rows without an ID have none."""
    unclipped = _unclipped(schema, columns)
    encoder, numbers = Encoder(table.header, unclipped), RowNumbers(table.header)
    nobody = RowsWithoutId.of(table.header, schema)
    nobody = replace(nobody, no_level=(0,) * (len(columns) + rules + 1))
    coded = Encoder(table.header, schema) if rules else None
    for chunk in ahead(table.chunks()):
        seen.add(numbers.of(chunk))
        flags = _of_codes(encoder.codes(chunk), unclipped)
        any_of_them = flags.max(axis=0, keepdims=True)
        broken = flags[:0] if coded is None else _broken(coded.codes(chunk), schema)
        yield chunk, nobody.cleared(chunk, np.concatenate([flags, broken, any_of_them]))


def _broken(codes: Codes, schema: Schema) -> Codes:
    """uint8 (1, rows), 1 for a row that breaks a rule; SchemaError where there is none. Codes are (d, rows)."""
    if schema.row_rules is None:
        raise SchemaError("The schema has no rules, so no row breaks one.")
    return schema.row_rules.broken(codes.T).astype(np.uint8)[None, :]


def _of_codes(codes: Codes, schema: Schema) -> Codes:
    """uint8, 1 for a code that is "(other)" or no level; in the shape of the codes (c, rows)."""
    firsts = np.array([column.attribute.size - column.other for column in schema.encoded])[:, None]
    return (codes >= firsts).astype(np.uint8)


def _unclipped(schema: Schema, columns: Sequence[str]) -> Schema:
    """The columns alone, with their levels, where a number beyond the edges has none: clipped ones would not show."""
    attributes = {column.name: column for column in schema.encoded}
    if unknown := [name for name in columns if name not in attributes]:
        instead = named_instead(unknown[0], schema.parents)
        raise SchemaError(f"The schema has no attribute {unknown[0]!r}; a look at the fit is at attributes.{instead}")
    own = [attributes[name].alone for name in columns]
    strict = [one.changed(outside="none") if isinstance(one, NumericColumn) else one for one in own]
    return Schema.of(strict, schema.missing_tokens, schema.version)
