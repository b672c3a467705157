"""Planning the choice of the best candidate, reading it back, and putting noisy floors in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pmwpub.errors import PlanError
from pmwpub.ledger import Booking
from pmwpub.mechanisms.noisy_error.choose_best import shortfall
from pmwpub.noisy_interval import NoisyInterval
from pmwpub.plans import BestPlan, Part, Scope
from pmwpub.plans.weighing import mass_of, reach_of
from pmwpub.service.core import Outcome, Service
from pmwpub.service.inputs.study_store import Study
from pmwpub.service.reading_back.stored_results import StoredChoice, plan_and_result

Pool = tuple[str, ...]


@dataclass(frozen=True)
class ChosenCandidate:
    """A choice that was bought: what was offered, and what was chosen, None while there is no result.

    offered, names  the candidates and pools by hash, and as people read them
    remarks         what had been seen before the plan was sent, which epsilon does not cover
    """

    offered: tuple[Pool, ...]
    names: tuple[str, ...]
    plan: BestPlan
    outcome: Outcome
    winner: Pool | None = None
    name: str = ""
    remarks: tuple[str, ...] = ()


def best_plan(
    current: Study, pools: Sequence[Sequence[str]], *, epsilon: str, setting: Scope = "fast", part: Part = ()
) -> BestPlan:
    """The plan of one choice among candidates (pools of one) and pools, each given by its tables' hashes.

    Raises PlanError for fewer than two different candidates or pools, FileRefused for a table that nobody attested.
    """
    offered = tuple(sorted({tuple(sorted(set(pool))) for pool in pools}))
    if len(offered) < 2:
        raise PlanError(f"A choice needs at least two different candidates; {len(offered)} came.")
    return BestPlan(
        n=current.population.n,
        rows_per_person=current.population.rows_per_person,
        kept_ids=current.kept_ids,
        weights=current.weights,
        inputs=current.inputs([sha256 for pool in offered for sha256 in pool]),
        pools=offered,
        epsilon=epsilon,
        setting=setting,
        part=part,
    )


def shortfall_of(plan: BestPlan) -> float:
    """How far the chosen floor may lie above the lowest, with probability 95 %, as a share of the rows. Public."""
    return shortfall(plan.exact_epsilon, len(plan.pools), mass_of(plan), reach_of(plan))


def choices(service: Service, current: Study) -> list[ChosenCandidate]:
    """Every choice that was bought, oldest first, with what became of it."""
    return [chosen(service, current, booking) for booking in service.bought(current.population.name, "best")]


def chosen(service: Service, current: Study, booking: Booking) -> ChosenCandidate:
    """One choice, read back by its booking."""
    outcome = service.outcome(booking)
    plan, stored = read_choice(outcome)
    names = tuple(current.known_names(pool) for pool in plan.pools)
    if stored is None:
        return ChosenCandidate(plan.pools, names, plan, outcome)
    winner = stored.candidate
    return ChosenCandidate(plan.pools, names, plan, outcome, winner, current.known_names(winner), stored.remarks)


def read_choice(outcome: Outcome) -> tuple[BestPlan, StoredChoice | None]:
    """What is stored of a choice; ValueError for what is none."""
    plan, stored = plan_and_result(outcome, BestPlan, StoredChoice)
    if stored is not None and stored.candidate not in plan.pools:
        raise ValueError("A choice is one of what was offered.")
    return plan, stored


def too_close(numbers: Sequence[NoisyInterval]) -> list[int | None]:
    """The group of each number that is too close to call with another, None where a number stands alone.

    In ascending order of the values, a number belongs to the group before it while its interval meets that of the
    group's first one; groups are numbered from 1 in that order. The groups are a function of
    what was released, hence free.
    """
    groups = [0] * len(numbers)
    group, reach = 0, float("-inf")
    for place in sorted(range(len(numbers)), key=lambda place: numbers[place].value):
        if numbers[place].low > reach:
            group, reach = group + 1, numbers[place].high
        groups[place] = group
    return [group if groups.count(group) > 1 else None for group in groups]
