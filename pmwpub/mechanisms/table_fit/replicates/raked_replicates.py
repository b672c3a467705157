"""Weights whose tables deviate from the released ones by a stated amount, found by raking sweep after sweep."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

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

NEAR, ENOUGH, MORE = 0.15, 0.75, 108
"""A standard error is reproduced where the replicates' is within `NEAR` of it. Where fewer than `ENOUGH` of those of
1-way cells are, which 2-way tables then spoil, `MORE` sweeps follow in which 1-way tables are met and `within_reach`
is asked of the others."""

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
    more: int = MORE,
    progress: Progress = unwatched,
) -> Floats:
    """float64 (m, replicates): weights, each column summing to one, none negative.

    The first sweep rakes all replicates to released + drawn cells, table by table. Each further one takes the
    deviations of a table's cells as they are by then, centres them over the replicates, stretches each cell's to its
    standard error (`OF_ALL`), later towards it (`HARD`), and rakes to that.
    Where 1-way cells are left off, `more` follow.

    weights  float64 (m,): released, summing to one
    """
    made = ScaledValues(np.repeat(weights.astype(np.float32)[:, None], replicates, axis=1))
    done, total = 0, sweeps * len(tables)

    def swept(tables: Sequence[TableSpread], sweep: int) -> None:
        nonlocal done
        for table in _ordered(tables, sweep):
            progress(done, total)
            now = made.sums(table.cells)
            deviations = table.drawn() if sweep == 0 else now - table.shares[:, None]
            exact = sweep < HARD or (sweep >= sweeps and len(table.cells.shape) == 1)
            wanted = _wanted(table, deviations, every=sweep < OF_ALL, power=1.0 if exact else GENTLE)
            made.scale(table.cells, np.divide(wanted, now, out=np.ones_like(now), where=now > 0))
            done += 1

    for sweep in range(sweeps):
        swept(tables, sweep)
    if more and _spoiled(made, tables):
        total, tables = total + more * len(tables), within_reach(tables)
        for sweep in range(sweeps, sweeps + more):
            swept(tables, sweep)
    progress(total, total)
    found = made.settled().astype(np.float64)
    found /= found.sum(axis=0)
    return found


def _spoiled(made: ScaledValues, tables: Sequence[TableSpread]) -> bool:
    """Whether 2-way tables keep too many 1-way cells from their standard errors."""
    ratios = [np.zeros(0)]
    for table in tables:
        large = (table.shares >= LARGE_CELL) & (table.deviations > 0)
        if len(table.cells.shape) == 1 and large.any():
            moved = made.sums(table.cells) - table.shares[:, None]
            ratios.append(np.sqrt(np.mean(moved**2, axis=1))[large] / table.deviations[large])
    every = np.concatenate(ratios)
    return bool(len(every)) and float(np.mean(np.abs(every - 1) <= NEAR)) < ENOUGH


def within_reach(tables: Sequence[TableSpread]) -> list[TableSpread]:
    """The tables, where no 2-way cell is asked for more than its row or column allows.

    A cell is what its 1-way cell is, less the others of its row: it cannot deviate by more than these together do, of
    which none does by more than `MOST_RELATIVE` of its share. So what weights cannot give is not asked of them.
    """
    ones = {table.cells.attributes[0]: table.deviations for table in tables if len(table.cells.shape) == 1}
    found = []
    for table in tables:
        shape = table.cells.shape
        if len(shape) == 2 and set(table.cells.attributes) <= set(ones):
            shares, asked = table.shares.reshape(shape), table.deviations.reshape(shape)
            for _ in range(2):
                for axis, attribute in enumerate(table.cells.attributes):
                    most = np.fmin(asked, MOST_RELATIVE * shares)
                    others = most.sum(axis=1 - axis, keepdims=True) - most
                    asked = np.fmin(asked, np.expand_dims(ones[attribute], 1 - axis) + others)
            table = replace(table, deviations=np.where(np.isnan(table.deviations), np.nan, asked.ravel()))
        found.append(table)
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
