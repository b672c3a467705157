"""Sweeps over candidates, methods, epsilon, rounds and runs: which parts they have, and making them on any workers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass

from pmwpub.errors import PlanError
from pmwpub.evaluation.baselines import NO_ROWS
from pmwpub.evaluation.methods import PMW_PUB, SIMPLEST, UNCHANGED, canonical
from pmwpub.evaluation.registry import baseline_of, is_baseline
from pmwpub.evaluation.results import Floor, Refused, SimulatedError, Simulation
from pmwpub.evaluation.runs import FloorOf, Found, Run, Stage, Task, play
from pmwpub.evaluation.spread import spread
from pmwpub.evaluation.workers import Here, Workers
from pmwpub.privacy.budget import ApproxDP, as_fraction, zcdp_of
from pmwpub.theory import advised_rounds

PILOT_ROUNDS = 25
PILOT_SEED = -1
MOST_PARTS = 100_000


@dataclass(frozen=True)
class Sweep:
    """A grid of runs.

    rounds  numbers of rounds, or none: then, for each candidate and epsilon, what theory.advised_rounds makes of the
            error at which a pilot run of 25 rounds ends
    runs    of each kind, numbered from first_seed
    floors  whether the candidates' best-mixture errors are certified too

    Raises PlanError for an empty or a huge grid, or an unknown method.
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
        if any(rounds < 1 for rounds in self.rounds):
            raise PlanError("Rounds are whole numbers from 1.")
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
        """The variants of PMW^Pub."""
        return tuple(m for m in self.methods if m != UNCHANGED and not is_baseline(m))

    @property
    def weighed(self) -> tuple[str, ...]:
        """The baselines that use a public table."""
        return tuple(m for m in self.methods if is_baseline(m) and baseline_of(m).uses_candidate)

    @property
    def alone(self) -> tuple[str, ...]:
        """The baselines that use none."""
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
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Simulation:
    """Make a sweep; the same to the bit whatever the workers and whatever is known already (unless it is private).

    known     parts that were found before; they are not made again
    on_found  gets each new part as it comes
    progress  gets parts done and parts in all, about five times a second; may raise to stop

    Privacy: none; the stage's counts may be looked at by whoever gets the result.
    Raises PlanError for a grid of more than 100,000 parts; else as `spread`.
    """
    total = sweep.parts(len(stage.candidates))
    if total > MOST_PARTS:
        raise PlanError(f"This sweep has {total:,} runs, more than {MOST_PARTS:,}; take fewer values or fewer runs.")
    seen: list[Task] = []
    refused = refusals(stage, sweep)
    total -= sum(sweep.runs for _ in refused)

    def then(task: Task, found: Found) -> Iterator[Task]:
        seen.append(task)
        if isinstance(task, Run) and isinstance(found, SimulatedError) and task.seed == PILOT_SEED:
            methods = sweep.own if task.candidate else (task.method,)
            yield from _runs(sweep, methods, task, (_advised(stage, found),))

    progress(0, total)
    done = spread(
        play, stage, _first(sweep, stage, {(one.method, one.epsilon) for one in refused}), workers or Here(),
        known=known or {}, then=then, on_found=on_found, tick=lambda: progress(len(seen), total),
    )  # fmt: skip
    progress(total, total)
    return _in_order(sweep, stage, done, refused)


def refusals(stage: Stage, sweep: Sweep) -> list[Refused]:
    """The baselines that cannot run, and why: before anything runs, by public sizes alone."""
    found = []
    for method in sweep.weighed + sweep.alone:
        baseline = baseline_of(method)
        for epsilon in sweep.epsilons:
            lacking = NO_ROWS if baseline.needs_rows and stage.rows is None else ""
            if why := lacking or baseline.refusal(stage.terms(epsilon)):
                found.append(Refused(method, epsilon, why))
    return found


def _first(sweep: Sweep, stage: Stage, refused: Set[tuple[str, float]]) -> Iterator[Task]:
    """Floors first, for they take longest; then what needs no pilot, and the pilots."""
    if sweep.floors:
        yield from map(FloorOf, stage.candidates)
    for candidate in stage.candidates:
        for epsilon in sweep.epsilons:
            if UNCHANGED in sweep.methods:
                yield Run(candidate, UNCHANGED, epsilon, 0, sweep.first_seed)
            pilot = Run(candidate, PMW_PUB, epsilon, PILOT_ROUNDS, PILOT_SEED)
            if not sweep.rounds and sweep.own:
                yield pilot
            yield from _runs(sweep, sweep.own, pilot, sweep.rounds)
            yield from _runs(sweep, _allowed(sweep.weighed, epsilon, refused), pilot, (0,))
    for epsilon in sweep.epsilons:
        for method in _allowed(sweep.alone, epsilon, refused):
            pilot = Run("", method, epsilon, PILOT_ROUNDS, PILOT_SEED)
            if sweep.has_rounds(method) and not sweep.rounds:
                yield pilot
            yield from _runs(sweep, (method,), pilot, sweep.rounds if sweep.has_rounds(method) else (0,))


def _allowed(methods: tuple[str, ...], epsilon: float, refused: Set[tuple[str, float]]) -> tuple[str, ...]:
    return tuple(method for method in methods if (method, epsilon) not in refused)


def _runs(sweep: Sweep, methods: tuple[str, ...], like: Run, rounds: tuple[int, ...]) -> Iterator[Run]:
    """Every number of rounds and every run of some methods, on the candidate and at the epsilon of `like`."""
    seeds = range(sweep.first_seed, sweep.first_seed + sweep.runs)
    for method in methods:
        yield from (Run(like.candidate, method, like.epsilon, t, seed) for t in rounds for seed in seeds)


def _advised(stage: Stage, pilot: SimulatedError) -> int:
    """The number of rounds that the rule gives for the error at which a pilot run ends."""
    rho = zcdp_of(ApproxDP(as_fraction(pilot.epsilon), stage.delta)).rho
    return advised_rounds(float(rho), stage.counts.n, stage.workload.queries, pilot.max_error)


def _in_order(sweep: Sweep, stage: Stage, done: Mapping[Task, Found], refused: list[Refused]) -> Simulation:
    """By candidate (none last), epsilon, method, rounds and run: the order in which workers finish leaves no trace."""
    places = {name: place for place, name in enumerate([*stage.candidates, ""])}
    ranks = {method: rank for rank, method in enumerate(dict.fromkeys((UNCHANGED, *sweep.methods)))}
    kept = [found for task, found in done.items() if not (isinstance(task, Run) and task.seed == PILOT_SEED)]
    errors = [found for found in kept if isinstance(found, SimulatedError)]
    errors.sort(key=lambda e: (places[e.candidate], e.epsilon, ranks[e.method], e.rounds, e.seed))
    floors = [found for found in kept if isinstance(found, Floor)]
    return Simulation(errors, sorted(floors, key=lambda floor: places[floor.candidate]), refused)
