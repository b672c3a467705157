"""Sweeps over candidates, methods, epsilon, rounds and runs: which parts they have, and making them on any workers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pmwpub.errors import PlanError
from pmwpub.evaluation.baseline_registry import baseline_of, is_baseline
from pmwpub.evaluation.methods import PMW_PUB, SIMPLEST, UNCHANGED, canonical, respelt
from pmwpub.evaluation.runs import FloorOf, Found, Run, Stage, Task, play, refusal_of
from pmwpub.evaluation.spread import spread
from pmwpub.evaluation.sweep_results import CertifiedFloor, RefusedMethod, SimulatedError, Simulation
from pmwpub.evaluation.workers import Here, Workers
from pmwpub.privacy.budget import MAX_EPSILON, ApproxDP, as_fraction, zcdp_of
from pmwpub.progress import Progress, unwatched
from pmwpub.theory import advised_rounds
from pmwpub.theory.rounds import MOST_ROUNDS as MOST_ADVISED

PILOT_ROUNDS = 25
PILOT_SEED = -1
MOST_PARTS = 100_000
MOST_ROUNDS = 10_000
"""The most rounds of a run: as many as a release may have."""


@dataclass(frozen=True)
class Sweep:
    """A grid of runs.

    rounds  numbers of rounds, or none: then, for each candidate and epsilon, what theory.advised_rounds makes of the
            error at which a pilot run of 25 rounds ends
    runs    of each kind, numbered from first_seed
    floors  whether the candidates' best-mixture errors are certified too

    Raises PlanError for an empty grid, epsilons or rounds that no release may have, an unknown method, or one whose
    parameters are out of range.
    """

    epsilons: tuple[float, ...]
    rounds: tuple[int, ...] = ()
    runs: int = 3
    methods: tuple[str, ...] = SIMPLEST
    floors: bool = True
    first_seed: int = 0

    def __post_init__(self) -> None:
        if self.runs < 1 or not self.epsilons or not self.methods:
            raise PlanError("A sweep needs at least one epsilon, one method and one run.")
        if not all(0 < epsilon <= MAX_EPSILON for epsilon in self.epsilons):
            raise PlanError(f"Epsilons lie above 0 and up to {MAX_EPSILON:,}.")
        if not all(1 <= rounds <= MOST_ROUNDS for rounds in self.rounds):
            raise PlanError(f"Rounds are whole numbers from 1 to {MOST_ROUNDS:,}.")
        object.__setattr__(self, "epsilons", tuple(sorted(set(self.epsilons))))
        object.__setattr__(self, "rounds", tuple(sorted(set(self.rounds))))
        object.__setattr__(self, "methods", canonical(self.methods))

    def parts(self, candidates: int) -> int:
        """How many runs and floors there are for so many candidates, pilots included."""
        with_table = sum(map(self._runs_of, self.own + self.weighed))
        pilots = int(not self.rounds and bool(self.own))
        alone = sum(self._runs_of(method) + self._pilots_of(method) for method in self.alone)
        cell = with_table + pilots + int(UNCHANGED in self.methods)
        return candidates * (len(self.epsilons) * cell + int(self.floors)) + len(self.epsilons) * alone

    @property
    def own(self) -> tuple[str, ...]:
        """The methods that are variants of PMW^Pub."""
        return tuple(m for m in self.methods if m != UNCHANGED and not is_baseline(m))

    @property
    def weighed(self) -> tuple[str, ...]:
        """The methods that are baselines which use a public table."""
        return tuple(m for m in self.methods if is_baseline(m) and baseline_of(m).uses_candidate)

    @property
    def alone(self) -> tuple[str, ...]:
        """The methods that are baselines which use no public table."""
        return tuple(m for m in self.methods if is_baseline(m) and not baseline_of(m).uses_candidate)

    def has_rounds(self, method: str) -> bool:
        """Whether the number of rounds is a parameter of that method."""
        return method in self.own or (is_baseline(method) and baseline_of(method).has_rounds)

    def _runs_of(self, method: str) -> int:
        return self.runs * (max(1, len(self.rounds)) if self.has_rounds(method) else 1)

    def _pilots_of(self, method: str) -> int:
        return int(not self.rounds and self.has_rounds(method))


def simulate(
    stage: Stage,
    sweep: Sweep,
    *,
    workers: Workers | None = None,
    known: Mapping[Task, Found] | None = None,
    on_found: Callable[[Task, Found], None] = lambda task, found: None,
    progress: Progress = unwatched,
) -> Simulation:
    """Make a sweep; the same to the bit whatever the workers and whatever is known already (unless it is private).

    known     parts that were found before; they are not made again
    on_found  gets each new part as it comes
    progress  gets parts done and parts in all, about five times a second; may raise to stop

    Privacy: none; the stage's counts may be looked at by whoever gets the result.
    Raises PlanError for a grid of more than 100,000 parts; else as `spread`.
    """
    if (parts := sweep.parts(len(stage.candidates))) > MOST_PARTS:
        raise PlanError(f"This sweep has {parts:,} runs, more than {MOST_PARTS:,}; take fewer values or fewer runs.")
    refused = refusals(stage, sweep)
    plan = _SweepPlan(
        sweep, tuple(stage.candidates), frozenset((one.method, one.epsilon, one.rounds) for one in refused)
    )
    first, seen = list(plan.first()), 0
    total = len(first) + sum(len(list(plan.after(task, 1))) for task in first)

    def then(task: Task, found: Found) -> Iterator[Task]:
        nonlocal seen
        seen += 1
        if isinstance(found, SimulatedError) and found.seed == PILOT_SEED:
            yield from plan.after(task, _advised(stage, found))

    progress(0, total)
    done = spread(
        play, stage, first, workers or Here(),
        known=under_todays_names(known or {}), then=then, on_found=on_found, tick=lambda: progress(seen, total),
    )  # fmt: skip
    progress(seen, total)
    return _in_order(sweep, stage, done, refused)


def under_todays_names(known: Mapping[Task, Found]) -> dict[Task, Found]:
    """Finished parts by the methods' canonical names; where one was found under several spellings, the canonical's."""
    kept: dict[Task, Found] = {}
    for task, found in known.items():
        if isinstance(task, FloorOf) or isinstance(found, CertifiedFloor):
            kept[task] = found
            continue
        name = respelt(task.method)
        now = replace(task, method=name)
        if now not in kept or name == task.method:
            kept[now] = replace(found, method=name)
    return kept


def refusals(stage: Stage, sweep: Sweep) -> list[RefusedMethod]:
    """The methods that cannot run, and why: known before anything runs, by public sizes alone.

    Raises BudgetError for an epsilon that allows no noise at all.
    """
    for epsilon in sweep.epsilons:
        stage.terms(epsilon)
    pairs = ((method, epsilon) for method in sweep.own + sweep.weighed + sweep.alone for epsilon in sweep.epsilons)
    return [one for method, epsilon in pairs for one in _refusals(stage, sweep, method, epsilon)]


def _refusals(stage: Stage, sweep: Sweep, method: str, epsilon: float) -> Iterator[RefusedMethod]:
    """Why one method cannot run: for all numbers of rounds or, where they are given, for each of them.

    After a pilot any number of rounds may be advised, so only what holds for all of them counts then.
    """
    if why := refusal_of(stage, method, epsilon):
        yield RefusedMethod(method, epsilon, why)
    elif sweep.has_rounds(method) and not sweep.rounds:
        pilot = PMW_PUB if method in sweep.own else method
        whys = (refusal_of(stage, pilot, epsilon, PILOT_ROUNDS), refusal_of(stage, method, epsilon, MOST_ADVISED))
        yield from (RefusedMethod(method, epsilon, why) for why in list(filter(None, whys))[:1])
    elif sweep.has_rounds(method):
        for rounds in sweep.rounds:
            if why := refusal_of(stage, method, epsilon, rounds):
                yield RefusedMethod(method, epsilon, why, rounds)


@dataclass(frozen=True)
class _SweepPlan:
    """The parts of a sweep that can run.

    refused  methods with epsilon and rounds, 0 for all
    """

    sweep: Sweep
    candidates: tuple[str, ...]
    refused: frozenset[tuple[str, float, int]]

    def first(self) -> Iterator[Task]:
        """The parts that can be made at once: floors, which take longest, then what needs no pilot, and the pilots."""
        sweep = self.sweep
        if sweep.floors:
            yield from map(FloorOf, self.candidates)
        for candidate in self.candidates:
            for epsilon in sweep.epsilons:
                if UNCHANGED in sweep.methods:
                    yield Run(candidate, UNCHANGED, epsilon, 0, sweep.first_seed)
                yield from self._begin(Run(candidate, PMW_PUB, epsilon, PILOT_ROUNDS, PILOT_SEED), sweep.own)
                yield from self._runs(candidate, epsilon, sweep.weighed, (0,))
        for epsilon in sweep.epsilons:
            for method in sweep.alone:
                if sweep.has_rounds(method):
                    yield from self._begin(Run("", method, epsilon, PILOT_ROUNDS, PILOT_SEED), (method,))
                else:
                    yield from self._runs("", epsilon, (method,), (0,))

    def after(self, task: Task, rounds: int) -> Iterator[Run]:
        """What follows a pilot, with the number of rounds that it leads to; nothing follows another part."""
        if isinstance(task, Run) and task.seed == PILOT_SEED:
            methods = self.sweep.own if task.candidate else (task.method,)
            yield from self._runs(task.candidate, task.epsilon, methods, (rounds,))

    def _begin(self, pilot: Run, methods: Sequence[str]) -> Iterator[Run]:
        """What begins the methods with rounds: all their runs, or the pilot that some of them wait for."""
        if self.sweep.rounds:
            yield from self._runs(pilot.candidate, pilot.epsilon, methods, self.sweep.rounds)
        elif any((method, pilot.epsilon, 0) not in self.refused for method in methods):
            yield pilot

    def _runs(self, candidate: str, epsilon: float, methods: Sequence[str], rounds: Sequence[int]) -> Iterator[Run]:
        """Every number of rounds and every run of some methods."""
        seeds = range(self.sweep.first_seed, self.sweep.first_seed + self.sweep.runs)
        for method in methods:
            for t in rounds:
                if self.refused.isdisjoint({(method, epsilon, 0), (method, epsilon, t)}):
                    yield from (Run(candidate, method, epsilon, t, seed) for seed in seeds)


def _advised(stage: Stage, pilot: SimulatedError) -> int:
    """The number of rounds that the rule gives for the error at which a pilot run ends."""
    rho = zcdp_of(ApproxDP(as_fraction(pilot.epsilon), stage.delta)).rho
    n, k = stage.counts.n, stage.reach
    return advised_rounds(float(rho), n, stage.workload.queries, pilot.max_error, rows_per_person=k)


def _in_order(sweep: Sweep, stage: Stage, done: Mapping[Task, Found], refused: list[RefusedMethod]) -> Simulation:
    """The parts in order of candidate (none last), epsilon, method, rounds and run, whichever worker finished first."""
    places = {name: place for place, name in enumerate([*stage.candidates, ""])}
    ranks = {method: rank for rank, method in enumerate(dict.fromkeys((UNCHANGED, *sweep.methods)))}
    kept = [found for task, found in done.items() if not (isinstance(task, Run) and task.seed == PILOT_SEED)]
    errors = [found for found in kept if isinstance(found, SimulatedError)]
    errors.sort(key=lambda e: (places[e.candidate], e.epsilon, ranks[e.method], e.rounds, e.seed))
    floors = [found for found in kept if isinstance(found, CertifiedFloor)]
    return Simulation(errors, sorted(floors, key=lambda floor: places[floor.candidate]), refused)
