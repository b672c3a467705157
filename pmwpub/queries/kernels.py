"""The compiled loops: serial, without the GIL, integer sums only.

Shapes: columns (d, m) codes; positions and strides int64 (W, widest) and arity int64 (W,) as in Workload;
offsets int64 (W+1,). Numba compiles each for the code type at first use and caches it on disk.
"""

from __future__ import annotations

import numba
import numpy as np

_compiled = numba.njit(nogil=True, cache=True)


@_compiled
def add_weights(columns, weights, positions, strides, arity, offsets, out):  # type: ignore[no-untyped-def]
    """out[offsets[w] + cell_w(x)] += weights[x] for every marginal w and atom x; all int64, exact."""
    atoms = columns.shape[1]
    cells = np.empty(atoms, dtype=np.int64)
    for w in range(positions.shape[0]):
        base = offsets[w]
        if arity[w] == 3:
            first, second, third = columns[positions[w, 0]], columns[positions[w, 1]], columns[positions[w, 2]]
            step, stride = strides[w, 0], strides[w, 1]
            for x in range(atoms):
                out[base + first[x] * step + second[x] * stride + third[x]] += weights[x]
        else:
            cells[:] = base
            for j in range(arity[w]):
                column, step = columns[positions[w, j]], strides[w, j]
                for x in range(atoms):
                    cells[x] += column[x] * step
            for x in range(atoms):
                out[cells[x]] += weights[x]


@_compiled
def add_rows(columns, sizes, positions, strides, arity, offsets, out):  # type: ignore[no-untyped-def]
    """out[offsets[w] + cell_w(x)] += 1 for every row x that has a level on all attributes of marginal w.

    sizes  int64 (d,)  levels per attribute; a code equal to its size is "no level"
    """
    for w in range(positions.shape[0]):
        for x in range(columns.shape[1]):
            cell = offsets[w]
            placed = True
            for j in range(arity[w]):
                attribute = positions[w, j]
                code = columns[attribute, x]
                if code >= sizes[attribute]:
                    placed = False
                    break
                cell += code * strides[w, j]
            if placed:
                out[cell] += 1


@_compiled
def mass(weights, members):  # type: ignore[no-untyped-def]
    """The float sum of weights[members], left to right: the same on every machine."""
    total = 0.0
    for x in members:
        total += weights[x]
    return total


@_compiled
def scale(weights, members, factor):  # type: ignore[no-untyped-def]
    """Multiply weights[members] by factor and all by one common number, so that they sum to one; in place."""
    for x in members:
        weights[x] *= factor
    total = 0.0
    for x in range(weights.shape[0]):
        total += weights[x]
    for x in range(weights.shape[0]):
        weights[x] /= total
