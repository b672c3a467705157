"""How much each public table of a pool weighs in the prior: empirical Bayes on the noisy 1-way tables.

Everything here is a function of noisy tables and public data. It need not come out to the bit: the weights that a
release takes are recorded, and read from the record when the release is rebuilt.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from pmwpub.errors import DomainError, PlanError
from pmwpub.mechanisms.table_fit.one_way_estimates import OneWayEstimates
from pmwpub.mechanisms.table_fit.prior_strength import log_evidence
from pmwpub.mechanisms.table_fit.table_schedule import TableSchedule
from pmwpub.mechanisms.table_fit.widest_cells import WidestCells, widest
from pmwpub.records import Floats, Support

PARTS = 1_000
"""Weights are whole thousandths."""

MOST_TABLES = 8
"""Of one pool: the grid of weights is halves then, and coarser ones say nothing."""

_WHOLE = 1 << 50
"""About what the whole multiplicities of a mixture sum to: floats hold every sum of them."""


@dataclass(frozen=True)
class PoolConstants:
    """The constants of learnt weights; what a release depends on, so that a plan records them.

    steps       the grid of weights has steps of one over so many, where that is few enough points
    most_points of the grid; for more public tables the steps become coarser
    least_gain  units of log likelihood by which some mixture has to be ahead of every single table; the best single
                one is taken otherwise
    cells       the evidence for weights looks at no more than so many 1-way cells, those of the widest spread
    """

    steps: int = 10
    most_points: int = 100
    least_gain: float = 3.0
    cells: int = 256

    def __post_init__(self) -> None:
        if not 1 <= self.steps <= PARTS or self.most_points < math.comb(MOST_TABLES, 1) or self.cells < 1:
            raise PlanError("A grid of weights needs steps, and a point for each table at the least.")
        if not 0 <= self.least_gain < math.inf:
            raise PlanError("A gain of log likelihood is not negative.")


POOL_DEFAULTS = PoolConstants()


def effective_rows(supports: Sequence[Support], parts: Sequence[int]) -> int:
    """How many rows a mixture is worth: 1/sum of lambda^2/rows over its tables (Kish's effective sample size)."""
    total = sum(parts)
    return max(1, round(1.0 / sum((part / total) ** 2 / one.people for one, part in zip(supports, parts, strict=True))))


def mixed(supports: Sequence[Support], parts: Sequence[int]) -> Support:
    """The mixture of public tables: weight parts[c]/sum(parts) on a row that is drawn from table c.

    Its atoms are the distinct rows of the tables with a part. Its multiplicities are whole numbers in proportion to the
    mixture, within one in 10^5 for tables of up to 10^7 rows or units; those of a single table with a part stay as they
    are.

    Raises PlanError for parts that belong to other tables, or are negative or all zero; DomainError for tables of
    different schemas.
    """
    if len(parts) != len(supports) or min(parts, default=-1) < 0 or not sum(parts):
        raise PlanError("A mixture needs a part for each public table, none negative, and one that is not zero.")
    if any(support.domain != supports[0].domain for support in supports):
        raise DomainError("Only public tables of one schema can be mixed.")
    used = [(support, part) for support, part in zip(supports, parts, strict=True) if part]
    if len(used) == 1:
        return used[0][0]
    repeats = [
        support.multiplicity * max(1, round(part * _WHOLE / (sum(parts) * support.rows))) for support, part in used
    ]
    codes = np.concatenate([support.codes for support, _ in used])
    return Support.merged(supports[0].domain, codes, np.concatenate(repeats))


def learnt_parts(
    schedule: TableSchedule, supports: Sequence[Support], estimates: OneWayEstimates, constants: PoolConstants
) -> tuple[int, ...]:
    """Each table's part of the prior, in thousandths that sum to 1,000.

    A mixture with weights lambda makes the 1-way estimates as likely as `log_evidence` says; each point of a grid over
    the simplex was as likely as any other beforehand. The parts are the posterior mean over the grid, or the most
    likely single table where no point is `least_gain` ahead of all single ones; of equally likely ones the first.

    Raises PlanError for more than MOST_TABLES tables, or none.
    """
    if not 1 <= len(supports) <= MOST_TABLES:
        raise PlanError(f"A pool has one to {MOST_TABLES} public tables; {len(supports)} came.")
    if len(supports) == 1:
        return (PARTS,)
    chosen = widest(schedule, mixed(supports, [1] * len(supports)), constants.cells)
    tables = [WidestCells.at(schedule, support, chosen) for support in supports]
    grid = np.array(list(_simplex(len(supports), _steps(len(supports), constants))), dtype=np.float64)
    grid /= grid.sum(axis=1, keepdims=True)
    found = np.array([log_evidence(schedule, WidestCells.mixed(tables, point), estimates) for point in grid])
    single = [int(np.argmax(grid[:, c])) for c in range(len(supports))]
    best = max(range(len(supports)), key=lambda c: found[single[c]])
    if found.max() - found[single[best]] < constants.least_gain:
        return tuple(PARTS * (c == best) for c in range(len(supports)))
    posterior = np.exp(found - found.max())
    return _thousandths(posterior @ grid / posterior.sum())


def _steps(tables: int, constants: PoolConstants) -> int:
    """The finest grid, up to the stated one, that has no more than the stated number of points."""
    fitting = (s for s in range(constants.steps, 1, -1) if math.comb(s + tables - 1, s) <= constants.most_points)
    return next(fitting, 1)


def _simplex(tables: int, steps: int) -> Iterator[tuple[int, ...]]:
    """All ways to give so many steps to the tables."""
    if tables == 1:
        yield (steps,)
        return
    for first in range(steps + 1):
        yield from ((first, *rest) for rest in _simplex(tables - 1, steps - first))


def _thousandths(weights: Floats) -> tuple[int, ...]:
    """Whole thousandths that sum to 1,000: each weight rounded down, and what is left to the largest remainders."""
    scaled = weights / weights.sum() * PARTS
    parts = np.floor(scaled).astype(np.int64)
    for c in np.argsort(parts - scaled, kind="stable")[: PARTS - int(parts.sum())]:
        parts[c] += 1
    return tuple(parts.tolist())
