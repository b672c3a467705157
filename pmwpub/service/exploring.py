"""Error against epsilon by simulation: a public table plays the truth. Free, public, shown to everybody."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pmwpub.errors import PlanError
from pmwpub.evaluation import SimulatedError, Simulation, Stage, Sweep, halves, resampled, summarise
from pmwpub.jobs import Job
from pmwpub.jobs.simulating import SimulationWork
from pmwpub.privacy.budget import ApproxDP, as_fraction, zcdp_of
from pmwpub.queries.counts import count
from pmwpub.records import Dataset, Support
from pmwpub.service.core import Service
from pmwpub.service.sample import sample_truth
from pmwpub.service.stored import spelt
from pmwpub.service.studies import Study
from pmwpub.theory import advised_rounds

SIMULATION = "simulation"
EPSILONS = (0.1, 0.25, 0.5, 1.0)
SAMPLE_TRUTH = "sample"
DEFAULT_ROUNDS = 25


@dataclass(frozen=True)
class Exploration:
    """A sweep that was asked for: running (`job`), stored (`simulation`), or neither."""

    key: str
    truth: str
    job: Job | None = None
    simulation: Simulation | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Advice:
    """A number of rounds and where it comes from.

    truth    who played the truth in the sweep that it rests on; "" without a sweep
    epsilon  the simulated epsilon that was nearest
    """

    rounds: int
    truth: str = ""
    epsilon: float = 0.0


@dataclass(frozen=True)
class EpsilonAdvice:
    """The smallest simulated epsilon whose mean error was small enough.

    epsilon  None where none of those tried was enough
    best     the least mean error among those tried
    largest  the largest epsilon tried
    floor    certified, of that candidate in that simulation: below it no epsilon is enough; 0 if unknown
    truth    who played the truth
    """

    epsilon: float | None
    best: float
    largest: float
    floor: float
    truth: str


def truths(current: Study) -> dict[str, str]:
    """Who can play the truth: content key -> name. In a demo the generated private table itself comes first."""
    names = {facts.sha256: facts.name for facts in current.usable}
    return ({SAMPLE_TRUTH: "state A itself (generated, demo only)"} if current.demo else {}) | names


def explore(
    service: Service, current: Study, truth: str, *, epsilons: tuple[float, ...] = EPSILONS, runs: int = 3
) -> Exploration:
    """Start a sweep, or find the one that runs or is stored; nothing is charged."""
    key = _key(current, truth, epsilons, runs)
    found = exploration(service, current, truth, epsilons=epsilons, runs=runs)
    if found.simulation is None and found.job is None:
        population = current.population.name
        service.engine.forget(job_key := f"simulation:{population}:{key}")
        service.engine.submit(
            "simulation",
            _work(service, current, truth, epsilons, runs),
            key=job_key,
            on_done=lambda found: service.ledger.put_document(population, SIMULATION, key, _stored(found)),
            on_failed=lambda reason: None,
        )
    return exploration(service, current, truth, epsilons=epsilons, runs=runs)


def _stored(found: object) -> bytes:
    if not isinstance(found, Simulation):
        raise PlanError("A sweep returns a simulation.")
    return found.to_bytes()


def exploration(
    service: Service, current: Study, truth: str, *, epsilons: tuple[float, ...] = EPSILONS, runs: int = 3
) -> Exploration:
    """What is known of a sweep; reads only."""
    key = _key(current, truth, epsilons, runs)
    population = current.population.name
    if key in {entry.key for entry in service.ledger.documents(population, SIMULATION)}:
        stored = service.ledger.document(population, SIMULATION, key)
        return Exploration(key, truth, None, Simulation.from_bytes(stored))
    job = service.engine.job(f"simulation:{population}:{key}")
    return Exploration(key, truth, job if job is not None and job.state in ("queued", "running") else None)


def cancel(service: Service, current: Study, found: Exploration) -> None:
    """Stop a sweep; it can be started again."""
    service.engine.cancel(f"simulation:{current.population.name}:{found.key}")


def advise_rounds(service: Service, current: Study, candidates: Sequence[str], epsilon: str) -> Advice:
    """The rule's T from a stored sweep of this candidate, at the nearest simulated epsilon; else 25."""
    wanted = as_fraction(epsilon)
    for truth, played_by in truths(current).items():
        lines = _lines(service, current, truth, candidates)
        if lines:
            nearest = min(lines, key=lambda line: abs(line.epsilon - float(wanted))).epsilon
            ends = [line.max_error for line in lines if line.epsilon == nearest]
            rho = zcdp_of(ApproxDP(wanted, current.population.delta)).rho
            queries = current.workload().queries
            error = sum(ends) / len(ends)
            return Advice(advised_rounds(float(rho), current.population.n, queries, error), played_by, nearest)
    return Advice(DEFAULT_ROUNDS)


def advise_epsilon(service: Service, current: Study, candidates: Sequence[str], error: float) -> EpsilonAdvice | None:
    """From a stored sweep of this candidate; None without one. A simulation on public tables, hence advice only."""
    for truth, played_by in truths(current).items():
        lines = _lines(service, current, truth, candidates)
        simulation = exploration(service, current, truth).simulation
        if lines and simulation is not None:
            means = [(line.mean, line.epsilon) for line in summarise(lines)]
            floors = [float(one.lower) for one in simulation.floors if one.candidate == lines[0].candidate]
            return EpsilonAdvice(
                epsilon=min((epsilon for mean, epsilon in means if mean <= error), default=None),
                best=min(means)[0],
                largest=max(epsilon for _, epsilon in means),
                floor=max(floors, default=0.0),
                truth=played_by,
            )
    return None


def _lines(service: Service, current: Study, truth: str, candidates: Sequence[str]) -> list[SimulatedError]:
    found = exploration(service, current, truth).simulation
    if found is None or len(candidates) != 1:
        return []
    name = current.candidate(candidates[0]).name
    return [line for line in found.errors if line.candidate == name and line.rounds]


def _key(current: Study, truth: str, epsilons: tuple[float, ...], runs: int) -> str:
    terms = current.population
    body = {
        "truth": truth,
        "candidates": sorted((facts.sha256, facts.name, spelt(facts.options)) for facts in current.usable),
        "schema": current.schema.sha256 if current.schema else "",
        "workload": current.workload().sha256,
        "n": terms.n,
        "k": terms.rows_per_person,
        "delta": str(terms.delta),
        "epsilons": epsilons,
        "runs": runs,
    }
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def _work(service: Service, current: Study, truth: str, epsilons: tuple[float, ...], runs: int) -> SimulationWork:
    rows, supports = _pair(current, truth)
    workload, terms = current.workload(), current.population
    stage = Stage(workload, count(workload, rows), supports, terms.delta, terms.rows_per_person)
    return SimulationWork(stage, Sweep(epsilons, runs=runs), service.place)


def _pair(current: Study, truth: str) -> tuple[Dataset, Mapping[str, Support]]:
    """The truth, resampled to n rows, and the supports that play candidates."""
    supports = {facts.name: facts.support for facts in current.usable if facts.support and facts.sha256 != truth}
    if truth == SAMPLE_TRUTH and current.demo and current.schema is not None:
        return sample_truth(current.schema), supports
    facts = current.candidate(truth)
    if facts.dataset is None:
        raise PlanError(f"{facts.name} does not fit the schema and cannot play the truth.")
    if supports:
        return resampled(facts.dataset, current.population.n, 0), supports
    rows, rest = halves(facts.dataset, 0)
    return resampled(rows, current.population.n, 0), {f"other half of {facts.name}": Support.of(rest)}
