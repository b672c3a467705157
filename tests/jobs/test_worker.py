from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from jobs.conftest import Record
from jobs.waiting import PATIENCE, alive, until

from pmwpub.jobs import Engine
from pmwpub.jobs.worker import NICENESS

TESTS = Path(__file__).resolve().parents[1]
CANARY = "canary-5208"

SERVER = """
import sys, time
from jobs.sample_tasks import TASKS
from pmwpub.jobs import Engine
engine = Engine(2, tasks=TASKS)
job = engine.submit("stubborn", 60.0, key="k", on_done=print, on_failed=lambda reason: None)
while job.total == 0 or len(engine.pids()) < 2:
    time.sleep(0.01)
print(*engine.pids(), flush=True)
{ending}
"""


def server(ending: str) -> tuple[subprocess.Popen[str], list[int]]:
    """A program with an engine, a job that never reports, and an idle worker; and their process ids."""
    environment = {**os.environ, "PYTHONPATH": str(TESTS)}
    command = [sys.executable, "-c", SERVER.format(ending=ending)]
    program = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    assert program.stdout is not None
    return program, [int(pid) for pid in program.stdout.readline().split()]


def test_a_killed_program_leaves_no_worker_behind() -> None:
    program, workers = server("time.sleep(60)")
    with program:
        assert len(workers) == 2
        assert all(map(alive, workers))
        program.send_signal(signal.SIGKILL)
    assert until(lambda: not any(map(alive, workers)))


def test_a_program_ends_though_a_job_runs() -> None:
    program, workers = server("sys.exit(3)")
    with program:
        assert program.wait(PATIENCE) == 3
    assert until(lambda: not any(map(alive, workers)))


@pytest.fixture
def surroundings(engine: Engine, record: Record) -> dict[str, object]:
    record.run(engine, "surroundings", CANARY)
    found = record.results[0]
    assert isinstance(found, dict)
    return found


def test_a_worker_yields_to_the_page(surroundings: dict[str, object]) -> None:
    assert surroundings["niceness"] == min(19, os.nice(0) + NICENESS)


def test_a_worker_yields_within_the_session_of_the_page_and_ctrl_c_does_not_reach_it(engine: Engine) -> None:
    """Where Linux groups tasks by session, niceness counts within one: a session of its own would undo it."""
    assert until(lambda: len(engine.pids()) == 1)
    (worker,) = engine.pids()
    assert os.getsid(worker) == os.getsid(0)
    assert os.getpgid(worker) == worker != os.getpgid(0)


def test_a_worker_leaves_no_core_dump(surroundings: dict[str, object]) -> None:
    assert surroundings["core"] == (0, 0)


def test_a_worker_uses_one_thread_a_job(surroundings: dict[str, object]) -> None:
    environment = surroundings["environment"]
    assert isinstance(environment, dict)
    assert {environment[name] for name in ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS")} == {"1"}


def test_a_worker_knows_neither_the_ledger_nor_the_page(surroundings: dict[str, object]) -> None:
    environment, modules = surroundings["environment"], surroundings["modules"]
    assert isinstance(environment, dict)
    assert isinstance(modules, list)
    assert "PMWPUB_STORE" not in environment
    assert not {"streamlit", "sqlalchemy"} & set(modules)


def test_a_payload_is_neither_an_argument_nor_kept(engine: Engine, record: Record) -> None:
    job = record.start(engine, "stubborn", 60.0, key="runs")
    assert until(lambda: job.total == 2)
    record.start(engine, "refuse", CANARY, key="waits")
    (worker,) = engine.pids()
    for name in ("cmdline", "environ"):
        assert CANARY.encode() not in Path(f"/proc/{worker}/{name}").read_bytes()
    assert CANARY not in repr(engine._live)
    assert engine._live["runs"].payload == b""
