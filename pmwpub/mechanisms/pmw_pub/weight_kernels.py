"""The compiled loops over the weights of atoms: serial, without the GIL.

Float sums run in a fixed order, so the same steps give the same bytes; whole numbers decide about scores.
"""

from __future__ import annotations

import math

import numpy as np

from pmwpub.queries.compiled_kernels import compiled


@compiled
def mass(values, members):  # type: ignore[no-untyped-def]
    """The sum of values[members], in four interleaved partial sums."""
    first, second, third, fourth = 0.0, 0.0, 0.0, 0.0
    whole = members.shape[0] // 4 * 4
    for i in range(0, whole, 4):
        first += values[members[i]]
        second += values[members[i + 1]]
        third += values[members[i + 2]]
        fourth += values[members[i + 3]]
    for i in range(whole, members.shape[0]):
        first += values[members[i]]
    return (first + second) + (third + fourth)


@compiled
def total_of(values):  # type: ignore[no-untyped-def]
    """The sum of all values, in four interleaved partial sums."""
    first, second, third, fourth = 0.0, 0.0, 0.0, 0.0
    whole = values.shape[0] // 4 * 4
    for i in range(0, whole, 4):
        first += values[i]
        second += values[i + 1]
        third += values[i + 2]
        fourth += values[i + 3]
    for i in range(whole, values.shape[0]):
        first += values[i]
    return (first + second) + (third + fourth)


@compiled
def masses(values, members, edges, out):  # type: ignore[no-untyped-def]
    """out[i] = the sum of values over members[edges[i] : edges[i + 1]]."""
    for i in range(out.shape[0]):
        out[i] = mass(values, members[edges[i] : edges[i + 1]])


@compiled
def step_all(values, total, members, edges, answers, order):  # type: ignore[no-untyped-def]
    """Multiplicative-weights steps towards answers[i] for i in `order`, each with q(A) afresh; returns the new total.

    In place, up to a common factor: the atoms of measurement i are multiplied by exp((answers[i] - q(A))/2).
    """
    for i in order:
        satisfied = members[edges[i] : edges[i + 1]]
        if 0 < satisfied.shape[0] < values.shape[0]:
            held = mass(values, satisfied)
            factor = math.exp((answers[i] - held / total) / 2.0)
            for x in satisfied:
                values[x] *= factor
            total += (factor - 1.0) * held
    return total


@compiled
def whole_changes(values, whole, risen, risen_by, fallen, fallen_by):  # type: ignore[no-untyped-def]
    """Set whole[x] = floor(values[x]), and list the atoms whose number changed.

    risen, fallen        uint32 (m,)  filled from the left: the atoms that rose, and that fell
    risen_by, fallen_by  int64 (m,)   by how much, positive

    Returns how many rose, how many fell, and by how much the sum of `whole` changed.
    """
    up, down, change = np.uint32(0), np.uint32(0), 0
    for x in range(values.shape[0]):
        now = np.int64(math.floor(values[x]))
        by = now - whole[x]
        if by > 0:
            risen[up], risen_by[up] = x, by
            up += np.uint32(1)
        elif by < 0:
            fallen[down], fallen_by[down] = x, -by
            down += np.uint32(1)
        whole[x] = now
        change += by
    return up, down, change


@compiled
def add_by_level(columns, atoms, by, out):  # type: ignore[no-untyped-def]
    """out[a, code of atoms[i] on attribute a] += by[i], for all attributes a and all i; in four interleaved sums.

    columns  (a, m) codes;  atoms  uint32 (s,);  by  int64 (s,);  out  int64 (a, widest)
    """
    others = np.zeros((3, out.shape[1]), dtype=np.int64)
    second, third, fourth = others[0], others[1], others[2]
    whole = atoms.shape[0] // 4 * 4
    for a in range(columns.shape[0]):
        column, first = columns[a], out[a]
        for i in range(0, whole, 4):
            first[column[atoms[i]]] += by[i]
            second[column[atoms[i + 1]]] += by[i + 1]
            third[column[atoms[i + 2]]] += by[i + 2]
            fourth[column[atoms[i + 3]]] += by[i + 3]
        for i in range(whole, atoms.shape[0]):
            first[column[atoms[i]]] += by[i]
        for level in range(first.shape[0]):
            first[level] += second[level] + third[level] + fourth[level]
            second[level] = third[level] = fourth[level] = 0
