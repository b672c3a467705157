"""`ledger backup`, `ledger restore` and `ledger reconcile`: JSON on stdout, words on stderr, and never a refund."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from ledger.old_stores import put
from ledger.terms import charge, key, people

from pmwpub.cli import main
from pmwpub.ledger import Ledger


class Shell:
    """Runs `pmwpub ledger ...` on one store."""

    def __init__(self, folder: Path, capture: pytest.CaptureFixture[str]) -> None:
        self.folder, self.capture = folder, capture
        self.store = folder / "ledger.sqlite3"
        self.url = f"sqlite:///{self.store}"

    def run(self, *arguments: str, status: int = 0) -> Any:
        found = main(["--store", self.url, "ledger", *arguments])
        printed = self.capture.readouterr()
        assert found == status, printed.err
        if status:
            assert printed.out == ""
            return printed.err
        return json.loads(printed.out)

    def path(self, name: str) -> str:
        return str(self.folder / name)

    def spent(self) -> float:
        return float(self.run("show", "A")["spent"]["rho"])


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Shell:
    made = Shell(tmp_path, capsys)
    with Ledger.open(made.url) as ledger:
        ledger.register(people())
        ledger.book("A", key("first"), "{}", [charge(10**12)])
    made.run("backup", made.path("copy"))
    with Ledger.open(made.url) as ledger:
        ledger.book("A", key("second"), "{}", [charge(2 * 10**12)])
    return made


def test_a_backup_says_what_it_is_of_and_that_it_holds_the_secret(shell: Shell) -> None:
    found = shell.run("backup", shell.path("another"))
    assert (found["backup"], found["of"]) == (shell.path("another"), str(shell.store))
    assert "secret" in found["keep"]
    assert "exists already" in shell.run("backup", shell.path("another"), status=2)


def test_a_restored_backup_shows_the_charges_that_it_lacked(shell: Shell) -> None:
    before = shell.spent()
    found = shell.run("restore", shell.path("copy"))
    assert found["added"] == [{"population": "A", "plans": 1, "rho": 0.002}]
    assert Path(found["replaced"]).is_file()
    assert shell.spent() == before == 0.003
    assert [line["status"] for line in shell.run("show", "A")["charges"]] == ["charged", "charged"]


def test_a_copy_put_back_by_hand_is_refused_until_it_is_reconciled(shell: Shell) -> None:
    shutil.copy(shell.path("copy"), shell.store)
    assert "ledger reconcile" in shell.run("show", "A", status=2)
    assert shell.run("reconcile")["added"] == [{"population": "A", "plans": 1, "rho": 0.002}]
    assert shell.spent() == 0.003
    assert shell.run("reconcile")["added"] == []


def test_a_missing_witness_is_accepted_only_on_request(shell: Shell) -> None:
    shell.store.with_name(f"{shell.store.name}.witness").unlink()
    for command in (["show", "A"], ["reconcile"], ["restore", shell.path("copy")]):
        assert "accept-missing-witness" in shell.run(*command, status=2)
    shell.run("reconcile", "--accept-missing-witness")
    with Ledger.open(shell.url) as ledger:
        assert [mark.kind for mark in ledger.marks("A")] == ["witness missing"]


def test_what_is_no_backup_is_refused_in_words(shell: Shell) -> None:
    assert "no ledger" in shell.run("restore", shell.path("missing"), status=2)
    Path(shell.path("text")).write_text("sex,age\n" * 500)
    assert "name another store" in shell.run("restore", shell.path("text"), status=2)
    assert shell.spent() == 0.003


def test_a_target_that_cannot_be_written_is_refused_in_words(shell: Shell) -> None:
    assert "cannot be written" in shell.run("backup", shell.path("no/such/folder"), status=2)


def test_the_operator_reads_every_load_and_each_table_charged_twice(shell: Shell) -> None:
    with Ledger.open(shell.url) as ledger:
        ledger.register(people("B"))
        table = ledger.loaded("B", b"rows")
        for name in ("A", "B"):
            ledger.book(name, key("third"), "{}", [charge(1)], table=table, refuse_elsewhere=False)
        ledger.loaded("A", b"rows")
        ledger.loaded("A", b"other rows")
    found = shell.run("attempts")
    assert [{**one, "time": ""} for one in found["attempts"]] == [
        {"id": 1, "time": "", "population": "B", "charged_under": ["A", "B"], "also_loaded_under": ["A"]},
        {"id": 2, "time": "", "population": "A", "charged_under": ["A", "B"], "also_loaded_under": ["B"]},
        {"id": 3, "time": "", "population": "A", "charged_under": [], "also_loaded_under": []},
    ]
    assert found["tables_under_several_populations"] == [["A", "B"]]
    assert "load" not in json.dumps(shell.run("show", "A"))


def test_a_store_of_an_earlier_version_is_migrated_on_request_and_a_dry_run_only_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shell = Shell(tmp_path, capsys)
    put(shell.url)
    steps = [
        "Version 2: loads of private tables, for the operator's record.",
        "Version 3: populations can be closed, which programs of earlier versions would not heed; no table changes.",
        "Version 4: people with accounts: sign-ins, members of populations, and who booked and who marked.",
    ]
    planned = {"store": shell.url, "version": 1, "to": 4, "steps": steps, "migrated": False, "backup": None}
    assert shell.run("migrate", "--dry-run") == planned
    backup = shell.path("ledger.sqlite3.version-1.backup")
    assert not Path(backup).exists()
    assert shell.run("migrate") == {**planned, "migrated": True, "backup": backup}
    assert Path(backup).is_file()
    nothing = {**planned, "version": 4, "steps": []}
    assert shell.run("migrate") == shell.run("migrate", "--dry-run") == nothing
    assert shell.run("show", "Ohio")["spent"]["rho"] == pytest.approx(0.006, abs=1e-9)


def test_a_ledger_put_back_without_a_witness_says_so_wherever_its_charges_are_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shell = Shell(tmp_path, capsys)
    shell.run("register", "A", "--n", "1000", "--epsilon", "1")
    shell.run("backup", shell.path("copy"))
    assert shell.run("show", "A")["unvouched"] == []
    with Ledger.open(shell.url) as ledger:
        ledger.book("A", key(), "{}", [charge(10**12)])
    for file in (shell.store, shell.store.with_name(f"{shell.store.name}.witness")):
        file.unlink()
    shell.run("restore", shell.path("copy"))
    with Ledger.open(shell.url) as ledger:
        ledger.book("A", key("after"), "{}", [charge(10**12)])
    found = shell.run("show", "A")
    (doubt,) = found["unvouched"]
    assert "may be missing" in doubt["note"]
    assert ["charges may be missing" in line["remark"] for line in found["charges"]] == [True]
