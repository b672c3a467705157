"""Reweighting the atoms of a support to noisy tables, with a prior: the fit of table fit."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pmwpub.mechanisms.table_fit.coarse_tables import CoarseSchedule
from pmwpub.mechanisms.table_fit.table_schedule import TableSchedule
from pmwpub.records import Codes, Floats, Ints, Support

TABLES_A_TOLERANCE = 50


class Reweighting:
    """The tables of a schedule on the atoms of a support, as the compiled loop takes them. Public alone."""

    def __init__(self, schedule: TableSchedule, support: Support) -> None:
        tables = schedule.tables
        pairs = sorted({table.attributes[:2] for table in tables.marginals if len(table.attributes) == 3})
        self._columns = _with_pairs(support, pairs)
        firsts = [_first(table.attributes, pairs, len(support.columns)) for table in tables.marginals]
        self._firsts = np.array(firsts, dtype=np.int64)
        self._seconds = np.array([table.attributes[-1] for table in tables.marginals], dtype=np.int64)
        sizes = np.array(tables.domain.shape, dtype=np.int64)
        self._steps = np.where(tables.arity > 1, sizes[self._seconds], 0)
        self._starts = tables.offsets
        if schedule.coarse is not None:
            self._add(schedule.coarse, support)

    def _add(self, coarse: CoarseSchedule, support: Support) -> None:
        """Coarse tables come behind the others: each is a 1-way table of a column that says an atom's cell in it."""
        places = len(self._columns) + np.arange(len(coarse.tables), dtype=np.int64)
        added = coarse.columns(support.columns).astype(self._columns.dtype)
        self._columns = np.concatenate([self._columns, added])
        self._columns.flags.writeable = False
        self._firsts, self._seconds = (np.concatenate([own, places]) for own in (self._firsts, self._seconds))
        self._steps = np.concatenate([self._steps, np.zeros(len(places), dtype=np.int64)])
        self._starts = np.concatenate([self._starts, self._starts[-1] + coarse.offsets[1:]])
        self._starts.flags.writeable = False  # as without coarse tables, so that one loop is compiled for both

    def fit(
        self,
        prior: Floats,
        answers: Floats,
        variances: Floats,
        chosen: Ints,
        *,
        most: int,
        tolerance: float = -1.0,
    ) -> tuple[Floats, int]:
        """argmin over w of KL(w || prior) + sum over cells c of (q_c(w) - answers_c)^2/(2 variances_c), and its passes.

        prior              float64 (m,), sums to one
        answers, variances float64 (cells of all tables,); those of other tables than the chosen are not read
        chosen             int64: the tables that count, ascending
        most               the most passes, odd; with the default tolerance there are exactly so many

        Passes go through the tables backwards and forwards by turns. After each that ends on the first table, the fit
        is done where less mass moved in it than `tolerance`, for each 50 tables.
        """
        from pmwpub.mechanisms.table_fit.table_fit_kernels import LANES, sweep

        weights, tilts = prior / prior.sum(), np.zeros(len(answers))
        lanes = np.zeros((LANES, int(np.diff(self._starts)[chosen].max())))
        enough = tolerance * max(1.0, len(chosen) / TABLES_A_TOLERANCE)
        for swept in range(1, most + 1):
            order = chosen[::-1].copy() if swept % 2 else chosen
            tables = (self._columns, self._firsts, self._seconds, self._steps, self._starts, order)
            moved = sweep(*tables, answers, variances, tilts, weights, lanes)
            if swept % 2 and moved < enough:
                break
        return weights / weights.sum(), swept


def _first(attributes: tuple[int, ...], pairs: Sequence[tuple[int, ...]], columns: int) -> int:
    """The row of `_with_pairs` that a table's cells begin with: its first attribute, or its first two taken as one."""
    return columns + pairs.index(attributes[:2]) if len(attributes) == 3 else attributes[0]


def _with_pairs(support: Support, pairs: Sequence[tuple[int, ...]]) -> Codes:
    """(d + pairs, m): an atom's codes, and behind them those of pairs of attributes taken as one, then all uint32."""
    if not pairs:
        return support.columns
    columns, sizes = support.columns.astype(np.uint32), support.domain.shape
    found = np.concatenate([columns, np.stack([columns[a] * np.uint32(sizes[b]) + columns[b] for a, b in pairs])])
    found.flags.writeable = False  # as those of a support: one type for the loop
    return found
