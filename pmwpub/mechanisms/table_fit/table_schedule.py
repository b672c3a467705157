"""How table fit spends its budget: a share of the precision for each table, from public facts alone."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from functools import cached_property

from pmwpub.errors import BudgetError, PlanError
from pmwpub.privacy.budget import ZCDP, ApproxDP, Number, as_fraction, zcdp_of
from pmwpub.privacy.vector_gaussian import VectorGaussian
from pmwpub.queries.incidence import PublicProblem
from pmwpub.queries.workload import Workload
from pmwpub.records import Support

GEOMETRIC_FROM = Fraction(1, 20)
"""The epsilon from which the geometric mean is the better rule of evidence; below it, the cautious one is."""

ONE_WAY_SLOPE, ONE_WAY_LEAST, ONE_WAY_MOST = 25, 15, 90
"""The 1-way tables' part of the budget over their noise, and its ends in hundredths."""

ROOT_BITS = 64
"""Square roots of spreads are taken with so many bits behind the point."""


class EvidenceRule(StrEnum):
    """How many rows the public table is worth, given how likely each number of them makes the noisy 1-way tables."""

    GEOMETRIC_MEAN = "geometric-mean"
    LARGEST_WITHIN_MARGIN = "largest-within-margin"


@dataclass(frozen=True)
class FitConstants:
    """The constants of the engine; the same for all tables. What a release depends on, so that a plan records them.

    evidence         the rule by which the public table's strength is chosen
    margin           units of log likelihood within which LARGEST_WITHIN_MARGIN takes the largest strength
    least_strength, most_strength, strengths
                     the grid of strengths in rows, evenly spaced in their logarithm
    moved_gain       with ln(attributes): the gain of log likelihood from which an attribute evidently moved
    moved_strength   the rows that the public table is worth against the 1-way tables of attributes that moved
    most_moved       at most so many attributes are found to have moved
    evidence_cells   the evidence looks at no more than so many cells of 1-way tables, those of the widest spread
    lacking_deviations
                     by how many deviations of its noise a 1-way table must sum to less than n before rows are taken to
                     have no level on its attribute
    pair_factor      the strength against all tables, over that against the 1-way tables
    least_variance   the least weight on closeness to the prior that a cell's fit has: a floor of N sigma^2
    one_way_share    the 1-way tables' part of the budget; the 2-way tables have the rest
    least_spread     the least p(1 - p) that an attribute counts with in the shares
    one_way_sweeps, pair_sweeps
                     the most passes of the two kinds of fits; odd, since a pass that ends on the 1-way tables is best
    most_updates     fits of all tables take fewer passes, at least three, where they would take more updates than so
                     many, each of one atom for one table
    tolerance        the mass that moved in a pass, for each 50 tables, below which a fit is done
    """

    evidence: EvidenceRule = EvidenceRule.GEOMETRIC_MEAN
    margin: float = 2.0
    least_strength: float = 20.0
    most_strength: float = 200_000.0
    strengths: int = 20
    moved_gain: float = 3.0
    moved_strength: float = 10.0
    most_moved: int = 16
    evidence_cells: int = 1_024
    lacking_deviations: float = 2.0
    pair_factor: float = 4.0
    least_variance: float = 0.005
    one_way_share: Fraction = Fraction(1, 2)
    least_spread: Fraction = Fraction(1, 10_000)
    one_way_sweeps: int = 41
    pair_sweeps: int = 41
    most_updates: int = 600_000_000
    tolerance: float = 1e-5

    def __post_init__(self) -> None:
        if not 0 < self.one_way_share < 1 or not 0 < self.least_spread <= Fraction(1, 4):
            raise PlanError("Shares and spreads of tables lie between 0 and 1.")
        if self.one_way_sweeps % 2 == 0 or self.pair_sweeps % 2 == 0 or min(self.one_way_sweeps, self.pair_sweeps) < 1:
            raise PlanError("Fits take an odd number of passes.")
        if min(self.most_moved, self.evidence_cells) < 1 or self.most_updates < 0:
            raise PlanError("The evidence needs a cell and an attribute to look at.")
        positive = (self.least_strength, self.moved_strength, self.pair_factor, self.least_variance, self.tolerance)
        if min(positive) <= 0 or self.most_strength < self.least_strength or self.strengths < 2:
            raise PlanError("Strengths, factors and tolerances are positive, on a grid of at least two.")

    @classmethod
    def at(cls, budget: ZCDP, delta: Number) -> FitConstants:
        """The rule of evidence for a budget: the geometric mean from epsilon 0.05 on, the cautious one below it.

        delta  at which rho is read as an epsilon; 1/n^2 is a public fact
        """
        least = zcdp_of(ApproxDP(GEOMETRIC_FROM, as_fraction(delta)))
        return cls() if budget >= least else cls(evidence=EvidenceRule.LARGEST_WITHIN_MARGIN)

    @classmethod
    def advised(
        cls, tables: Workload, budget: ZCDP, *, n: int, delta: Number, rows_per_person: int = 1
    ) -> FitConstants:
        """The constants for a release, from public facts: the rule of evidence, and the 1-way tables' part of rho.

        With d of them and half of rho, their cells had noise of sigma = k sqrt(2 d/rho)/n as a share of rows. They get
        25 sigma of the budget, at least 15 and at most 90 per cent: where noise is large only they tell anything, and
        where it is small the 2-way tables' sums tell the same.
        """
        ones = int((tables.arity == 1).sum())
        squared = Fraction(2 * ones * rows_per_person**2, n**2) / max(budget, ZCDP(1)).rho
        hundredths = math.isqrt(math.floor((100 * ONE_WAY_SLOPE) ** 2 * squared))
        share = Fraction(min(max(hundredths, ONE_WAY_LEAST), ONE_WAY_MOST), 100)
        return replace(cls.at(budget, delta), one_way_share=share)


