"""The compiled loops that count private rows: serial, without the GIL, whole numbers only.

Two ways to count one marginal over a block of rows, equal to the last row:
- by *planes*: each level of an attribute has one bit a row; a cell is the number of ones in the "and" of its levels'
  planes, 64 rows a machine word. Cheap where a marginal has few cells.
- by *cells*: each row adds one to its cell. Cheap where a marginal has many.

Numba compiles each for the code type at first use and caches it on disk, where it can.
"""

from __future__ import annotations

import numpy as np
from numba import types
from numba.extending import intrinsic

from pmwpub.queries.compiled_kernels import compiled


@intrinsic
def _ones(typing_context, word):  # type: ignore[no-untyped-def]
    """The number of ones in a 64-bit word: LLVM's ctpop, one instruction and vectorised."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


@compiled
def fill_planes(columns, sizes, starts, planes):  # type: ignore[no-untyped-def]
    """Write the planes of a block: bit x of planes[starts[a] + v] is 1 where row x has level v of attribute a.

    columns  (d, rows)  codes; a code of sizes[a] is "no level" and has no plane
    starts   int64 (d,)  the first plane of each attribute; -1: it needs none
    planes   uint64 (1 + levels, words), words * 64 >= rows; plane 0 has a one for every row
    """
    rows = columns.shape[1]
    planes[:] = 0
    for x in range(rows):
        planes[0, x >> 6] |= np.uint64(1) << np.uint64(x & 63)
    for a in range(columns.shape[0]):
        if starts[a] >= 0:
            for x in range(rows):
                code = np.int64(columns[a, x])
                if code < sizes[a]:
                    planes[starts[a] + code, x >> 6] |= np.uint64(1) << np.uint64(x & 63)


@compiled
def add_planes(planes, firsts, levels, offsets, out):  # type: ignore[no-untyped-def]
    """out[offsets[w] + cell] += the rows of the block in each cell of each marginal w of up to three attributes.

    planes   uint64 (planes, words)
    firsts   int64 (W, 3)  the first plane of each attribute; a marginal of fewer is filled up in front with plane 0
    levels   int64 (W, 3)  levels of each attribute; 1 where filled up
    """
    words = planes.shape[1]
    pair = np.empty(words, dtype=np.uint64)
    for w in range(firsts.shape[0]):
        cell = offsets[w]
        for i in range(levels[w, 0]):
            one = planes[firsts[w, 0] + i]
            for j in range(levels[w, 1]):
                two = planes[firsts[w, 1] + j]
                for t in range(words):
                    pair[t] = one[t] & two[t]
                for k in range(levels[w, 2]):
                    three = planes[firsts[w, 2] + k]
                    found = np.uint64(0)
                    for t in range(words):
                        found += _ones(pair[t] & three[t])
                    out[cell] += np.int64(found)
                    cell += 1


@compiled
def add_cells(columns, sizes, positions, strides, arity, offsets, out):  # type: ignore[no-untyped-def]
    """out[offsets[w] + cell_w(x)] += 1 for every row x that has a level on all attributes of marginal w.

    columns  (d, rows)  codes; a code of sizes[a] is "no level"
    positions, strides  int64 (W, widest); arity, offsets  int64 (W,), as in Workload
    """
    rows = columns.shape[1]
    full = np.empty(columns.shape[0], dtype=np.bool_)
    for a in range(columns.shape[0]):
        full[a] = True
        for x in range(rows):
            full[a] &= columns[a, x] < sizes[a]
    for w in range(positions.shape[0]):
        base = offsets[w]
        p, q = positions[w, 0], positions[w, min(1, positions.shape[1] - 1)]
        r = positions[w, min(2, positions.shape[1] - 1)]
        if arity[w] == 3 and full[p] and full[q] and full[r]:
            first, second, third = columns[p], columns[q], columns[r]
            step, stride = strides[w, 0], strides[w, 1]
            for x in range(rows):
                out[base + first[x] * step + second[x] * stride + third[x]] += 1
        else:
            _add_checked(columns, sizes, positions[w, : arity[w]], strides[w], base, out)


@compiled
def _add_checked(columns, sizes, positions, strides, base, out):  # type: ignore[no-untyped-def]
    for x in range(columns.shape[1]):
        cell = base
        placed = True
        for j in range(positions.shape[0]):
            code = columns[positions[j], x]
            placed &= code < sizes[positions[j]]
            cell += code * strides[j]
        if placed:
            out[cell] += 1
