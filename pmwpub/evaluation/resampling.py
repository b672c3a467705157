"""Public tables that play a part in a simulation: the truth, or a candidate of another size."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from pmwpub.queries.repeated_rows import RepeatedRows
from pmwpub.records import Dataset, Support


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
    order = np.random.Generator(np.random.PCG64(seed)).permutation(len(dataset))
    cut = len(order) // 2
    return Dataset(dataset.domain, dataset.codes[order[:cut]]), Dataset(dataset.domain, dataset.codes[order[cut:]])


def part_rows(rows: int, share: Fraction) -> int:
    """How many rows `part_of_table` takes of so many: one at least."""
    return max(1, math.ceil(share * rows))


def part_of_table(dataset: Dataset, share: Fraction, seed: int) -> Dataset:
    """A random share of a public table's rows, without replacement, one row at least: a smaller candidate.

    Shares of one seed are nested: a smaller one is part of a larger one.
    """
    rows = part_rows(len(dataset), share)
    order = np.random.Generator(np.random.PCG64(seed)).permutation(len(dataset))
    return Dataset(dataset.domain, dataset.codes[order[:rows]])
