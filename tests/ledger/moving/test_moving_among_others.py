"""Moves beside purchases, backups, and stores of earlier versions."""

from __future__ import annotations

import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from ledger.moving.moved import PLAN, SPENT, filled, move, next_key, seen
from ledger.old_stores import put
from ledger.terms import charge, key, people

from pmwpub.errors import LedgerError, PopulationClosed, PopulationExists, StoreUnavailable
from pmwpub.ledger import Ledger, backup, reconcile, restore
from pmwpub.privacy.budget import ZCDP
from pmwpub.service.moving.population_moves import export_population, import_population

BUYERS, PURCHASES = 3, 12


@pytest.mark.every_way
def test_whoever_buys_meanwhile_is_in_the_export_or_is_refused(
    here: Ledger, there: Ledger, way: tuple[str, str], tmp_path: Path
) -> None:
    before = threading.Event()

    def buyer(number: int) -> list[str]:
        bought = []
        with Ledger.open(way[0]) as ledger:
            for at in range(PURCHASES):
                try:
                    booking = ledger.book("A", key((number, at)), PLAN, [charge(1)])
                except PopulationClosed:
                    return bought
                ledger.finish(booking.id, b"%d" % at)
                bought.append(booking.key.plan_sha256)
                before.wait(0.02 * number)  # the export needs a moment at which nobody is at work
        return bought

    def export() -> None:
        while True:
            try:
                export_population(here, "A", there.address("A"), tmp_path / "a.zip")
            except LedgerError as refusal:
                if "still worked on" not in str(refusal):
                    raise
            else:
                return before.set()

    with ThreadPoolExecutor(BUYERS + 1) as threads:
        bought = [threads.submit(buyer, number) for number in range(BUYERS)]
        threads.submit(export).result(timeout=120)
        sold = [one for buying in bought for one in buying.result(timeout=120)]
    import_population(there, tmp_path / "a.zip")
    assert seen(there) == seen(here)
    assert there.balance("A").spent == ZCDP(SPENT + len(sold))
    assert {one.key.plan_sha256 for one in there.bookings("A")} >= set(sold)


def test_a_copy_of_before_the_export_fails_closed_and_is_closed_again(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/here.sqlite3"
    with Ledger.open(url) as here, Ledger.open(f"sqlite:///{tmp_path}/there.sqlite3") as there:
        filled(here)
        backup(url, tmp_path / "copy")
        move(here, there, tmp_path / "a.zip")
        kept = seen(here)
    shutil.copy(tmp_path / "copy", tmp_path / "here.sqlite3")
    with pytest.raises(StoreUnavailable, match="lacks 1 recorded decisions"):
        Ledger.open(url)
    reconcile(url)
    restore(url, tmp_path / "copy")
    with Ledger.open(url) as here:
        with pytest.raises(PopulationClosed):
            here.book("A", next_key(), PLAN, [charge(1)])
        assert seen(here) == kept


def test_a_copy_of_before_the_import_fails_closed_and_takes_nothing_in_a_second_time(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/there.sqlite3"
    with Ledger.open(f"sqlite:///{tmp_path}/here.sqlite3") as here, Ledger.open(url) as there:
        filled(here)
        there.register(people("own"))
        backup(url, tmp_path / "copy")
        move(here, there, tmp_path / "a.zip")
        there.book("A", next_key(), PLAN, [charge(19)])
    shutil.copy(tmp_path / "copy", tmp_path / "there.sqlite3")
    with pytest.raises(StoreUnavailable, match="lacks"):
        Ledger.open(url)
    reconcile(url)
    with Ledger.open(url) as there:
        assert there.balance("A").spent == ZCDP(SPENT + 19)
        assert import_population(there, tmp_path / "a.zip").again
        assert there.balance("A").spent == ZCDP(SPENT + 19)


def test_a_receiving_store_whose_witness_fails_takes_nothing_in(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/there.sqlite3"
    with Ledger.open(f"sqlite:///{tmp_path}/here.sqlite3") as here, Ledger.open(url) as there:
        there.register(people("own"))
        there.book("own", key("own"), PLAN, [charge(1)])
        export_population(filled(here), "A", there.address("A"), tmp_path / "a.zip")
        witness = tmp_path / "there.sqlite3.witness"
        witness.rename(tmp_path / "aside")
        with pytest.raises(StoreUnavailable):
            import_population(there, tmp_path / "a.zip")
        assert [one.name for one in there.populations()] == ["own"]
        (tmp_path / "aside").rename(witness)
        import_population(there, tmp_path / "a.zip")
        assert witness.read_text().count('"booking"') == 5


def test_populations_of_a_store_of_version_1_move(tmp_path: Path) -> None:
    """Ohio has a result, a plan without one, and one that broke off; ohio would look like it in one store."""
    url = put(f"sqlite:///{tmp_path}/old.sqlite3")
    with Ledger.open(url) as here, Ledger.open(f"sqlite:///{tmp_path}/there.sqlite3") as there:
        alike = there.address("ohio")
        for name in ("people", "Ohio"):
            move(here, there, tmp_path / f"{name}.zip", name)
            assert there.balance(name) == here.balance(name)
            assert [one.result for one in there.bookings(name)] == [one.result for one in here.bookings(name)]
        assert [one.status for one in there.bookings("Ohio")] == ["done", "no result", "no result"]
        assert there.result(there.bookings("Ohio")[0].id) == bytes(range(256))
        export_population(here, "ohio", alike, tmp_path / "ohio.zip")
        with pytest.raises(PopulationExists, match="looks like"):
            import_population(there, tmp_path / "ohio.zip")


def test_a_damaged_result_is_found_before_anything_is_closed(here: Ledger, there: Ledger, tmp_path: Path) -> None:
    with here._database._writer.begin() as connection:
        connection.exec_driver_sql("DROP TRIGGER results_no_update")
        connection.exec_driver_sql("UPDATE results SET body = x'00' WHERE length(body) = 7")
    with pytest.raises(StoreUnavailable, match="damaged"):
        export_population(here, "A", there.address("A"), tmp_path / "a.zip")
    assert here.closing("A") is None
