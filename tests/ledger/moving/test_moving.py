"""A moved population is the same in the other store, and its budget is spent in one place only."""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import stat
import zipfile
from pathlib import Path

import pytest
from ledger.moving.moved import BYTES, PLAN, PRIVATE, SPENT, VIEW, move, next_key, seen
from ledger.terms import charge, key, people
from sqlalchemy import select

from pmwpub.errors import (
    ExportRefused,
    FileRefused,
    LedgerError,
    Overspent,
    PmwPubError,
    PopulationClosed,
    PopulationExists,
    UnknownPopulation,
)
from pmwpub.ledger import Ledger, tables
from pmwpub.ledger.moving.closings import closing_of
from pmwpub.ledger.moving.receipts import address_of, ticket
from pmwpub.privacy.budget import ZCDP
from pmwpub.service.moving.population_moves import export_population, import_population
from pmwpub.service.purchases.caveats import SEEN, with_remarks

CLOSED = "was moved to another server"


def _again(ledger: Ledger, name: str = "A") -> bytes:
    stream = io.BytesIO()
    ledger.write_export(name, stream)
    return stream.getvalue()


# What arrives


@pytest.mark.every_way
def test_terms_sums_plans_results_and_documents_are_the_same(here: Ledger, there: Ledger, tmp_path: Path) -> None:
    before = seen(here)
    move(here, there, tmp_path / "a.zip")
    assert seen(there) == before == seen(here)
    assert there.balance("A").spent == ZCDP(SPENT)
    assert there.result(there.bookings("A")[0].id) == BYTES
    assert [one.repeat for one in (booking.key for booking in there.bookings("A"))] == [0, 0, 0, 1]


@pytest.mark.every_way
def test_what_is_left_there_is_what_was_left_here_to_the_unit(here: Ledger, there: Ledger, tmp_path: Path) -> None:
    left = here.balance("A").remaining.units
    move(here, there, tmp_path / "a.zip")
    with pytest.raises(Overspent):
        there.book("A", next_key(), PLAN, [charge(left + 1)])
    assert there.book("A", next_key(), PLAN, [charge(left)]).fresh
    assert there.balance("A").remaining == ZCDP(0)


