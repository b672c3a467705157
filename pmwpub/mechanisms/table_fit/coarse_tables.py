"""Coarse tables of ordered columns: adjacent levels are merged, so that a range is a sum of few noisy cells."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from pmwpub.domain import Domain
from pmwpub.errors import BudgetError, PlanError
from pmwpub.privacy.budget import ZCDP
from pmwpub.privacy.noise import NoiseSource
from pmwpub.privacy.vector_gaussian import VectorGaussian
from pmwpub.queries.counts import PrivateCounts
from pmwpub.queries.workload import Workload
from pmwpub.records import Codes, Floats, Ints

RANGE_SHARE = Fraction(1, 4)
"""The coarse tables' part of the budget, where a plan measures them."""

FACTOR = 2
"""So many cells of one coarse table are one of the next."""


@dataclass(frozen=True)
class RangeTables:
    """What a plan says of coarse tables.

    columns  names of ordered columns, ascending
    share    of the budget, for all coarse tables in equal parts
    factor   adjacent levels, and then cells, that are merged from one table to the next

    Raises PlanError for what no plan may say.
    """

    columns: tuple[str, ...]
    share: Fraction = RANGE_SHARE
    factor: int = FACTOR

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", tuple(self.columns))
        if not self.columns or list(self.columns) != sorted(set(self.columns)):
            raise PlanError("Coarse tables are of columns that are named once each, in alphabetical order.")
        if not 0 < self.share < 1 or not 2 <= self.factor <= 1_000:
            raise PlanError("Coarse tables have a part of the budget, and merge from 2 to 1,000 levels.")


@dataclass(frozen=True)
class CoarseTable:
    """A table of one ordered attribute in which `width` adjacent levels are one cell; those outside the order are one.

    attribute  position in the domain
    """

    attribute: int
    width: int

    def cell_of(self, domain: Domain) -> Ints:
        """int64 (levels,): the cell of each level; a row without a level is in none."""
        column = domain.attributes[self.attribute]
        cells = np.arange(column.size, dtype=np.int64) // self.width
        cells[column.ordered :] = -(-column.ordered // self.width)
        return cells


@dataclass(frozen=True)
class CoarseSchedule:
    """Which coarse tables are measured, and at what price; a function of public facts alone.

    shares       one a table: its part of the budget
    sensitivity  k, the rows that one person may own

    Raises BudgetError for a share of zero.
    """

    domain: Domain
    tables: tuple[CoarseTable, ...]
    shares: tuple[ZCDP, ...]
    sensitivity: int

    def __post_init__(self) -> None:
        if len(self.shares) != len(self.tables) or not self.tables:
            raise PlanError("A schedule needs a share of the budget for each coarse table.")
        if min(share.units for share in self.shares) < 1:
            raise BudgetError(f"The budget is too small for {len(self.tables):,} coarse tables; take more of it.")

    @cached_property
    def cells(self) -> tuple[Ints, ...]:
        """Of each table, int64 (levels,): the cell of each level of its attribute."""
        return tuple(table.cell_of(self.domain) for table in self.tables)

    @cached_property
    def sizes(self) -> Ints:
        """int64 (tables,): the cells of each."""
        return np.array([int(cells.max()) + 1 for cells in self.cells], dtype=np.int64)

    @cached_property
    def offsets(self) -> Ints:
        """int64 (tables + 1,): where the cells of each begin."""
        return np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.int64)

    @cached_property
    def noises(self) -> tuple[VectorGaussian, ...]:
        """The noise of each table: sigma = k/sqrt(rho) counts on each cell, rounded up, as for any table.

        A cell of a coarse table is a set of levels, and the sets are disjoint: a row is in one of them, or in none. So
        k rows that are replaced move the table by u - v with |u|_1, |v|_1 <= k, whole and not negative, and
        |u - v|^2 <= 2 k^2, however many levels are merged.
        """
        return tuple(VectorGaussian.costing(share, 2 * self.sensitivity**2) for share in self.shares)

    @property
    def rho(self) -> ZCDP:
        """What their measurement costs: each one's charge, rounded up."""
        return sum((noise.rho for noise in self.noises), ZCDP(0))

    def columns(self, codes: Codes) -> Codes:
        """(tables, m): the cell of each atom in each coarse table.

        codes  (d, m) of the domain, all of them levels
        """
        found = [cells[codes[table.attribute]] for table, cells in zip(self.tables, self.cells, strict=True)]
        return np.stack(found).astype(codes.dtype)


