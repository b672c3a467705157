"""A store of an earlier version becomes this program's: nothing in it changes, all of it or nothing is done."""

from __future__ import annotations

import sqlite3
import stat
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from ledger.old_stores import FILE, WITNESS, baseline, dumped, engine, put, rows, sorted_rows
from ledger.terms import charge, key
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from pmwpub.errors import NoResult, StoreUnavailable
from pmwpub.ledger import Ledger, migrate, planned_migration, reconcile, restore, tables
from pmwpub.ledger.members.member_tables import OF_PEOPLE
from pmwpub.ledger.migrations import steps
from pmwpub.privacy.budget import ZCDP

NAMES = ("people", "Ohio", "ohio")
VERSIONS = [{"version": 1}, {"version": 2}, {"version": 3}, {"version": 4}]


@pytest.fixture
def old(url: str) -> str:
    """The address of a store of version 1."""
    return put(url)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A SQLite store of version 1."""
    put(f"sqlite:///{tmp_path}/ledger.sqlite3")
    return tmp_path / "ledger.sqlite3"


def triggers(url: str) -> set[tuple[str, str]]:
    query = (
        "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
        if url.startswith("sqlite")
        else "SELECT tgname, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal "
        "AND tgrelid::regclass::text IN (SELECT tablename FROM pg_tables WHERE schemaname = current_schema())"
    )
    reading = engine(url)
    with reading.connect() as connection:
        found = {(row[0], " ".join(str(row[1]).split())) for row in connection.execute(text(query))}
        schema = "" if url.startswith("sqlite") else connection.execute(text("SELECT current_schema()")).scalar_one()
    reading.dispose()
    return {(name, words.replace(f"{schema}.", "") if schema else words) for name, words in found}


def test_the_baseline_makes_what_version_1_made(tmp_path: Path) -> None:
    made = engine(f"sqlite:///{tmp_path}/baseline.sqlite3")
    with made.begin() as connection:
        baseline(connection)
    made.dispose()
    query = "SELECT type, name, tbl_name, sql FROM sqlite_master"
    found = []
    for file in (tmp_path / "baseline.sqlite3", FILE):
        with closing(sqlite3.connect(f"{file.as_uri()}?immutable=1", uri=True)) as raw:
            found.append(set(raw.execute(query)))
    assert found[0] == found[1]


def test_the_fixture_is_of_version_1_and_its_dump_says_the_same(tmp_path: Path) -> None:
    copy = tmp_path / "copy.sqlite3"
    copy.write_bytes(FILE.read_bytes())
    assert rows(f"sqlite:///{copy}") == sorted_rows(dumped())
    assert dumped()["store"] == [{"version": 1}]
    assert {row["name"] for row in dumped()["populations"]} == set(NAMES)


def test_every_row_stays_as_it_was(old: str) -> None:
    Ledger.open(old).close()
    after = rows(old)
    assert after["store"] == VERSIONS
    new = ["loads", *(table.name for table in OF_PEOPLE)]
    assert {table: found for table, found in after.items() if table not in ("store", *new)} == {
        table: found for table, found in sorted_rows(dumped()).items() if table != "store"
    }
    assert [after[table] for table in new] == [[]] * 7


def test_sums_plans_results_and_documents_are_the_same(old: str) -> None:
    before = dumped()
    ids = {row["name"]: row["id"] for row in before["populations"]}
    with Ledger.open(old) as ledger:
        assert [one.name for one in ledger.populations()] == list(NAMES)
        for name in NAMES:
            own = {
                table: [row for row in found if row.get("population_id") == ids[name]]
                for table, found in before.items()
            }
            assert ledger.balance(name).spent == ZCDP(sum(row["units"] for row in own["charges"]))  # type: ignore[misc]
            assert ledger.balance(name).total.units == own["terms"][-1]["total_units"]
            assert [one.plan_json for one in ledger.bookings(name)] == [row["plan_json"] for row in own["bookings"]]
            assert [mark.note for mark in ledger.marks(name)] == [row["note"] for row in own["marks"]]
            for row in own["documents"]:
                kept = {blob["sha256"]: blob["body"] for blob in before["blobs"]}
                latest = [one for one in own["documents"] if (one["kind"], one["key"]) == (row["kind"], row["key"])][-1]
                assert ledger.document(name, str(row["kind"]), str(row["key"])) == kept[latest["sha256"]]
        for row in before["results"]:
            assert ledger.result(int(str(row["booking_id"]))) == row["body"]


def test_the_hand_made_half_of_the_fixture_means_what_it_meant(old: str) -> None:
    """3e12 + 7 units twice and 7 once under Ohio; 7 under ohio, of the same table, acknowledged."""
    with Ledger.open(old) as ledger:
        assert (ledger.balance("Ohio").spent, ledger.balance("ohio").spent) == (ZCDP(6 * 10**12 + 21), ZCDP(7))
        assert [one.status for one in ledger.bookings("Ohio")] == ["done", "no result", "charged"]
        assert ledger.result(ledger.bookings("Ohio")[0].id) == bytes(range(256))
        with pytest.raises(NoResult):
            ledger.result(ledger.bookings("Ohio")[1].id)
        assert [other for other, _ in ledger.acknowledgements("ohio")] == ["Ohio"]
        assert ledger.shared_tables() == [("Ohio", "ohio")]
        table = ledger.loaded("people", b"generated rows", [b"as coded", b"as spelt"])
        assert ledger.booked_for(ledger.bookings("ohio")[0].id, table) is True
        assert ledger.attempts()[0].charged_under == ("Ohio", "ohio")
        more = ledger.book("Ohio", key("more"), "{}", [charge(1)], table=ledger.handle("Ohio", b"generated rows"))
        assert more.fresh
        assert max(more.charges) == 12


def test_a_migrated_store_is_built_as_a_new_one(old: str, tmp_path: Path) -> None:
    Ledger.open(old).close()
    migrated = engine(old)
    with migrated.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), tables.metadata) == []
    migrated.dispose()
    names = {name for name, _ in triggers(old)}
    endings = ("_no_update", "_no_delete") if old.startswith("sqlite") else ("_append_only",)
    assert names == {f"{table.name}{ending}" for table in (*tables.APPEND_ONLY, *OF_PEOPLE) for ending in endings}
    if old.startswith("sqlite"):
        Ledger.open(f"sqlite:///{tmp_path}/new.sqlite3").close()
        assert triggers(old) == triggers(f"sqlite:///{tmp_path}/new.sqlite3")


@pytest.mark.parametrize("statement", ["DELETE FROM loads", "UPDATE loads SET id = id"])
def test_the_new_table_is_append_only_after_a_migration_too(old: str, statement: str) -> None:
    with Ledger.open(old) as ledger:
        ledger.loaded("people", b"rows")
        with pytest.raises(DBAPIError, match="append-only"), ledger._database._writer.begin() as connection:
            connection.execute(text(statement))
        assert len(ledger.attempts()) == 1


def test_opening_again_migrates_nothing_again(old: str) -> None:
    Ledger.open(old).close()
    first = rows(old)
    Ledger.open(old).close()
    assert rows(old) == first
    found = migrate(old)
    assert (found.version, found.target, found.steps, found.kept) == (4, 4, (), None)


def test_a_step_that_fails_leaves_version_1(old: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_table: object) -> None:
        raise StoreUnavailable("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(steps, "insert", full)
        with pytest.raises(StoreUnavailable):
            Ledger.open(old)
    assert rows(old) == sorted_rows(dumped())
    Ledger.open(old).close()
    assert rows(old)["store"] == VERSIONS


def test_several_programs_that_open_it_at_once_migrate_it_once(old: str) -> None:
    with ThreadPoolExecutor(4) as programs:
        for opened in list(programs.map(lambda _: Ledger.open(old), range(4))):
            opened.close()
    assert rows(old)["store"] == VERSIONS
    if old.startswith("sqlite"):
        file = Path(old.removeprefix("sqlite:///"))
        assert len(list(file.parent.glob("*.backup*"))) == 1


def test_a_dry_run_says_what_would_be_done_and_changes_nothing(old: str) -> None:
    before = rows(old)
    found = planned_migration(old)
    assert (found.version, found.target, found.kept) == (1, 4, None)
    assert found.steps == (
        "Version 2: loads of private tables, for the operator's record.",
        "Version 3: populations can be closed, which programs of earlier versions would not heed; no table changes.",
        "Version 4: people with accounts: sign-ins, members of populations, and who booked and who marked.",
    )
    assert rows(old) == before


def test_a_dry_run_leaves_the_file_byte_for_byte_and_makes_none(file: Path) -> None:
    before = file.read_bytes()
    planned_migration(f"sqlite:///{file}")
    assert file.read_bytes() == before == FILE.read_bytes()
    assert not list(file.parent.glob("*backup*"))
    with pytest.raises(StoreUnavailable, match="no ledger"):
        planned_migration(f"sqlite:///{file.parent}/another.sqlite3")
    assert not (file.parent / "another.sqlite3").exists()


def test_a_copy_of_the_old_file_is_made_first_and_never_written_over(file: Path) -> None:
    first = file.with_name("ledger.sqlite3.version-1.backup")
    first.write_bytes(b"something else")
    found = migrate(f"sqlite:///{file}")
    assert found.kept == file.with_name("ledger.sqlite3.version-1.backup-1")
    assert first.read_bytes() == b"something else"
    assert stat.S_IMODE(found.kept.stat().st_mode) == 0o600
    assert rows(f"sqlite:///{found.kept}") == sorted_rows(dumped())


def test_where_that_copy_cannot_be_made_nothing_is_migrated(file: Path) -> None:
    (file.with_name("ledger.sqlite3.version-1.backup")).mkdir()
    (file.with_name("ledger.sqlite3.version-1.backup-1")).symlink_to(file.parent / "missing" / "folder")
    with pytest.raises(StoreUnavailable):
        Ledger.open(f"sqlite:///{file}")
    assert rows(f"sqlite:///{file}") == sorted_rows(dumped())


def test_the_witness_of_an_old_store_still_agrees(file: Path) -> None:
    witness = file.with_name("ledger.sqlite3.witness")
    Ledger.open(f"sqlite:///{file}").close()
    assert witness.read_bytes() == WITNESS.read_bytes()
    assert reconcile(f"sqlite:///{file}").added == ()


def test_an_old_store_that_lacks_charges_is_still_found_out(file: Path) -> None:
    with sqlite3.connect(file) as raw:
        raw.execute("DROP TRIGGER charges_no_delete")
        raw.execute("DELETE FROM charges WHERE id = 11")
    raw.close()
    with pytest.raises(StoreUnavailable, match="lacks 1 charged plans"):
        Ledger.open(f"sqlite:///{file}")


def test_a_backup_of_an_earlier_version_is_restored_as_this_one(file: Path, tmp_path: Path) -> None:
    (tmp_path / "copy").write_bytes(FILE.read_bytes())
    with Ledger.open(f"sqlite:///{file}") as ledger:
        ledger.book("people", key("later"), "{}", [charge(5)])
        spent = ledger.balance("people").spent
    (found,) = restore(f"sqlite:///{file}", tmp_path / "copy").added
    assert (found.population, found.units) == ("people", 5)
    with Ledger.open(f"sqlite:///{file}") as ledger:
        assert ledger.balance("people").spent == spent
    assert not list(tmp_path.glob("*restoring*"))


def test_a_store_that_lacks_a_table_of_its_own_version_gets_it(file: Path) -> None:
    with sqlite3.connect(file) as raw:
        raw.execute("DROP TABLE views")
    raw.close()
    with Ledger.open(f"sqlite:///{file}") as ledger:
        assert ledger.recognise("Ohio", b"generated rows").kind == "same"


def _newer(file: Path) -> None:
    with sqlite3.connect(file) as raw:
        raw.execute("INSERT INTO store VALUES (5)")
    raw.close()


@pytest.mark.parametrize("opening", [Ledger.open, planned_migration, migrate, reconcile])
def test_a_newer_store_is_refused_in_words_and_left_alone(file: Path, opening: Callable[[str], object]) -> None:
    _newer(file)
    before = file.read_bytes()
    with pytest.raises(StoreUnavailable, match="version 5; this program reads versions 1 to 4"):
        opening(f"sqlite:///{file}")
    assert file.read_bytes() == before


def test_every_step_lies_in_a_package_so_that_a_wheel_has_it() -> None:
    folder = Path(steps.__file__).parent / "versions"
    assert {file.stem for file in folder.glob("version_*.py")} == {
        f"version_{at}" for at in range(1, tables.VERSION + 1)
    }
    assert (folder / "__init__.py").is_file()
    assert (folder.parent / "__init__.py").is_file()
