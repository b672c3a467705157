"""Error against epsilon by simulation: a public table plays the truth. Free, public, shown to everybody.

Each part is stored as soon as it is found, by content: a sweep that was stopped, or whose program died, goes on where
it was, and a wider one repeats nothing of a narrower one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from pmwpub.errors import PlanError
from pmwpub.evaluation import Simulation, Stage
from pmwpub.jobs import Claim, Job, Reason
from pmwpub.service.core import Service
from pmwpub.service.free_work import free_claim, is_stored
from pmwpub.service.inputs.study_store import Study
from pmwpub.service.simulations.sweep_range import SweepRange, candidate_key, played, stage_of, sweep_key, truths
from pmwpub.tasks.simulation_work import SimulationWork, finished, read_part

SIMULATION, PART, ASKED = "simulation", "simulation-part", "simulation-asked"
DEFAULT = SweepRange()


@dataclass(frozen=True)
class Exploration:
    """A sweep that was asked for: running (`job`), stored (`simulation`), or stopped on its way.

    reason  why it ended early, where this program knows
    """

    key: str
    truth: str
    terms: SweepRange = DEFAULT
    job: Job | None = None
    simulation: Simulation | None = field(default=None, repr=False)
    reason: Reason | None = None


def explore(service: Service, current: Study, truth: str, terms: SweepRange = DEFAULT) -> Exploration:
    """Start a sweep, take it up where it stopped, or find the one that runs or is stored; nothing is charged.

    Raises PlanError for an empty grid, a truth that does not fit or has no weights where rows are weighed, ViewersOnly
    on a server for viewers alone, and QueueFull without a place; then nothing is stored.
    """
    found = exploration(service, current, truth, terms)
    if found.simulation is None and found.job is None:
        claim = free_claim(service, current.population.name, current.population.n)
        stage = stage_of(current, truth, terms)
        with service.engine.reserve(_job_key(current, found.key), claim):
            asked = json.dumps({"truth": truth, "terms": asdict(terms)}).encode()
            service.ledger.put_document(current.population.name, ASKED, found.key, asked)
            _begin(service, current, found, stage, claim)
    return exploration(service, current, truth, terms)


def _begin(service: Service, current: Study, found: Exploration, stage: Stage, claim: Claim) -> None:
    population, job_key = current.population.name, _job_key(current, found.key)
    keys = _candidate_keys(current, found.truth, found.terms)
    known = tuple(service.ledger.document(population, PART, key) for key in _stored_parts(service, current, keys))
    service.engine.forget(job_key)
    service.engine.submit(
        "simulation",
        SimulationWork(stage, found.terms.sweep, service.place, known),
        key=job_key,
        on_done=lambda result: service.ledger.put_document(population, SIMULATION, found.key, _bytes(result)),
        on_failed=lambda reason: None,
        on_part=lambda part: service.ledger.put_document(population, PART, _part_key(keys, part), part),
        claim=claim,
    )


def exploration(service: Service, current: Study, truth: str, terms: SweepRange = DEFAULT) -> Exploration:
    """What is known of a sweep; nothing is run."""
    key, population = sweep_key(current, truth, terms), current.population.name
    if is_stored(service, population, SIMULATION, key, _job_key(current, key)):
        stored = service.cache(
            f"simulation:{population}:{key}",
            lambda: Simulation.from_bytes(service.ledger.document(population, SIMULATION, key)),
        )
        return Exploration(key, truth, terms, None, stored)
    job = service.engine.job(_job_key(current, key))
    if job is not None and job.state in ("queued", "running"):
        return Exploration(key, truth, terms, job)
    return Exploration(key, truth, terms, reason=job.reason if job is not None and job.state == "failed" else None)


def explorations(service: Service, current: Study) -> list[Exploration]:
    """Every sweep that was asked for under the schema, workload, n and k of today, the latest first."""
    population, found = current.population.name, []
    with service.ledger.view():
        for entry in reversed(service.ledger.documents(population, ASKED)):
            body = json.loads(service.ledger.document(population, ASKED, entry.key))
            truth, terms = body["truth"], SweepRange.of(body["terms"])
            if _still_there(current, truth, terms) and sweep_key(current, truth, terms) == entry.key:
                found.append(exploration(service, current, truth, terms))
    return found


def so_far(service: Service, current: Study, found: Exploration) -> Simulation:
    """What is stored of a sweep on its way: the runs and floors that are finished."""
    keys = _candidate_keys(current, found.truth, found.terms)
    population = current.population.name
    parts = [service.ledger.document(population, PART, key) for key in _stored_parts(service, current, keys)]
    return finished(parts, found.terms.sweep)


def cancel(service: Service, current: Study, found: Exploration) -> None:
    """Stop a sweep; it can be taken up again, and what is finished stays. ViewersOnly on a server for viewers alone."""
    service.refuse_viewers(current.population.name)
    service.engine.cancel(_job_key(current, found.key))


def _still_there(current: Study, truth: str, terms: SweepRange) -> bool:
    usable = {facts.sha256 for facts in current.usable}
    return truth in truths(current) and all(set(pool) <= usable for pool in terms.candidates)


def _candidate_keys(current: Study, truth: str, terms: SweepRange) -> dict[str, str]:
    """The candidates' names in the sweep -> the beginning of their parts' keys; "" for baselines that use none."""
    tables = {**played(current, truth, terms), "": ((), 0.0)}
    return {name: candidate_key(current, truth, name, own) for name, own in tables.items()}


def _stored_parts(service: Service, current: Study, keys: Mapping[str, str]) -> list[str]:
    wanted = set(keys.values())
    stored = service.ledger.documents(current.population.name, PART)
    return [entry.key for entry in stored if entry.key.partition(":")[0] in wanted]


def _part_key(keys: Mapping[str, str], part: bytes) -> str:
    task, _ = read_part(part)
    digest = hashlib.sha256(json.dumps(asdict(task), sort_keys=True).encode()).hexdigest()
    return f"{keys[task.candidate]}:{digest[:32]}"


def _job_key(current: Study, key: str) -> str:
    return f"simulation:{current.population.name}:{key}"


def _bytes(result: object) -> bytes:
    if not isinstance(result, Simulation):
        raise PlanError("A sweep returns a simulation.")
    return result.to_bytes()
