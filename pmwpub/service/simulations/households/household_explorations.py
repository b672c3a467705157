"""Simulated errors of releases of households: the households of one public table play the private ones.

Free and public, stored by content, and shown to everybody.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field

import numpy as np

from pmwpub.evaluation import BASELINES, PMW_PUB, TABLE_FIT, UNCHANGED, Sweep, half_places, label_of
from pmwpub.evaluation.households.household_sweeps import HouseholdSimulation
from pmwpub.jobs import Job, Reason
from pmwpub.service.core import Service
from pmwpub.service.free_work import free_claim, is_stored
from pmwpub.service.inputs import stored_tables
from pmwpub.service.inputs.stored_tables import spelt
from pmwpub.service.inputs.study import Study
from pmwpub.service.purchases.households.household_purchase import public_of
from pmwpub.service.simulations.households.household_truths import household_stage
from pmwpub.service.simulations.sweep_range import EPSILONS
from pmwpub.tabular.households.grouped_persons import Households
from pmwpub.tabular.households.household_schema import HouseholdSchema
from pmwpub.tabular.households.reading_households import private_households
from pmwpub.tasks.household_simulation_work import HouseholdSweepWork

__all__ = [
    "HouseholdExploration",
    "HouseholdSimulation",
    "HouseholdTerms",
    "explore_households",
    "household_exploration",
    "takes_no_households",
]

SIMULATED = TASK = "household-simulation"
METHODS = (UNCHANGED, TABLE_FIT, PMW_PUB, *BASELINES)
OTHER_HALF = "other half of "


@dataclass(frozen=True)
class HouseholdTerms:
    """What a sweep ranges over: who plays the private households, epsilons, and runs of each kind."""

    truth: str
    epsilons: tuple[float, ...] = EPSILONS
    runs: int = 3

    @property
    def sweep(self) -> Sweep:
        """The grid; PlanError where it is empty."""
        return Sweep(self.epsilons, runs=self.runs, methods=METHODS)


@dataclass(frozen=True)
class HouseholdExploration:
    """A sweep: running (`job`), stored (`simulation`), or neither.

    reason  why it ended early, where this program knows
    """

    key: str
    job: Job | None = None
    simulation: HouseholdSimulation | None = field(default=None, repr=False)
    reason: Reason | None = None


def explore_households(
    service: Service, current: Study, schema: HouseholdSchema, terms: HouseholdTerms
) -> HouseholdExploration:
    """Start a sweep, or find the one that runs or is stored; nothing is charged.

    Raises PlanError for an empty grid, too many cells or households; LedgerError, SchemaError or FileRefused where a
    table is not there or has no whole households; ViewersOnly for whoever only looks on, QueueFull without a place.
    """
    found = household_exploration(service, current, schema, terms)
    if found.simulation is None and found.job is None:
        population, job_key = current.population.name, _job_key(current, found.key)
        claim = free_claim(service, population, current.population.n * schema.largest)
        service.engine.forget(job_key)
        service.engine.submit(
            TASK,
            _work(service, current, schema, terms),
            key=job_key,
            on_done=lambda result: service.ledger.put_document(population, SIMULATED, found.key, _bytes(result)),
            on_failed=lambda reason: None,
            claim=claim,
        )
    return household_exploration(service, current, schema, terms)


def household_exploration(
    service: Service, current: Study, schema: HouseholdSchema, terms: HouseholdTerms
) -> HouseholdExploration:
    """What is known of a sweep; nothing is run."""
    key, population = _key(current, schema, terms), current.population.name
    if is_stored(service, population, SIMULATED, key, _job_key(current, key)):
        stored = service.cache(
            f"household-simulation:{population}:{key}",
            lambda: HouseholdSimulation.from_bytes(service.ledger.document(population, SIMULATED, key)),
        )
        return HouseholdExploration(key, None, stored)
    job = service.engine.job(_job_key(current, key))
    if job is not None and job.state in ("queued", "running"):
        return HouseholdExploration(key, job)
    return HouseholdExploration(key, reason=job.reason if job is not None and job.state == "failed" else None)


def takes_no_households(simulation: HouseholdSimulation) -> str:
    """The methods that were left out, in a sentence; "" where none was."""
    labels = list(dict.fromkeys(label_of(one.method) for one in simulation.refused if "does not take" in one.reason))
    if not labels:
        return ""
    return (
        f"{', '.join(labels)}: each does not take households. They are proved, and made, for rows, and what is priced "
        "for rows protects a household of H persons only at H² times the ρ."
    )


def _work(service: Service, current: Study, schema: HouseholdSchema, terms: HouseholdTerms) -> HouseholdSweepWork:
    """The truth's households are drawn anew, n of them with replacement: they then err as private ones do."""
    played_by, others = current.candidate(terms.truth), [one for one in current.usable if one.sha256 != terms.truth]
    public = {one.name: public_of(service, current, one.sha256, schema).households for one in others}
    if public:
        truth = _as_private(service, current, terms.truth, schema)
    else:
        whole = public_of(service, current, terms.truth, schema).households
        half, rest = half_places(len(whole), 0)
        truth, public = whole.chosen(half), {OTHER_HALF + played_by.name: whole.chosen(rest)}
    people = current.population
    stage = household_stage(schema, current.workload(), _drawn(truth, people.n), public, people.delta)
    return HouseholdSweepWork(stage, terms.sweep, service.place)


def _as_private(service: Service, current: Study, sha256: str, schema: HouseholdSchema) -> Households:
    """A candidate's households as those of a private table are grouped."""
    key = f"household-truth:{sha256}{spelt(current.candidate(sha256).options)}:{schema.sha256}"
    table = stored_tables.table(service, current.population.name, sha256)
    return service.cache(key, lambda: private_households(table, schema))


def _drawn(households: Households, n: int) -> Households:
    often = np.random.Generator(np.random.PCG64(0)).multinomial(n, np.full(len(households), 1 / len(households)))
    return households.chosen(np.repeat(np.arange(len(households)), often))


def _key(current: Study, schema: HouseholdSchema, terms: HouseholdTerms) -> str:
    people = current.population
    body = {
        "terms": asdict(terms),
        "methods": METHODS,
        "floors": True,
        "tables": sorted((facts.sha256, facts.name, spelt(facts.options)) for facts in current.usable),
        "schema": schema.sha256,
        "workload": current.workload().sha256,
        "people": [people.n, schema.largest, str(people.delta)],
    }
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def _job_key(current: Study, key: str) -> str:
    return f"household-simulation:{current.population.name}:{key}"


def _bytes(result: object) -> bytes:
    if not isinstance(result, HouseholdSimulation):
        raise TypeError("A sweep over households returns its errors by level.")
    return result.to_bytes()
