"""From a text table to integer codes, by the rules of a schema; one column at a time, one look a distinct cell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from pmwpub.errors import BudgetError, FileRefused
from pmwpub.records import Codes, Dataset, code_type
from pmwpub.tabular.reading import TextTable
from pmwpub.tabular.schema import Schema

_TELL = "Tell the steward only."


@dataclass(frozen=True, eq=False)
class Encoded:
    """An encoded table and what became of the cells that the schema does not know.

    ignored   names of the file's columns that the schema does not name (file order)
    dropped   public rows left out because a cell has no level; always 0 for a private table
    unplaced  column -> number of cells without a level

    Privacy: of a private table, `ignored` and `unplaced` are for the steward only; the repr shows neither.
    """

    dataset: Dataset
    ignored: tuple[str, ...] = field(default=(), repr=False)
    dropped: int = 0
    unplaced: Mapping[str, int] = field(default_factory=dict, repr=False)


def encode_public(table: TextTable, schema: Schema) -> Encoded:
    """Encode a public table; a row with a cell that has no level is dropped and counted.

    Raises SchemaError when the file lacks a column of the schema, FileRefused when no row is left.
    """
    schema.check_header(table.header, with_id=False)
    codes, ignored, unplaced = _codes(table, schema)
    keep = np.all(codes < np.asarray(schema.domain.shape), axis=1)
    dropped = int(len(keep) - keep.sum())
    if dropped == len(keep):
        raise FileRefused(
            f"In each of the {dropped:,} rows a cell has no level in the schema, most often in column "
            f"{max(unplaced, key=unplaced.__getitem__)!r}; compare the schema's levels with the file."
        )
    return Encoded(Dataset(schema.domain, codes[keep] if dropped else codes), ignored, dropped, unplaced)


def encode_private(table: TextTable, schema: Schema, *, n: int, rows_per_person: int = 1) -> Encoded:
    """Encode a private table; no cell can raise, change the domain or change the number of rows.

    A cell that the schema does not know gets the column's rule (other, clip, or no level).

    Raises SchemaError when the file lacks a column of the schema (its id column included), FileRefused when it has not
    exactly `n` rows or when one ID owns more than `rows_per_person` of them, BudgetError for n or k below 1.

    Privacy: the refusals depend on private rows and are for the steward only; they quote no cell, ID or count of one.
    """
    if n < 1 or rows_per_person < 1:
        raise BudgetError(f"n and the rows per person must be at least 1; {n} and {rows_per_person} came.")
    schema.check_header(table.header, with_id=True)
    if len(table) != n:
        raise FileRefused(
            f"The population is registered with n = {n:,} rows; the file has {len(table):,}. "
            f"Load the registered table, or register it as it is. {_TELL}"
        )
    _check_ids(table, schema, rows_per_person)
    codes, ignored, unplaced = _codes(table, schema)
    return Encoded(Dataset(schema.domain, codes), ignored, 0, unplaced)


def _check_ids(table: TextTable, schema: Schema, rows_per_person: int) -> None:
    if schema.id_column is None:
        return
    ids = table.frame[schema.id_column.name]
    if schema.id_column.strip or schema.id_column.casefold:
        ids = ids.map(schema.id_column.tidy)
    if int(ids.value_counts().max()) > rows_per_person:
        raise FileRefused(
            f"At most {rows_per_person:,} rows may carry one ID in column {schema.id_column.name!r}, and more do. "
            f"Reduce the rows, or register the population anew with more rows a person. {_TELL}"
        )


def _codes(table: TextTable, schema: Schema) -> tuple[Codes, tuple[str, ...], dict[str, int]]:
    """codes (n, d) with "no level" where nothing else applies, ignored names, cells without a level by column."""
    codes = np.empty((len(table), len(schema.encoded)), dtype=code_type(schema.domain))
    unplaced: dict[str, int] = {}
    for position, column in enumerate(schema.encoded):
        place = column.placer(schema.missing_tokens)
        inverse, cells = pd.factorize(table.frame[column.name])
        by_cell = np.fromiter((place(cell) for cell in cells), dtype=codes.dtype, count=len(cells))
        codes[:, position] = by_cell[inverse]
        missed = int(np.count_nonzero(codes[:, position] == column.no_level))
        if missed:
            unplaced[column.name] = missed
    declared = {column.name for column in schema.columns}
    return codes, tuple(name for name in table.header if name not in declared), unplaced
