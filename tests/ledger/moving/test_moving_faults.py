"""The checks of a move fail on the faults that they are named for."""

from __future__ import annotations

from pathlib import Path

import pytest
from ledger.moving.moved import PLAN, move, next_key
from ledger.terms import charge
from support.planting import plant

from pmwpub.errors import ExportRefused, PopulationClosed
from pmwpub.ledger import Ledger, bookings
from pmwpub.ledger.moving import arrivals, closings
from pmwpub.service.moving.population_moves import import_population


def sold_in_both(here: Ledger, there: Ledger) -> bool:
    """Whether both stores sell the same population."""
    sold = []
    for ledger in (here, there):
        try:
            sold.append(ledger.book("A", next_key(), PLAN, [charge(1)]).fresh)
        except PopulationClosed:
            sold.append(False)
    return all(sold)


def taken_in_twice(here: Ledger, there: Ledger, folder: Path) -> bool:
    """Whether a third store takes in what the second one did."""
    move(here, there, folder / "a.zip")
    with Ledger.open(f"sqlite:///{folder}/third.sqlite3") as third:
        try:
            return not import_population(third, folder / "a.zip").again
        except ExportRefused:
            return False


def test_what_is_checked_holds(here: Ledger, there: Ledger, tmp_path: Path) -> None:
    assert not taken_in_twice(here, there, tmp_path)
    assert not sold_in_both(here, there)


@pytest.mark.fault("a purchase that does not ask whether the population is closed")
def test_a_purchase_that_does_not_ask_whether_the_population_is_closed_is_caught(
    here: Ledger, there: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    move(here, there, tmp_path / "a.zip")
    plant(monkeypatch, bookings, "_refuse", "require_open(connection, population_id)", "pass")
    assert sold_in_both(here, there)


@pytest.mark.fault("a move that leaves the population open")
def test_a_move_that_leaves_the_population_open_is_caught(
    here: Ledger, there: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bookings, "require_open", lambda *asked: closings.require_open(*asked))
    plant(monkeypatch, closings, "require_open", "if found is not None:", "if found and not found.departure:")
    move(here, there, tmp_path / "a.zip")
    assert sold_in_both(here, there)


@pytest.mark.fault("an export that any store takes in")
def test_an_export_that_any_store_takes_in_is_caught(
    here: Ledger, there: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch, arrivals, "known_already", "not hmac.compare_digest", "None is hmac.compare_digest")
    assert taken_in_twice(here, there, tmp_path)
