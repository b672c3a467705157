"""What the workers do: PMW^Pub, assessments, simulations. Private counts come in by pipe and leave only as releases.

Each function takes (payload, progress) and returns bytes or a picklable value; `progress(done, total)` raises
JobCancelled when the job should stop.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from typing import Any

from pmwpub.errors import NoResult
from pmwpub.evaluation import METHODS, SimulatedError, simulate, summarise
from pmwpub.jobs.cache import public
from pmwpub.mechanisms.assessment import NoisyError, Unresolved, floor_release, start_release
from pmwpub.mechanisms.best_mixture import BestMixture
from pmwpub.mechanisms.pmw_pub import Release, Schedule, pmw_pub
from pmwpub.mechanisms.release_error import error_release
from pmwpub.privacy.budget import ApproxDP, as_fraction, zcdp_of
from pmwpub.queries.counts import PrivateCounts, count
from pmwpub.queries.incidence import PublicProblem
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset, Distribution, Support
from pmwpub.theory import advised_rounds

Progress = Callable[[int, int], None]
PILOT_ROUNDS = 25
FLOOR_STEPS = 60
FLOOR_WIDTH = Fraction(1, 1000)


@dataclass(frozen=True, eq=False)
class PublicInput:
    """A public problem as it travels to a worker, with the content key under which the worker keeps it."""

    key: str
    workload: Workload
    support: Support

    def problem(self) -> PublicProblem:
        """The problem, built once a worker."""
        return public(self.key, lambda: PublicProblem(self.workload, self.support))


@dataclass(frozen=True, eq=False, repr=False)
class ReleaseWork:
    """One PMW^Pub run. Privacy: holds private counts; its repr shows nothing."""

    public: PublicInput
    counts: PrivateCounts
    schedule: Schedule


@dataclass(frozen=True, eq=False, repr=False)
class AssessmentWork:
    """One candidate's floor and start, each on its own workload. Privacy: holds private counts.

    floor, start  the problem, the counts and the epsilon of each part that is bought
    """

    rows_per_person: int
    floor: tuple[PublicInput, PrivateCounts, Fraction] | None
    start: tuple[PublicInput, PrivateCounts, Fraction] | None


@dataclass(frozen=True, eq=False, repr=False)
class ErrorWork:
    """The noisy error of released weights. Privacy: holds private counts; its repr shows nothing."""

    workload: Workload
    released: Distribution
    counts: PrivateCounts
    epsilon: Fraction
    rows_per_person: int


@dataclass(frozen=True, eq=False)
class SimulationWork:
    """A sweep with a public table playing the truth.

    truth    the rows that play the private table; public
    rounds   fixed numbers of rounds, or empty: then the rule of theory.advised_rounds after a pilot run
    """

    workload: Workload
    truth: Dataset
    candidates: Mapping[str, Support]
    epsilons: tuple[float, ...]
    delta: Fraction
    runs: int
    rows_per_person: int = 1
    rounds: tuple[int, ...] = ()
    methods: tuple[str, ...] = METHODS
    floors: bool = True
    first_seed: int = 0


@dataclass(frozen=True)
class Floor:
    """A candidate's best-mixture error on public truth, certified to lie in [lower, upper]."""

    candidate: str
    lower: float
    upper: float


