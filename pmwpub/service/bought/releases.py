"""Planning PMW^Pub releases, and reading them back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypedDict

from pmwpub.errors import PlanError
from pmwpub.ledger import Booking
from pmwpub.mechanisms.pmw_pub.algorithm import Output, Replay, Start
from pmwpub.mechanisms.table_fit.coarse_tables import RangeTables, without_ranges
from pmwpub.mechanisms.table_fit.fit_constants import THREE_WAY_SHARE, FitConstants, SupportGrowth, without
from pmwpub.mechanisms.table_fit.measured_tables import measured_tables
from pmwpub.mechanisms.table_fit.pool_weights import POOL_DEFAULTS
from pmwpub.plan_inputs import PublicInputs
from pmwpub.plans import (
    RELEASE_KINDS,
    AnyReleasePlan,
    ReleasePlan,
    TableFitPlan,
    UnchangedPlan,
    WeightedPoolPlan,
    release_plan_of,
)
from pmwpub.plans.weighing import Weighing, mass_of, reach_of
from pmwpub.privacy.budget import ZCDP, ApproxDP, as_fraction, zcdp_of
from pmwpub.release.bundle import Bundle
from pmwpub.service.bought.stored_releases import bundle_of, outcomes
from pmwpub.service.core import Outcome, Service
from pmwpub.service.inputs.study_store import Study

REST = "rest"
PMW_PUB, TABLE_FIT, WEIGHTED_POOL, UNCHANGED = "pmw-pub", "table-fit", "table-fit-pool", "unchanged"
ENGINES = (PMW_PUB, TABLE_FIT, WEIGHTED_POOL)
"""What a release may be bought by; `UNCHANGED` names what is published without a purchase."""
DEFAULT_ROUNDS = 25
REPLAYS = {"half": Replay.HALF, "off": Replay.OFF}


class PmwPubSettings(TypedDict, total=False):
    """The settings of PMW^Pub, by name."""

    rounds: int
    selection: str
    output: str
    start: str
    replay: str


@dataclass(frozen=True)
class Released:
    """One release as booked, and its files where it is done.

    number  which of its population's releases it is, from 1; 0 where that was not asked
    """

    name: str
    plan: AnyReleasePlan
    outcome: Outcome
    bundle: Bundle | None = None
    number: int = 0


def release_plan(
    service: Service,
    current: Study,
    candidates: Sequence[str],
    *,
    epsilon: str,
    rounds: int = DEFAULT_ROUNDS,
    selection: str = "exponential",
    output: str = "last",
    start: str = "public",
    replay: str = "half",
    private_read_as: str | None = None,
) -> ReleasePlan:
    """Freeze a release; `epsilon` is at the population's delta, or "rest" for all that is left.

    selection  "exponential" or "permute-and-flip"; output  "last" or "average"; start  "public" or "uniform";
    replay     "half": past measurements of at least half the newest one's error are applied again; or "off"
    private_read_as  see `PrivateTable.read_as`
    """
    return ReleasePlan(
        n=current.population.n,
        rows_per_person=current.population.rows_per_person,
        kept_ids=current.kept_ids,
        weights=current.weights,
        inputs=current.inputs(candidates),
        private_read_as=private_read_as,
        rho_units=budget(service, current, epsilon).units,
        rounds=rounds,
        selection=selection,  # type: ignore[arg-type]
        output=Output(output),
        start=Start(start),
        replay=REPLAYS[replay],
    )


def planned(
    service: Service,
    current: Study,
    candidates: Sequence[str],
    settings: PmwPubSettings,
    *,
    engine: str | None,
    epsilon: str,
    grow: bool = False,
    three_way: bool = False,
    ranges: Sequence[str] = (),
    private_read_as: str | None = None,
) -> AnyReleasePlan:
    """Freeze a release that is bought, by the engine of that name, PMW^Pub where none is named.

    settings         those of PMW^Pub that somebody gave, as `release_plan` has them
    grow, three_way, ranges
                     of table fit: as in `table_fit_plan`

    Raises PlanError for another engine, and for settings that the engine does not have.
    """
    if grow and engine != TABLE_FIT:
        raise PlanError(f"Rows are added by {TABLE_FIT} alone; name that engine. Nothing was charged.")
    if three_way and engine != TABLE_FIT:
        raise PlanError(f"Tables of three columns are measured by {TABLE_FIT} alone; name it. Nothing was charged.")
    if ranges and engine != TABLE_FIT:
        raise PlanError(f"Coarse tables are measured by {TABLE_FIT} alone; name that engine. Nothing was charged.")
    if engine not in (None, *ENGINES):
        known = ", ".join((*ENGINES, UNCHANGED))
        raise PlanError(f"The engine is one of {known}; {engine[:40]!r} came. Nothing was charged.")
    if engine in (None, PMW_PUB):
        return release_plan(service, current, candidates, epsilon=epsilon, private_read_as=private_read_as, **settings)
    refuse_settings("Table fit", settings)
    if engine == WEIGHTED_POOL:
        return weighted_pool_plan(service, current, candidates, epsilon=epsilon, private_read_as=private_read_as)
    return table_fit_plan(
        service,
        current,
        candidates,
        epsilon=epsilon,
        grow=grow,
        three_way=three_way,
        ranges=ranges,
        private_read_as=private_read_as,
    )


def refuse_settings(engine: str, settings: PmwPubSettings) -> None:
    """Raise PlanError where settings of PMW^Pub were given to something that has none."""
    if settings:
        raise PlanError(
            f"{engine} has no {', '.join(settings)}; leave that out, or take {PMW_PUB}. Nothing was charged."
        )


def table_fit_plan(
    service: Service,
    current: Study,
    candidates: Sequence[str],
    *,
    epsilon: str,
    grow: bool = False,
    three_way: bool = False,
    ranges: Sequence[str] = (),
    private_read_as: str | None = None,
) -> TableFitPlan:
    """Freeze a release by table fit; `epsilon` and `private_read_as` as in `release_plan`.

    grow       whether rows are added where noisy tables show people of whom the public table has none
    three_way  whether the 3-way tables of the workload's marginals are measured too
    ranges     ordered columns of which coarse tables are measured too

    The engine's constants are those that tables, budget and n advise, all public facts; they stand in the plan.
    """
    share = THREE_WAY_SHARE if three_way else None
    coarse = RangeTables(tuple(sorted(set(ranges)))) if ranges else None
    values = _of_tables(service, current, candidates, epsilon, private_read_as, share, coarse)
    return TableFitPlan(**values, growth=SupportGrowth() if grow else None, three_way_share=share, ranges=coarse)


def weighted_pool_plan(
    service: Service,
    current: Study,
    candidates: Sequence[str],
    *,
    epsilon: str,
    private_read_as: str | None = None,
) -> WeightedPoolPlan:
    """Freeze a release by table fit with several public tables, whose weights are learnt; else as `table_fit_plan`.

    Raises PlanError for one public table, or more than a pool may have.
    """
    values = _of_tables(service, current, candidates, epsilon, private_read_as)
    return WeightedPoolPlan(**values, learning=POOL_DEFAULTS)


class _TableValues(TypedDict):
    """What all plans of table fit say."""

    n: int
    rows_per_person: int
    kept_ids: str | None
    weights: Weighing | None
    inputs: PublicInputs
    private_read_as: str | None
    rho_units: int
    constants: FitConstants


def _of_tables(
    service: Service,
    current: Study,
    candidates: Sequence[str],
    epsilon: str,
    private_read_as: str | None,
    three_way_share: Fraction | None = None,
    ranges: RangeTables | None = None,
) -> _TableValues:
    terms, granted = current.population, budget(service, current, epsilon)
    kept = without(without_ranges(granted, ranges), three_way_share)
    tables, mass, reach = measured_tables(current.workload()), mass_of(current.counted), reach_of(current.counted)
    return {
        "n": terms.n,
        "rows_per_person": terms.rows_per_person,
        "kept_ids": current.kept_ids,
        "weights": current.weights,
        "inputs": current.inputs(candidates),
        "private_read_as": private_read_as,
        "rho_units": granted.units,
        "constants": FitConstants.advised(tables, kept, n=mass, delta=terms.delta, rows_per_person=reach),
    }


def unchanged_plan(current: Study, candidates: Sequence[str]) -> UnchangedPlan:
    """Freeze the publishing of a public table, or a pool, as it is."""
    return UnchangedPlan(
        n=current.population.n,
        rows_per_person=current.population.rows_per_person,
        kept_ids=current.kept_ids,
        inputs=current.inputs(candidates),
    )


def releases(service: Service, current: Study) -> list[Released]:
    """Every release that was charged, oldest first, with what became of it."""
    found = outcomes(service, current.population.name, *RELEASE_KINDS)
    return [replace(_released(service, current, one), number=place) for place, one in enumerate(found, 1)]


def released(service: Service, current: Study, booking: Booking) -> Released:
    """One release read back from its stored bytes."""
    return _released(service, current, service.outcome(booking))


def _released(service: Service, current: Study, outcome: Outcome) -> Released:
    plan, result, population = release_plan_of(outcome.booking.plan_json), outcome.result, current.population.name
    bundle = None if result is None else bundle_of(service, population, result, outcome.booking.result)
    return Released(current.known_names(plan.inputs.candidates), plan, outcome, bundle)


def asked_for(current: Study, epsilon: str) -> ApproxDP | None:
    """What is asked for by an epsilon, or None for all that is left; BudgetError for what is no epsilon."""
    if epsilon.strip().lower() == REST:
        return None
    return ApproxDP(as_fraction(epsilon), current.population.delta)


def budget(service: Service, current: Study, epsilon: str) -> ZCDP:
    """What a release at this epsilon may cost; `epsilon` as in `release_plan`."""
    asked = asked_for(current, epsilon)
    if asked is not None:
        return zcdp_of(asked)
    left = service.ledger.balance(current.population.name).remaining
    if left.units == 0:
        raise PlanError("Nothing is left of this population's budget.")
    return left
