"""The constants of table fit: what a plan records beside workload, public table and budget."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction

from pmwpub.errors import PlanError
from pmwpub.privacy.budget import ZCDP, ApproxDP, Number, as_fraction, zcdp_of
from pmwpub.queries.workload import Workload

GEOMETRIC_FROM = Fraction(1, 20)
"""The epsilon from which the geometric mean is the better rule of evidence; below it, the cautious one is."""

ONE_WAY_SLOPE, ONE_WAY_LEAST, ONE_WAY_MOST = 25, 30, 90
"""The 1-way tables' part of the budget over their noise, and its ends in hundredths."""


THREE_WAY_SHARE = Fraction(1, 4)
"""The 3-way tables' part of the budget, where a plan measures them."""


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
        25 sigma of the budget, at least 30 and at most 90 per cent: where noise is large only they tell anything, and
        where it is small the 2-way tables' sums tell the same.
        """
        ones = int((tables.arity == 1).sum())
        squared = Fraction(2 * ones * rows_per_person**2, n**2) / max(budget, ZCDP(1)).rho
        hundredths = math.isqrt(math.floor((100 * ONE_WAY_SLOPE) ** 2 * squared))
        share = Fraction(min(max(hundredths, ONE_WAY_LEAST), ONE_WAY_MOST), 100)
        return replace(cls.at(budget, delta), one_way_share=share)


DEFAULTS = FitConstants()


def without(budget: ZCDP, three_way_share: Fraction | None) -> ZCDP:
    """What the 3-way tables leave of a budget for the smaller ones."""
    return budget if three_way_share is None else ZCDP(budget.units - math.floor(budget.units * three_way_share))


@dataclass(frozen=True)
class SupportGrowth:
    """The constants of growing the support, an option of a plan; see `support_growth`.

    false_growth      about the chance that any cell gets rows where all cells without public rows are empty
    largest_noise     tables whose cells have noise of a larger share of n show nothing
    upper_deviations  a 1-way estimate's upper end lies so many of its deviations above it
    most_cells        at most so many cells get rows
    rows_a_cell       how many different rows a cell gets, at most
    most_share        the most that added rows are of all
    row_weight        a public row counts as so many units, so that added rows can count less
    """

    false_growth: float = 0.01
    largest_noise: float = 0.03
    upper_deviations: float = 2.0
    most_cells: int = 60
    rows_a_cell: int = 400
    most_share: float = 0.5
    row_weight: int = 1_000

    def __post_init__(self) -> None:
        if not 0 < self.false_growth < 0.5 or not 0 < self.most_share < 1:
            raise PlanError("The chance of false growth and the share of added rows lie between 0 and 1.")
        if self.largest_noise <= 0 or self.upper_deviations < 0:
            raise PlanError("The noise up to which tables tell, and the deviations of an upper end, are positive.")
        if min(self.most_cells, self.row_weight) < 1 or self.rows_a_cell < 2:
            raise PlanError("Growth needs a cell, a weight, and two rows for a cell.")
