"""What each engine is expected to reach from a candidate: tried on public tables alone. Free, public, for everybody.

Other public tables play the private one, and the candidate is released to them by table fit, by PMW^Pub at several
numbers of rounds, and as it is. A part of the workload is enough for that: which part, how many tables play, and
whether anything is tried at all, follows from public sizes, so that a trial takes seconds.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field

from pmwpub.errors import PlanError, WorkloadError
from pmwpub.evaluation.verdicts import WORTH
from pmwpub.jobs import Job
from pmwpub.mechanisms.table_fit.measured_tables import measured_tables
from pmwpub.queries.workload import Workload
from pmwpub.records import Support
from pmwpub.service.core import Service
from pmwpub.service.free_work import free_claim, is_stored
from pmwpub.service.inputs.stored_tables import spelt
from pmwpub.service.inputs.study import CandidateFacts
from pmwpub.service.inputs.study_store import Study
from pmwpub.service.simulations.swept_engines import swept_ways
from pmwpub.service.simulations.truths.played_truths import PlayedTruth, plays, weighed_setting
from pmwpub.tasks.engine_work import FITS, EngineWork, Way

TRIAL, TASK = "engine-trial", "engines"
RUNS, MOST_TRUTHS = 3, 2
MOST_MARGINALS, LEAST_MARGINALS, SEED = 256, 16, 0
MOST_UPDATES = 5_000_000
"""Marginals times atoms of what is tried: a round of PMW^Pub takes about a nanosecond for each."""
MOST_CELLS = 60_000
"""Of the tables that table fit measures: a simulated run takes about 40 microseconds for each."""
MOST_THREE_WAY_CELLS = 100_000
"""The same where tables of three columns are measured too: they are tried where there are no more than these."""
TOO_MANY_ROWS = "The population has {n:,} rows, and trials here draw at most {most:,}"
NOBODY_PLAYS = "No other public table is there that could play the private one"
TOO_LARGE = "This public table and workload are too large to be tried in seconds"


@dataclass(frozen=True)
class EngineTrial:
    """A trial of one candidate or pool at one epsilon: at work (`job`), stored (`ways`), or neither.

    truths     the names of the tables that play the private one; () where nothing can be tried
    marginals  how many of the workload's marginals are tried
    ways       the table unchanged, table fit, the same with tables of three columns where those are few, and PMW^Pub
               at its best rounds, as far as each can be run
    swept      whether `ways` are those of sweeps over the whole workload that were made on Compare, not of a trial:
               PMW^Pub had the rounds of those sweeps then
    hindered   why nothing can be tried, words without a full stop; "" where it can
    """

    key: str
    epsilon: float
    truths: tuple[str, ...]
    marginals: int
    job: Job | None = None
    ways: tuple[Way, ...] = field(default=())
    swept: bool = False
    hindered: str = ""

    @property
    def possible(self) -> bool:
        """Whether the schema, public tables and sizes allow a trial."""
        return not self.hindered

    def of(self, engine: str) -> Way | None:
        """What one engine reached; None where it could not be run, or nothing is stored."""
        return next((way for way in self.ways if way.engine == engine), None)


def try_engines(service: Service, current: Study, candidates: Sequence[str], epsilon: float) -> EngineTrial:
    """Start a trial, or find the one that runs or is stored; nothing is charged, and nothing is begun where none is
    possible.

    epsilon  at the population's delta

    Raises as `free_claim` does, and SchemaError or LedgerError without a schema or a workload.
    """
    found = trial(service, current, candidates, epsilon)
    if found.possible and found.job is None and not found.ways:
        population, job_key = current.population.name, _job_key(current, found.key)
        claim = free_claim(service, population, current.population.n)
        service.engine.forget(job_key)
        service.engine.submit(
            TASK,
            _work(current, candidates, found.epsilon),
            key=job_key,
            on_done=lambda result: service.ledger.put_document(population, TRIAL, found.key, _stored(result)),
            on_failed=lambda reason: None,
            claim=claim,
        )
        return trial(service, current, candidates, epsilon)
    return found


def trial(service: Service, current: Study, candidates: Sequence[str], epsilon: float) -> EngineTrial:
    """What is known of a trial; nothing is run. Where none was made, finished sweeps of these tables count for it."""
    epsilon = float(f"{epsilon:.6g}")  # as a budget in whole units of rho may give it back
    truths, tried = _truths(current, candidates), _tried(current, candidates)
    key, population = _key(current, candidates, truths, tried, epsilon), current.population.name
    untried = _untried(service, current)
    marginals = 0 if tried is None or untried else len(tried.tables)
    hindered = untried or (NOBODY_PLAYS if not truths else "" if marginals else TOO_LARGE)
    plain = EngineTrial(key, epsilon, tuple(one.name for one in truths), marginals, hindered=hindered)
    job_key = _job_key(current, key)
    if is_stored(service, population, TRIAL, key, job_key):
        lines = json.loads(service.ledger.document(population, TRIAL, key))
        return EngineTrial(key, epsilon, plain.truths, plain.marginals, ways=tuple(Way(**line) for line in lines))
    if service.engine.expects(job_key):
        return EngineTrial(key, epsilon, plain.truths, plain.marginals, service.engine.job(job_key))
    ways, played_by = swept_ways(service, current, candidates, epsilon)
    if ways:
        whole = len(current.workload().tables)
        return EngineTrial(key, epsilon, played_by, whole, ways=ways, swept=True)
    return plain


def _untried(service: Service, current: Study) -> str:
    """Why nothing of this population is tried, whatever its public tables are; "" where nothing stands against it."""
    n, most = current.population.n, service.policy.simulated_rows
    return TOO_MANY_ROWS.format(n=n, most=most) if n > most else ""


def _truths(current: Study, candidates: Sequence[str]) -> list[CandidateFacts]:
    """The tables that play the private one: the first others that can, in the order of the study."""
    others = [facts for facts in current.usable if facts.sha256 not in candidates and plays(current, facts)]
    return others[:MOST_TRUTHS]


def _tried(current: Study, candidates: Sequence[str]) -> Workload | None:
    """The part of the workload that is tried; None where even a small one would take minutes."""
    full, atoms = current.workload(), len(_support(current, candidates))
    marginals = min(MOST_MARGINALS, MOST_UPDATES // max(1, atoms))
    while marginals >= min(LEAST_MARGINALS, len(full.tables)):
        part = full.restricted(marginals, SEED)
        if measured_tables(part).queries <= MOST_CELLS:
            return part
        marginals //= 2
    return None


def _three_way(current: Study, tried: Workload | None) -> bool:
    """Whether table fit is tried with tables of three columns too: where the workload has some, is tried as a whole,
    for its tables share one budget, and they have few cells."""
    if tried is None or len(tried.marginals) < len(current.workload().marginals) or max(tried.arity) < 3:
        return False
    try:
        return measured_tables(tried, three_way=True).queries <= MOST_THREE_WAY_CELLS
    except WorkloadError:  # too many to be counted
        return False


def _support(current: Study, candidates: Sequence[str]) -> Support:
    return current.support(sorted(candidates))


def _work(current: Study, candidates: Sequence[str], epsilon: float) -> EngineWork:
    """The stages: each truth is resampled to n rows, and then errs as a private table does."""
    workload, name = _tried(current, candidates), current.names(sorted(candidates))
    if workload is None:
        raise PlanError("This public table and workload are too large for a trial of the engines.")
    supports = {name: _support(current, candidates)}
    stages = {
        facts.sha256: PlayedTruth.of(facts).stage(current, workload, supports)
        for facts in _truths(current, candidates)
        if facts.dataset is not None
    }
    return EngineWork(stages, name, epsilon, RUNS, _three_way(current, workload))


def _key(
    current: Study,
    candidates: Sequence[str],
    truths: Sequence[CandidateFacts],
    tried: Workload | None,
    epsilon: float,
) -> str:
    """A key of all that a trial depends on."""
    people, tables = current.population, [current.candidate(sha256) for sha256 in sorted(candidates)]
    body: dict[str, object] = {
        "candidates": [(facts.sha256, spelt(facts.options)) for facts in tables],
        "truths": [(facts.sha256, spelt(facts.options)) for facts in truths],
        "schema": current.schema.sha256 if current.schema else "",
        "workload": current.workload().sha256,
        "people": [people.n, people.rows_per_person, str(people.delta)],
        "epsilon": repr(epsilon),
        "terms": [RUNS, FITS, MOST_MARGINALS, SEED, WORTH],
        **weighed_setting(current),
    }
    if _three_way(current, tried):
        body["three_way"] = MOST_THREE_WAY_CELLS
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def _job_key(current: Study, key: str) -> str:
    return f"{TRIAL}:{current.population.name}:{key}"


def _stored(result: object) -> bytes:
    if not isinstance(result, list):
        raise PlanError("A trial of the engines returns its ways.")
    return json.dumps([asdict(way) for way in result]).encode()
