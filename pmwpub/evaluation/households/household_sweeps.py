"""A sweep over public households, methods and epsilons: errors at each level, and what does not take households."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pmwpub.evaluation.households.household_engines import HOUSEHOLD_ENGINES, ROUNDS, household_refusal
from pmwpub.evaluation.households.household_floors import household_floor
from pmwpub.evaluation.households.household_stages import COMBINED, LEVELS, HouseholdStage
from pmwpub.evaluation.methods import UNCHANGED
from pmwpub.evaluation.runs import FloorOf, Run, own_noise
from pmwpub.evaluation.spread import spread
from pmwpub.evaluation.sweep import Sweep
from pmwpub.evaluation.sweep_results import CertifiedFloor, RefusedMethod, SimulatedError, Simulation
from pmwpub.evaluation.workers import Here, Workers
from pmwpub.progress import Progress, unwatched

ByLevel = tuple[SimulatedError, ...]
"""One run's errors, in the order of LEVELS."""


@dataclass(frozen=True)
class HouseholdSimulation:
    """What a sweep found, as a simulation of each of the LEVELS. What was refused stands in each of them, and floors
    in the one that they are of: both levels combined."""

    levels: Mapping[str, Simulation]

    @property
    def refused(self) -> list[RefusedMethod]:
        """What could not run, and why."""
        return self.levels[LEVELS[0]].refused

    def to_bytes(self) -> bytes:
        """The simulation as JSON, for the store of public results."""
        return json.dumps({level: json.loads(own.to_bytes()) for level, own in self.levels.items()}).encode()

    @classmethod
    def from_bytes(cls, stored: bytes) -> HouseholdSimulation:
        """The simulation back from `to_bytes`."""
        body = json.loads(stored)
        return cls({level: Simulation.from_bytes(json.dumps(own).encode()) for level, own in body.items()})


def simulate_households(
    stage: HouseholdStage, sweep: Sweep, *, workers: Workers | None = None, progress: Progress = unwatched
) -> HouseholdSimulation:
    """Make a sweep; the same to the bit whatever the workers.

    Privacy: none; the truth may be looked at by whoever gets the result.
    Raises BudgetError for an epsilon that allows no noise, else as `spread`.
    """
    for epsilon in sweep.epsilons:
        stage.budget(epsilon)
    tasks, refused = list(_runs(stage, sweep)), []
    for method in sweep.methods:
        for epsilon in sweep.epsilons:
            first = method, epsilon, sweep.first_seed
            whys = (household_refusal(stage, one) for one in tasks if (one.method, one.epsilon, one.seed) == first)
            refused += [RefusedMethod(method, epsilon, why) for why in list(filter(None, whys))[:1]]
    left_out = {(one.method, one.epsilon) for one in refused}
    tasks = [run for run in tasks if (run.method, run.epsilon) not in left_out]
    done: dict[Run, ByLevel] = {}

    def tell(run: Run, found: ByLevel) -> None:
        done[run] = found
        progress(len(done), len(tasks))

    progress(0, len(tasks))
    floors = _floors(stage, workers or Here()) if sweep.floors else []
    found = spread(play_households, stage, tasks, workers or Here(), known={}, on_found=tell)
    lines = [found[run] for run in tasks]
    own = {COMBINED: floors}
    return HouseholdSimulation(
        {
            level: Simulation([one[place] for one in lines], own.get(level, []), refused)
            for place, level in enumerate(LEVELS)
        }
    )


def _floors(stage: HouseholdStage, workers: Workers) -> list[CertifiedFloor]:
    """Each candidate's floor, in their order."""
    tasks = list(map(FloorOf, stage.candidates))
    found = spread(household_floor, stage, tasks, workers, known={})
    return [found[task] for task in tasks]


def _runs(stage: HouseholdStage, sweep: Sweep) -> Iterator[Run]:
    """In order of candidate, epsilon, method and run; the table unchanged has one run, and comes first."""
    for candidate in stage.candidates:
        for epsilon in sweep.epsilons:
            for method in sorted(sweep.methods, key=lambda method: method != UNCHANGED):
                engine = HOUSEHOLD_ENGINES.get(method)
                several = engine is not None and method != UNCHANGED
                for rounds in (sweep.rounds or ROUNDS) if engine is not None and engine.has_rounds else (0,):
                    for seed in range(sweep.first_seed, sweep.first_seed + (sweep.runs if several else 1)):
                        yield Run(candidate, method, epsilon, rounds, seed)


def play_households(stage: HouseholdStage, run: Run) -> ByLevel:
    """Make one run; a function of its arguments alone.

    Privacy: none; the truth may be looked at by whoever gets the result.
    """
    atoms = stage.atoms(run.candidate)
    if run.method == UNCHANGED:
        weights = atoms.start
    else:
        weights = HOUSEHOLD_ENGINES[run.method].weights(stage, run, own_noise(run))
    found = stage.errors(atoms, weights)
    return tuple(
        SimulatedError(
            run.method, run.candidate, run.epsilon, run.rounds, run.seed,
            found[level].max_error, found[level].mean_error, found[level].rms_error,
        )
        for level in LEVELS
    )  # fmt: skip
