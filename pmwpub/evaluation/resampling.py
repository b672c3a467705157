"""Public tables that play a part in a simulation: the truth, or a candidate of another size."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from pmwpub.queries.repeated_rows import RepeatedRows
from pmwpub.records import Dataset, Ints, Support


def resampled(table: Dataset | Support, rows: int, seed: int) -> RepeatedRows:
    """`rows` rows drawn with replacement from a public table, to play a private table of that size: each row of a
    dataset alike, of a support as its multiplicities say, which are weights where rows are weighed.

    How often each distinct row is drawn is multinomial, and is drawn at once: time and memory go with the public table,
    not with `rows`. (Versions before drew row by row: the same law, other tables for the same seed.)
    """
    support = table if isinstance(table, Support) else Support.of(table)
    drawn = np.random.Generator(np.random.PCG64(seed)).multinomial(rows, support.multiplicity / support.rows)
    some = drawn > 0
    return RepeatedRows(Support(support.domain, support.codes[some], drawn[some]))


def halves(dataset: Dataset, seed: int) -> tuple[Dataset, Dataset]:
    """A public table cut in two at random: one half to play the truth, one the candidate."""
    half, rest = half_places(len(dataset), seed)
    return Dataset(dataset.domain, dataset.codes[half]), Dataset(dataset.domain, dataset.codes[rest])


def half_places(rows: int, seed: int) -> tuple[Ints, Ints]:
    """Which rows are in each of the `halves`."""
    order = np.random.Generator(np.random.PCG64(seed)).permutation(rows)
    return order[: rows // 2], order[rows // 2 :]


def part_rows(rows: int, share: Fraction) -> int:
    """How many rows `part_of_table` takes of so many: one at least."""
    return max(1, math.ceil(share * rows))


def part_places(rows: int, share: Fraction, seed: int) -> Ints:
    """Which rows `part_of_table` takes of so many."""
    order = np.random.Generator(np.random.PCG64(seed)).permutation(rows)
    return order[: part_rows(rows, share)]


def part_of_table(dataset: Dataset, share: Fraction, seed: int) -> Dataset:
    """A random share of a public table's rows, without replacement, one row at least: a smaller candidate.

    Shares of one seed are nested: a smaller one is part of a larger one.
    """
    return Dataset(dataset.domain, dataset.codes[part_places(len(dataset), share, seed)])
