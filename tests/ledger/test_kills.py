from __future__ import annotations

import os
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest
from ledger.flow import NO_RESULT, ROUND, ROUNDS
from ledger.terms import key, people

from pmwpub.ledger import Ledger, backup, restore
from pmwpub.privacy.budget import ZCDP

AUDIT = int(os.environ.get("PMWPUB_AUDIT", "1"))
ITERATIONS = 108 * AUDIT


@pytest.mark.audit
def test_a_kill_at_any_boundary_leaves_no_uncharged_draw_and_no_second_one(url: str, tmp_path: Path) -> None:
    with Ledger.open(url) as ledger:
        ledger.register(people())
    if url.startswith("sqlite"):
        backup(url, tmp_path / "empty")
    log = tmp_path / "seen"
    command = [sys.executable, str(Path(__file__).with_name("killed.py")), url, str(log), str(ITERATIONS)]
    found = subprocess.run(command, capture_output=True, text=True, timeout=600 + 600 * AUDIT, check=False)
    assert found.returncode == 0, found.stderr
    assert "unwitnessed" not in log.read_text()
    drawn: dict[str, list[bytes]] = defaultdict(list)
    shown: dict[str, list[bytes]] = defaultdict(list)
    for line in log.read_text().splitlines():
        what, label, seen = line.split(" ")
        (drawn if what == "drew" else shown)[label].append(bytes.fromhex(seen))
    with Ledger.open(url) as ledger:
        fates = set()
        for label in map(str, range(ITERATIONS)):
            booking = ledger.booking("A", key(int(label)))
            assert booking is not None
            assert len(booking.charges) == 1
            assert len(drawn[label]) <= ROUNDS
            assert len(shown[label]) in (1, 2)
            assert len(set(shown[label])) == 1
            stored = shown[label][0]
            assert stored in (NO_RESULT, b"".join(drawn[label]))
            assert stored == (ledger.result(booking.id) if booking.status == "done" else NO_RESULT)
            fates.add((booking.status, bool(drawn[label])))
        assert fates == {("done", True), ("charged", True), ("charged", False)}
        assert ledger.balance("A").spent == ZCDP(ROUND * ROUNDS * ITERATIONS)
    if url.startswith("sqlite"):
        restore(url, tmp_path / "empty")
        with Ledger.open(url) as ledger:
            assert ledger.balance("A").spent == ZCDP(ROUND * ROUNDS * ITERATIONS)
