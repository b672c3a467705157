"""How a release of households spends its budget: which part goes to which tables, and the noise of each."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from pmwpub.errors import PlanError
from pmwpub.mechanisms.households.household_counts import HouseholdTables
from pmwpub.mechanisms.table_fit.fit_constants import FitConstants
from pmwpub.mechanisms.table_fit.measured_tables import measured_tables
from pmwpub.mechanisms.table_fit.table_schedule import TableSchedule
from pmwpub.mechanisms.table_fit.table_schedule import schedule as table_schedule
from pmwpub.privacy.budget import ZCDP
from pmwpub.queries.workload import Workload
from pmwpub.records import Support
from pmwpub.tabular.households.grouped_persons import Households

OWN_SHARE = Fraction(1, 10)
"""The household-level tables' part of the budget. Their counts move by 1 where those of persons move by H: with a tenth
of the budget their noise is that which H^2/10 of it would buy for as many person-level tables."""


@dataclass(frozen=True)
class HouseholdSchedule:
    """The two parts of a measurement; a function of public facts alone.

    persons  of the person-level tables: table j has noise of scale H/sqrt(rho_j) on each cell
    own      of the household-level tables: table j has noise of scale 1/sqrt(rho_j)
    n        the public number of households

    Privacy: 2 H^2/(2 sigma^2) = H^2/sigma^2 for a person-level table, 1/sigma^2 for a household-level one; see
    `HouseholdCounts` for the sensitivities. Noises are independent and nothing is chosen between tables: costs add up.

    Raises PlanError for a household-level part that is priced for other than one household.
    """

    persons: TableSchedule
    own: TableSchedule
    n: int

    def __post_init__(self) -> None:
        if self.own.sensitivity != 1:
            raise PlanError("A household is in one cell of a household-level table.")

    @property
    def tables(self) -> HouseholdTables:
        """What is measured."""
        return HouseholdTables(self.persons.tables, self.own.tables)

    @property
    def largest(self) -> int:
        """H, for which the person-level noise is made."""
        return self.persons.sensitivity

    @property
    def rho(self) -> ZCDP:
        """What the whole measurement costs."""
        return self.persons.rho + self.own.rho


def household_tables(workload: Workload, own: Workload) -> HouseholdTables:
    """All 1-way tables, and the 2-way ones of attributes that one marginal has together, at both levels.

    own  the household-level marginals that are asked about
    """
    return HouseholdTables(measured_tables(workload), measured_tables(own))


def household_schedule(
    tables: HouseholdTables,
    public: Households,
    budget: ZCDP,
    *,
    n: int,
    constants: FitConstants,
    own_constants: FitConstants,
    own_share: Fraction = OWN_SHARE,
) -> HouseholdSchedule:
    """Shares of a budget for the tables of both levels, from public facts alone.

    constants, own_constants  how each part is shared among its own tables

    Raises BudgetError where a share would be zero.
    """
    for_own = ZCDP(math.floor(budget.units * own_share))
    persons = table_schedule(
        tables.persons,
        Support.of(public.persons),
        budget - for_own,
        rows_per_person=public.largest,
        complete=False,
        constants=constants,
    )
    own = table_schedule(
        tables.own, Support.of(public.own), for_own, rows_per_person=1, complete=False, constants=own_constants
    )
    return HouseholdSchedule(persons, own, n)
