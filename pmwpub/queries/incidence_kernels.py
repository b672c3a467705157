"""The compiled loops over atoms and marginals: serial, without the GIL, integer sums only.

Shapes: columns (d, m) codes; positions and strides int64 (W, widest) and arity int64 (W,) as in Workload.
Numba compiles each for the code type at first use and caches it on disk, where it can.
"""

from __future__ import annotations

import numpy as np

from pmwpub.queries.compiled_kernels import compiled

BLOCK = 4096
"""Atoms whose cells are computed at a time: their cells stay in the first cache."""

LANES = 4
"""Tables that are filled side by side: atoms that follow one another mostly share a cell, and would wait for it."""


@compiled
def add_weights(columns, weights, positions, strides, arity, chosen, starts, out):  # type: ignore[no-untyped-def]
    """out[starts[i] + cell(x)] += weights[x] for every atom x and marginal chosen[i]; all int64, exact.

    starts  int64 (len(chosen) + 1,)  where the table of each chosen marginal lies in `out`
    """
    atoms, widest = columns.shape[1], 1
    for i in range(chosen.shape[0]):
        if LANES * (starts[i + 1] - starts[i]) <= atoms:
            widest = max(widest, starts[i + 1] - starts[i])
    lanes = np.zeros((LANES, widest), dtype=np.int64)
    cells = np.empty(BLOCK, dtype=np.uint32)
    for i in range(chosen.shape[0]):
        w = chosen[i]
        table = out[starts[i] : starts[i + 1]]
        wide = LANES * table.shape[0] > atoms
        for begin in range(0, atoms, BLOCK):
            end = min(begin + BLOCK, atoms)
            block, added = cells[: end - begin], weights[begin:end]
            _cells(columns[:, begin:end], positions[w], strides[w], arity[w], block)
            if wide:
                for x in range(block.shape[0]):
                    table[block[x]] += added[x]
            else:
                _add_in_lanes(lanes, block, added)
        if not wide:
            for lane in range(LANES):
                for cell in range(table.shape[0]):
                    table[cell] += lanes[lane, cell]
                    lanes[lane, cell] = 0


@compiled
def _cells(columns, positions, strides, arity, cells):  # type: ignore[no-untyped-def]
    """cells[x] = the cell of atom x in one marginal."""
    if arity == 3:
        first, second, third = columns[positions[0]], columns[positions[1]], columns[positions[2]]
        step, stride = np.uint32(strides[0]), np.uint32(strides[1])
        for x in range(cells.shape[0]):
            cells[x] = np.uint32(first[x]) * step + np.uint32(second[x]) * stride + np.uint32(third[x])
        return
    cells[:] = 0
    for j in range(arity):
        column, step = columns[positions[j]], np.uint32(strides[j])
        for x in range(cells.shape[0]):
            cells[x] += np.uint32(column[x]) * step


@compiled
def _add_in_lanes(lanes, cells, weights):  # type: ignore[no-untyped-def]
    """lanes[x mod LANES, cells[x]] += weights[x]. Unsigned cells and loops from 0 need no check for negative ones."""
    first, second, third, fourth = lanes[0], lanes[1], lanes[2], lanes[3]
    whole = cells.shape[0] // LANES * LANES
    for x in range(0, whole, LANES):
        first[cells[x]] += weights[x]
        second[cells[x + 1]] += weights[x + 1]
        third[cells[x + 2]] += weights[x + 2]
        fourth[cells[x + 3]] += weights[x + 3]
    for x in range(whole, cells.shape[0]):
        first[cells[x]] += weights[x]
