"""Sweeps over candidates, methods, epsilon, rounds and runs: which parts they have, and making them on any workers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from pmwpub.errors import PlanError
from pmwpub.evaluation.methods import PMW_PUB, SIMPLEST, UNCHANGED, canonical
from pmwpub.evaluation.results import Floor, SimulatedError, Simulation
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
        kinds = len([method for method in self.methods if method != UNCHANGED])
        pilots = int(not self.rounds and kinds > 0)
        unchanged = int(UNCHANGED in self.methods)
        cell = kinds * max(1, len(self.rounds)) * self.runs + pilots + unchanged
        return candidates * (len(self.epsilons) * cell + int(self.floors))


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

    def then(task: Task, found: Found) -> Iterator[Task]:
        seen.append(task)
        if isinstance(task, Run) and isinstance(found, SimulatedError) and task.seed == PILOT_SEED:
            yield from _runs(sweep, task.candidate, task.epsilon, (_advised(stage, found),))

    progress(0, total)
    done = spread(
        play, stage, _first(sweep, stage), workers or Here(),
        known=known or {}, then=then, on_found=on_found, tick=lambda: progress(len(seen), total),
    )  # fmt: skip
    progress(total, total)
    return _in_order(sweep, stage, done)


def _first(sweep: Sweep, stage: Stage) -> Iterator[Task]:
    """Floors first, for they take longest; then what needs no pilot, and the pilots."""
    if sweep.floors:
        yield from map(FloorOf, stage.candidates)
    for candidate in stage.candidates:
        for epsilon in sweep.epsilons:
            if UNCHANGED in sweep.methods:
                yield Run(candidate, UNCHANGED, epsilon, 0, sweep.first_seed)
            if not sweep.rounds and any(method != UNCHANGED for method in sweep.methods):
                yield Run(candidate, PMW_PUB, epsilon, PILOT_ROUNDS, PILOT_SEED)
            yield from _runs(sweep, candidate, epsilon, sweep.rounds)


def _runs(sweep: Sweep, candidate: str, epsilon: float, rounds: tuple[int, ...]) -> Iterator[Run]:
    seeds = range(sweep.first_seed, sweep.first_seed + sweep.runs)
    for method in sweep.methods:
        if method != UNCHANGED:
            yield from (Run(candidate, method, epsilon, t, seed) for t in rounds for seed in seeds)


def _advised(stage: Stage, pilot: SimulatedError) -> int:
    """The number of rounds that the rule gives for the error at which a pilot run ends."""
    rho = zcdp_of(ApproxDP(as_fraction(pilot.epsilon), stage.delta)).rho
    return advised_rounds(float(rho), stage.counts.n, stage.workload.queries, pilot.max_error)


def _in_order(sweep: Sweep, stage: Stage, done: Mapping[Task, Found]) -> Simulation:
    """By candidate, epsilon, method, rounds and run: the order in which workers finish leaves no trace."""
    places = {name: place for place, name in enumerate(stage.candidates)}
    ranks = {method: rank for rank, method in enumerate(dict.fromkeys((UNCHANGED, *sweep.methods)))}
    kept = [found for task, found in done.items() if not (isinstance(task, Run) and task.seed == PILOT_SEED)]
    errors = [found for found in kept if isinstance(found, SimulatedError)]
    errors.sort(key=lambda e: (places[e.candidate], e.epsilon, ranks[e.method], e.rounds, e.seed))
    floors = [found for found in kept if isinstance(found, Floor)]
    return Simulation(errors, sorted(floors, key=lambda floor: places[floor.candidate]))
