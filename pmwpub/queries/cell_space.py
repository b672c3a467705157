"""Between the cells of a workload's tables and its queries: a prefix is the running sum of cells along one axis.

All loops over rows and atoms add to *cells*: a number for each combination of levels of each table, at
`Workload.cell_offsets`. The queries of a marginal are its cells. Those of a prefix table are its cells cumulated along
the last axis, without the sums that end at the last level in order or behind it. All sums are of whole numbers that
stay below the sum of all rows or weights, so they are exact and fit wherever the cells do.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from pmwpub.queries.workload import Workload
from pmwpub.records import Ints

Numbers = npt.NDArray[Any]


def cumulate(workload: Workload, cells: Numbers, chosen: Ints, starts: Ints) -> None:
    """Replace the cells of prefix tables by their running sums, in place; marginals stay as they are.

    cells   those of table chosen[i] lie in cells[starts[i] : starts[i + 1]]
    chosen  int64, ascending or not; starts int64 (len(chosen) + 1,)
    """
    for i in np.flatnonzero(chosen >= len(workload.marginals)).tolist():
        table = _by_axis(workload, int(chosen[i]), cells[starts[i] : starts[i + 1]])
        np.cumsum(table, axis=1, out=table)


def answered(workload: Workload, cells: Numbers) -> Numbers:
    """The value of every query, (Q,), from the cells of all tables, which are used up; the cells themselves where no
    table has prefixes."""
    if not workload.prefixes:
        return cells
    cumulate(workload, cells, np.arange(len(workload.tables)), workload.cell_offsets)
    plain = len(workload.marginals)
    parts = [cells[: workload.cell_offsets[plain]]]
    for w, (begin, end) in enumerate(pairwise(workload.cell_offsets[plain:].tolist()), start=plain):
        parts.append(_by_axis(workload, w, cells[begin:end])[:, : _prefixes(workload, w)].ravel())
    return np.concatenate(parts)


def spread_back(workload: Workload, values: Numbers) -> Numbers:
    """The transpose of `answered`: in each cell the sum of the values, (Q,), of the queries that its rows satisfy."""
    if not workload.prefixes:
        return values
    plain = len(workload.marginals)
    parts = [values[: workload.offsets[plain]]]
    for w, (begin, end) in enumerate(pairwise(workload.offsets[plain:].tolist()), start=plain):
        own = values[begin:end].reshape(-1, _prefixes(workload, w))
        table = np.zeros((len(own), workload.last_sizes[w]), dtype=values.dtype)
        table[:, : own.shape[1]] = own[:, ::-1].cumsum(axis=1)[:, ::-1]
        parts.append(table.ravel())
    return np.concatenate(parts)


def _by_axis(workload: Workload, table: int, cells: Numbers) -> Numbers:
    return cells.reshape(-1, int(workload.last_sizes[table]))


def _prefixes(workload: Workload, table: int) -> int:
    return int(workload.last_queries[table])
