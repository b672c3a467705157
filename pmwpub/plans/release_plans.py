"""Plans of releases: of PMW^Pub, and of table fit; see `pmwpub.plans`."""

from __future__ import annotations

import hashlib
from fractions import Fraction
from typing import Annotated, ClassVar, Literal, Self

from pydantic import ConfigDict, Field, TypeAdapter, field_validator, model_validator

from pmwpub.domain import Domain
from pmwpub.errors import PlanError
from pmwpub.mechanisms.pmw_pub.algorithm import Output, Replay, Schedule, Start
from pmwpub.mechanisms.table_fit.coarse_tables import CoarseSchedule, RangeTables, coarse_schedule
from pmwpub.mechanisms.table_fit.fit_constants import FitConstants, SupportGrowth
from pmwpub.mechanisms.table_fit.measured_tables import measured_tables
from pmwpub.mechanisms.table_fit.pool_weights import MOST_TABLES, PoolConstants
from pmwpub.mechanisms.table_fit.table_schedule import TableSchedule
from pmwpub.mechanisms.table_fit.table_schedule import schedule as table_schedule
from pmwpub.plan_inputs import PublicInputs, Reading
from pmwpub.plans.criteria import MOST_CRITERIA, Criterion, in_order
from pmwpub.plans.question_plans import FrozenPlan
from pmwpub.plans.weighing import cap_of, reach_of
from pmwpub.privacy.budget import ZCDP
from pmwpub.privacy.round_share import split
from pmwpub.queries.workload import Workload
from pmwpub.records import Support

MOST_CELLS = 2_000_000
"""Of the tables that table fit measures: noise and tables.csv take half a minute and 100 MB for so many."""

RELEASE_KINDS = ("release", "table-fit", "table-fit-pool")
"""The kinds of plans whose result is a release."""


class _BoughtPlan(FrozenPlan):
    """What every plan of a release says that is bought.

    criteria  that it is to be accepted by, in one order; plans without any are written without the key, so that those
              made before there were criteria keep their hash
    """

    LATER: ClassVar[frozenset[str]] = FrozenPlan.LATER | {"criteria"}

    criteria: tuple[Criterion, ...] = Field(default=(), max_length=MOST_CRITERIA)

    @field_validator("criteria")
    @classmethod
    def _one_order_of_criteria(cls, criteria: tuple[Criterion, ...]) -> tuple[Criterion, ...]:
        return in_order(criteria)


class ReleasePlan(_BoughtPlan):
    """One PMW^Pub release.

    rho_units  the budget in units of 1e-15 of rho
    selection  the law that picks a query: "exponential" or "permute-and-flip"
    """

    kind: Literal["release"] = "release"
    n: int = Field(ge=1)
    rows_per_person: int = Field(ge=1)
    inputs: PublicInputs
    rho_units: int = Field(ge=1)
    rounds: int = Field(ge=1, le=10_000)
    selection: Literal["exponential", "permute-and-flip"] = "exponential"
    output: Output = Output.LAST
    start: Start = Start.PUBLIC
    replay: Replay = Replay.HALF
    private_read_as: Reading = None

    @property
    def budget(self) -> ZCDP:
        return ZCDP(self.rho_units)

    def replay_seed(self, repeat: int) -> int:
        """The public seed of the replay order: a function of the plan and of how often it was drawn."""
        return int(hashlib.sha256(f"{self.sha256}:{repeat}".encode()).hexdigest()[:12], 16)

    def schedule(self, repeat: int = 0) -> Schedule:
        """How the run spends the budget; BudgetError where a round's share would be zero."""
        from pmwpub.privacy.selection import ExponentialMechanism, PermuteAndFlip

        law = ExponentialMechanism if self.selection == "exponential" else PermuteAndFlip
        return Schedule(
            rounds=self.rounds,
            share=split(self.budget, self.rounds, rows_per_person=reach_of(self), selection=law),
            sensitivity=reach_of(self),
            output=self.output,
            start=self.start,
            replay=self.replay,
            replay_seed=self.replay_seed(repeat),
        )


