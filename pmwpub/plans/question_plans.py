"""Plans of what is asked about a private table: assessments, a choice, the error of a release, a look at the fit.

What all plans share stands here, too; `plans` says more of it.
"""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar, Literal, Self

from pydantic import Field, field_validator, model_validator

from pmwpub.errors import PlanError
from pmwpub.mechanisms.misfits.misfit_noise import MisfitNoise
from pmwpub.plan_inputs import Hashed, Part, PublicInputs, Reading, Scope, check_part_of, floor_workload
from pmwpub.plans.weighing import Weighing
from pmwpub.privacy.budget import as_fraction
from pmwpub.queries.workload import Workload

RowsBeyond = Literal["keep"] | None


class FrozenPlan(Hashed):
    """What every plan says: what neighbours are, how the private file is read, and how its rows are weighed, if so."""

    LATER: ClassVar[frozenset[str]] = frozenset({"private_read_as", "kept_ids", "part", "rules", "weights"})

    kept_ids: str | None = None
    weights: Weighing | None = None

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


class AssessmentPlan(FrozenPlan):
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


class BestPlan(FrozenPlan):
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


class ErrorPlan(FrozenPlan):
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


class MisfitPlan(FrozenPlan):
    """Noisy counts of the private rows that the schema does not fit, in some columns and in any of them.

    columns     the names of attributes, each once, ascending
    half_width  of the 95 % interval around each share of rows; kept as a reduced fraction, such as 1/100
    rules       whether the rows that break a rule of the schema are counted too; plans without are written without the
                key
    """

    kind: Literal["misfits"] = "misfits"
    n: int = Field(ge=1)
    rows_per_person: int = Field(ge=1)
    schema_sha256: str = Field(pattern="^[0-9a-f]{64}$")
    columns: tuple[str, ...] = Field(min_length=1)
    half_width: str
    private_read_as: Reading = None
    rules: bool = False

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
        looks = len(self.columns) + self.rules
        return MisfitNoise(looks, self.n, self.rows_per_person, as_fraction(self.half_width))
