"""Rows from weights: free post-processing of a release."""

from __future__ import annotations

import io
import random
from array import array
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pmwpub.errors import DomainError, PlanError
from pmwpub.queries.incidence import quantise
from pmwpub.records import Codes, Dataset, Distribution, Floats
from pmwpub.release import number_cells
from pmwpub.release.certificates.certificate_parts import Cells, Columns
from pmwpub.tabular.coding.decode import CSV_ROWS, csv_cells, csv_line, csv_lines
from pmwpub.tabular.coding.public_values import StoredValues
from pmwpub.tabular.files.text.inert_cells import inert
from pmwpub.tabular.nesting.parent_columns import ParentColumn
from pmwpub.tabular.rules.written_rows import WrittenRows
from pmwpub.tabular.schema.column_types import Column, EncodedColumn, IdColumn, NumericColumn
from pmwpub.tabular.schema.table_schema import Schema

MAX_ROWS = 10_000_000
MAX_SEED = 2**31 - 1


def check_drawn(rows: int, seed: int) -> None:
    """Raise PlanError unless 1 <= rows <= 10 million and 0 <= seed < 2^31; call it before anything is charged."""
    if not 1 <= rows <= MAX_ROWS:
        raise PlanError(f"A synthetic table has between 1 and {MAX_ROWS:,} rows; {rows:,} were asked for.")
    if not 0 <= seed <= MAX_SEED:
        raise PlanError(f"A row seed is a whole number between 0 and {MAX_SEED:,}; {seed:,} came.")


def synthetic_csv(
    distribution: Distribution,
    schema: Schema,
    rows: int,
    *,
    seed: int,
    cells: Cells = "labels",
    columns: Columns = "attributes",
    values: StoredValues | None = None,
) -> bytes:
    """A synthetic table as CSV: labels, or numbers for numeric columns, drawn inside the bins or from public values.

    columns  "attributes": the encoded columns; "all": all that the schema names, with row numbers for the id column
             and nothing in those that are left out; their parents come behind, in both
    values   the public values, where `cells` is "public-values"

    Beside the bytes themselves only a number a row is held. Where the schema has rules, rows are read back as they are
    written, and RuleBroken is raised in the place of writing one that breaks a rule. Raises PlanError as `synthesise`
    does, and without the values that are asked for; DomainError for weights of another schema.
    """
    written = io.BytesIO()
    written.writelines(
        synthetic_chunks(distribution, schema, rows, seed=seed, cells=cells, columns=columns, values=values)
    )
    return written.getvalue()


def synthetic_chunks(
    distribution: Distribution,
    schema: Schema,
    rows: int,
    *,
    seed: int,
    cells: Cells = "labels",
    columns: Columns = "attributes",
    values: StoredValues | None = None,
) -> Iterator[bytes]:
    """The bytes of `synthetic_csv`, some thousand rows at a time."""
    support = distribution.support
    if support.domain != schema.domain:
        raise DomainError("The rows belong to another schema; decode them with their own.")
    order = np.frombuffer(_order(distribution, rows, seed=seed), dtype=np.int32)
    written = (*(schema.encoded if columns == "attributes" else schema.columns), *schema.parents)
    writers = [_writer(schema, column, seed, cells, values, alone=len(written) == 1) for column in written]
    header = csv_line([inert(column.name) for column in written]).encode()
    checked = WrittenRows(schema, header)
    yield header
    for begin in range(0, rows, CSV_ROWS):
        atoms = order[begin : begin + CSV_ROWS]
        block = Block(begin, atoms, support.codes[atoms])
        yield checked.kept(csv_lines([column(block) for column in writers]))


def _writer(
    schema: Schema, column: Column | ParentColumn, seed: int, cells: Cells, values: StoredValues | None, *, alone: bool
) -> Callable[[Block], list[str]]:
    """What writes the next rows of a column, in their order."""
    if isinstance(column, IdColumn):
        return lambda block: [str(block.begin + place) for place in range(1, len(block.atoms) + 1)]
    if not isinstance(column, EncodedColumn | ParentColumn):
        return lambda block: [""] * len(block.atoms)
    position = schema.attributes.index(column)
    if isinstance(column, NumericColumn) and cells != "labels":
        draw = number_cells.drawer(schema, position, seed, cells, values)
        return lambda block: csv_cells(draw(block.codes[:, position].tolist(), block.atoms.tolist()), alone=alone)
    texts = [
        label if cells != "public-values" else schema.written(column, code) or label
        for code, label in enumerate(column.attribute.levels)
    ]
    labels = np.array(csv_cells(texts, alone=alone), dtype=object)
    return lambda block: labels[block.codes[:, position]].tolist()


class Block(NamedTuple):
    """Some rows that are written: the number of the first, and of each the atom and its codes."""

    begin: int
    atoms: npt.NDArray[np.int32]
    codes: Codes


def synthesise(distribution: Distribution, rows: int, *, seed: int) -> Dataset:
    """`rows` synthetic rows whose counts follow the weights as closely as whole numbers can.

    Low-variance (systematic) rounding: with C the running sum of the weights and u uniform in [0, 1), atom x
    occurs floor(rows C_x + u) - floor(rows C_{x-1} + u) times. Each count is within one of rows * A(x), has
    that as its mean, and they sum to `rows`. All in integers, so that the same seed gives the same rows on
    every machine; the seed is public, and the order of the rows comes from it too.

    Raises PlanError unless 1 <= rows <= 10 million.
    """
    atoms = np.frombuffer(_order(distribution, rows, seed=seed), dtype=np.int32)
    return Dataset(distribution.support.domain, distribution.support.codes[atoms])


def _order(distribution: Distribution, rows: int, *, seed: int) -> array[int]:
    """int32 (rows,): the atom of each row, as `synthesise` says."""
    return drawn_atoms(distribution.weights, rows, seed=seed)


def drawn_atoms(weights: Floats, rows: int, *, seed: int) -> array[int]:
    """int32 (rows,): atoms drawn by weights that sum to one, as `synthesise` says."""
    if not 1 <= rows <= MAX_ROWS:
        raise PlanError(f"A synthetic table has between 1 and {MAX_ROWS:,} rows; {rows:,} were asked for.")
    generator = random.Random(seed)
    quantised = quantise(weights, rows)
    offset = generator.randrange(quantised.total)
    edges = (np.cumsum(quantised.values) * rows + offset) // quantised.total
    counts = np.diff(edges, prepend=0)
    atoms = array("i", np.repeat(np.arange(len(counts), dtype=np.int32), counts).tobytes())
    generator.shuffle(atoms)
    return atoms
