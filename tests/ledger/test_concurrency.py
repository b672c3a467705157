from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

from ledger.crowd import PLANS, WRITERS
from ledger.terms import charge, key, people

from pmwpub.errors import Overspent
from pmwpub.ledger import Ledger

CROWD = Path(__file__).with_name("crowd.py")


def test_32_processes_never_overspend(url: str) -> None:
    affordable = WRITERS * PLANS // 4
    units = people().total.units // affordable
    command = [sys.executable, str(CROWD), url, str(units)]
    found = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert found.returncode == 0, found.stderr
    shared, own = divmod(int(found.stdout), 1000)
    with Ledger.open(url) as ledger:
        balance = ledger.balance("A")
        assert shared == 1
        assert own == affordable - 1
        assert balance.spent.units == units * affordable <= balance.total.units
        assert len(ledger.bookings("A")) == affordable


def test_32_threads_never_overspend(ledger: Ledger) -> None:
    ledger.register(people())
    units = people().total.units // 40
    fresh: list[bool] = []

    def write(writer: int) -> None:
        for plan in range(3):
            try:
                fresh.append(ledger.book("A", key((writer, plan)), "{}", [charge(units)]).fresh)
            except Overspent:
                continue

    threads = [threading.Thread(target=write, args=(writer,)) for writer in range(32)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert fresh == [True] * 40
    assert ledger.balance("A").spent.units == 40 * units
