"""The plan of a release where no engine need be named: what is stored already comes before any advice.

Somebody who sends the same command again, or sends it as before there was advice, is not charged a second time: the
stored draws of these inputs at this budget are looked through first. Advice may change when public tables come or go.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pmwpub.errors import PlanError
from pmwpub.ledger import PlanKey
from pmwpub.plans import AnyReleasePlan, ReleasePlan, TableFitPlan, UnchangedPlan, release_plan_of
from pmwpub.plans.criteria import Criterion
from pmwpub.privacy.budget import epsilon_of
from pmwpub.service.bought import releases
from pmwpub.service.core import Service
from pmwpub.service.inputs.study_store import Study
from pmwpub.service.simulations.engine_advice import advise_engine
from pmwpub.service.simulations.engine_trials import try_engines
from pmwpub.tasks.engine_work import ROUNDS

STORED = (
    "No engine was named, and a release of these inputs at this epsilon was bought before, by {engine}: it is taken. "
    "Name an engine for another one."
)

OTHERWISE = (
    "A release by table fit of these inputs at this epsilon was bought before, {options}: ask for the same again to "
    "have it. What is planned here is another release, and is charged anew."
)

FREE_CRITERIA = (
    "Criteria stand in the plan of a release that is bought, and the public table unchanged is none. Name another "
    "engine, or leave the criteria out. Nothing was charged."
)


@dataclass(frozen=True)
class ChosenPlan:
    """A plan, and why its engine was taken; no words where somebody named it."""

    plan: AnyReleasePlan | UnchangedPlan
    why: str = ""


@dataclass(frozen=True)
class _AskedRelease:
    """What somebody asked for, as `chosen_plan` has it."""

    candidates: Sequence[str]
    settings: releases.PmwPubSettings
    engine: str | None
    epsilon: str
    grow: bool
    three_way: bool
    ranges: tuple[str, ...]
    private_read_as: str | None
    criteria: tuple[Criterion, ...]

    @property
    def of_table_fit(self) -> bool:
        """Whether something was asked that table fit alone has."""
        return self.grow or self.three_way or bool(self.ranges)

    def plan(
        self, service: Service, current: Study, engine: str | None, settings: releases.PmwPubSettings
    ) -> AnyReleasePlan:
        """The plan of an engine with these settings of its own."""
        return releases.planned(
            service,
            current,
            self.candidates,
            settings,
            engine=engine,
            epsilon=self.epsilon,
            grow=self.grow,
            three_way=self.three_way,
            ranges=self.ranges,
            private_read_as=self.private_read_as,
        )


def chosen_plan(
    service: Service,
    current: Study,
    candidates: Sequence[str],
    settings: releases.PmwPubSettings,
    *,
    engine: str | None,
    epsilon: str,
    grow: bool = False,
    three_way: bool = False,
    ranges: Sequence[str] = (),
    private_read_as: str | None = None,
    criteria: tuple[Criterion, ...] = (),
) -> ChosenPlan:
    """The plan of the engine that was named, or of PMW^Pub where some of its settings were; else a stored or advised
    one. The public table unchanged is an engine here, too: it costs nothing.

    settings   those of PMW^Pub that somebody gave, as `release_plan` has them
    grow       whether table fit, which is then meant, may add rows
    three_way  whether table fit, which is then meant, measures tables of three columns too
    ranges     ordered columns of which table fit, which is then meant, measures coarse tables too
    epsilon    as in `release_plan`
    criteria   that stand in the plan; a stored release is one of the same criteria

    Nothing is charged. A trial on public tables may run first, for seconds.
    Raises PlanError for an engine that is none, for settings that the engine does not have, and for criteria of what is
    not bought.
    """
    releases.asked_for(current, epsilon)  # also where nothing is charged: what was meant by no number is not known
    asked = _AskedRelease(
        candidates, settings, engine, epsilon, grow, three_way, tuple(ranges), private_read_as, criteria
    )
    chosen = _chosen(service, current, asked)
    return ChosenPlan(with_criteria(chosen.plan, criteria), chosen.why)


def with_criteria(
    plan: AnyReleasePlan | UnchangedPlan, criteria: tuple[Criterion, ...]
) -> AnyReleasePlan | UnchangedPlan:
    """The plan with criteria standing in it; PlanError for some of what is not bought."""
    if not criteria:
        return plan
    if isinstance(plan, UnchangedPlan):
        raise PlanError(FREE_CRITERIA)
    return plan.model_copy(update={"criteria": criteria})


def _chosen(service: Service, current: Study, asked: _AskedRelease) -> ChosenPlan:
    """As `chosen_plan`, without the criteria in the plan."""
    engine, settings = asked.engine, asked.settings
    if asked.of_table_fit and engine is None:
        engine = releases.TABLE_FIT
    if engine == releases.UNCHANGED and not asked.of_table_fit:
        releases.refuse_settings("The public table unchanged", settings)
        return ChosenPlan(releases.unchanged_plan(current, asked.candidates))
    if engine is not None or settings:
        return ChosenPlan(asked.plan(service, current, engine, settings))
    before = _stored(service, current, asked)
    if before is not None:
        return ChosenPlan(before, STORED.format(engine=engine_words(before)))
    epsilon = epsilon_of(releases.budget(service, current, asked.epsilon), current.population.delta)
    try_engines(service, current, asked.candidates, epsilon)
    advice = advise_engine(service, current, asked.candidates, epsilon)
    if advice.engine == releases.UNCHANGED:
        return ChosenPlan(releases.unchanged_plan(current, asked.candidates), advice.reason)
    advised: releases.PmwPubSettings = {"rounds": advice.rounds} if advice.engine == releases.PMW_PUB else {}
    meant = replace(asked, three_way=advice.three_way)
    otherwise = _bought_otherwise(service, current, asked)
    why = f"{advice.reason} {otherwise}" if otherwise else advice.reason
    return ChosenPlan(meant.plan(service, current, advice.engine, advised), why)


def engine_words(plan: AnyReleasePlan) -> str:
    """The engine of a plan in a few words."""
    if isinstance(plan, ReleasePlan):
        return f"PMW^Pub with T = {plan.rounds}"
    return "table fit" if plan.three_way_share is None else "table fit with tables of three columns"


def _stored(service: Service, current: Study, asked: _AskedRelease) -> AnyReleasePlan | None:
    """A plan without settings that was bought, if one was: the default before there was advice, or what may have been
    advised."""
    tried: list[releases.PmwPubSettings] = [{"rounds": one} for one in (releases.DEFAULT_ROUNDS, *ROUNDS)]
    possible = [asked.plan(service, current, releases.PMW_PUB, settings) for settings in tried]
    for three_way in (False, True):
        possible.append(replace(asked, three_way=three_way).plan(service, current, releases.TABLE_FIT, {}))
    name = current.population.name
    return next((plan for plan in possible if _booked(service, name, with_criteria(plan, asked.criteria))), None)


def _bought_otherwise(service: Service, current: Study, asked: _AskedRelease) -> str:
    """What is said where a release of the same inputs was bought with options that nobody asked for now; else ""."""
    plain = asked.plan(service, current, releases.TABLE_FIT, {})
    for booking in service.bought(current.population.name, plain.kind):
        plan = release_plan_of(booking.plan_json)
        if isinstance(plan, TableFitPlan) and (plan.inputs, plan.budget) == (plain.inputs, plain.budget):
            options = {"--grow": plan.growth, "--three-way": plan.three_way_share, "--ranges": plan.ranges}
            used = [name for name, constants in options.items() if constants is not None]
            return OTHERWISE.format(options=f"with {' and '.join(used) or 'other criteria or constants'}")
    return ""


def _booked(service: Service, population: str, plan: AnyReleasePlan | UnchangedPlan) -> bool:
    keys = [plan.sha256] + ([] if plan.earlier is None else [plan.earlier.sha256])
    return any(service.ledger.booking(population, PlanKey(key)) is not None for key in keys)
