"""Plans: everything that decides what a charge buys, frozen and hashed before anything is spent.

A plan names public things by content (the schema, the workload, the public tables), never by file name or
note, so that a renamed file is the same plan. Row count and row seed of the synthetic table are free
post-processing and stand outside it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from fractions import Fraction
from typing import Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    field_validator,
    model_serializer,
    model_validator,
)

from pmwpub.domain import Domain
from pmwpub.errors import PlanError
from pmwpub.mechanisms.pmw_pub import Output, Replay, Schedule, Start
from pmwpub.privacy.budget import ZCDP, as_fraction, split
from pmwpub.queries.workload import Workload

FAST_MARGINALS = 64
"""Marginals of the public sub-workload that the fast setting of the assessment solves exactly."""

FAST_SEED = 0
MOST_ATTRIBUTES = 8
"""Of one marginal."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    @property
    def canonical(self) -> str:
        """The plan's one JSON text: keys in declared order, no white space."""
        return self.model_dump_json()

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.canonical.encode()).hexdigest()


class WorkloadChoice(_Frozen):
    """All k-way marginals of a domain, or `marginals` of them sampled by a public seed, or `names` picked by hand.

    names  sets of attribute names, kept in order; k is then the size of the largest. A choice without them is
           written without the key, so that plans made before it existed keep their hash
    """

    k: int = Field(ge=1, le=MOST_ATTRIBUTES)
    marginals: int | None = Field(default=None, ge=1)
    seed: int = Field(default=0, ge=0)
    names: tuple[tuple[str, ...], ...] | None = None

    @classmethod
    def picked(cls, names: Iterable[Iterable[str]]) -> Self:
        """Hand-picked marginals; PlanError where none is picked, or one has no attribute or more than 8."""
        sets = tuple(tuple(group) for group in names)
        widest = max((len(set(group)) for group in sets), default=0)
        if not 1 <= widest <= MOST_ATTRIBUTES:
            raise PlanError(f"Pick at least one marginal, of one to {MOST_ATTRIBUTES} different columns.")
        return cls(k=widest, names=sets)

    @field_validator("names")
    @classmethod
    def _one_order(cls, names: tuple[tuple[str, ...], ...] | None) -> tuple[tuple[str, ...], ...] | None:
        return None if names is None else tuple(sorted({tuple(sorted(set(group))) for group in names}))

    @model_validator(mode="after")
    def _one_way_to_choose(self) -> Self:
        if self.names is None:
            return self
        if self.marginals is not None or self.seed:
            raise PlanError("Marginals are picked by hand or sampled by a seed, not both.")
        if not self.names or not all(self.names) or self.k != max(map(len, self.names)):
            raise PlanError("Hand-picked marginals need columns each, and k must be the size of the largest.")
        return self

    @model_serializer(mode="wrap")
    def _without_an_empty_key(self, write: SerializerFunctionWrapHandler) -> dict[str, object]:
        written: dict[str, object] = write(self)
        return {key: value for key, value in written.items() if key != "names" or value is not None}

    def build(self, domain: Domain) -> Workload:
        """The workload on a domain; WorkloadError or DomainError where the choice does not fit it."""
        if self.names is not None:
            return Workload.of(domain, self.names)
        if self.marginals is None:
            return Workload.all_kway(domain, self.k)
        return Workload.sampled(domain, self.k, self.marginals, self.seed)


class PublicInputs(_Frozen):
    """The public things that a plan runs on, by content.

    candidates  SHA-256 of each public file, ascending; several make a pool
    """

    schema_sha256: str
    workload_sha256: str
    workload: WorkloadChoice
    candidates: tuple[str, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if list(self.candidates) != sorted(set(self.candidates)):
            raise PlanError("A plan lists each public table once, in ascending order of its hash.")
        return self


class AssessmentPlan(_Frozen):
    """The noisy best-mixture error of one candidate or pool.

    epsilon   pure, of floor and start together; kept as a reduced fraction, such as 1/20
    setting   "fast": a public sub-workload of `FAST_MARGINALS` marginals; "full": the whole workload
    """

    kind: Literal["assessment"] = "assessment"
    n: int = Field(ge=1)
    rows_per_person: int = Field(ge=1)
    inputs: PublicInputs
    epsilon: str
    floor: bool = True
    start: bool = True
    setting: Literal["fast", "full"] = "fast"

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
        return self

    def workload(self, full: Workload) -> Workload:
        """The workload that the floor is taken over."""
        return full if self.setting == "full" else full.restricted(FAST_MARGINALS, FAST_SEED)

    @property
    def exact_epsilon(self) -> Fraction:
        return as_fraction(self.epsilon)


class BestPlan(_Frozen):
    """One choice among candidates and pools: the one of the lowest best-mixture error, by the exponential mechanism.

    inputs   names every public table that takes part
    pools    what is offered: each a candidate, or several as a pool; two or more, ascending
    epsilon  of the whole choice; kept as a reduced fraction
    setting  as in an assessment; the floors of all pools are taken over the same workload
    """

    kind: Literal["best"] = "best"
    n: int = Field(ge=1)
    rows_per_person: int = Field(ge=1)
    inputs: PublicInputs
    pools: tuple[tuple[str, ...], ...] = Field(min_length=2)
    epsilon: str
    setting: Literal["fast", "full"] = "fast"

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
        return self

    def workload(self, full: Workload) -> Workload:
        """The workload that the floors are taken over."""
        return full if self.setting == "full" else full.restricted(FAST_MARGINALS, FAST_SEED)

    @property
    def exact_epsilon(self) -> Fraction:
        return as_fraction(self.epsilon)


class ErrorPlan(_Frozen):
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


class ReleasePlan(_Frozen):
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
