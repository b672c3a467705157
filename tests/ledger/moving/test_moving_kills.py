from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from ledger.moving.moved import PLAN
from ledger.terms import charge, key

from pmwpub.ledger import Ledger
from pmwpub.privacy.budget import ZCDP

AUDIT = int(os.environ.get("PMWPUB_AUDIT", "1"))
KILLS = 12 * AUDIT


@pytest.mark.audit
def test_a_kill_at_any_line_of_a_move_leaves_at_most_one_open_copy_and_a_way_to_finish(
    way: tuple[str, str], tmp_path: Path
) -> None:
    command = [sys.executable, str(Path(__file__).with_name("killed_moves.py")), *way, str(tmp_path), str(KILLS)]
    found = subprocess.run(command, capture_output=True, text=True, timeout=300 + 300 * AUDIT, check=False)
    assert found.returncode == 0, found.stderr
    moves = json.loads(found.stdout)["moves"]
    assert len(moves) == KILLS
    assert not any(one["ended"] for one in moves)
    assert {tuple(one["sold"]) for one in moves} == {(True, False), (False, False), (False, True)}
    assert all(one["last"] == [False, True] and one["same"] for one in moves)
    with Ledger.open(way[0]) as here, Ledger.open(way[1]) as there:
        for name in [f"town {at}" for at in range(KILLS)]:
            assert there.balance(name).spent == here.balance(name).spent == ZCDP(7)
            assert there.result(there.bookings(name)[0].id) == name.encode() * 1000
            assert there.document(name, "candidate", "k") == name.encode() * 2000
            assert there.book(name, key("next"), PLAN, [charge(1)]).fresh
