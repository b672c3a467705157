"""The compiled loops over the scores of queries: whole numbers only, serial, without the GIL.

Entries are the active queries, table after table; edges int64 (T + 1,) says where each table's lie.
"""

from __future__ import annotations

import numpy as np

from pmwpub.queries.compiled_kernels import compiled


@compiled
def exact_scores(tables, starts, chosen, edges, cells, counts, total, n, sums, scores):  # type: ignore[no-untyped-def]
    """For the entries of the tables `chosen`: sums = s_q, scores = |c_q - floor(n s_q/S + 1/2)|.

    tables, starts  the dense sums of table chosen[i] lie in tables[starts[i] : starts[i + 1]], those of a prefix table
                    cumulated
    """
    for i in range(chosen.shape[0]):
        w = chosen[i]
        for e in range(edges[w], edges[w + 1]):
            s = tables[starts[i] + cells[e]]
            sums[e] = s
            scores[e] = abs(counts[e] - (s * (2 * n) + total) // (2 * total))


@compiled
def bounded_scores(  # type: ignore[no-untyped-def]
    begin, end, edges, levels, counts, sums, epochs, rises, falls, total, shift, high, low, half, bits, n, scores
):
    """For the entries of the marginals begin .. end: scores[e] is at least |c_q - r_q|.

    levels        uint32 (entries, widest)  the bounding levels of each query, as columns of rises and falls
    epochs        int64 (T,)   the row of rises and falls that holds the changes since the marginal's sums were exact
    rises, falls  int64 (rows, levels)  at most by how much a query with that level rose and fell
    shift, high, low, half, bits  fixed point, see `DriftScores`: n s/S + 1/2 lies between
                  ((s >> shift) low + half) / 2^bits and (((s >> shift) + 1) high + half) / 2^bits
    """
    widest = levels.shape[1]
    for w in range(begin, end):
        here = slice(edges[w], edges[w + 1])
        level, count, s, score = levels[here], counts[here], sums[here], scores[here]
        rise_of, fall_of = rises[epochs[w]], falls[epochs[w]]
        for e in range(score.shape[0]):
            rise, fall = rise_of[level[e, 0]], fall_of[level[e, 0]]
            for j in range(1, widest):
                rise = min(rise, rise_of[level[e, j]])
                fall = min(fall, fall_of[level[e, j]])
            above = min(s[e] + rise, total)
            below = max(s[e] - fall, 0)
            most = min((((above >> shift) + 1) * high + half) >> bits, n)
            least = ((below >> shift) * low + half) >> bits
            score[e] = max(count[e] - least, most - count[e])


@compiled
def shift_sizes(chosen, edges, scores, sizes, by):  # type: ignore[no-untyped-def]
    """sizes[score] += by for every entry of the marginals `chosen`."""
    for w in chosen:
        for e in range(edges[w], edges[w + 1]):
            sizes[scores[e]] += by


@compiled
def likelihoods(chosen, edges, scores, top, weights, out):  # type: ignore[no-untyped-def]
    """out[w] = the sum of weights[top - score] over the entries of marginal w, for w in `chosen`.

    weights  float64 (g,)  by gap; larger gaps weigh nothing
    """
    for w in chosen:
        found = 0.0
        for e in range(edges[w], edges[w + 1]):
            gap = top - scores[e]
            if gap < weights.shape[0]:
                found += weights[max(gap, 0)]
        out[w] = found


@compiled
def active_entries(  # type: ignore[no-untyped-def]
    present,
    edges,
    cells,
    levels,
    shape,
    level_offsets,
    positions,
    strides,
    arity,
    offsets,
    last_sizes,
    last_queries,
    last_starts,
):
    """Fill edges, cells and levels of the queries that are `present` (bool (Q,)), table after table.

    levels  uint32 (entries, widest); the columns beyond a table's arity repeat its first level
    last_sizes, last_queries, last_starts  int64 (T,)  of the last attribute: its levels, how many queries each cell of
            the others has, and where the bounding levels of these begin
    """
    e = 0
    for w in range(arity.shape[0]):
        edges[w] = e
        for q in range(offsets[w], offsets[w + 1]):
            if present[q]:
                beside, last = divmod(q - offsets[w], last_queries[w])
                cell = beside * last_sizes[w] + last
                cells[e] = cell
                for j in range(levels.shape[1]):
                    k = j if j < arity[w] else 0
                    a = positions[w, k]
                    if k == arity[w] - 1:
                        levels[e, j] = last_starts[w] + last
                    else:
                        levels[e, j] = level_offsets[a] + cell // strides[w, k] % shape[a]
                e += 1
    edges[arity.shape[0]] = e


@compiled
def places_of(scores, value, place):  # type: ignore[no-untyped-def]
    """The position of the place-th score (from 0) that equals `value`; -1 if there are fewer."""
    for e in range(scores.shape[0]):
        if scores[e] == value:
            if place == 0:
                return e
            place -= 1
    return np.int64(-1)
