"""Weights whose tables deviate from the released ones by a stated amount, found by raking sweep after sweep."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from pmwpub.mechanisms.table_fit.intervals.cell_intervals import LARGE_CELL
from pmwpub.mechanisms.table_fit.replicates.support_cells import AtomValues, ScaledValues, SupportCells
from pmwpub.progress import Progress, unwatched
from pmwpub.records import Floats

SWEEPS, OF_ALL = 36, 12
"""Sweeps through the tables; in so many first ones all cells are stretched to their standard errors, then large ones
alone, and small ones only shrunk: weights above zero cannot give all of them theirs, and the large ones come first."""

HARD, GENTLE = 18, 0.12
"""After so many sweeps a cell is stretched by this power of what it lacks: a table that is raked last no longer spoils
those before it, and all come to terms."""

FLOOR = 0.05
"""The least part of its released share that a cell keeps in a step of a replicate: weights stay above zero."""

MOST_SCALE = 2.0
"""How far one step may stretch or shrink the deviations of a cell."""

MOST_RELATIVE = 1.0
"""The largest deviation that a cell is asked to have, as a part of its share: weights cannot be below zero."""


@dataclass(frozen=True, eq=False)
class TableSpread:
    """What the replicates of one table are to look like.

    shares      float64 (cells,): released
    deviations  float64 (cells,): standard errors; NaN where none is asked for
    drawn       makes float64 (cells, replicates), the first deviations
    """

    cells: SupportCells
    shares: Floats
    deviations: Floats
    drawn: Callable[[], Floats] = field(repr=False)


def raked(
    weights: Floats,
    tables: Sequence[TableSpread],
    *,
    replicates: int,
    sweeps: int = SWEEPS,
    progress: Progress = unwatched,
) -> Floats:
    """float64 (m, replicates): weights, each column summing to one, none negative.

    The first sweep rakes all replicates to released + drawn cells, table by table. Each further one takes the
    deviations of a table's cells as they are by then, centres them over the replicates, stretches each cell's to its
    standard error (`OF_ALL`), later towards it (`HARD`), and rakes to that.

    weights  float64 (m,): released, summing to one
    """
    made = ScaledValues(np.repeat(weights.astype(np.float32)[:, None], replicates, axis=1))
    done, total = 0, sweeps * len(tables)
    for sweep in range(sweeps):
        for table in _ordered(tables, sweep):
            progress(done, total)
            now = made.sums(table.cells)
            deviations = table.drawn() if sweep == 0 else now - table.shares[:, None]
            wanted = _wanted(table, deviations, every=sweep < OF_ALL, power=1.0 if sweep < HARD else GENTLE)
            made.scale(table.cells, np.divide(wanted, now, out=np.ones_like(now), where=now > 0))
            done += 1
    progress(total, total)
    found = made.settled().astype(np.float64)
    found /= found.sum(axis=0)
    return found


def _ordered(tables: Sequence[TableSpread], sweep: int) -> list[TableSpread]:
    """2-way tables forwards and backwards in turn, so that none is always the last; then the 1-way ones.

    These have the smallest errors, which each 2-way table that is raked after them spoils.
    """
    pairs = [table for table in tables if len(table.cells.shape) == 2]
    ones = [table for table in tables if len(table.cells.shape) == 1]
    return pairs[:: 1 if sweep % 2 == 0 else -1] + ones


def deviations_of(weights: Floats, made: AtomValues, cells: SupportCells) -> Floats:
    """float64 (cells,): the root mean square over replicates of each cell's deviation from the released share."""
    moved = cells.sums(made) - cells.sums(weights[:, None])
    found: Floats = np.sqrt(np.mean(moved**2, axis=1))
    return found


def _wanted(table: TableSpread, deviations: Floats, *, every: bool, power: float) -> Floats:
    """float64 (cells, replicates): what a table is raked to.

    every  whether small cells are stretched too
    power  1 where cells are stretched to their standard errors, less where they are only brought nearer
    """
    shares = table.shares[:, None]
    centred = deviations - deviations.mean(axis=1, keepdims=True)
    centred -= shares * centred.sum(axis=0)
    now = np.sqrt(np.mean(centred**2, axis=1))
    asked = np.minimum(table.deviations, MOST_RELATIVE * table.shares)
    if not every:
        asked = np.where(table.shares < LARGE_CELL, np.minimum(asked, now), asked)
    scale = np.divide(asked, now, out=np.ones_like(now), where=(now > 0) & np.isfinite(asked))
    stretch = np.clip(scale, 1 / MOST_SCALE, MOST_SCALE) ** power
    wanted = shares + centred * stretch[:, None]
    wanted = np.maximum(wanted, FLOOR * shares)
    found: Floats = wanted / wanted.sum(axis=0)
    return found
