"""What can be known of candidates for free: each played against each other one. Public, shown to everybody."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from fractions import Fraction

from pmwpub.errors import PlanError
from pmwpub.evaluation import WeighedTruth, resampled
from pmwpub.jobs import Job
from pmwpub.mechanisms.noisy_error.assessment import half_width
from pmwpub.mechanisms.noisy_error.lazy_rounding import Grid
from pmwpub.plans import AssessmentPlan, Scope, floor_workload
from pmwpub.plans.weighing import mass_of, reach_of
from pmwpub.privacy.lattice_noise import LatticeLaplace
from pmwpub.queries.repeated_rows import RepeatedRows
from pmwpub.service.bought.assessments import shares_of
from pmwpub.service.choosing.floor_part import part_of
from pmwpub.service.core import Service
from pmwpub.service.free_work import free_claim, is_stored
from pmwpub.service.inputs.stored_tables import spelt
from pmwpub.service.inputs.study import CandidateFacts, Study
from pmwpub.service.simulations.truths.played_truths import PlayedTruth, plays, weighed_setting
from pmwpub.tasks.public_work import ComparisonWork, Pair, PairFacts

COMPARISON = "comparison"
WIDTH = Fraction(1, 10_000)
TELLS_APART = 2.0


@dataclass(frozen=True)
class PairComparison:
    """Candidate against candidate: running (`job`), stored (`pairs`), or neither."""

    key: str
    job: Job | None = None
    pairs: tuple[PairFacts, ...] = field(default=(), repr=False)


@dataclass(frozen=True)
class Forecast:
    """What an assessment will be worth, before it is bought; public.

    floor_bar, start_bar  half-widths of the 95 % intervals; None where not bought
    spread                the largest difference between the candidates' floors on public truth; None if unknown
    tells_apart           whether the bar is small against that spread; None if unknown
    resolves              the estimated probability that the floor resolves; None if unknown
    seconds               work of one candidate on public truth until its interval was narrow; None if unknown
    """

    floor_bar: float | None
    start_bar: float | None
    spread: float | None = None
    tells_apart: bool | None = None
    resolves: float | None = None
    seconds: float | None = None


def compare(
    service: Service, current: Study, setting: Scope = "fast", *, pools: Sequence[Sequence[str]] = ()
) -> PairComparison:
    """Start the comparison, or find the one that runs or is stored; nothing is charged.

    pools  tables that play a candidate together, each pool against the tables outside it
    """
    found = comparison(service, current, setting, pools=pools)
    if found.job is None and not found.pairs and len(current.usable) > 1:
        population = current.population.name
        claim = free_claim(service, population, current.population.n)
        job_key = _job_key(population, found.key)
        service.engine.forget(job_key)
        service.engine.submit(
            "compare",
            _work(service, current, setting, pools),
            key=job_key,
            on_done=lambda result: service.ledger.put_document(population, COMPARISON, found.key, _stored(result)),
            on_failed=lambda reason: None,
            claim=claim,
        )
    return comparison(service, current, setting, pools=pools)


def comparison(
    service: Service, current: Study, setting: Scope = "fast", *, pools: Sequence[Sequence[str]] = ()
) -> PairComparison:
    """What is known of the comparison; nothing is run."""
    key, population = _key(service, current, setting, pools), current.population.name
    job_key = _job_key(population, key)
    if is_stored(service, population, COMPARISON, key, job_key):
        lines = json.loads(service.ledger.document(population, COMPARISON, key))
        return PairComparison(key, None, tuple(PairFacts(**line) for line in lines))
    return PairComparison(key, service.engine.job(job_key) if service.engine.expects(job_key) else None)


def forecast(
    service: Service, current: Study, plan: AssessmentPlan, *, pools: Sequence[Sequence[str]] = ()
) -> Forecast:
    """The error bars that a plan buys, and from public pairs whether they tell candidates apart and will resolve."""
    laws = {share.purpose: LatticeLaplace(share.epsilon, reach_of(plan)) for share in shares_of(plan)}
    bars = {purpose: float(half_width(law, mass_of(plan), purpose=purpose)) for purpose, law in laws.items()}
    plain = Forecast(bars.get("floor"), bars.get("start"))
    pairs = comparison(service, current, plan.setting, pools=pools).pairs
    if "floor" not in laws or not pairs:
        return plain
    cell = float(Grid.of(laws["floor"], mass_of(plan)).cell_width)
    floors = [pair.upper for pair in pairs]
    spread = max(floors) - min(floors)
    unresolved = max(min(1.0, (pair.upper - pair.lower) / cell) for pair in pairs)
    return Forecast(
        plain.floor_bar,
        plain.start_bar,
        spread=spread,
        tells_apart=spread > TELLS_APART * bars["floor"],
        resolves=1.0 - unresolved,
        seconds=max(pair.seconds for pair in pairs),
    )


def _job_key(population: str, key: str) -> str:
    return f"comparison:{population}:{key}"


def _key(service: Service, current: Study, setting: Scope, pools: Sequence[Sequence[str]]) -> str:
    body: dict[str, object] = {
        "candidates": sorted((facts.sha256, facts.name, spelt(facts.options)) for facts in current.usable),
        "schema": current.schema.sha256 if current.schema else "",
        "workload": current.workload().sha256,
        "setting": setting,
        "n": current.population.n,
        **weighed_setting(current),
    }
    if setting == "part":
        body["part"] = part_of(service, current)
    if pools:
        body["pools"] = sorted(sorted(pool) for pool in pools)
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def _work(service: Service, current: Study, setting: Scope, pools: Sequence[Sequence[str]]) -> ComparisonWork:
    """Every ordered pair to compare. The truth is resampled to n rows: it then errs as a private table does."""
    full = current.workload()
    workload = floor_workload(full, setting, part_of(service, current) if setting == "part" else ())
    usable = current.usable
    pairs = [
        Pair(truth.name, current.names(pool), _as_truth(current, truth), current.support(pool))
        for pool in [[facts.sha256] for facts in usable] + [list(pool) for pool in pools]
        for truth in usable
        if truth.dataset is not None and truth.sha256 not in pool and plays(current, truth)
    ]
    return ComparisonWork(workload, tuple(pairs), WIDTH)


def _as_truth(current: Study, facts: CandidateFacts) -> RepeatedRows | WeighedTruth:
    truth = PlayedTruth.of(facts)
    return truth.weighed(current) or resampled(truth.support, current.population.n, 0)


def _stored(result: object) -> bytes:
    if not isinstance(result, list):
        raise PlanError("A comparison returns its pairs.")
    return json.dumps([asdict(pair) for pair in result]).encode()
