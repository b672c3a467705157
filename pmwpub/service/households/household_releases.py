"""Planning a release of households, and reading back what was bought."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from pmwpub.ledger import Booking
from pmwpub.mechanisms.pmw_pub.algorithm import Output, Start
from pmwpub.mechanisms.table_fit.fit_constants import FitConstants
from pmwpub.plans import HouseholdPlan, HouseholdRoundPlan
from pmwpub.plans.household_plans import asked_tables, planned_tables
from pmwpub.plans.household_round_plans import AnyHouseholdPlan, household_plan_of
from pmwpub.release.households.household_bundle import HouseholdBundle
from pmwpub.service.bought.releases import DEFAULT_ROUNDS, REPLAYS, PmwPubSettings, budget
from pmwpub.service.bought.stored_releases import outcomes
from pmwpub.service.core import Outcome, Service
from pmwpub.service.households.household_loading import HouseholdTable
from pmwpub.service.households.household_unit import check_unit
from pmwpub.service.inputs.study import Study
from pmwpub.tabular.households.household_schema import HouseholdSchema

DEFAULT_SETTINGS: PmwPubSettings = {
    "rounds": DEFAULT_ROUNDS,
    "selection": "exponential",
    "output": "last",
    "start": "public",
    "replay": "half",
}

OWN_ONE_WAY_SHARE = Fraction(1, 2)
"""The part of the household-level tables' budget that their 1-way tables have."""


@dataclass(frozen=True)
class ReleasedHouseholds:
    """One release of households as booked, and what it states where it is done.

    number  which of its population's releases it is, from 1
    """

    name: str
    plan: AnyHouseholdPlan
    outcome: Outcome
    bundle: HouseholdBundle | None
    number: int


def household_plan(
    service: Service,
    current: Study,
    schema: HouseholdSchema,
    candidates: Sequence[str],
    *,
    epsilon: str,
    private: HouseholdTable,
) -> HouseholdPlan:
    """Freeze a release of households; `epsilon` is at the population's delta, or "rest" for all that is left.

    Raises PlanError for a population of persons, for a pool, or for too many cells.
    """
    terms = current.population
    check_unit(terms, schema.largest)
    rho = budget(service, current, epsilon)
    tables = planned_tables(schema, current.workload())
    constants = FitConstants.advised(tables.persons, rho, n=terms.n, delta=terms.delta, rows_per_person=schema.largest)
    own = replace(constants, one_way_share=OWN_ONE_WAY_SHARE)
    return HouseholdPlan(
        n=terms.n,
        largest=schema.largest,
        household=schema.rule,
        inputs=current.inputs(candidates),
        rho_units=rho.units,
        constants=constants,
        own_constants=own,
        private_read_as=private.read_as,
    )


def household_round_plan(
    service: Service,
    current: Study,
    schema: HouseholdSchema,
    candidates: Sequence[str],
    *,
    epsilon: str,
    private: HouseholdTable,
    settings: PmwPubSettings,
) -> HouseholdRoundPlan:
    """Freeze a release of households by PMW^Pub; `settings` as of rows, and where nothing is said the same.

    Raises PlanError for a population of persons, for a pool, or for too many queries.
    """
    terms, said = current.population, DEFAULT_SETTINGS | settings
    check_unit(terms, schema.largest)
    asked_tables(schema, current.workload())
    return HouseholdRoundPlan(
        n=terms.n,
        largest=schema.largest,
        household=schema.rule,
        inputs=current.inputs(candidates),
        rho_units=budget(service, current, epsilon).units,
        rounds=said["rounds"],
        selection=said["selection"],  # type: ignore[arg-type]
        output=Output(said["output"]),
        start=Start(said["start"]),
        replay=REPLAYS[said["replay"]],
        private_read_as=private.read_as,
    )


def household_bundle(service: Service, booking: Booking) -> HouseholdBundle | None:
    """What a booking of a release of households bought; None where no result is stored, or not yet."""
    return read_households(service.outcome(booking))[1]


def read_households(outcome: Outcome) -> tuple[AnyHouseholdPlan, HouseholdBundle | None]:
    """What is stored of a release of households; ValueError or CertificateError for what is none."""
    plan = household_plan_of(outcome.booking.plan_json)
    return plan, None if outcome.result is None else HouseholdBundle.from_bytes(outcome.result)


def household_releases(service: Service, current: Study) -> list[ReleasedHouseholds]:
    """Every release of households that was charged, oldest first, with what became of it."""
    found = outcomes(service, current.population.name, "households", "households-pmw-pub")
    return [_released(service, current, outcome, number) for number, outcome in enumerate(found, 1)]


def _released(service: Service, current: Study, outcome: Outcome, number: int) -> ReleasedHouseholds:
    """One of them; what its stored bytes say is read once for all sessions, for it is public."""
    plan, result = household_plan_of(outcome.booking.plan_json), outcome.result
    bundle = None
    if result is not None:
        key = f"household-bundle:{outcome.booking.result}"
        bundle = service.cache(key, lambda: HouseholdBundle.from_bytes(result))
    return ReleasedHouseholds(current.known_names(plan.inputs.candidates), plan, outcome, bundle, number)
