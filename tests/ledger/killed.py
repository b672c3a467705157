"""Run as a program: releases that are killed with signal 9 at a boundary, then opened again. Writes what was seen.

A line of the log is "drew KEY BYTES" or "showed KEY BYTES", or "unwitnessed KEY BYTES" for a draw whose charge does not
stand outside the database yet.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from ledger.flow import release
from ledger.terms import key
from sqlalchemy import event

from pmwpub.ledger import Ledger
from pmwpub.ledger.recovery.witness import Witness
from pmwpub.ledger.recovery.witness_lines import BookingLine

STEPS = ("before the charge", "after the charge", "after the draw", "after the result")
COMMITS = (1, 2)
WITNESSING = ("before the witness", "inside the witness", "after the witness")


def run(url: str, log: int, label: int, fatal: str | int | None) -> None:
    """One release in this process, killed at the step or just before the commit named by `fatal`."""
    ledger = Ledger.open(url)
    plan = key(label)
    commits = 0

    def committing(_connection: object) -> None:
        nonlocal commits
        commits += 1
        if commits == fatal:
            os.kill(os.getpid(), signal.SIGKILL)

    def reached(step: str) -> None:
        if step == fatal:
            os.kill(os.getpid(), signal.SIGKILL)

    def draw() -> bytes:
        drawn = os.urandom(4)
        if witness.suffix and plan.plan_sha256 not in witness.read_text():
            note("unwitnessed", drawn)
        note("drew", drawn)
        return drawn

    def note(what: str, shown: bytes) -> None:
        os.write(log, f"{what} {label} {shown.hex()}\n".encode())

    witness = Path(url.removeprefix("sqlite:///") + ".witness") if url.startswith("sqlite") else Path("none")
    event.listen(ledger._database._writer, "commit", committing)
    if fatal in WITNESSING:
        Witness.append = _killed_at(str(fatal), Witness.append)  # type: ignore[method-assign]
    note("showed", release(ledger, plan, draw, reached=reached))
    os._exit(0)


def _killed_at(moment: str, append: Callable[[Witness, list[object]], None]) -> Callable[[Witness, list[object]], None]:
    """An append that ends this process before, half-way through or after the writing of a booking."""
    real = os.write

    def half(descriptor: int, body: bytes) -> int:
        real(descriptor, body[: len(body) // 2])
        os.kill(os.getpid(), signal.SIGKILL)
        return 0

    def witnessed(self: Witness, lines: list[object]) -> None:
        booking = any(isinstance(line, BookingLine) for line in lines)
        if booking and moment == "before the witness":
            os.kill(os.getpid(), signal.SIGKILL)
        if booking and moment == "inside the witness":
            os.write = half  # type: ignore[assignment]
        append(self, lines)
        if booking and moment == "after the witness":
            os.kill(os.getpid(), signal.SIGKILL)

    return witnessed


def forked(work: Callable[[], None], *, kill_after: float | None = None) -> None:
    child = os.fork()
    if child == 0:
        work()
    if kill_after is not None:
        time.sleep(kill_after)
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def main(url: str, log_path: str, iterations: int) -> None:
    log = os.open(log_path, os.O_CREAT | os.O_APPEND | os.O_WRONLY)
    generator = random.Random(0)
    witnessing = WITNESSING if url.startswith("sqlite") else ()
    fates = [*STEPS, *COMMITS, *witnessing, None, None, None]
    for label in range(iterations):
        fatal = fates[label % len(fates)]
        after = generator.uniform(0.0, 0.06) if fatal is None else None
        forked(lambda at=label, end=fatal: run(url, log, at, end), kill_after=after)  # type: ignore[misc]
        forked(lambda at=label: run(url, log, at, None))  # type: ignore[misc]


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
