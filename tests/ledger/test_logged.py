"""What is logged of purchases: that they were charged and how they ended, and nothing that private rows decide."""

from __future__ import annotations

import json
import logging
from fractions import Fraction
from pathlib import Path

import pytest

from pmwpub.errors import LedgerError, Overspent
from pmwpub.ledger import Charge, PlanKey, Population
from pmwpub.ledger.logged import LOG, LoggedLedger, log_lines
from pmwpub.privacy.budget import ZCDP


def charge(rho: str) -> list[Charge]:
    return [Charge("release", "PMW^Pub", "1", "2", ZCDP.at_most(Fraction(rho)))]


def test_a_line_each_for_charge_result_and_no_result_and_none_for_what_was_refused_or_repeated(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger=LOG.name)
    with LoggedLedger.open(f"sqlite:///{tmp_path}/ledger.sqlite3") as ledger:
        ledger.register(Population("people", 100, 1, "one person", Fraction(1), Fraction(1, 10_000)))
        one = ledger.book("people", PlanKey("a" * 64, 0), "{}", charge("0.01"))
        two = ledger.book("people", PlanKey("b" * 64, 0), "{}", charge("0.005"))
        ledger.book("people", PlanKey("a" * 64, 0), "{}", charge("0.01"))
        with pytest.raises(Overspent):
            ledger.book("people", PlanKey("c" * 64, 0), "{}", charge("9"))
        ledger.finish(one.id, b"result")
        ledger.void(two.id)
        with pytest.raises(LedgerError):
            ledger.finish(two.id, b"late")
    lines = [json.loads(record.message) for record in caplog.records if record.name == LOG.name]
    assert [line.pop("time") != "" for line in lines] == [True] * 4
    assert lines == [
        {"event": "charge", "booking": one.id, "rho": pytest.approx(0.01)},
        {"event": "charge", "booking": two.id, "rho": pytest.approx(0.005)},
        {"event": "done", "booking": one.id},
        {"event": "no result", "booking": two.id},
    ]


def test_the_lines_are_written_once_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LOG, "handlers", [])
    monkeypatch.setattr(LOG, "propagate", LOG.propagate)
    for _ in range(3):
        log_lines()
    assert len(LOG.handlers) == 1
