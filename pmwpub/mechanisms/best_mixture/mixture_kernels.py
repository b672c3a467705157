"""The compiled loops behind the best-mixture error: serial, without the interpreter lock, no cell table in memory.

Arguments shared by all of them (see Workload):
columns    (d, m) codes of the atoms, C-contiguous
positions  int64 (T, widest) attribute positions of each table, padded with 0
strides    int64 (T, widest) steps of their codes, 0 where padded
offsets    int64 (T+1,) first cell of each table; a query here is a cell, and `cell_space` has what prefixes add
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pmwpub.queries.compiled_kernels import compiled

Array = np.ndarray[Any, Any]


@compiled
def _cell(columns: Array, positions: Array, strides: Array, w: int, x: int) -> int:
    cell = 0
    for j in range(positions.shape[1]):
        cell += strides[w, j] * np.int64(columns[positions[w, j], x])
    return cell


@compiled
def push_forward(columns: Array, positions: Array, strides: Array, offsets: Array, weights: Array, out: Array) -> None:
    """out[q] = sum of weights[x] over the atoms x that satisfy q, for every query.

    weights  (m,) float64 or int64;  out  (Q,) of the same type, overwritten
    """
    out[:] = 0
    atoms = columns.shape[1]
    three = positions.shape[1] == 3
    for w in range(positions.shape[0]):
        base = offsets[w]
        if three:
            first, second, third = columns[positions[w, 0]], columns[positions[w, 1]], columns[positions[w, 2]]
            a, b, c = strides[w, 0], strides[w, 1], strides[w, 2]
            for x in range(atoms):
                out[base + a * np.int64(first[x]) + b * np.int64(second[x]) + c * np.int64(third[x])] += weights[x]
        else:
            for x in range(atoms):
                out[base + _cell(columns, positions, strides, w, x)] += weights[x]


@compiled
def pull_back(columns: Array, positions: Array, strides: Array, offsets: Array, values: Array, out: Array) -> None:
    """out[x] = sum of values[q] over the queries q that atom x satisfies: the transpose of `push_forward`.

    values  (Q,) float64 or int64;  out  (m,) of the same type, overwritten. Marginals whose values are all 0 are
    skipped: near the end few queries matter.
    """
    out[:] = 0
    atoms = columns.shape[1]
    three = positions.shape[1] == 3
    for w in range(positions.shape[0]):
        base = offsets[w]
        if not np.any(values[base : offsets[w + 1]]):
            continue
        if three:
            first, second, third = columns[positions[w, 0]], columns[positions[w, 1]], columns[positions[w, 2]]
            a, b, c = strides[w, 0], strides[w, 1], strides[w, 2]
            for x in range(atoms):
                out[x] += values[base + a * np.int64(first[x]) + b * np.int64(second[x]) + c * np.int64(third[x])]
        else:
            for x in range(atoms):
                out[x] += values[base + _cell(columns, positions, strides, w, x)]


@compiled
def residuals(target: Array, answers: Array) -> float:
    """Turn answers into target - answers, in place, and return the largest magnitude; float64 (Q,) both."""
    peak = 0.0
    for q in range(target.shape[0]):
        residual = target[q] - answers[q]
        answers[q] = residual
        peak = max(peak, abs(residual))
    return peak


@compiled
def soft_signs(residual: Array, peak: float, beta: float, out: Array) -> float:
    """out[q] = sign(r_q) exp(beta (|r_q| - peak)), 0 below e^-40; returns the sum of the magnitudes.

    residual  float64 (Q,) r = q(D) - q(mu);  peak  max |r|;  out  float64 (Q,), overwritten
    """
    total = 0.0
    floor = peak - 40.0 / beta
    for q in range(residual.shape[0]):
        size = abs(residual[q])
        if size < floor or size == 0.0:
            out[q] = 0.0
        else:
            mass = np.exp(beta * (size - peak))
            total += mass
            out[q] = mass if residual[q] > 0 else -mass
    return total


@compiled
def inner(first: Array, second: Array) -> float:
    """The inner product, in this thread: BLAS would wake others, which costs 10 ms on a busy machine (seen)."""
    total = 0.0
    for i in range(first.shape[0]):
        total += first[i] * second[i]
    return total
