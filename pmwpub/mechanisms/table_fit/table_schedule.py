"""How table fit spends its budget: a share of the precision for each table, from public facts alone."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from pmwpub.errors import BudgetError, PlanError
from pmwpub.mechanisms.table_fit.coarse_tables import CoarseSchedule, RangeTables, coarse_schedule, without_ranges
from pmwpub.mechanisms.table_fit.fit_constants import DEFAULTS, FitConstants, SupportGrowth
from pmwpub.privacy.budget import ZCDP
from pmwpub.privacy.vector_gaussian import VectorGaussian
from pmwpub.queries.incidence import PublicProblem
from pmwpub.queries.workload import Workload
from pmwpub.records import Support

ROOT_BITS = 64
"""Square roots of spreads are taken with so many bits behind the point."""


@dataclass(frozen=True)
class TableSchedule:
    """What is measured, and at what price; a function of public facts alone.

    tables       1-way tables first, then 2-way ones, then 3-way ones if any, as `measured_tables` gives them
    shares       one a table: its part of the budget
    sensitivity  k, the rows that one person may own; of weighed rows k W, in units of weight
    complete     whether every private cell takes a level, by the schema: then each row is in one cell of each table
    growth       how rows are added where no public row tells of people; None where none are
    coarse       the coarse tables of ordered columns; None where none are measured
    cap          W, the most that one row adds to a count: 1 where rows are not weighed

    Raises PlanError where these do not belong together, BudgetError for a share of zero.
    """

    tables: Workload
    shares: tuple[ZCDP, ...]
    sensitivity: int = 1
    complete: bool = False
    constants: FitConstants = DEFAULTS
    growth: SupportGrowth | None = None
    coarse: CoarseSchedule | None = None
    cap: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "shares", tuple(self.shares))
        arity = self.tables.arity
        if not 1 <= self.cap <= self.sensitivity:
            raise PlanError("One person owns at least one row.")
        if len(self.shares) != len(self.tables.marginals):
            raise PlanError("A schedule needs a share of the budget for each table.")
        if self.one_way < 1 or (np.diff(arity) < 0).any() or arity[-1] > 3:
            raise PlanError("A schedule lists 1-way tables, then 2-way tables, then 3-way tables.")
        if {a for table in self.tables.marginals for a in table.attributes} != set(self.attributes):
            raise PlanError("A schedule has the 1-way table of each attribute of its larger tables.")
        if self.coarse and not {table.attribute for table in self.coarse.tables} <= set(self.attributes):
            raise PlanError("Coarse tables are of columns of the workload. Nothing was charged.")
        if min(share.units for share in self.shares) < 1:
            raise BudgetError(
                f"The budget is too small for {len(self.shares):,} tables; take more of it, or fewer marginals."
            )

    @property
    def one_way(self) -> int:
        """How many of the tables are 1-way."""
        return int((self.tables.arity == 1).sum())

    @property
    def attributes(self) -> tuple[int, ...]:
        """The positions of the attributes in the domain, ascending; table i < one_way is that of attributes[i]."""
        return tuple(table.attributes[0] for table in self.tables.marginals[: self.one_way])

    @cached_property
    def noises(self) -> tuple[VectorGaussian, ...]:
        """The noise of each table: sigma_j = k/sqrt(rho_j) counts on each cell, rounded up.

        k rows that are replaced leave at most k cells and enter at most k cells, each by whole rows: the table moves by
        a vector of non-negative parts u - v with |u|_1, |v|_1 <= k, so |u - v|^2 <= |u|^2 + |v|^2 <= 2 k^2. A row
        without a level is in no cell, which only makes |u|_1 or |v|_1 smaller. Rows of whole weights of at most W are
        taken out and put in with that: the same with k W for k (`sensitivity`), in units of weight.
        """
        return tuple(VectorGaussian.costing(share, 2 * self.sensitivity**2) for share in self.shares)

    @property
    def rho(self) -> ZCDP:
        """What the whole measurement costs: the tables' own charges, each rounded up, the coarse ones' among them."""
        coarse = ZCDP(0) if self.coarse is None else self.coarse.rho
        return sum((noise.rho for noise in self.noises), coarse)

    @property
    def all_noises(self) -> tuple[VectorGaussian, ...]:
        """The noise of each table, then of each coarse table."""
        return self.noises + (() if self.coarse is None else self.coarse.noises)


def schedule(
    tables: Workload,
    support: Support,
    budget: ZCDP,
    *,
    rows_per_person: int,
    complete: bool,
    constants: FitConstants = DEFAULTS,
    growth: SupportGrowth | None = None,
    three_way_share: Fraction | None = None,
    ranges: RangeTables | None = None,
    cap: int = 1,
) -> TableSchedule:
    """Shares of a budget for the tables: rho_j that add up to at most the budget, from public facts alone.

    The coarse tables of `ranges`, if any, have its share of it, and the others what is left of that. The 3-way tables,
    if any, have `three_way_share` of this in equal parts. Of what is left the 1-way tables have `one_way_share` in
    equal parts, and the 2-way tables the rest in proportion to sqrt(M_a M_b), where M_a = max over levels of p(1 - p)
    on the public table. All in whole numbers, rounded down.

    Privacy: the shares depend on the support, the tables and the budget; no private row is looked at.
    Raises DomainError if the support has another domain, BudgetError where a share would be zero, PlanError for 3-way
    tables without a share, or a share without such tables.
    """
    threes = int((tables.arity == 3).sum())
    if (threes > 0) != (three_way_share is not None):
        raise PlanError("3-way tables need a share of the budget, and a share for them needs marginals of 3 columns.")
    coarse = None
    if ranges is not None:
        coarse = coarse_schedule(tables.domain, ranges, budget, rows_per_person=rows_per_person)
        budget = without_ranges(budget, ranges)
    for_threes = math.floor(budget.units * three_way_share) if three_way_share is not None else 0
    left = budget.units - for_threes
    ones = [table for table in tables.marginals if len(table.attributes) == 1]
    pairs = [table.attributes for table in tables.marginals if len(table.attributes) == 2]
    spread = _spreads(Workload(tables.domain, tuple(ones)), support, constants.least_spread)
    for_ones = left if not pairs else math.floor(left * constants.one_way_share)
    weights = [math.isqrt(spread[a] * spread[b] << 2 * ROOT_BITS) for a, b in pairs]
    shares = [for_ones // len(ones)] * len(ones)
    shares += [(left - for_ones) * weight // sum(weights) for weight in weights]
    shares += [for_threes // threes] * threes if threes else []
    return TableSchedule(tables, tuple(map(ZCDP, shares)), rows_per_person, complete, constants, growth, coarse, cap)


def check_least_share(
    tables: Workload,
    budget: ZCDP,
    *,
    rows_per_person: int,
    constants: FitConstants = DEFAULTS,
    three_way_share: Fraction | None = None,
) -> None:
    """Raises BudgetError where some public table could leave a share of zero, or one whose noise cannot be drawn.

    Of two spreads one may be at most 1/4 and the other as little as `least_spread`.
    """
    ones, pairs, threes = (int((tables.arity == order).sum()) for order in (1, 2, 3))
    for_threes = math.floor(budget.units * (three_way_share or 0))
    left = budget.units - for_threes
    for_ones = math.floor(left * constants.one_way_share) if pairs else left
    least = for_ones // ones
    if pairs:
        least = min(least, math.floor((left - for_ones) * 4 * constants.least_spread / (pairs + 1)))
    if threes:
        least = min(least, for_threes // threes)
    if least < 1:
        raise BudgetError(f"The budget is too small for {len(tables.marginals):,} tables; take more of it.")
    VectorGaussian.costing(ZCDP(least), 2 * rows_per_person**2)


def _spreads(ones: Workload, support: Support, least: Fraction) -> dict[int, int]:
    """M_a times the square of the number of public rows, for each attribute; whole, and at least `least` times it."""
    sums, rows = PublicProblem(ones, support).start_sums, support.rows
    found = {}
    for i, marginal in enumerate(ones.marginals):
        levels = [int(held) for held in sums[ones.offsets[i] : ones.offsets[i + 1]]]
        found[marginal.attributes[0]] = max(math.ceil(rows**2 * least), *(held * (rows - held) for held in levels))
    return found
