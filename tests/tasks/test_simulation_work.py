"""A sweep as a job: parts leave as they are found, nothing finished is made again, and it can be stopped."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import pytest
from jobs.waiting import PATIENCE, alive, until
from support import tables

from pmwpub.errors import PlanError, StoreUnavailable
from pmwpub.evaluation import FloorOf, Run, Simulation, Stage, Sweep, simulate
from pmwpub.jobs import Ending, Engine, InlineEngine, Reason
from pmwpub.queries.counts import count
from pmwpub.queries.workload import Workload
from pmwpub.tasks.simulation_work import SimulationWork, SweepPlace, part_of, read_part, simulation

SHAPE = tables.domain(3, 2, 2)
WORKLOAD = Workload.all_kway(SHAPE, 2)
SWEEP = Sweep((0.5, 2.0), runs=2)
LONG = Sweep(tuple(0.1 * place for place in range(1, 40)), rounds=(300,), runs=50)


def stage() -> Stage:
    candidates = {"b": tables.support(SHAPE, 40, 2), "c": tables.support(SHAPE, 40, 3)}
    return Stage(WORKLOAD, count(WORKLOAD, tables.table(SHAPE, 500, 1)), candidates, Fraction(1, 250_000))


@pytest.fixture
def engine() -> Iterator[Engine]:
    with_workers = Engine(1)
    yield with_workers
    with_workers.shutdown()


def silent(done: int, total: int, note: str = "", part: bytes | None = None) -> None:
    """Nobody watches."""


def test_a_part_survives_its_bytes() -> None:
    whole = simulation(SimulationWork(stage(), SWEEP), silent)
    run = Run("b", "pmw-pub", 0.5, whole.errors[1].rounds, 0)
    assert read_part(part_of(run, whole.errors[1])) == (run, whole.errors[1])
    assert read_part(part_of(FloorOf("b"), whole.floors[0])) == (FloorOf("b"), whole.floors[0])
    for wrong in (b"{}", b"[1, 2]", b"\xff"):
        with pytest.raises(PlanError):
            read_part(wrong)


def test_every_part_leaves_once_and_the_whole_is_made_of_them() -> None:
    parts: list[bytes] = []
    results: list[Simulation] = []
    InlineEngine().submit(
        "simulation", SimulationWork(stage(), SWEEP), key="k",
        on_done=results.append, on_failed=print, on_part=parts.append,  # type: ignore[arg-type]
    )  # fmt: skip
    found = dict(map(read_part, parts))
    assert len(parts) == len(found) == SWEEP.parts(2)
    assert {*results[0].errors, *results[0].floors} <= set(found.values())
    again: list[bytes] = []
    InlineEngine().submit(
        "simulation", SimulationWork(stage(), SWEEP, known=tuple(parts)), key="k",
        on_done=results.append, on_failed=print, on_part=again.append,  # type: ignore[arg-type]
    )  # fmt: skip
    assert again == []
    assert results[1] == results[0]


def test_progress_has_one_total_and_ends_at_it_whatever_is_refused() -> None:
    seen: list[tuple[int, int]] = []

    def watch(done: int, total: int, note: str = "", part: bytes | None = None) -> None:
        seen.append((done, total))

    sweep = Sweep((0.01, 2.0), (2,), 2, ("pmw-pub", "mwem", "hdmm", "ji-elkan", "dual-query"), floors=False)
    found = simulation(SimulationWork(stage(), sweep), watch)
    assert {one.method for one in found.refused} == {"hdmm", "ji-elkan", "dual-query"}
    assert {total for _, total in seen} == {len(found.errors)}
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert seen[-1] == (len(found.errors), len(found.errors))


def test_a_worker_of_the_engine_owns_processes_and_finds_the_same(engine: Engine) -> None:
    parts: list[bytes] = []
    results: list[object] = []
    work = SimulationWork(stage(), SWEEP, SweepPlace("processes", 2))
    job = engine.submit(
        "simulation", work, key="k", on_done=results.append, on_failed=results.append, on_part=parts.append
    )
    assert job.wait(PATIENCE)
    assert results == [simulate(stage(), SWEEP)]
    assert len(parts) == SWEEP.parts(2)
    assert (job.done, job.total) == (len(parts), len(parts))


@pytest.mark.parametrize("place", [SweepPlace(), SweepPlace("processes", 2)])
def test_a_cancelled_sweep_ends_and_keeps_its_parts(engine: Engine, place: SweepPlace) -> None:
    parts: list[bytes] = []
    reasons: list[Reason] = []
    job = engine.submit(
        "simulation", SimulationWork(stage(), LONG, place), key="k",
        on_done=print, on_failed=reasons.append, on_part=parts.append,
    )  # fmt: skip
    assert until(lambda: len(parts) > 5)
    engine.cancel("k")
    assert job.wait(PATIENCE)
    assert job.state == "cancelled"
    assert len(reasons) == 1
    assert 5 < len(set(parts)) < LONG.parts(2)


def test_processes_end_with_the_worker_that_owns_them(engine: Engine) -> None:
    parts: list[bytes] = []
    engine.submit(
        "simulation", SimulationWork(stage(), LONG, SweepPlace("processes", 2)), key="k",
        on_done=print, on_failed=lambda _: None, on_part=parts.append,
    )  # fmt: skip
    assert until(lambda: parts)
    (worker,) = engine.pids()
    children = [int(pid) for pid in _children(worker)]
    assert len([pid for pid in children if alive(pid)]) >= 2
    engine.shutdown()
    assert until(lambda: not any(map(alive, children)))


def _children(pid: int) -> list[str]:
    from pathlib import Path

    return [child for task in Path(f"/proc/{pid}/task").iterdir() for child in (task / "children").read_text().split()]


def test_parts_that_cannot_be_kept_end_the_sweep(engine: Engine) -> None:
    reasons: list[Reason] = []

    def refuse(part: bytes) -> None:
        raise StoreUnavailable("The disk is full.")

    job = engine.submit(
        "simulation", SimulationWork(stage(), SWEEP), key="k", on_done=print, on_failed=reasons.append, on_part=refuse
    )
    assert job.wait(PATIENCE)
    assert job.state == "failed"
    assert reasons == [Reason(Ending.REFUSED, StoreUnavailable, "The disk is full.")]


def test_a_cluster_is_left_for_this_machine_where_private_counts_are_at_stake() -> None:
    assert SweepPlace("dask", address="tcp://somewhere:1").on_this_machine == SweepPlace("processes")
    assert SweepPlace("processes", 4).on_this_machine == SweepPlace("processes", 4)
