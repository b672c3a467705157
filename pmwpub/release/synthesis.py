"""Rows from weights: free post-processing of a release."""

from __future__ import annotations

import math
import random

import numpy as np

from pmwpub.errors import PlanError
from pmwpub.queries.incidence import quantise
from pmwpub.records import Dataset, Distribution
from pmwpub.release.certificate import Cells
from pmwpub.tabular.columns import MISSING, NumericColumn
from pmwpub.tabular.decode import csv_bytes, labelled
from pmwpub.tabular.schema import Schema

MAX_ROWS = 10_000_000
MAX_SEED = 2**31 - 1


def check_drawn(rows: int, seed: int) -> None:
    """PlanError unless 1 <= rows <= 10 million and 0 <= seed < 2^31: to be asked before anything is charged."""
    if not 1 <= rows <= MAX_ROWS:
        raise PlanError(f"A synthetic table has between 1 and {MAX_ROWS:,} rows; {rows:,} were asked for.")
    if not 0 <= seed <= MAX_SEED:
        raise PlanError(f"A row seed is a whole number between 0 and {MAX_SEED:,}; {seed:,} came.")


def synthetic_csv(
    distribution: Distribution, schema: Schema, rows: int, *, seed: int, cells: Cells = "labels"
) -> bytes:
    """A synthetic table as CSV: labels, or numbers inside the bins for numeric columns.

    Raises PlanError as `synthesise` does.
    """
    dataset = synthesise(distribution, rows, seed=seed)
    frame = labelled(dataset, schema)
    if cells == "numbers":
        for position, column in enumerate(schema.encoded):
            if isinstance(column, NumericColumn):
                codes = dataset.codes[:, position].tolist()
                frame[column.name] = _numbers(column, codes, schema.missing_tokens, f"{seed}:{position}")
    return csv_bytes(frame)


def synthesise(distribution: Distribution, rows: int, *, seed: int) -> Dataset:
    """`rows` synthetic rows whose counts follow the weights as closely as whole numbers can.

    Low-variance (systematic) rounding: with C the running sum of the weights and u uniform in [0, 1), atom x
    occurs floor(rows C_x + u) - floor(rows C_{x-1} + u) times. Each count is within one of rows * A(x), has
    that as its mean, and they sum to `rows`. All in integers, so that the same seed gives the same rows on
    every machine; the seed is public, and the order of the rows comes from it too.

    Raises PlanError unless 1 <= rows <= 10 million.
    """
    if not 1 <= rows <= MAX_ROWS:
        raise PlanError(f"A synthetic table has between 1 and {MAX_ROWS:,} rows; {rows:,} were asked for.")
    generator = random.Random(seed)
    quantised = quantise(distribution.weights, rows)
    offset = generator.randrange(quantised.total)
    edges = (np.cumsum(quantised.values) * rows + offset) // quantised.total
    counts = np.diff(edges, prepend=0)
    atoms = np.repeat(np.arange(len(counts)), counts).tolist()
    generator.shuffle(atoms)
    return Dataset(distribution.support.domain, distribution.support.codes[np.array(atoms, dtype=np.int64)])


def _numbers(column: NumericColumn, codes: list[int], missing_tokens: tuple[str, ...], seed: str) -> list[str]:
    """One text a row: a number drawn inside the bin, the first missing token, or the label of another level.

    Whole numbers where all edges are whole, else as many decimals as a thousandth of the bin needs; "." is the mark.
    """
    generator = random.Random(seed)
    whole = all(float(edge).is_integer() for edge in column.edges)
    bins = len(column.own_levels)
    others = [
        missing_tokens[0] if label == MISSING and missing_tokens else label for label in column.attribute.levels[bins:]
    ]
    return [
        (_whole(column, code, generator) if whole else _decimal(column, code, generator))
        if code < bins
        else others[code - bins]
        for code in codes
    ]


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
