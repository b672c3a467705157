"""The plan of a release of households; see `pmwpub.plans`."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from pmwpub.errors import PlanError
from pmwpub.mechanisms.households.household_counts import HouseholdTables
from pmwpub.mechanisms.households.household_schedule import (
    OWN_SHARE,
    HouseholdSchedule,
    household_schedule,
    household_tables,
)
from pmwpub.mechanisms.table_fit.fit_constants import FitConstants
from pmwpub.mechanisms.table_fit.measured_tables import measured_tables
from pmwpub.plan_inputs import PublicInputs, Reading
from pmwpub.plans.question_plans import FrozenPlan
from pmwpub.plans.release_plans import MOST_CELLS
from pmwpub.privacy.budget import ZCDP
from pmwpub.queries.workload import Workload
from pmwpub.tabular.households.grouped_persons import Households
from pmwpub.tabular.households.household_schema import HouseholdRule, HouseholdSchema

MOST_ENTRIES = 40_000_000
"""Of the matrix of public persons and tables: half a gigabyte, and as much again while it is fitted."""


class PlanOfHouseholds(FrozenPlan):
    """What every plan of a release of households says.

    n          households, public
    largest    H: the most persons with whom a household counts
    household  how rows make households, all of it
    inputs     the persons' schema and workload, and the public table; one table, whose households are copied
    rho_units  the budget in units of 1e-15 of rho
    """

    kind: str
    n: int = Field(ge=1)
    largest: int = Field(ge=1)
    household: HouseholdRule
    inputs: PublicInputs
    rho_units: int = Field(ge=1)

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.largest != self.household.largest:
            raise PlanError("The plan and its household rule name different largest households. Nothing was charged.")
        if len(self.inputs.candidates) != 1:
            raise PlanError("A release of households takes one public table, no pool. Nothing was charged.")
        if self.inputs.workload.prefixes:
            raise PlanError("A release of households takes no prefixes. Nothing was charged.")
        return self

    @property
    def budget(self) -> ZCDP:
        return ZCDP(self.rho_units)


class HouseholdPlan(PlanOfHouseholds):
    """One release of households by table fit.

    own_share  the household-level tables' part of the budget; `own_constants` shares it among them
    """

    kind: Literal["households"] = "households"
    constants: FitConstants
    own_constants: FitConstants
    own_share: Annotated[Fraction, Field(gt=0, lt=1)] = OWN_SHARE
    private_read_as: Reading = None

    def schedule(self, schema: HouseholdSchema, public: Households) -> HouseholdSchedule:
        """How the budget is shared by the tables of both levels, from public facts alone.

        Raises PlanError for more than MOST_CELLS cells, or MOST_ENTRIES public persons in them; BudgetError where a
        share would be zero.
        """
        tables = planned_tables(schema, self.inputs.workload.build(schema.persons.domain))
        check_entries(tables, [public], MOST_ENTRIES)
        return household_schedule(
            tables,
            public,
            self.budget,
            n=self.n,
            constants=self.constants,
            own_constants=self.own_constants,
            own_share=self.own_share,
        )


def check_entries(tables: HouseholdTables, public: Sequence[Households], most: int) -> None:
    """Raise PlanError where the matrices of public persons and tables would have more entries than that."""
    persons, own = len(tables.persons.marginals), len(tables.own.marginals)
    entries = sum(len(one.persons) * persons + len(one) * own for one in public)
    if entries > most:
        raise PlanError(
            f"What is made of households takes at most {most:,} cells of public persons and tables; these are "
            f"{entries:,}. Use fewer columns or marginals, or a smaller public table. Nothing was charged."
        )


def planned_tables(schema: HouseholdSchema, workload: Workload) -> HouseholdTables:
    """What is measured: of the persons what the workload asks, of the households every column and every two of them.

    Raises PlanError for more than MOST_CELLS cells.
    """
    return _not_too_many(household_tables(workload, _own_workload(schema)))


def asked_tables(schema: HouseholdSchema, workload: Workload) -> HouseholdTables:
    """What errors are the largest over: of persons the workload itself, of households every one and two columns.

    Raises PlanError for more than MOST_CELLS cells.
    """
    return _not_too_many(HouseholdTables(workload, measured_tables(_own_workload(schema))))


def _own_workload(schema: HouseholdSchema) -> Workload:
    return Workload.all_kway(schema.own_domain, min(2, len(schema.own_domain.attributes)))


def _not_too_many(tables: HouseholdTables) -> HouseholdTables:
    if tables.cells > MOST_CELLS:
        raise PlanError(
            f"A release of households measures at most {MOST_CELLS:,} cells; these tables have {tables.cells:,}. "
            "Use fewer or wider bins. Nothing was charged."
        )
    return tables
