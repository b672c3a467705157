"""Whole numbers of any type are stored as numbers, and what is none is refused before it is stored."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pmwpub.errors import LedgerError, StoreUnavailable
from pmwpub.ledger import Charge, Ledger, PlanKey, Population
from pmwpub.ledger.recovery.store_guard import Guard
from pmwpub.privacy.budget import ZCDP

CHARGE = Charge("release", "PMW^Pub", "1 row", "2 rows", ZCDP(7))
KEY = "ab" * 32


def town(**terms: Any) -> Population:
    given: dict[str, Any] = {"name": "town", "n": 300, "rows_per_person": 1, "unit": "one", "epsilon": Fraction(1)}
    return Population(**(given | {"delta": Fraction(1, 1000)} | terms))


def url_of(folder: Path) -> str:
    return f"sqlite:///{folder}/ledger.sqlite3"


@pytest.mark.parametrize("kind", [np.int64, np.uint8, np.int32])
def test_numpy_integers_are_stored_as_numbers_and_the_store_opens_again(tmp_path: Path, kind: Any) -> None:
    with Ledger.open(url_of(tmp_path)) as ledger:
        ledger.register(town(n=kind(100), rows_per_person=kind(2)))
        ledger.amend("town", n=kind(101))
        for repeat in (0, 1):
            assert ledger.book("town", PlanKey(KEY, kind(repeat)), "{}", [CHARGE]).fresh
            assert not ledger.book("town", PlanKey(KEY, repeat), "{}", [CHARGE]).fresh
    with Ledger.open(url_of(tmp_path)) as again:
        assert again.population("town") == town(n=101, rows_per_person=2)
        assert [one.key for one in again.bookings("town")] == [PlanKey(KEY, 0), PlanKey(KEY, 1)]


@pytest.mark.parametrize("number", [True, 300.0, 300.5, "300", np.float64(300), np.bool_(True), None])
def test_what_is_no_whole_number_is_refused_in_words(number: Any) -> None:
    for made in (lambda: town(n=number), lambda: town(rows_per_person=number), lambda: PlanKey(KEY, number)):
        with pytest.raises(LedgerError, match="must be a whole number"):
            made()


def test_what_is_no_text_is_refused_in_words() -> None:
    for made in (lambda: town(name=5), lambda: town(unit=None), lambda: Charge(1, "m", "s", "s", ZCDP(1))):  # type: ignore[arg-type]
        with pytest.raises(LedgerError, match="must be text"):
            made()


def test_a_booking_that_the_witness_could_not_hold_is_not_committed(tmp_path: Path) -> None:
    with Ledger.open(url_of(tmp_path)) as ledger:
        ledger.register(town())
        with pytest.raises(LedgerError, match="no record can hold"):
            ledger.book("town", PlanKey(KEY), b"{}", [CHARGE])  # type: ignore[arg-type]
        assert ledger.history("town") == []
        with pytest.raises(StoreUnavailable):
            ledger.mark("town", "opened", b"note")  # type: ignore[arg-type]
        assert ledger.marks("town") == []
    Ledger.open(url_of(tmp_path)).close()


@pytest.mark.parametrize("failure", [ValueError, KeyboardInterrupt])
def test_whatever_keeps_the_witness_from_a_booking_leaves_it_without_a_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failure: type[BaseException]
) -> None:
    def fails(*_: object) -> None:
        raise failure

    with Ledger.open(url_of(tmp_path)) as ledger:
        ledger.register(town())
        monkeypatch.setattr(Guard, "record", fails)
        with pytest.raises(failure):
            ledger.book("town", PlanKey(KEY), "{}", [CHARGE])
        assert [one.status for one in ledger.bookings("town")] == ["no result"]