def test_the_export_is_its_writer_s_alone_to_read_as_the_store_is(here: Ledger, there: Ledger, tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        export_population(here, "A", there.address("A"), tmp_path / "a.zip")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a.zip").stat().st_mode) == 0o600


def test_a_plan_that_was_bought_before_the_move_is_not_charged_again_there(
    here: Ledger, there: Ledger, tmp_path: Path
) -> None:
    move(here, there, tmp_path / "a.zip")
    assert not there.book("A", key("first"), PLAN, [charge(7)]).fresh
    assert there.next_repeat("A", key("third").plan_sha256) == 2
    assert there.balance("A").spent == ZCDP(SPENT)


@pytest.mark.every_way
def test_decisions_arrive_with_the_numbers_that_charges_have_there(here: Ledger, there: Ledger, tmp_path: Path) -> None:
    """Here charges 1, 3, 4, 6 and 7 are A's, and numbers were opened after 4; there B has 1 and 2, so 4 is 5."""
    there.register(people("C"))
    there.book("C", key("own"), PLAN, [charge(1), charge(1)])
    assert [record.id for record in here.history("A")] == [1, 3, 4, 6, 7]
    move(here, there, tmp_path / "a.zip")
    marks = {mark.kind: mark.note for mark in there.marks("A")}
    assert marks["private numbers seen"] == "true errors, opened after charge 5"
    assert marks["moved here"].endswith("Charges 1, 3-4, 6-7 of that server are 3-7 here.")
    for ledger in (here, there):
        rows = with_remarks(ledger.export("A"), ledger.marks("A"))
        assert [row["remark"] for row in rows] == ["", "", "", SEEN, SEEN]


def test_a_population_moves_on_to_a_third_store(here: Ledger, there: Ledger, tmp_path: Path) -> None:
    before = seen(here)
    move(here, there, tmp_path / "a.zip")
    with Ledger.open(f"sqlite:///{tmp_path}/third.sqlite3") as third:
        move(there, third, tmp_path / "b.zip")
        assert seen(third) == before
        assert third.closing("A") is None
        assert [mark.kind for mark in third.marks("A")].count("moved here") == 2
        with pytest.raises(PopulationClosed):
            there.book("A", next_key(), PLAN, [charge(1)])


def test_a_retired_population_moves_and_stays_retired(here: Ledger, there: Ledger, tmp_path: Path) -> None:
    here.retire("A")
    move(here, there, tmp_path / "a.zip")
    with pytest.raises(PopulationClosed, match="was retired on"):
        there.book("A", next_key(), PLAN, [charge(1)])


# One place only


def test_the_source_sells_nothing_more_and_shows_all_it_has(here: Ledger, there: Ledger, tmp_path: Path) -> None:
    before = seen(here)
    export_population(here, "A", there.address("A"), tmp_path / "a.zip")
    with pytest.raises(PopulationClosed, match=CLOSED):
        here.book("A", next_key(), PLAN, [charge(1)])
    with pytest.raises(PopulationClosed, match=CLOSED):
        here.book("A", key("third", 2), PLAN, [charge(1)])
    with pytest.raises(PopulationClosed, match=CLOSED):
        here.amend("A", epsilon="1.4")
    with pytest.raises(PopulationClosed, match=CLOSED):
        here.mark("A", "private numbers seen", "true errors")
    assert not here.book("A", key("first"), PLAN, [charge(7)]).fresh
    assert seen(here) == before
    assert here.book("B", next_key(), PLAN, [charge(1)]).fresh


@pytest.mark.every_way
def test_the_same_file_again_changes_nothing_and_gives_the_same_receipt(
    here: Ledger, there: Ledger, tmp_path: Path
) -> None:
    receipt = move(here, there, tmp_path / "a.zip")
    there.book("A", next_key(), PLAN, [charge(2)])
    before, marks = seen(there), there.marks("A")
    found = import_population(there, tmp_path / "a.zip")
    assert (found.again, found.receipt) == (True, receipt)
    assert (seen(there), there.marks("A")) == (before, marks)


def test_no_other_store_takes_the_file_in(here: Ledger, there: Ledger, tmp_path: Path) -> None:
    move(here, there, tmp_path / "a.zip")
    with Ledger.open(f"sqlite:///{tmp_path}/third.sqlite3") as third:
        with pytest.raises(ExportRefused, match="goes to another store"):
            import_population(third, tmp_path / "a.zip")
        assert third.populations() == []
    with pytest.raises(ExportRefused, match="goes to another store"):
        import_population(here, tmp_path / "a.zip")


def test_a_population_that_was_closed_for_one_address_goes_to_no_other(
    here: Ledger, there: Ledger, tmp_path: Path
) -> None:
    export_population(here, "A", there.address("A"), tmp_path / "a.zip")
    with Ledger.open(f"sqlite:///{tmp_path}/third.sqlite3") as third, pytest.raises(PopulationClosed, match="only"):
        export_population(here, "A", third.address("A"), tmp_path / "b.zip")
    assert not (tmp_path / "b.zip").exists()


@pytest.mark.parametrize("name", ["A", "a", "\u0391", "\uff21"])
def test_a_store_that_has_the_name_or_one_that_looks_like_it_refuses(
    here: Ledger, there: Ledger, tmp_path: Path, name: str
) -> None:
    """A small letter, a Greek Alpha and a full-width A."""
    address = there.address("A")
    there.register(people(name, epsilon="3"))
    with pytest.raises(PopulationExists):
        there.address("A")
    export_population(here, "A", address, tmp_path / "a.zip")
    with pytest.raises(PopulationExists):
        import_population(there, tmp_path / "a.zip")
    assert [one.epsilon for one in there.populations()] == [3]
    assert there.history(name) == []


def test_an_address_is_of_one_name_and_of_one_store(here: Ledger, there: Ledger) -> None:
    found = {there.address("A"), there.address("C"), here.address("C"), here.address("D")}
    assert len(found) == 4
    assert all(re.fullmatch("[0-9a-f]{40}", one) for one in found)
    assert there.address("A") == there.address("A")


@pytest.mark.every_way
def test_only_the_store_of_the_address_can_give_the_receipt(here: Ledger, there: Ledger, tmp_path: Path) -> None:
    address = there.address("A")
    export_population(here, "A", address, tmp_path / "a.zip")
    total = json.loads(zipfile.ZipFile(tmp_path / "a.zip").read("manifest.json"))["ledger_sha256"]
    with here._database.reading() as connection:
        own = ticket(connection, "A").hex()
    for forged in ("", "x", f"{own}-{total[:32]}", f"{'0' * 32}-{'0' * 32}", f"{address[:32]}-{total[:32]}"):
        with pytest.raises(ExportRefused, match="no receipt"):
            here.confirm_arrival("A", forged)
    receipt = import_population(there, tmp_path / "a.zip").receipt
    wrong = receipt[:-1] + ("0" if receipt[-1] != "0" else "1")
    with pytest.raises(ExportRefused, match="no receipt"):
        here.confirm_arrival("A", wrong)
    for _ in range(2):
        here.confirm_arrival("A", f" {receipt}\n")
    assert [mark.kind for mark in here.marks("A")].count("arrival confirmed") == 1
    assert address_of(bytes.fromhex(receipt[:32]), "A") == address


def test_nothing_is_confirmed_or_written_of_an_open_population(here: Ledger, there: Ledger) -> None:
    with pytest.raises(LedgerError, match="was not exported here"):
        here.confirm_arrival("A", "x")
    with pytest.raises(LedgerError, match="was not exported here"):
        here.write_export("A", io.BytesIO())


# The file


@pytest.mark.every_way
def test_the_file_can_be_written_again_from_the_closed_store_with_the_same_bytes(
    here: Ledger, there: Ledger, way: tuple[str, str], tmp_path: Path
) -> None:
    address = there.address("A")
    export_population(here, "A", address, tmp_path / "a.zip")
    here.put_document("A", "simulation", "later", b"free, and made after the closing")
    export_population(here, "A", address, tmp_path / "b.zip")
    with Ledger.open(way[0]) as reopened:
        assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes() == _again(reopened)
    with zipfile.ZipFile(tmp_path / "a.zip") as file:
        assert b"later" not in file.read("ledger.jsonl")


@pytest.mark.every_way
def test_documents_are_deleted_once_the_arrival_is_recorded_and_not_before(
    here: Ledger, there: Ledger, tmp_path: Path
) -> None:
    receipt = move(here, there, tmp_path / "a.zip")
    with pytest.raises(PopulationClosed, match="is being moved"):
        here.delete_documents("A")
    assert here.document("A", "leaflet", "k") == b"the same table, later"
    here.confirm_arrival("A", receipt)
    assert here.delete_documents("A") == 3
    with pytest.raises(LedgerError, match="cannot be written again"):
        _again(here)
    with pytest.raises(PopulationClosed):
        here.book("A", next_key(), PLAN, [charge(1)])


def test_what_says_something_of_private_tables_or_of_others_stays(here: Ledger, there: Ledger, tmp_path: Path) -> None:
    move(here, there, tmp_path / "a.zip")
    body = (tmp_path / "a.zip").read_bytes()
    with here._database.reading() as connection:
        kept = [
            bytes(value)
            for table in (tables.fingerprints, tables.views, tables.acknowledgements, tables.loads)
            for value in connection.execute(select(table.c.digest)).scalars()
        ]
        kept.append(bytes(connection.execute(select(tables.secrets.c.secret)).scalar_one()))
    assert len(set(kept)) >= 3
    for one in (*kept, PRIVATE, VIEW, b"canary"):
        assert one not in body
        assert one.hex().encode() not in body
    assert there.recognise("A", PRIVATE, [VIEW]).kind == "new"
    assert here.recognise("B", PRIVATE, [VIEW]).populations == ("A",)


def test_every_table_and_column_of_the_store_is_moved_or_stays_on_purpose(
    here: Ledger, there: Ledger, tmp_path: Path
) -> None:
    """A column that comes to the store later has to be placed here, and moved or not."""
    moved = {
        "populations": {"name", "created"},
        "terms": {"n", "rows_per_person", "unit", "epsilon", "delta", "total_units", "created"},
        "bookings": {"plan_sha256", "repeat", "plan_json", "created"},
        "charges": {"purpose", "mechanism", "sensitivity", "scale", "units", "created"},
        "outcomes": {"status", "created"},
        "results": {"sha256", "body"},
        "marks": {"kind", "note", "created"},
        "documents": {"kind", "key", "sha256", "created"},
        "blobs": {"sha256", "body"},
    }
    stay = {
        "store",
        "secrets",
        "fingerprints",
        "views",
        "acknowledgements",
        "loads",
        "members",
        "sign_ins",
        "sign_outs",
    }
    by_account = {"people", "booked_by", "marked_by"}  # see ledger/test_members.py
    numbers = {"id", "population_id", "booking_id"}
    assert {table.name for table in tables.metadata.tables.values()} == set(moved) | stay | by_account
    for name, columns in moved.items():
        assert set(tables.metadata.tables[name].columns.keys()) - numbers == columns
    move(here, there, tmp_path / "a.zip")

    def rows(ledger: Ledger, table: str) -> list[dict[str, object]]:
        with ledger._database.reading() as connection:
            own = tables.metadata.tables[table]
            of = select(tables.populations.c.id).where(tables.populations.c.name == "A")
            query = select(own)
            if "population_id" in own.columns:
                query = query.where(own.c.population_id == of.scalar_subquery())
            found = connection.execute(query.order_by(*list(own.primary_key.columns))).mappings()
            return [{key: value for key, value in row.items() if key in moved[table]} for row in found]

    for table in ("terms", "bookings", "charges", "documents"):
        assert rows(there, table) == rows(here, table)


# Refusals


@pytest.mark.every_way
def test_an_export_waits_for_plans_at_work_and_closes_those_that_broke_off(
    here: Ledger, there: Ledger, way: tuple[str, str], tmp_path: Path
) -> None:
    address = there.address("A")
    with Ledger.open(way[0]) as other:
        working = other.book("A", key("at work"), PLAN, [charge(17)])
        with pytest.raises(LedgerError, match="still worked on"):
            export_population(here, "A", address, tmp_path / "a.zip")
        assert here.closing("A") is None
        assert list(tmp_path.glob("*.zip")) == list(tmp_path.glob(".pmwpub-*")) == []
        other.finish(working.id, b"it came")
        other.book("A", key("broken off"), PLAN, [charge(19)])
    export_population(here, "A", address, tmp_path / "a.zip")
    import_population(there, tmp_path / "a.zip")
    assert [one.status for one in there.bookings("A")][-2:] == ["done", "no result"]
    assert there.balance("A").spent == ZCDP(SPENT + 17 + 19)
    with pytest.raises(LedgerError):
        here.finish(here.bookings("A")[-1].id, b"too late")


def test_what_is_refused_closes_nothing(here: Ledger, there: Ledger, tmp_path: Path) -> None:
    address = there.address("A")
    (tmp_path / "there.zip").write_bytes(b"something")
    refused: list[tuple[type[PmwPubError], str, str, Path]] = [
        (FileRefused, "A", address, tmp_path / "there.zip"),
        (FileRefused, "A", address, tmp_path / "no" / "folder.zip"),
        (LedgerError, "A", "not an address", tmp_path / "a.zip"),
        (LedgerError, "A", address.upper() + "0", tmp_path / "a.zip"),
        (LedgerError, "A", "2" * 40, tmp_path / "a.zip"),
        (LedgerError, "A", there.address("a"), tmp_path / "a.zip"),
        (LedgerError, "A", there.address("C"), tmp_path / "a.zip"),
        (UnknownPopulation, "nobody", address, tmp_path / "a.zip"),
    ]
    for kind, name, to, target in refused:
        with pytest.raises(kind):
            export_population(here, name, to, target)
    assert here.closing("A") is None
    assert (tmp_path / "there.zip").read_bytes() == b"something"
    assert not (tmp_path / "a.zip").exists()


def test_an_address_with_a_wrong_digit_or_two_that_changed_places_closes_nothing(
    here: Ledger, there: Ledger, tmp_path: Path
) -> None:
    """Each digit is another one, then each two that stand beside each other are the other way round."""
    address = there.address("A")
    assert address[32:] == hashlib.sha256(f"{address[:32]} A".encode()).hexdigest()[:8]
    slips = {address[:place] + "0f"[digit == "0"] + address[place + 1 :] for place, digit in enumerate(address)}
    slips |= {address[:one] + address[one : one + 2][::-1] + address[one + 2 :] for one in range(39)}
    for slip in slips - {address}:
        with pytest.raises(LedgerError, match="no address for 'A'"):
            export_population(here, "A", slip, tmp_path / "a.zip")
    assert here.closing("A") is None
    assert not (tmp_path / "a.zip").exists()
    export_population(here, "A", address, tmp_path / "a.zip")


def test_retiring_is_final_recorded_once_and_leaves_what_was_bought(here: Ledger) -> None:
    before = seen(here)
    first = here.retire("A")
    assert here.retire("A") == first == here.closing("A")
    with pytest.raises(PopulationClosed, match="was retired on"):
        here.book("A", next_key(), PLAN, [charge(1)])
    with pytest.raises(PopulationClosed, match="was retired on"):
        here.amend("A", epsilon="1.4")
    assert seen(here) == before
    assert [mark.kind for mark in here.marks("A")].count("retired") == 1
    assert here.closing("B") is None
    with pytest.raises(UnknownPopulation):
        here.retire("nobody")


def test_what_was_at_work_when_a_population_was_retired_comes_to_its_end(here: Ledger) -> None:
    working = here.book("A", next_key(), PLAN, [charge(1)])
    here.retire("A")
    here.finish(working.id, b"it came")
    assert here.result(working.id) == b"it came"


def test_marks_of_other_kinds_close_nothing(here: Ledger) -> None:
    here.mark("A", "demo", "retired")
    here.mark("A", "private numbers seen", "moved away")
    assert closing_of(here.marks("A")) is None
