"""What a bias in the public table does, by simulation on the bundled sample, after the paper's ADULT experiment. Free.

State A plays the truth. The public table is a tenth as many rows drawn from it with replacement, where those of one
level of one column come with their own share plus a bias. Truth and public table are generated: nobody's records.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from fractions import Fraction

import numpy as np

from pmwpub.errors import PlanError
from pmwpub.evaluation import PMW_PUB, TABLE_FIT, UNCHANGED, Simulation, Stage, Sweep, summarise
from pmwpub.jobs import Job
from pmwpub.queries.counts import count
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset, Support
from pmwpub.service.core import Service
from pmwpub.service.free_work import free_claim, is_stored
from pmwpub.service.inputs.bundled_sample import STATES, sample_truth
from pmwpub.service.inputs.demo import CHOICE
from pmwpub.service.inputs.study import Study
from pmwpub.tasks.simulation_work import SimulationWork

BIAS = "bias"
BIASES = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.45)
TENTH = 10
RUNS = 3
SEED = 0
METHODS = (PMW_PUB, TABLE_FIT, UNCHANGED)
MOST_SHARE = 0.98
SAMPLE_ONLY = "The bias is tried on the sample data; open the demo first."


@dataclass(frozen=True)
class BiasCase:
    """Which level of which column is drawn too often, and the epsilon of the releases."""

    attribute: str = "sex"
    level: str = "F"
    epsilon: float = 1.0


@dataclass(frozen=True)
class BiasPoint:
    """What one bias does; errors are the largest over the workload, as shares of rows.

    bias                  added to the level's share in the public rows
    start                 of the biased public table unchanged
    floor_low, floor_high certified bounds of its best-mixture error
    error, standard_error of PMW^Pub, over the runs
    fitted, fitted_error  the same of table fit
    """

    bias: float
    start: float
    floor_low: float
    floor_high: float
    error: float
    standard_error: float
    fitted: float
    fitted_error: float


@dataclass(frozen=True)
class BiasSweep:
    """A sweep over biases: running (`job`), stored (`points`), or neither."""

    case: BiasCase
    job: Job | None = None
    points: tuple[BiasPoint, ...] = field(default=(), repr=False)


def biased(dataset: Dataset, case: BiasCase, bias: float, *, rows: int, seed: int) -> Dataset:
    """`rows` rows drawn with replacement; each has the level with probability r + bias, r its share in the dataset.

    Raises PlanError where that is no probability, or the dataset lacks rows with or without the level.
    """
    position = dataset.domain.index(case.attribute)
    levels = dataset.domain.attributes[position].levels
    if case.level not in levels:
        raise PlanError(f"{case.attribute} has no level {case.level!r}.")
    inside = dataset.codes[:, position] == levels.index(case.level)
    with_level, without = np.flatnonzero(inside), np.flatnonzero(~inside)
    wanted = len(with_level) / len(dataset) + bias
    if not 0 <= wanted <= 1 or not len(with_level) or not len(without):
        raise PlanError(f"A share of {wanted:.2f} of {case.attribute} = {case.level} cannot be drawn from this table.")
    draw = np.random.Generator(np.random.PCG64(seed))
    drawn = int(draw.binomial(rows, wanted))
    picked = np.concatenate([draw.choice(with_level, drawn), draw.choice(without, rows - drawn)])
    return Dataset(dataset.domain, dataset.codes[picked])


def possible(truth: Dataset, case: BiasCase) -> tuple[float, ...]:
    """Those of BIASES that leave the level a share of at most 98 %."""
    position = truth.domain.index(case.attribute)
    code = truth.domain.attributes[position].levels.index(case.level)
    share = float(np.mean(truth.codes[:, position] == code))
    return tuple(bias for bias in BIASES if share + bias <= MOST_SHARE)


def stage_of(truth: Dataset, workload: Workload, case: BiasCase, delta: Fraction) -> Stage:
    """The truth and its biased public tables, named by their bias."""
    rows = len(truth) // TENTH
    tables = {
        spelt(bias): Support.of(biased(truth, case, bias, rows=rows, seed=SEED)) for bias in possible(truth, case)
    }
    return Stage(workload, count(workload, truth), tables, delta, rows=truth)


def spelt(bias: float) -> str:
    """A bias as the name of its table."""
    return f"{bias:+.2f}"


def points_of(simulation: Simulation) -> tuple[BiasPoint, ...]:
    """The simulation's tables by rising bias."""
    lines = summarise(simulation.errors)
    starts = {line.candidate: line.mean for line in lines if line.method == UNCHANGED}
    ends = {line.candidate: line for line in lines if line.method == PMW_PUB}
    fits = {line.candidate: line for line in lines if line.method == TABLE_FIT}
    found = [
        BiasPoint(
            bias=float(floor.candidate),
            start=starts[floor.candidate],
            floor_low=floor.lower,
            floor_high=floor.upper,
            error=ends[floor.candidate].mean,
            standard_error=ends[floor.candidate].standard_error,
            fitted=fits[floor.candidate].mean,
            fitted_error=fits[floor.candidate].standard_error,
        )
        for floor in simulation.floors
    ]
    return tuple(sorted(found, key=lambda point: point.bias))


def explore(service: Service, current: Study, case: BiasCase) -> BiasSweep:
    """Start the sweep of a case, or find the one that runs or is stored; nothing is charged.

    Raises PlanError outside a demo, for it runs on the sample only.
    """
    found = sweep(service, current, case)
    if found.job is None and not found.points:
        population, key = current.population.name, _key(current, case)
        claim = free_claim(service, population, 0)
        service.engine.forget(job_key := _job_key(population, key))
        service.engine.submit(
            "simulation",
            _work(service, current, case),
            key=job_key,
            on_done=lambda result: service.ledger.put_document(population, BIAS, key, _stored(result)),
            on_failed=lambda reason: None,
            claim=claim,
        )
    return sweep(service, current, case)


def runs_here(current: Study) -> bool:
    """Whether a population is a demo whose rows count as one each, which is what the sweep is about."""
    return current.demo and current.sample == STATES and current.schema is not None


def sweep(service: Service, current: Study, case: BiasCase) -> BiasSweep:
    """What is known of the sweep of a case; nothing is run. Raises PlanError outside a demo."""
    if not runs_here(current):
        raise PlanError(SAMPLE_ONLY)
    key, population = _key(current, case), current.population.name
    job_key = _job_key(population, key)
    if is_stored(service, population, BIAS, key, job_key):
        stored = json.loads(service.ledger.document(population, BIAS, key))
        return BiasSweep(case, None, tuple(BiasPoint(**line) for line in stored))
    return BiasSweep(case, service.engine.job(job_key) if service.engine.expects(job_key) else None)


def _work(service: Service, current: Study, case: BiasCase) -> SimulationWork:
    if current.schema is None:
        raise PlanError(SAMPLE_ONLY)
    truth = sample_truth(current.schema).dataset
    stage = stage_of(truth, CHOICE.build(current.schema.domain), case, current.population.delta)
    return SimulationWork(stage, Sweep((case.epsilon,), runs=RUNS, methods=METHODS), service.place)


def _stored(result: object) -> bytes:
    if not isinstance(result, Simulation):
        raise PlanError("A sweep over biases returns a simulation.")
    return json.dumps([asdict(point) for point in points_of(result)]).encode()


def _key(current: Study, case: BiasCase) -> str:
    schema = current.schema.sha256 if current.schema else ""
    body = {"case": asdict(case), "schema": schema, "biases": BIASES, "methods": METHODS}
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def _job_key(population: str, key: str) -> str:
    return f"bias:{population}:{key}"
