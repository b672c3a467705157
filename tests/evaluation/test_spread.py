"""Many tasks over any executor: each is done once and kept, whoever dies meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest
from evaluation.sample_work import always_die, die_once, linger, refuse, square, surroundings
from jobs.waiting import alive, until

from pmwpub.errors import JobCancelled, JobFailed, PlanError
from pmwpub.evaluation import Borrowed, Here, LocalProcesses, Workers
from pmwpub.evaluation.spread import _collect, spread

PLACES: dict[str, Callable[[], Workers]] = {
    "here": Here,
    "a borrowed executor": lambda: Borrowed(ThreadPoolExecutor(2), 2),
    "processes": lambda: LocalProcesses(2),
}


@pytest.mark.parametrize("place", PLACES)
def test_every_task_is_done_once_wherever(place: str) -> None:
    told: list[tuple[int, int]] = []
    done = spread(
        square, 100, range(9), PLACES[place](), known={}, on_found=lambda task, found: told.append((task, found))
    )
    assert done == {task: 100 + task * task for task in range(9)}
    assert sorted(told) == sorted(done.items())


def test_what_is_known_is_not_done_again_and_still_leads_on() -> None:
    told: list[int] = []
    done = spread(
        square, 0, [1, 2], Here(), known={2: -7, 30: -9},
        then=lambda task, found: [task * 10, task * 10 + 1] if task < 10 else (),
        on_found=lambda task, found: told.append(task),
    )  # fmt: skip
    assert done == {1: 1, 2: -7, 10: 100, 11: 121, 20: 400, 21: 441}
    assert sorted(told) == [1, 10, 11, 20, 21]


def test_a_refusal_of_a_task_ends_the_work() -> None:
    for place in PLACES.values():
        with pytest.raises(PlanError, match="no 5"):
            spread(refuse, "no", [5], place(), known={})


def test_a_killed_worker_loses_no_finished_task(tmp_path: Path) -> None:
    told: list[int] = []
    done = spread(
        die_once, str(tmp_path), range(12), LocalProcesses(2), known={}, on_found=lambda task, _: told.append(task)
    )
    assert done == {task: task for task in range(12)}
    assert sorted(told) == list(range(12)), "each task is found once"
    assert (tmp_path / "killed").exists()
    # Only what ran or waited in the dead crew is done again: at most two tasks a worker.
    assert len((tmp_path / "log").read_text().split()) <= 12 + 4


def test_a_task_that_kills_every_worker_ends_the_work_after_three_losses() -> None:
    kept: list[int] = []
    with pytest.raises(JobFailed, match="lost 3 times"):
        spread(always_die, None, range(6), LocalProcesses(1), known={}, on_found=lambda task, _: kept.append(task))
    assert kept == [0, 1]


def test_results_that_are_ready_together_are_told_in_the_order_of_their_tasks() -> None:
    futures: list[Future[int]] = [Future() for _ in range(40)]
    for place, future in enumerate(futures):
        future.set_result(place * place)
    running = {future: place for place, future in enumerate(futures)}
    told: list[tuple[int, int]] = []
    with Borrowed(ThreadPoolExecutor(1), 1).open(None) as crew:
        _collect(set(futures), running, crew, lambda task, found: told.append((task, found)))
    assert told == [(place, place * place) for place in range(40)]
    assert not running


def test_a_worker_process_has_one_thread_and_the_shared_input_once() -> None:
    done = spread(surroundings, list(range(1000)), range(8), LocalProcesses(2), known={})
    assert {threads for _, _, *threads in done.values() for threads in threads} == {"1"}
    by_process = {
        process: {identity for p, identity, *_ in done.values() if p == process} for process, *_ in done.values()
    }
    assert all(len(identities) == 1 for identities in by_process.values())


def test_cancelling_ends_the_processes(tmp_path: Path) -> None:
    def tick() -> None:
        if len(list(tmp_path.iterdir())) == 2:
            raise JobCancelled("stop")

    with pytest.raises(JobCancelled):
        spread(linger, str(tmp_path), range(4), LocalProcesses(2), known={}, tick=tick)
    assert not (tmp_path / "not stopped").exists()
    workers = [int(path.name) for path in tmp_path.iterdir()]
    assert until(lambda: not any(map(alive, workers)))