class _TablePlan(_BoughtPlan):
    """What every release by table fit is planned by.

    rho_units  the budget in units of 1e-15 of rho; the whole of it is charged
    constants  of the engine, which decide how the budget is shared and how noisy tables become weights
    growth     how rows are added where noisy tables show people of whom no public row tells; None where none are
    three_way_share
               the part of the budget for the workload's 3-way tables; None where they are not measured
    ranges     coarse tables of ordered columns, which make ranges sharper; None where none are measured
    """

    LATER: ClassVar[frozenset[str]] = _BoughtPlan.LATER | {"growth", "three_way_share", "ranges"}

    kind: str
    n: int = Field(ge=1)
    rows_per_person: int = Field(ge=1)
    inputs: PublicInputs
    rho_units: int = Field(ge=1)
    constants: FitConstants
    growth: SupportGrowth | None = None
    three_way_share: Annotated[Fraction, Field(gt=0, lt=1)] | None = None
    ranges: RangeTables | None = None
    private_read_as: Reading = None

    @model_validator(mode="after")
    def _no_growth_with_three_way_tables(self) -> Self:
        if self.growth is not None and self.three_way_share is not None:
            raise PlanError("Rows are added, or tables of three columns measured, not both. Nothing was charged.")
        if self.ranges is not None and (self.growth is not None or self.three_way_share is not None):
            raise PlanError("Coarse tables are measured without added rows or tables of three. Nothing was charged.")
        return self

    @property
    def budget(self) -> ZCDP:
        return ZCDP(self.rho_units)

    def coarse(self, domain: Domain) -> CoarseSchedule | None:
        """The coarse tables that are measured, with their noise; None where none are. Raises as `coarse_schedule`."""
        if self.ranges is None:
            return None
        return coarse_schedule(domain, self.ranges, self.budget, rows_per_person=reach_of(self))

    def schedule(self, workload: Workload, support: Support, *, complete: bool) -> TableSchedule:
        """How the budget is shared by the tables, from public facts alone.

        workload, support  the plan's own; of a pool with learnt weights, the equal mixture of its public tables
        complete           whether the schema gives every private cell a level; of rows that are weighed nothing follows
                           from it, for a table's cells need not sum up to the total that shares are taken of

        Raises PlanError where the tables have more than MOST_CELLS cells, or the workload has none of the 3-way tables
        that are planned; BudgetError where a table's share would be zero.
        """
        tables = measured_tables(workload, three_way=self.three_way_share is not None)
        if self.three_way_share is not None and tables.arity[-1] < 3:
            raise PlanError(
                "No marginal of this workload has three columns that could be measured. Nothing was charged."
            )
        if tables.queries > MOST_CELLS:
            columns = "one and two columns" if self.three_way_share is None else "one, two and three columns"
            raise PlanError(
                f"Table fit measures at most {MOST_CELLS:,} cells; the tables of {columns} of this workload "
                f"have {tables.queries:,}. Use fewer or wider bins, or PMW^Pub. Nothing was charged."
            )
        return table_schedule(
            tables,
            support,
            self.budget,
            rows_per_person=reach_of(self),
            complete=complete and self.weights is None,
            cap=cap_of(self.weights),
            constants=self.constants,
            growth=self.growth,
            three_way_share=self.three_way_share,
            ranges=self.ranges,
        )


class TableFitPlan(_TablePlan):
    """One release by table fit: all 1-way and 2-way tables of the workload's attributes are measured at once."""

    kind: Literal["table-fit"] = "table-fit"


class WeightedPoolPlan(_TablePlan):
    """One release by table fit with several public tables, whose weights the noisy tables say.

    inputs    names the public tables, ascending by hash: the order in which they were added changes nothing
    learning  the constants by which the weights are learnt
    """

    kind: Literal["table-fit-pool"] = "table-fit-pool"
    learning: PoolConstants

    @model_validator(mode="after")
    def _several_tables(self) -> Self:
        if not 2 <= len(self.inputs.candidates) <= MOST_TABLES:
            raise PlanError(
                f"A pool with learnt weights has two to {MOST_TABLES} public tables; {len(self.inputs.candidates)} "
                "came. Nothing was charged."
            )
        if self.growth is not None:
            raise PlanError("Rows are added to one public table, not to a pool. Nothing was charged.")
        if self.three_way_share is not None:
            raise PlanError(
                "Tables of three columns are measured with one public table, not a pool. Nothing was charged."
            )
        if self.ranges is not None:
            raise PlanError("Coarse tables are measured with one public table, not a pool. Nothing was charged.")
        return self


class UnchangedPlan(FrozenPlan):
    """The public table published as it is: of the private table n is stated, which is public, and nothing else.

    It has no budget, for it costs none: no private row is read for it, and no ledger charges it.
    """

    kind: Literal["unchanged"] = "unchanged"
    n: int = Field(ge=1)
    rows_per_person: int = Field(ge=1)
    inputs: PublicInputs


AnyTablePlan = TableFitPlan | WeightedPoolPlan
AnyReleasePlan = ReleasePlan | AnyTablePlan
"""The plans that are bought."""

_RELEASE_PLAN: TypeAdapter[AnyReleasePlan] = TypeAdapter(
    Annotated[AnyReleasePlan, Field(discriminator="kind")], config=ConfigDict(defer_build=True)
)


def release_plan_of(text: str) -> AnyReleasePlan:
    """A plan of a release, of either engine, from its canonical text."""
    return _RELEASE_PLAN.validate_json(text)
