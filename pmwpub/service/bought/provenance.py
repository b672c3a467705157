"""How the candidate and the rounds of a release were chosen, as far as the store knows: for its report."""

from __future__ import annotations

from collections.abc import Sequence

from pmwpub.evaluation import TABLE_FIT
from pmwpub.plan_inputs import FAST_MARGINALS
from pmwpub.plans import AnyReleasePlan, ReleasePlan, TableFitPlan, UnchangedPlan, WeightedPoolPlan
from pmwpub.privacy.budget import epsilon_of
from pmwpub.release.report import AssessedPrior, Choices
from pmwpub.service.bought.assessments import Assessed, assessments
from pmwpub.service.choosing.expectation import expectation_of
from pmwpub.service.core import Service
from pmwpub.service.inputs.study_store import Study
from pmwpub.service.simulations.advice import advise_rounds
from pmwpub.service.simulations.engine_advice import advise_engine
from pmwpub.service.simulations.validated_settings import in_words, tuning_of

NO_ROUNDS = "Table fit has no rounds: all its tables are measured at once, by one fixed rule."

WEIGHTED_POOL = (
    f"The steward chose table fit. {NO_ROUNDS} Several public tables took part, and their weights were learnt from the "
    "noisy tables: which of them is best was not asked beforehand, and that cost no budget."
)


def choices_of(service: Service, current: Study, plan: AnyReleasePlan) -> Choices:
    """The stored assessments and the advice at this moment, before the plan is charged. Reads only."""
    assessed, others = looks_before(service, current, plan)
    return Choices(assessed, _settings(service, current, plan), others, expectation_of(service, current, plan))


def looks_before(
    service: Service, current: Study, plan: AnyReleasePlan | UnchangedPlan
) -> tuple[tuple[AssessedPrior, ...], tuple[str, ...]]:
    """What was bought up to this moment and may have guided a plan: assessments, and the purposes of other charges."""
    done = [one for one in assessments(service, current) if one.outcome.status == "done"]
    assessed = tuple(_prior(one, plan) for one in done)
    told = {charge for one in done for charge in one.outcome.booking.charges}
    history = service.ledger.history(current.population.name)
    return assessed, tuple(record.purpose for record in history if record.id not in told)


def _settings(service: Service, current: Study, plan: AnyReleasePlan) -> str:
    if isinstance(plan, ReleasePlan):
        return _on_rounds(service, current, plan, plan.inputs.candidates)
    if isinstance(plan, WeightedPoolPlan):
        return WEIGHTED_POOL
    epsilon = epsilon_of(plan.budget, current.population.delta)
    advice = advise_engine(service, current, plan.inputs.candidates, epsilon)
    if not advice.tried:
        return f"The steward chose table fit, or left it at the default. {NO_ROUNDS}"
    as_advised = advice.engine == TABLE_FIT and advice.three_way == (plan.three_way_share is not None)
    taken = "" if as_advised and plan.ranges is None else _took(plan)
    return f"{advice.reason}{taken} {NO_ROUNDS}"


def _took(plan: TableFitPlan) -> str:
    more = "" if plan.three_way_share is None else " with tables of three columns"
    more += "" if plan.ranges is None else " with coarse tables of ordered columns"
    return f" The steward took table fit{more}."


def _prior(found: Assessed, plan: AnyReleasePlan | UnchangedPlan) -> AssessedPrior:
    chosen = set(found.candidates) == set(plan.inputs.candidates)
    return AssessedPrior(found.name, chosen, _note(found, plan), found.floor, found.start)


def _note(found: Assessed, plan: AnyReleasePlan | UnchangedPlan) -> str:
    if found.plan.inputs.workload_sha256 != plan.inputs.workload_sha256:
        return "assessed over another workload"
    grows = isinstance(plan, TableFitPlan) and plan.growth is not None
    own = "; of the table's own rows, while this release may add rows" if grows else ""
    if found.floor is not None and found.plan.setting == "fast":
        return f"floor over {FAST_MARGINALS} marginals of the workload, or all if fewer: a lower bound{own}"
    if found.floor is not None and found.plan.setting == "part":
        part = len(found.plan.part)
        return f"floor over {part} marginals of the workload, chosen by public tables: a lower bound{own}"
    return own.removeprefix("; ") if found.floor is not None else ""


def _on_rounds(service: Service, current: Study, plan: ReleasePlan, candidates: Sequence[str]) -> str:
    if (tuning := tuning_of(service, current, plan)) is not None:
        return in_words(tuning)
    epsilon = epsilon_of(plan.budget, current.population.delta)
    advice = advise_rounds(service, current, candidates, repr(epsilon))
    if advice.truth:
        how = (
            f"Of the numbers of rounds that were tried, {advice.rounds} did best, in a simulation"
            if advice.tried
            else "The rule that weighs the noise of a round against the error to be found gave "
            f"{advice.rounds}, from a simulation"
        )
        rule = f"{how} in which {advice.truth} played the private table at ε = {advice.epsilon:g}."
        return rule if advice.rounds == plan.rounds else f"{rule} The steward set {plan.rounds}."
    if plan.rounds == advice.rounds:
        return f"{plan.rounds} is the default where no simulation on public tables gives better advice."
    return f"The steward set {plan.rounds}; no simulation on public tables was stored for this public table."
