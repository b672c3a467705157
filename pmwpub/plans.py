"""Plans: everything that decides what a charge buys, frozen and hashed before anything is spent.

A plan names public things by content (the schema, the workload, the public tables and how each is read), never by file
name or note, so that a renamed file is the same plan. Row count and row seed of the synthetic table are free
post-processing and stand outside it.

`private_read_as`, in each plan, is how the text of the private file is read: as public as the other settings, for it is
what the steward declares of the files that are taken in. None stands for UTF-8 with commas, and for Parquet.

`kept_ids`, in each plan, says what neighbours are. None: one person's at most k rows are replaced by as many. A text:
all rows of one ID are, of which k stay (`tabular.coding.kept_rows`); it says what an ID is, and is the schema's own.
"""

from __future__ import annotations

import hashlib
from fractions import Fraction
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, TypeAdapter, field_validator, model_validator

from pmwpub.errors import PlanError
from pmwpub.mechanisms.misfits.misfit_noise import MisfitNoise
from pmwpub.mechanisms.pmw_pub.algorithm import Output, Replay, Schedule, Start
from pmwpub.mechanisms.table_fit.fit_constants import FitConstants, SupportGrowth
from pmwpub.mechanisms.table_fit.measured_tables import measured_tables
from pmwpub.mechanisms.table_fit.pool_weights import MOST_TABLES, PoolConstants
from pmwpub.mechanisms.table_fit.table_schedule import TableSchedule
from pmwpub.mechanisms.table_fit.table_schedule import schedule as table_schedule
from pmwpub.plan_inputs import (
    Hashed,
    Part,
    PublicInputs,
    Reading,
    Scope,
    WorkloadChoice,
    check_part_of,
    floor_workload,
)
from pmwpub.privacy.budget import ZCDP, as_fraction
from pmwpub.privacy.round_share import split
from pmwpub.queries.workload import Workload
from pmwpub.records import Support

__all__ = [
    "AnyReleasePlan",
    "AnyTablePlan",
    "AssessmentPlan",
    "BestPlan",
    "ErrorPlan",
    "MisfitPlan",
    "Part",
    "PublicInputs",
    "ReleasePlan",
    "Scope",
    "TableFitPlan",
    "WeightedPoolPlan",
    "WorkloadChoice",
    "floor_workload",
    "release_plan_of",
]

RowsBeyond = Literal["keep"] | None

MOST_CELLS = 2_000_000
"""Of the tables that table fit measures: noise and tables.csv take half a minute and 100 MB for so many."""

RELEASE_KINDS = ("release", "table-fit", "table-fit-pool")
"""The kinds of plans whose result is a release."""


class _Plan(Hashed):
    LATER: ClassVar[frozenset[str]] = frozenset({"private_read_as", "kept_ids", "part"})

    kept_ids: str | None = None

    @property
    def rows_beyond(self) -> RowsBeyond:
        """What becomes of an ID with more rows than one person may own, as the schema says it."""
        return None if self.kept_ids is None else "keep"

    @property
    def earlier(self) -> Self | None:
        """The plan as it was written and hashed before the reading of files was part of it; None where that is the
        plan itself."""
        written = self.model_dump(mode="json")
        said = written.pop("private_read_as", None), written.get("inputs", {}).pop("read_as", None)
        return type(self).model_validate(written) if any(said) else None


class AssessmentPlan(_Plan):
    """The noisy best-mixture error of one candidate or pool.

    epsilon   pure, of floor and start together; kept as a reduced fraction, such as 1/20
    setting   what the floor is taken over; the start always is over the whole workload
    part      the marginals of the setting "part"; plans before it existed are written without the key
    """

    kind: Literal["assessment"] = "assessment"
    n: int = Field(ge=1)
    rows_per_person: int = Field(ge=1)
    inputs: PublicInputs
    epsilon: str
    floor: bool = True
    start: bool = True
    setting: Scope = "fast"
    private_read_as: Reading = None
    part: Part = ()

    @field_validator("epsilon")
    @classmethod
    def _one_text_for_one_epsilon(cls, text: str) -> str:
        return str(as_fraction(text))

    @model_validator(mode="after")
    def _something_is_bought(self) -> Self:
        if not (self.floor or self.start):
            raise PlanError("An assessment buys the floor, the start, or both; neither was asked for.")
        if as_fraction(self.epsilon) <= 0:
            raise PlanError("The epsilon of an assessment must be positive.")
        check_part_of(self.setting, self.part)
        return self

    def workload(self, full: Workload) -> Workload:
        """The workload that the floor is taken over."""
        return floor_workload(full, self.setting, self.part)

    @property
    def exact_epsilon(self) -> Fraction:
        return as_fraction(self.epsilon)


