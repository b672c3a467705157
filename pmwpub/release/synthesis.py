"""Rows from weights: free post-processing of a release."""

from __future__ import annotations

import random

import numpy as np

from pmwpub.errors import PlanError
from pmwpub.queries.incidence import quantise
from pmwpub.records import Dataset, Distribution

MAX_ROWS = 10_000_000


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
