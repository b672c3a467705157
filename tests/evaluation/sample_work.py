"""Work for tests, imported by worker processes. Nothing here is in pmwpub."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from pmwpub.errors import PlanError


def square(offset: int, task: int) -> int:
    """A task that only its arguments decide."""
    return offset + task * task


def refuse(shared: str, task: int) -> int:
    raise PlanError(f"{shared} {task}")


def die_once(folder: str, task: int) -> int:
    """The first worker that gets task 3 is killed by it; the next one is not. Each task leaves a line."""
    with Path(folder, "log").open("a") as log:
        log.write(f"{task}\n")
    try:
        if task == 3:
            Path(folder, "killed").touch(exist_ok=False)
            os.kill(os.getpid(), signal.SIGKILL)
    except FileExistsError:
        pass
    return task


def always_die(shared: object, task: int) -> int:
    if task == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return task


def surroundings(shared: list[int], task: int) -> tuple[int, int, str, str]:
    """Process, identity of the shared input, and how many threads its libraries may use."""
    return os.getpid(), id(shared), os.environ["NUMBA_NUM_THREADS"], os.environ["OPENBLAS_NUM_THREADS"]


def linger(folder: str, task: int) -> int:
    """Tell one's process, then take long, then tell that it was not stopped."""
    import time

    Path(folder, str(os.getpid())).touch()
    time.sleep(120)
    Path(folder, "not stopped").touch()
    return task