def range_columns(workload: Workload) -> tuple[str, ...]:
    """The columns of a workload of which coarse tables can be measured, in the domain's order."""
    asked = {attribute for table in workload.tables for attribute in table.attributes}
    columns = workload.domain.attributes
    return tuple(columns[place].name for place in sorted(asked) if columns[place].ordered > FACTOR)


def coarse_schedule(domain: Domain, plan: RangeTables, budget: ZCDP, *, rows_per_person: int) -> CoarseSchedule:
    """The coarse tables of a plan: of each column those that merge factor, factor^2, ... levels, while two cells stay.

    budget  of the whole release, of which they have `plan.share`

    Raises DomainError for an unknown column, PlanError for one that has too few levels in order, BudgetError for a
    share of zero.
    """
    tables = []
    for attribute in sorted(map(domain.index, plan.columns)):
        column, width = domain.attributes[attribute], plan.factor
        if column.ordered <= width:
            raise PlanError(
                f"Coarse tables are of ordered columns with more than {width} levels; {column.name!r} has "
                f"{column.ordered}. Nothing was charged."
            )
        while width < column.ordered:
            tables.append(CoarseTable(attribute, width))
            width *= plan.factor
    each = ZCDP(math.floor(budget.units * plan.share) // len(tables))
    return CoarseSchedule(domain, tuple(tables), (each,) * len(tables), rows_per_person)


def without_ranges(budget: ZCDP, plan: RangeTables | None) -> ZCDP:
    """What the coarse tables leave of a budget for the others."""
    return budget if plan is None else ZCDP(budget.units - math.floor(budget.units * plan.share))


def measure_coarse(counts: PrivateCounts, tables: Workload, schedule: CoarseSchedule, noise: NoiseSource) -> Ints:
    """int64 (cells,): the cells of every coarse table with its noise.

    counts  of `tables`, which have the 1-way table of each attribute: its cells are summed exactly

    Privacy: `schedule.rho` of zCDP, for neighbours that replace one person's at most k rows (n fixed): see
    `CoarseSchedule.noises` for each table; their noises are independent of one another and of all others, and which
    tables there are follows from public facts.
    """
    places = {table.attributes: place for place, table in enumerate(tables.marginals)}
    noisy = []
    for table, cells, size, law in zip(schedule.tables, schedule.cells, schedule.sizes, schedule.noises, strict=True):
        place = places[(table.attribute,)]
        own = counts.counts[tables.offsets[place] : tables.offsets[place + 1]]
        sums = np.zeros(int(size), dtype=np.int64)
        np.add.at(sums, cells, own)
        noisy.append(law.measure(sums, noise=noise))
    return np.concatenate(noisy).astype(np.int64)


@dataclass(frozen=True, eq=False)
class CoarseCells:
    """What the noisy coarse tables say.

    shares      float64 (cells,), of n rows; tables on which no rows lack a level are centred to the sum 1
    deviations  float64 (cells,)
    """

    shares: Floats
    deviations: Floats


def coarse_cells(schedule: CoarseSchedule, noisy: Ints, n: int, lacking: tuple[int, ...]) -> CoarseCells:
    """The cells of noisy coarse tables as the fit takes them.

    lacking  positions in the domain of the attributes on which rows evidently have no level

    Raises PlanError for noisy cells of other tables.
    """
    if noisy.shape != (int(schedule.offsets[-1]),):
        raise PlanError("The noisy coarse tables are not those of the schedule.")
    shares: Floats = noisy / n
    for place, table in enumerate(schedule.tables):
        if table.attribute not in lacking:
            own = slice(int(schedule.offsets[place]), int(schedule.offsets[place + 1]))
            shares[own] -= (shares[own].sum() - 1.0) / int(schedule.sizes[place])
    scales = np.array([float(noise.scale) / n for noise in schedule.noises])
    return CoarseCells(shares, np.repeat(scales, schedule.sizes))
