"""The compiled loops of replicate weights: serial, without the GIL, with float sums in a fixed order.

A table's cell of atom x is first[x] * step + second[x], with step 0 for a 1-way table. Values have a row an atom and a
column a replicate; a row is short and lies together, so that each pass reads the values once.
"""

from __future__ import annotations

import numpy as np

from pmwpub.queries.compiled_kernels import compiled


@compiled
def add_up(first, second, step, values, sums):  # type: ignore[no-untyped-def]
    """sums[cell of x] += values[x], column by column.

    first, second  (m,) codes; step int64
    values         float32 or float64 (m, columns); sums float64 (cells, columns)
    """
    for x in range(values.shape[0]):
        cell = np.uint32(first[x]) * np.uint32(step) + np.uint32(second[x])
        for r in range(values.shape[1]):
            sums[cell, r] += values[x, r]


@compiled
def scale_and_add_up(before, behind, stride, factors, first, second, step, values, sums):  # type: ignore[no-untyped-def]
    """values[x] *= factors[cell of x in the table before]; the new values are added to sums[cell of x in the next].

    factors  of the type of values, (cells of the table before, columns)
    """
    for x in range(values.shape[0]):
        place = np.uint32(before[x]) * np.uint32(stride) + np.uint32(behind[x])
        cell = np.uint32(first[x]) * np.uint32(step) + np.uint32(second[x])
        for r in range(values.shape[1]):
            value = values[x, r] * factors[place, r]
            values[x, r] = value
            sums[cell, r] += value


@compiled
def scale(first, second, step, factors, values):  # type: ignore[no-untyped-def]
    """values[x] *= factors[cell of x], column by column."""
    for x in range(values.shape[0]):
        cell = np.uint32(first[x]) * np.uint32(step) + np.uint32(second[x])
        for r in range(values.shape[1]):
            values[x, r] *= factors[cell, r]
