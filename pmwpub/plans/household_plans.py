"""The plan of a release of households; see `pmwpub.plans`."""

from __future__ import annotations

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
        refuse_too_many_entries(tables, public)
        return household_schedule(
            tables,
            public,
            self.budget,
            n=self.n,
            constants=self.constants,
            own_constants=self.own_constants,
            own_share=self.own_share,
        )


def planned_tables(schema: HouseholdSchema, workload: Workload) -> HouseholdTables:
    """What is measured: of the persons what the workload asks, of the households every column and every two of them.

    Raises PlanError for more than MOST_CELLS cells.
    """
    tables = household_tables(workload, own_workload(schema))
    if tables.cells > MOST_CELLS:
        raise PlanError(
            f"A release of households measures at most {MOST_CELLS:,} cells; these tables have {tables.cells:,}. "
            "Use fewer or wider bins. Nothing was charged."
        )
    return tables


def refuse_too_many_entries(tables: HouseholdTables, public: Households) -> None:
    """PlanError for more than MOST_ENTRIES public persons and households in tables: they would not fit in memory."""
    entries = len(public.persons) * len(tables.persons.marginals) + len(public) * len(tables.own.marginals)
    if entries > MOST_ENTRIES:
        raise PlanError(
            f"A release of households takes at most {MOST_ENTRIES:,} cells of public persons and tables; these are "
            f"{entries:,}. Use fewer columns or marginals, or a smaller public table. Nothing was charged."
        )


def own_workload(schema: HouseholdSchema) -> Workload:
    """Of the households themselves: every two of their columns, or the one that there is."""
    return Workload.all_kway(schema.own_domain, min(2, len(schema.own_domain.attributes)))
