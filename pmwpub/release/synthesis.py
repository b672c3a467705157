"""Rows from weights: free post-processing of a release."""

from __future__ import annotations

import io
import math
import random
from array import array
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from pmwpub.errors import DomainError, PlanError
from pmwpub.queries.incidence import quantise
from pmwpub.records import Codes, Dataset, Distribution
from pmwpub.release.certificates.certificate_parts import Cells
from pmwpub.tabular.coding.decode import CSV_ROWS, csv_cells, csv_line, csv_lines, inert
from pmwpub.tabular.schema.column_types import MISSING, NumericColumn
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
    distribution: Distribution, schema: Schema, rows: int, *, seed: int, cells: Cells = "labels"
) -> bytes:
    """A synthetic table as CSV: labels, or numbers inside the bins for numeric columns.

    Beside the bytes themselves only a number a row is held. Raises PlanError as `synthesise` does, DomainError for
    weights of another schema.
    """
    written = io.BytesIO()
    written.writelines(synthetic_chunks(distribution, schema, rows, seed=seed, cells=cells))
    return written.getvalue()


def synthetic_chunks(
    distribution: Distribution, schema: Schema, rows: int, *, seed: int, cells: Cells = "labels"
) -> Iterator[bytes]:
    """The bytes of `synthetic_csv`, some thousand rows at a time."""
    support = distribution.support
    if support.domain != schema.domain:
        raise DomainError("The rows belong to another schema; decode them with their own.")
    order = np.frombuffer(_order(distribution, rows, seed=seed), dtype=np.int32)
    columns = [_writer(schema, position, seed, cells) for position in range(len(schema.encoded))]
    yield csv_line([inert(name) for name in schema.domain.names]).encode()
    for begin in range(0, rows, CSV_ROWS):
        codes = support.codes[order[begin : begin + CSV_ROWS]]
        yield csv_lines([column(codes[:, position]) for position, column in enumerate(columns)])


def _writer(schema: Schema, position: int, seed: int, cells: Cells) -> Callable[[Codes], list[str]]:
    """What writes the next codes of a column, in the order of the rows."""
    column, alone = schema.encoded[position], len(schema.encoded) == 1
    if cells == "numbers" and isinstance(column, NumericColumn):
        draw = _numbers(column, schema.missing_tokens, f"{seed}:{position}")
        return lambda codes: csv_cells(draw(codes.tolist()), alone=alone)
    labels = np.array(csv_cells(column.attribute.levels, alone=alone), dtype=object)
    return lambda codes: labels[codes].tolist()


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
    if not 1 <= rows <= MAX_ROWS:
        raise PlanError(f"A synthetic table has between 1 and {MAX_ROWS:,} rows; {rows:,} were asked for.")
    generator = random.Random(seed)
    quantised = quantise(distribution.weights, rows)
    offset = generator.randrange(quantised.total)
    edges = (np.cumsum(quantised.values) * rows + offset) // quantised.total
    counts = np.diff(edges, prepend=0)
    atoms = array("i", np.repeat(np.arange(len(counts), dtype=np.int32), counts).tobytes())
    generator.shuffle(atoms)
    return atoms


def _numbers(column: NumericColumn, missing_tokens: tuple[str, ...], seed: str) -> Callable[[Sequence[int]], list[str]]:
    """What draws the texts of the next codes, one a row.

    A text is a number inside the bin, the first missing token, or the label of another level.

    Whole numbers where all edges are whole, else as many decimals as a thousandth of the bin needs; "." is the mark.
    """
    generator = random.Random(seed)
    whole = all(float(edge).is_integer() for edge in column.edges)
    bins = len(column.own_levels)
    others = [
        missing_tokens[0] if label == MISSING and missing_tokens else label for label in column.attribute.levels[bins:]
    ]
    draw = _whole if whole else _decimal
    return lambda codes: [draw(column, code, generator) if code < bins else others[code - bins] for code in codes]


def _whole(column: NumericColumn, code: int, generator: random.Random) -> str:
    """A whole number of [low, high), or of [low, high] in the last bin."""
    low, high = int(column.edges[code]), int(column.edges[code + 1])
    return str(generator.randrange(low, high + (code == len(column.edges) - 2)))


def _decimal(column: NumericColumn, code: int, generator: random.Random) -> str:
    """A number of [low, high), rounded where that does not leave the bin."""
    low, high = column.edges[code], column.edges[code + 1]
    place = generator.random()
    value = max(low, min(low * (1 - place) + high * place, math.nextafter(high, low)))
    short = round(value, max(0, 3 - math.floor(math.log10(high / 2 - low / 2))))
    return repr(short if low <= short < high else value)
