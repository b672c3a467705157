"""Run as a program: moves that are killed with signal 9 anywhere between two lines, then finished as is documented.

Prints, as JSON, for each move at which line it was killed, which stores sold the population then and in the end, and
whether the file that was there had the bytes of the one that was written again.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import FrameType

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from ledger.moving.moved import PLAN
from ledger.terms import charge, key, people

from pmwpub.errors import ExportRefused, PopulationClosed, UnknownPopulation
from pmwpub.ledger import Ledger
from pmwpub.service.moving import population_moves
from pmwpub.service.moving.population_moves import export_population, import_population

PACKAGE = str(Path(population_moves.__file__).parents[2])
STEPS = ("ledger/parts/", "ledger/moving/", "ledger/database.py", "outputs.py", "service/moving/")
WITNESS = "recovery/witness.py"
"""Of the witness, which is read whole, only the appending counts as steps: each move has as many as the one before."""


def register(here: Ledger, name: str) -> None:
    here.register(people(name))
    booking = here.book(name, key("first"), PLAN, [charge(7)])
    here.finish(booking.id, name.encode() * 1000)
    here.put_document(name, "candidate", "k", name.encode() * 2000)


def move(here: Ledger, there: Ledger, name: str, file: Path) -> None:
    address = there.address(name)
    export_population(here, name, address, file)
    here.confirm_arrival(name, import_population(there, file).receipt)


def finish(here: Ledger, there: Ledger, name: str, file: Path, again: Path) -> bool:
    """What the documents say is to be done after a crash: each step again, from the first that is not known to be over.

    Returns whether a file that was there has the bytes of the one that was written again.
    """
    address = json.loads(file.with_suffix(".address").read_text())
    export_population(here, name, address, again)
    here.confirm_arrival(name, import_population(there, again).receipt)
    assert import_population(there, again).again
    return not file.exists() or file.read_bytes() == again.read_bytes()


def sells(url: str, name: str) -> bool:
    """Whether a store sells a population: by its state, and a purchase is tried in each that says so."""
    with Ledger.open(url) as ledger, suppress(UnknownPopulation, PopulationClosed):
        if ledger.closing(name) is None:
            return ledger.book(name, key("first"), PLAN, [charge(7)]) is not None
    return False


def traced(work: Callable[[], None], fatal: int | None) -> int:
    """How many lines of the steps `work` runs; the process is killed at the one of number `fatal`."""
    seen = 0

    def line(_frame: FrameType, event: str, _argument: object) -> object:
        nonlocal seen
        if event == "line":
            seen += 1
            if seen == fatal:
                os.kill(os.getpid(), signal.SIGKILL)
        return line

    def call(frame: FrameType, _event: str, _argument: object) -> object:
        name, function = frame.f_code.co_filename, frame.f_code.co_name
        counted = any(step in name for step in STEPS) or (WITNESS in name and function == "append")
        return line if name.startswith(PACKAGE) and counted and not function.startswith("<") else None

    sys.settrace(call)
    try:
        work()
    finally:
        sys.settrace(None)
    return seen


def forked(work: Callable[[], None]) -> bool:
    """Whether a child that does the work comes to its end."""
    child = os.fork()
    if child == 0:
        work()
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def attempt(urls: tuple[str, str], folder: Path, name: str, fatal: int | None) -> int:
    """One move of a new population, killed at a line; returns how many lines there were."""
    file = folder / f"{name}.zip"
    with Ledger.open(urls[0]) as here, Ledger.open(urls[1]) as there:
        register(here, name)
        file.with_suffix(".address").write_text(json.dumps(there.address(name)))
        return traced(lambda: move(here, there, name, file), fatal)


def main(here: str, there: str, folder: str, kills: int) -> None:
    place, urls, found = Path(folder), (here, there), []
    lines = attempt(urls, place, "whole", None)
    for at in range(kills):
        name, fatal = f"town {at}", 1 + at * (lines - 1) // (kills - 1)
        ended = forked(lambda name=name, fatal=fatal: attempt(urls, place, name, fatal) and None)  # type: ignore[misc]
        sold = [sells(url, name) for url in urls]
        with Ledger.open(here) as source, Ledger.open(there) as target, suppress(ExportRefused):
            same = finish(source, target, name, place / f"{name}.zip", place / f"{name} again.zip")
        found.append(
            {"line": fatal, "ended": ended, "sold": sold, "same": same, "last": [sells(u, name) for u in urls]}
        )
    print(json.dumps({"lines": lines, "moves": found}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))
