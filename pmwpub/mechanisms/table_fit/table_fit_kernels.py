"""The compiled loops of table fit: serial, without the GIL, with float sums in a fixed order: equal steps, equal bits.

Cells are computed on the fly: a table's cell of atom x is first[x] * step + second[x], with step 0 for a 1-way table.
"""

from __future__ import annotations

import math

import numpy as np

from pmwpub.queries.compiled_kernels import compiled

LANES = 4
"""Sums that are kept side by side: atoms that follow one another mostly share a cell, and would wait for it."""

LEAST_TILT = -30.0
MOST_STEPS = 60
TINY = 1e-300


@compiled
def sweep(columns, firsts, seconds, steps, starts, order, answers, variances, tilts, weights, lanes):  # type: ignore[no-untyped-def]
    """One pass of block coordinate ascent over the tables in `order`; returns the mass that it moved.

    It works on the dual of   min over w of KL(w || prior) + sum over cells c of (q_c(w) - y_c)^2/(2 s_c),   whose
    solution is w(x) = prior(x) exp(sum of the tilts of x's cells), scaled to sum one. All in place.

    columns             (d, m) codes
    firsts, seconds     int64 (tables,)      rows of `columns`; steps int64 (tables,), starts int64 (tables + 1,)
    answers, variances  float64 (cells,)     y and s; tilts float64 (cells,)
    weights             float64 (m,)         sum one
    lanes               float64 (LANES, widest table), zero
    """
    moved = 0.0
    factors = np.ones(lanes.shape[1])
    for i in range(order.shape[0]):
        t = order[i]
        cells = starts[t + 1] - starts[t]
        first, second, step = columns[firsts[t]], columns[seconds[t]], np.uint32(steps[t])
        if i == 0:
            _sum_cells(first, second, step, weights, lanes)
        else:
            p = order[i - 1]
            _scale_and_sum(
                columns[firsts[p]],
                columns[seconds[p]],
                np.uint32(steps[p]),
                factors,
                first,
                second,
                step,
                weights,
                lanes,
            )
        for c in range(cells):
            lanes[0, c] = (lanes[0, c] + lanes[1, c]) + (lanes[2, c] + lanes[3, c])
            lanes[1, c] = lanes[2, c] = lanes[3, c] = 0.0
        cut = slice(starts[t], starts[t + 1])
        moved += _retilt(lanes[0], answers[cut], variances[cut], tilts[cut], factors)
    last = order[order.shape[0] - 1]
    _scale(columns[firsts[last]], columns[seconds[last]], np.uint32(steps[last]), factors, weights)
    return moved


@compiled
def _sum_cells(first, second, step, weights, lanes):  # type: ignore[no-untyped-def]
    """lanes[x mod LANES, cell of x] += weights[x]."""
    one, two, three, four = lanes[0], lanes[1], lanes[2], lanes[3]
    whole = weights.shape[0] // LANES * LANES
    for x in range(0, whole, LANES):
        one[np.uint32(first[x]) * step + np.uint32(second[x])] += weights[x]
        two[np.uint32(first[x + 1]) * step + np.uint32(second[x + 1])] += weights[x + 1]
        three[np.uint32(first[x + 2]) * step + np.uint32(second[x + 2])] += weights[x + 2]
        four[np.uint32(first[x + 3]) * step + np.uint32(second[x + 3])] += weights[x + 3]
    for x in range(whole, weights.shape[0]):
        one[np.uint32(first[x]) * step + np.uint32(second[x])] += weights[x]


@compiled
def _scale_and_sum(before, behind, stride, factors, first, second, step, weights, lanes):  # type: ignore[no-untyped-def]
    """weights[x] *= factors[cell of x in the table before], and its new weight is added to the cell in the next one."""
    one, two, three, four = lanes[0], lanes[1], lanes[2], lanes[3]
    whole = weights.shape[0] // LANES * LANES
    for x in range(0, whole, LANES):
        a = weights[x] * factors[np.uint32(before[x]) * stride + np.uint32(behind[x])]
        b = weights[x + 1] * factors[np.uint32(before[x + 1]) * stride + np.uint32(behind[x + 1])]
        c = weights[x + 2] * factors[np.uint32(before[x + 2]) * stride + np.uint32(behind[x + 2])]
        d = weights[x + 3] * factors[np.uint32(before[x + 3]) * stride + np.uint32(behind[x + 3])]
        weights[x], weights[x + 1], weights[x + 2], weights[x + 3] = a, b, c, d
        one[np.uint32(first[x]) * step + np.uint32(second[x])] += a
        two[np.uint32(first[x + 1]) * step + np.uint32(second[x + 1])] += b
        three[np.uint32(first[x + 2]) * step + np.uint32(second[x + 2])] += c
        four[np.uint32(first[x + 3]) * step + np.uint32(second[x + 3])] += d
    for x in range(whole, weights.shape[0]):
        weights[x] *= factors[np.uint32(before[x]) * stride + np.uint32(behind[x])]
        one[np.uint32(first[x]) * step + np.uint32(second[x])] += weights[x]


@compiled
def _scale(first, second, step, factors, weights):  # type: ignore[no-untyped-def]
    """weights[x] *= factors[cell of x]."""
    for x in range(weights.shape[0]):
        weights[x] *= factors[np.uint32(first[x]) * step + np.uint32(second[x])]


@compiled
def _retilt(held, answers, variances, tilts, factors):  # type: ignore[no-untyped-def]
    """The best tilts of one table, given the others; returns the mass that moves.

    held     float64 (at least cells,)  the mass of each cell; zero afterwards
    factors  float64, as long           what the atoms of each cell are to be multiplied by, scaled to total mass one
    """
    moved, total = 0.0, 0.0
    for c in range(answers.shape[0]):
        factors[c] = 1.0
        if held[c] > TINY:
            tilt = _tilt(held[c] * math.exp(-tilts[c]), answers[c], variances[c], tilts[c])
            factors[c] = math.exp(tilt - tilts[c])
            tilts[c] = tilt
            moved += abs(factors[c] - 1.0) * held[c]
            total += factors[c] * held[c]
    for c in range(answers.shape[0]):
        factors[c] /= total
        held[c] = 0.0
    return moved


@compiled
def _tilt(mass, answer, variance, begin):  # type: ignore[no-untyped-def]
    """The root x of f(x) = mass e^x - answer + variance x, by Newton's steps from its right; at least LEAST_TILT.

    f rises and is convex, so a step from anywhere lands right of the root, and later ones fall towards it. The root is
    at most 0 where answer <= mass, else at most (answer - mass)/(mass + variance) and at most log(answer/mass).
    """
    most = 0.0
    if answer > mass:
        most = min((answer - mass) / (mass + variance), math.log(answer / mass))
    x = min(begin, most)
    for _ in range(MOST_STEPS):
        now = mass * math.exp(x)
        step = (now - answer + variance * x) / (now + variance)
        x = max(min(x - step, most), LEAST_TILT)
        if abs(step) < 1e-10:
            break
    return x
