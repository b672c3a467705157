"""The same sweep on a Dask cluster of two workers: the same bits, also when one of them is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from evaluation.test_sweep import stage

from pmwpub.errors import JobFailed, PlanError
from pmwpub.evaluation import Found, Sweep, Task, simulate
from pmwpub.evaluation.dask_cluster import DaskCluster
from pmwpub.jobs import Engine
from pmwpub.tasks.simulation_work import SimulationWork, SweepPlace

pytest.importorskip("distributed")
SWEEP = Sweep((0.25, 0.5, 1.0, 2.0), rounds=(40,), runs=15)


@dataclass
class Cluster:
    """A scheduler and two workers, each a program of its own."""

    address: str
    workers: list[subprocess.Popen[bytes]]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    folder = tmp_path_factory.mktemp("dask")
    address = folder / "scheduler.json"
    environment = {**os.environ, "NUMBA_NUM_THREADS": "1", "PYTHONPATH": str(Path(__file__).resolve().parents[2])}

    def start(*arguments: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "distributed.cli." + arguments[0], *arguments[1:]]
        quiet = subprocess.DEVNULL
        return subprocess.Popen(command, cwd=folder, env=environment, stdout=quiet, stderr=quiet)

    where = ("--scheduler-file", str(address))
    scheduler = start("dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", *where)
    flags = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--host", "127.0.0.1")
    workers = [start("dask_worker", *where, *flags) for _ in range(2)]
    try:
        yield Cluster(_ready(address), workers)
    finally:
        for process in (*workers, scheduler):
            process.kill()
            process.wait()


def _ready(address: Path) -> str:
    from distributed import Client

    deadline = time.monotonic() + 60
    while not address.exists():
        assert time.monotonic() < deadline
        time.sleep(0.1)
    with Client(scheduler_file=str(address), set_as_default=False) as client:
        client.wait_for_workers(2, timeout=60)
        return str(client.scheduler.address)


def test_a_cluster_finds_the_same_to_the_bit(cluster: Cluster) -> None:
    assert (
        simulate(stage(), SWEEP, workers=DaskCluster(cluster.address)).to_bytes() == simulate(stage(), SWEEP).to_bytes()
    )


def test_a_job_of_the_engine_reports_progress_from_a_cluster_and_finds_the_same(cluster: Cluster) -> None:
    """What the page does with PMWPUB_DASK set: parts and progress come as they are found."""
    engine, parts, results, seen = Engine(1), [], [], set()
    try:
        work = SimulationWork(stage(), SWEEP, SweepPlace("dask", address=cluster.address))
        job = engine.submit(
            "simulation", work, key="k", on_done=results.append, on_failed=results.append, on_part=parts.append
        )
        while not job.wait(0.05):
            seen.add(job.done)
    finally:
        engine.shutdown()
    assert results == [simulate(stage(), SWEEP)]
    assert len(parts) == SWEEP.parts(2)
    assert len(seen) > 2, "progress moved on while it ran"


def test_private_counts_never_go_to_a_cluster(cluster: Cluster) -> None:
    with pytest.raises(PlanError, match="stay on this machine"):
        simulate(stage(private=True), SWEEP, workers=DaskCluster(cluster.address))


def test_an_address_where_nobody_answers_is_refused_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pmwpub.evaluation.dask_cluster.CONNECT_SECONDS", 1)
    with pytest.raises(JobFailed, match="No Dask scheduler"):
        simulate(stage(), SWEEP, workers=DaskCluster("tcp://127.0.0.1:9"))


def test_a_killed_worker_loses_no_finished_run(cluster: Cluster) -> None:
    """The last test of this module: it leaves one worker."""
    found: list[Task] = []
    sweep = replace(SWEEP, runs=15, first_seed=100)

    def note(task: Task, result: Found) -> None:
        found.append(task)
        if len(found) == 30:
            cluster.workers[0].send_signal(signal.SIGKILL)
            cluster.workers[0].wait()

    there = simulate(stage(), sweep, workers=DaskCluster(cluster.address), on_found=note)
    assert len(there.errors) == 2 * 4 * (15 + 1)
    assert len(found) == len(set(found)) == sweep.parts(2)
    assert there.to_bytes() == simulate(stage(), sweep).to_bytes()