@dataclass(frozen=True)
class TableSchedule:
    """What is measured, and at what price; a function of public facts alone.

    tables       1-way tables first, as `measured_tables` gives them
    shares       one a table: its part of the budget
    sensitivity  k, the rows that one person may own
    complete     whether every private cell takes a level, by the schema: then each row is in one cell of each table

    Raises PlanError where these do not belong together, BudgetError for a share of zero.
    """

    tables: Workload
    shares: tuple[ZCDP, ...]
    sensitivity: int = 1
    complete: bool = False
    constants: FitConstants = FitConstants()

    def __post_init__(self) -> None:
        object.__setattr__(self, "shares", tuple(self.shares))
        arity = self.tables.arity
        if self.sensitivity < 1:
            raise PlanError("One person owns at least one row.")
        if len(self.shares) != len(self.tables.marginals):
            raise PlanError("A schedule needs a share of the budget for each table.")
        if self.one_way < 1 or (arity[: self.one_way] != 1).any() or (arity[self.one_way :] != 2).any():
            raise PlanError("A schedule lists 1-way tables, then 2-way tables.")
        if {a for table in self.tables.marginals for a in table.attributes} != set(self.attributes):
            raise PlanError("A schedule has the 1-way table of each attribute of its 2-way tables.")
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
        without a level is in no cell, which only makes |u|_1 or |v|_1 smaller.
        """
        return tuple(VectorGaussian.costing(share, 2 * self.sensitivity**2) for share in self.shares)

    @property
    def rho(self) -> ZCDP:
        """What the whole measurement costs: the tables' own charges, each rounded up."""
        return sum((noise.rho for noise in self.noises), ZCDP(0))


def schedule(
    tables: Workload,
    support: Support,
    budget: ZCDP,
    *,
    rows_per_person: int,
    complete: bool,
    constants: FitConstants = FitConstants(),
) -> TableSchedule:
    """Shares of a budget for the tables: rho_j that add up to at most the budget, from public facts alone.

    The 1-way tables have `one_way_share` of it in equal parts. The 2-way tables have the rest in proportion to
    sqrt(M_a M_b), where M_a = max over levels of p(1 - p) on the public table. All in whole numbers, rounded down.

    Privacy: the shares depend on the support, the tables and the budget; no private row is looked at.
    Raises DomainError if the support has another domain, BudgetError where a share would be zero.
    """
    ones = [table for table in tables.marginals if len(table.attributes) == 1]
    pairs = [table.attributes for table in tables.marginals if len(table.attributes) == 2]
    spread = _spreads(Workload(tables.domain, tuple(ones)), support, constants.least_spread)
    for_ones = budget.units if not pairs else math.floor(budget.units * constants.one_way_share)
    weights = [math.isqrt(spread[a] * spread[b] << 2 * ROOT_BITS) for a, b in pairs]
    shares = [for_ones // len(ones)] * len(ones)
    shares += [(budget.units - for_ones) * weight // sum(weights) for weight in weights]
    return TableSchedule(tables, tuple(map(ZCDP, shares)), rows_per_person, complete, constants)


def check_least_share(
    tables: Workload, budget: ZCDP, *, rows_per_person: int, constants: FitConstants = FitConstants()
) -> None:
    """Raises BudgetError where some public table could leave a share of zero, or one whose noise cannot be drawn.

    Of two spreads one may be at most 1/4 and the other as little as `least_spread`.
    """
    ones = int((tables.arity == 1).sum())
    pairs = len(tables.marginals) - ones
    for_ones = math.floor(budget.units * constants.one_way_share) if pairs else budget.units
    least = for_ones // ones
    if pairs:
        least = min(least, math.floor((budget.units - for_ones) * 4 * constants.least_spread / (pairs + 1)))
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
