"""The engine's end of one worker process."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import threading
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pmwpub

_ONE_THREAD = ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")
_WITHHELD = ("PMWPUB_STORE", "PMWPUB_WITNESS", "PYTHONFAULTHANDLER")


def environment() -> dict[str, str]:
    """A worker's environment: one thread, the same package, and neither the ledger's address nor crash dumps."""
    kept = {name: value for name, value in os.environ.items() if name not in _WITHHELD}
    package = str(Path(pmwpub.__file__).parents[1])
    path = os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH")]))
    return {**kept, **dict.fromkeys(_ONE_THREAD, "1"), "PYTHONPATH": path}


class WorkerProcess:
    """A child that runs `python -m pmwpub.jobs` on the other end of a socket pair.

    Only this object holds the near end, so the worker sees it close when this program ends, however it ends.
    `preload` names the task functions to import at once, so that the first job need not wait for them.
    A worker has a process group of its own: Ctrl+C in a terminal stops the program, which then ends its workers. It
    stays in the program's session all the same. Linux shares a core out between sessions first where it groups tasks by
    session (`man 7 sched`, autogroup), and a worker's niceness would then count for nothing against the server's pages.
    """

    def __init__(self, preload: Iterable[str] = ()) -> None:
        self._near, far = multiprocessing.Pipe()
        self._sending = threading.Lock()
        command = [sys.executable, "-m", "pmwpub.jobs", str(far.fileno())]
        quiet = subprocess.DEVNULL
        try:
            self._process = subprocess.Popen(
                command,
                pass_fds=(far.fileno(),),
                env=environment(),
                stdin=quiet,
                stdout=quiet,
                stderr=quiet,
                process_group=0,
            )
        except OSError:
            self._near.close()
            raise
        finally:
            far.close()
        with suppress(OSError):
            self.send("import", sorted(preload))

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def send(self, *message: object) -> None:
        """Send one message whole; OSError if the worker is gone."""
        with self._sending:
            self._near.send(message)

    def receive(self, seconds: float) -> tuple[Any, ...] | None:
        """The next message, or None if none comes in time; EOFError or OSError if the worker is gone."""
        return self._near.recv() if self._near.poll(seconds) else None

    def stop(self, serial: int) -> None:
        """Ask the task to stop at its next progress report."""
        with suppress(OSError):
            self.send("stop", serial)

    def kill(self) -> None:
        """End the worker at once."""
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """End the worker and give back its pipe."""
        self.kill()
        self._near.close()