@dataclass(frozen=True)
class Simulation:
    """The runs of a sweep and the certified floors of its pairs."""

    errors: list[SimulatedError] = field(default_factory=list)
    floors: list[Floor] = field(default_factory=list)

    def to_bytes(self) -> bytes:
        """JSON, for the store of public results."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def from_bytes(cls, stored: bytes) -> Simulation:
        """The simulation back from `to_bytes`."""
        body: dict[str, Any] = json.loads(stored)
        errors = [SimulatedError(**line) for line in body["errors"]]
        return cls(errors, [Floor(**line) for line in body["floors"]])


def release(work: ReleaseWork, progress: Progress) -> Release:
    """Run PMW^Pub once, with the secure noise source."""
    return pmw_pub(work.counts, work.public.problem(), work.schedule, progress=progress)


def assess(work: AssessmentWork, progress: Progress) -> dict[str, NoisyError]:
    """The noisy floor and start that were charged for; NoResult if the floor cannot be resolved."""
    found: dict[str, NoisyError] = {}
    if work.start is not None:
        source, counts, epsilon = work.start
        found["start"] = start_release(
            counts, source.workload, source.support, epsilon, rows_per_person=work.rows_per_person
        )
    if work.floor is not None:
        source, counts, epsilon = work.floor
        state = BestMixture(counts, source.workload, source.support)
        noisy = floor_release(state, epsilon, rows_per_person=work.rows_per_person, progress=progress)
        if isinstance(noisy, Unresolved):
            raise NoResult("No result is stored for this assessment; its charge stays and nothing is drawn again.")
        found["floor"] = noisy
    return found


def error(work: ErrorWork, progress: Progress) -> NoisyError:
    """The noisy largest error of a finished release that was charged for."""
    progress(0, 1)
    return error_release(work.counts, work.workload, work.released, work.epsilon, rows_per_person=work.rows_per_person)


def simulation(work: SimulationWork, progress: Progress) -> Simulation:
    """Error against epsilon for each candidate, and the certified floors; public throughout."""
    counts = count(work.workload, work.truth)
    found = Simulation()
    grid = [(name, epsilon) for name in work.candidates for epsilon in work.epsilons]
    total = len(grid) * (work.runs + 1) + len(work.candidates) * FLOOR_STEPS
    for place, (name, support) in enumerate(work.candidates.items() if work.floors else ()):
        step = _Steps(progress, place * FLOOR_STEPS, total)
        found.floors.append(_floor(name, counts, work.workload, support, step))
    for place, (name, epsilon) in enumerate(grid):
        step = _Steps(progress, len(work.candidates) * FLOOR_STEPS + place * (work.runs + 1), total)
        problem = PublicProblem(work.workload, work.candidates[name])
        found.errors.extend(_sweep(work, counts, name, problem, epsilon, step))
    progress(total, total)
    return found


@dataclass(frozen=True)
class _Steps:
    """The progress of one part of a sweep."""

    progress: Progress
    before: int
    total: int

    def __call__(self, step: int) -> None:
        self.progress(self.before + step, self.total)


def _floor(
    name: str, counts: PrivateCounts, workload: Workload, support: Support, progress: Callable[[int], None]
) -> Floor:
    state = BestMixture(counts, workload, support)
    for step in range(FLOOR_STEPS):
        progress(step)
        if state.exhausted or state.interval.upper - state.interval.lower <= FLOOR_WIDTH:
            break
        state.refine()
    return Floor(name, float(state.interval.lower), float(state.interval.upper))


def _sweep(
    work: SimulationWork,
    counts: PrivateCounts,
    name: str,
    problem: PublicProblem,
    epsilon: float,
    progress: Callable[[int], None],
) -> list[SimulatedError]:
    progress(0)
    rounds = work.rounds or (_rounds(work, counts, name, problem, epsilon),)
    found: list[SimulatedError] = []
    for run in range(work.runs):
        found += _simulate(work, counts, {name: problem}, epsilon, rounds, first_seed=work.first_seed + run)
        progress(run + 1)
    unchanged = [line for line in found if line.rounds == 0][:1]
    return unchanged + [line for line in found if line.rounds > 0]


def _rounds(work: SimulationWork, counts: PrivateCounts, name: str, problem: PublicProblem, epsilon: float) -> int:
    """The number of rounds that the rule gives for the error at which a pilot run ends."""
    pilot = summarise(_simulate(work, counts, {name: problem}, epsilon, (PILOT_ROUNDS,), first_seed=-1))
    ends = [line.mean for line in pilot if line.rounds]
    rho = zcdp_of(ApproxDP(as_fraction(epsilon), work.delta)).rho
    return advised_rounds(float(rho), counts.n, work.workload.queries, ends[0] if ends else None)


def _simulate(
    work: SimulationWork,
    counts: PrivateCounts,
    problems: Mapping[str, PublicProblem],
    epsilon: float,
    rounds: tuple[int, ...],
    *,
    first_seed: int,
) -> list[SimulatedError]:
    return simulate(
        counts,
        problems,
        epsilons=(epsilon,),
        delta=work.delta,
        rounds=rounds,
        runs=1,
        rows_per_person=work.rows_per_person,
        methods=work.methods,
        first_seed=first_seed,
    )
