"""Run as a program: 32 processes that spend from one population at the same time. Prints their fresh bookings."""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from ledger.terms import charge, key, people

from pmwpub.errors import Overspent
from pmwpub.ledger import Ledger

WRITERS = 32
PLANS = 10


def write(url: str, writer: int, units: int) -> int:
    """Register, then book one plan that all share and ten of one's own; how many bookings were fresh."""
    fresh = 0
    with Ledger.open(url) as ledger:
        ledger.register(people())
        fresh += 1000 * ledger.book("A", key("shared"), "{}", [charge(units)]).fresh
        for plan in range(PLANS):
            try:
                fresh += ledger.book("A", key((writer, plan)), "{}", [charge(units - 1), charge(1)]).fresh
            except Overspent:
                continue
    return fresh


def main(url: str, units: int) -> None:
    children = []
    for writer in range(WRITERS):
        source, sink = os.pipe()
        if os.fork() == 0:
            os.write(sink, str(write(url, writer, units)).encode())
            os._exit(0)
        os.close(sink)
        children.append(source)
    print(sum(int(os.read(source, 20)) for source in children))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
