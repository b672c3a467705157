"""The 1-way cells that the evidence looks at, and how they vary together under the public table."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pmwpub.mechanisms.table_fit.table_schedule import TableSchedule
from pmwpub.records import Codes, Floats, Ints, Support


@dataclass(frozen=True, eq=False)
class WidestCells:
    """The 1-way cells of the widest spread p(1 - p) on the public table, at most `evidence_cells` of them.

    chosen      int64 (c,)      positions among the cells of the 1-way tables, ascending
    owner       int64 (c,)      the place of each one's attribute among the schedule's
    shares      float64 (c,)    p, each one's share of public rows
    covariance  float64 (c, c)  of their indicators on a row that is drawn from the public table
    """

    chosen: Ints
    owner: Ints
    shares: Floats
    covariance: Floats

    @classmethod
    def of(cls, schedule: TableSchedule, support: Support) -> WidestCells:
        return cls.at(schedule, support, widest(schedule, support, schedule.constants.evidence_cells))

    @classmethod
    def at(cls, schedule: TableSchedule, support: Support, chosen: Ints) -> WidestCells:
        """The cells at these positions, on another public table than the one that chose them, perhaps."""
        sizes = _sizes(schedule)
        shares = _shares(schedule, support)[chosen]
        owner = np.repeat(np.arange(len(sizes)), sizes)[chosen]
        columns = support.columns[list(schedule.attributes)]
        together = _together(columns, sizes, chosen, support.multiplicity) / support.rows
        return cls(chosen, owner, shares, together - np.outer(shares, shares))

    @classmethod
    def mixed(cls, tables: Sequence[WidestCells], weights: Sequence[float]) -> WidestCells:
        """The same cells of several tables, on a row that is drawn from table c with probability weights[c]."""
        shares = sum((w * one.shares for w, one in zip(weights, tables, strict=True)), np.zeros(len(tables[0].chosen)))
        together = sum(
            (w * (one.covariance + np.outer(one.shares, one.shares)) for w, one in zip(weights, tables, strict=True)),
            np.zeros((len(shares), len(shares))),
        )
        return cls(tables[0].chosen, tables[0].owner, shares, together - np.outer(shares, shares))

    def without_totals(self, rows: Floats, places: Sequence[int]) -> Floats:
        """float64 (c, any): each column without its part along the public shares of each attribute of these places.

        Such an attribute's estimates then tell how its levels stand to one another, not how many rows have one.
        """
        left = rows.copy()
        for i in places:
            own = self.owner == i
            along = self.shares[own]
            if along.any():
                left[own] -= np.outer(along, along @ rows[own]) / (along @ along)
        return left


def widest(schedule: TableSchedule, support: Support, most: int) -> Ints:
    """int64: positions among the cells of the 1-way tables, ascending, of at most so many of the widest spread."""
    shares = _shares(schedule, support)
    order = np.argsort(-shares * (1.0 - shares), kind="stable")[:most]
    return np.sort(order).astype(np.int64)


def _shares(schedule: TableSchedule, support: Support) -> Floats:
    """float64: each 1-way cell's share of public rows."""
    columns = support.columns[list(schedule.attributes)]
    sums = [np.bincount(c, support.multiplicity, s) for c, s in zip(columns, _sizes(schedule), strict=True)]
    return np.concatenate(sums) / support.rows


def _sizes(schedule: TableSchedule) -> Ints:
    return np.array([schedule.tables.domain.shape[a] for a in schedule.attributes], dtype=np.int64)


def _together(columns: Codes, sizes: Ints, chosen: Ints, multiplicity: Ints) -> Floats:
    """float64 (c, c): public rows that are in both of two chosen cells; exact sums."""
    from pmwpub.queries.incidence_kernels import add_weights

    lookup, kept = _coarse(sizes, chosen)
    coarse = np.stack([codes[column] for codes, column in zip(lookup, columns, strict=True)])
    coarse.flags.writeable = False  # as the columns of a support: one type for the loop
    pairs = np.array([*((i, i) for i in range(len(sizes))), *itertools.combinations(range(len(sizes)), 2)])
    strides = np.stack([kept[pairs[:, 1]] + 1, np.ones(len(pairs), dtype=np.int64)], axis=1)
    cells = (kept[pairs[:, 0]] + 1) * (kept[pairs[:, 1]] + 1)
    starts = np.concatenate([[0], np.cumsum(cells)]).astype(np.int64)
    sums = np.zeros(starts[-1], dtype=np.int64)
    arity, every = np.full(len(pairs), 2, dtype=np.int64), np.arange(len(pairs))
    add_weights(coarse, multiplicity, pairs.astype(np.int64), strides, arity, every, starts, sums)
    edges = np.concatenate([[0], np.cumsum(kept)])
    together = np.zeros((len(chosen), len(chosen)))
    for (i, j), begin, end in zip(pairs, starts, starts[1:], strict=False):
        block = sums[begin:end].reshape(kept[i] + 1, kept[j] + 1)[:-1, :-1]
        together[edges[i] : edges[i + 1], edges[j] : edges[j + 1]] = block
        together[edges[j] : edges[j + 1], edges[i] : edges[i + 1]] = block.T
    return together


def _coarse(sizes: Ints, chosen: Ints) -> tuple[list[Codes], Ints]:
    """For each attribute: codes of its chosen levels, all others being one more; and how many it keeps."""
    starts = np.concatenate([[0], np.cumsum(sizes)])
    lookup, kept = [], []
    for i, size in enumerate(sizes):
        own = chosen[(chosen >= starts[i]) & (chosen < starts[i + 1])] - starts[i]
        codes = np.full(size, len(own), dtype=np.uint32)
        codes[own] = np.arange(len(own), dtype=np.uint32)
        lookup.append(codes)
        kept.append(len(own))
    return lookup, np.array(kept, dtype=np.int64)