class BestPlan(_Plan):
    """One choice among candidates and pools: the one of the lowest best-mixture error, by the exponential mechanism.

    inputs   names every public table that takes part
    pools    what is offered: each a candidate, or several as a pool; two or more, ascending
    epsilon  of the whole choice; kept as a reduced fraction
    setting, part  as in an assessment; the floors of all pools are taken over the same workload
    """

    kind: Literal["best"] = "best"
    n: int = Field(ge=1)
    rows_per_person: int = Field(ge=1)
    inputs: PublicInputs
    pools: tuple[tuple[str, ...], ...] = Field(min_length=2)
    epsilon: str
    setting: Scope = "fast"
    private_read_as: Reading = None
    part: Part = ()

    @field_validator("epsilon")
    @classmethod
    def _one_text_for_one_epsilon(cls, text: str) -> str:
        epsilon = as_fraction(text)
        if epsilon <= 0:
            raise PlanError("The epsilon of a choice must be positive.")
        return str(epsilon)

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if any(list(pool) != sorted(set(pool)) or not pool for pool in self.pools):
            raise PlanError("A pool lists each public table once, in ascending order of its hash.")
        if list(self.pools) != sorted(set(self.pools)):
            raise PlanError("A choice lists each candidate or pool once, in ascending order.")
        if {sha256 for pool in self.pools for sha256 in pool} != set(self.inputs.candidates):
            raise PlanError("A choice names exactly the public tables of its candidates and pools.")
        check_part_of(self.setting, self.part)
        return self

    def workload(self, full: Workload) -> Workload:
        """The workload that the floors are taken over."""
        return floor_workload(full, self.setting, self.part)

    @property
    def exact_epsilon(self) -> Fraction:
        return as_fraction(self.epsilon)


class ErrorPlan(_Plan):
    """The noisy largest error of one finished release on the private table.

    release, release_repeat  the plan whose stored weights are measured, and which of its draws
    epsilon                  pure; kept as a reduced fraction
    """

    kind: Literal["error"] = "error"
    n: int = Field(ge=1)
    rows_per_person: int = Field(ge=1)
    release: str = Field(pattern="^[0-9a-f]{64}$")
    release_repeat: int = Field(default=0, ge=0)
    epsilon: str
    private_read_as: Reading = None

    @field_validator("epsilon")
    @classmethod
    def _one_text_for_one_epsilon(cls, text: str) -> str:
        epsilon = as_fraction(text)
        if epsilon <= 0:
            raise PlanError("The epsilon of a noisy error must be positive.")
        return str(epsilon)

    @property
    def exact_epsilon(self) -> Fraction:
        return as_fraction(self.epsilon)


class MisfitPlan(_Plan):
    """Noisy counts of the private rows that the schema does not fit, in some columns and in any of them.

    columns     the names of attributes, each once, ascending
    half_width  of the 95 % interval around each share of rows; kept as a reduced fraction, such as 1/100
    """

    kind: Literal["misfits"] = "misfits"
    n: int = Field(ge=1)
    rows_per_person: int = Field(ge=1)
    schema_sha256: str = Field(pattern="^[0-9a-f]{64}$")
    columns: tuple[str, ...] = Field(min_length=1)
    half_width: str
    private_read_as: Reading = None

    @field_validator("columns")
    @classmethod
    def _one_order_of_columns(cls, columns: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(sorted(set(columns)))

    @field_validator("half_width")
    @classmethod
    def _one_text_for_one_half_width(cls, text: str) -> str:
        return str(as_fraction(text))

    @model_validator(mode="after")
    def _can_be_drawn(self) -> Self:
        _ = self.law
        return self

    @property
    def law(self) -> MisfitNoise:
        """How many counts there are, and the noise of each."""
        return MisfitNoise(len(self.columns), self.n, self.rows_per_person, as_fraction(self.half_width))


class ReleasePlan(_Plan):
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
            share=split(self.budget, self.rounds, rows_per_person=self.rows_per_person, selection=law),
            sensitivity=self.rows_per_person,
            output=self.output,
            start=self.start,
            replay=self.replay,
            replay_seed=self.replay_seed(repeat),
        )


class _TablePlan(_Plan):
    """What every release by table fit is planned by.

    rho_units  the budget in units of 1e-15 of rho; the whole of it is charged
    constants  of the engine, which decide how the budget is shared and how noisy tables become weights
    growth     how rows are added where noisy tables show people of whom no public row tells; None where none are
    """

    LATER: ClassVar[frozenset[str]] = _Plan.LATER | {"growth"}

    kind: str
    n: int = Field(ge=1)
    rows_per_person: int = Field(ge=1)
    inputs: PublicInputs
    rho_units: int = Field(ge=1)
    constants: FitConstants
    growth: SupportGrowth | None = None
    private_read_as: Reading = None

    @property
    def budget(self) -> ZCDP:
        return ZCDP(self.rho_units)

    def schedule(self, workload: Workload, support: Support, *, complete: bool) -> TableSchedule:
        """How the budget is shared by the tables, from public facts alone.

        workload, support  the plan's own; of a pool with learnt weights, the equal mixture of its public tables
        complete           whether the schema gives every private cell a level

        Raises PlanError where the tables have more than MOST_CELLS cells, BudgetError where a table's share would be
        zero.
        """
        tables = measured_tables(workload)
        if tables.queries > MOST_CELLS:
            raise PlanError(
                f"Table fit measures at most {MOST_CELLS:,} cells; the tables of one and two columns of this workload "
                f"have {tables.queries:,}. Use fewer or wider bins, or PMW^Pub. Nothing was charged."
            )
        return table_schedule(
            tables,
            support,
            self.budget,
            rows_per_person=self.rows_per_person,
            complete=complete,
            constants=self.constants,
            growth=self.growth,
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
        return self


AnyTablePlan = TableFitPlan | WeightedPoolPlan
AnyReleasePlan = ReleasePlan | AnyTablePlan

_RELEASE_PLAN: TypeAdapter[AnyReleasePlan] = TypeAdapter(Annotated[AnyReleasePlan, Field(discriminator="kind")])


def release_plan_of(text: str) -> AnyReleasePlan:
    """A plan of a release, of either engine, from its canonical text."""
    return _RELEASE_PLAN.validate_json(text)
