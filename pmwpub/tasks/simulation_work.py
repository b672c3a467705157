"""What a worker does for a sweep: it owns the processes, or the link to a cluster, that make the parts.

A part leaves as soon as it is found. The data are public, but for a sweep whose `private` is set: its counts come in by
pipe, and what it finds goes back by pipe to the one session that asked.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Literal

from pmwpub.errors import PlanError
from pmwpub.evaluation import (
    UNCHANGED,
    CertifiedFloor,
    FloorOf,
    Found,
    Here,
    LocalProcesses,
    Run,
    SimulatedError,
    Simulation,
    Stage,
    Sweep,
    Task,
    Workers,
    simulate,
)  # fmt: skip
from pmwpub.jobs.job import JobProgress
from pmwpub.strict_json import read_unrepeated


@dataclass(frozen=True)
class SweepPlace:
    """Where the parts of a sweep are made.

    kind     "here": in the worker itself; "processes": in as many processes of this machine as `processes`; "dask": on
             the cluster whose scheduler listens at `address`
    """

    kind: Literal["here", "processes", "dask"] = "here"
    processes: int = 1
    address: str = ""

    def workers(self) -> Workers:
        """The workers of this place."""
        if self.kind == "dask":
            from pmwpub.evaluation.dask_cluster import DaskCluster

            return DaskCluster(self.address)
        return LocalProcesses(self.processes) if self.kind == "processes" else Here()

    @property
    def on_this_machine(self) -> SweepPlace:
        """This place, or a single process of this machine in the place of a cluster."""
        return SweepPlace("processes") if self.kind == "dask" else self


@dataclass(frozen=True, eq=False, repr=False)
class SimulationWork:
    """A sweep. Privacy: it may hold private counts; its repr shows nothing.

    known  the parts that were found before, as `part_of` wrote them; they are not made again
    """

    stage: Stage
    sweep: Sweep
    place: SweepPlace = field(default_factory=SweepPlace)
    known: tuple[bytes, ...] = ()


def simulation(work: SimulationWork, progress: JobProgress) -> Simulation:
    """Make the sweep; each new part goes out as it comes, as `part_of` writes it."""
    latest = (0, work.sweep.parts(len(work.stage.candidates)))

    def see(done: int, total: int) -> None:
        nonlocal latest
        latest = (done, total)
        progress(done, total)

    def leave(task: Task, found: Found) -> None:
        progress(*latest, part=part_of(task, found))

    return simulate(
        work.stage,
        work.sweep,
        workers=work.place.workers(),
        known=dict(map(read_part, work.known)),
        on_found=leave,
        progress=see,
    )


def finished(parts: Iterable[bytes], sweep: Sweep) -> Simulation:
    """What parts that belong to a sweep make up, in its order as far as that is known without its candidates."""
    found = [found for task, found in map(read_part, parts) if _belongs(task, sweep)]
    errors = [one for one in found if isinstance(one, SimulatedError)]
    errors.sort(key=lambda one: (one.candidate, one.epsilon, one.method != UNCHANGED, one.method, one.rounds, one.seed))
    return Simulation(errors, [one for one in found if isinstance(one, CertifiedFloor)])


def _belongs(task: Task, sweep: Sweep) -> bool:
    if isinstance(task, FloorOf):
        return sweep.floors
    if task.epsilon not in sweep.epsilons or task.method not in sweep.methods:
        return False
    seeds = range(sweep.first_seed, sweep.first_seed + sweep.runs)
    return task.seed in seeds and (task.rounds in sweep.rounds or not sweep.rounds or not task.rounds)


def part_of(task: Task, found: Found) -> bytes:
    """One finished part as JSON."""
    written = found.written if isinstance(found, SimulatedError) else asdict(found)
    return json.dumps([asdict(task), written]).encode()


def read_part(written: bytes) -> tuple[Task, Found]:
    """A part back from `part_of`; PlanError for anything else."""
    try:
        task, found = read_unrepeated(written)
        if "seed" in task:
            return Run(**task), SimulatedError(**found)
        return FloorOf(**task), CertifiedFloor(**found)
    except (ValueError, TypeError) as error:
        raise PlanError("A stored part of a simulation cannot be read.") from error
