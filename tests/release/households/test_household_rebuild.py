"""A folder of a release of households is checked, and made again from its certificate and the public table."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from support.commands import Commands
from support.households import csv_of, homes, schema_text

from pmwpub.errors import CertificateError
from pmwpub.release.households.household_checks import checked_households, household_files_in
from pmwpub.release.households.household_files import HOUSEHOLD_FILES
from pmwpub.release.households.household_rebuilding import rebuilt_households

N = 60


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a release in out/, of 25 households; the public table has semicolons."""
    folder = tmp_path_factory.mktemp("town")
    (folder / "p.csv").write_text(csv_of(homes(N, 1, owning=0.8)))
    (folder / "b.csv").write_text(csv_of(homes(50, 2, owning=0.3), 1_000).replace(",", ";"))
    (folder / "schema.json").write_text(schema_text())
    run = Commands(folder).run
    run(
        "ledger",
        "register",
        "homes",
        "--n",
        str(N),
        "--epsilon",
        "3",
        "--unit",
        "household",
        "--largest-household",
        "4",
    )
    spend = ("release", "--population", "homes", "--schema", "schema.json", "--private", "p.csv", "--public", "b.csv")
    read = ("--read", "b.csv=utf-8,semicolon")
    run(*spend, *read, "-k", "2", "--epsilon", "1", "--rows", "25", "--row-seed", "4", "-o", "out")
    return folder


def test_everything_is_made_again_to_the_byte(town: Path) -> None:
    files = household_files_in(town / "out")
    assert set(files) == {*HOUSEHOLD_FILES, "report.html"}
    made = rebuilt_households(files, town / "b.csv")
    assert set(made) == {"weights.csv", "weighted_persons.csv", "persons.csv", "households.csv"}
    assert all(files[name] == body for name, body in made.items())
    assert made["households.csv"].count(b"\n") == 26


def test_the_script_in_the_folder_says_so(town: Path) -> None:
    script = [sys.executable, str(town / "out/rebuild.py")]
    found = subprocess.run([*script, str(town / "b.csv")], capture_output=True, text=True, check=False)
    assert (found.returncode, found.stdout.count(": agrees\n")) == (0, 4), found.stderr
    wrong = subprocess.run([*script, str(town / "p.csv")], capture_output=True, text=True, check=False)
    assert (wrong.returncode, wrong.stdout) == (2, "")


def test_another_public_table_is_refused(town: Path) -> None:
    body = (town / "b.csv").read_bytes()
    with pytest.raises(CertificateError, match="not the public table"):
        rebuilt_households(household_files_in(town / "out"), body.replace(b"own", b"rent"))


def test_a_whole_folder_holds(town: Path) -> None:
    found = Commands(town).run("certificate", "check", "out")
    assert len(found["holds"]) == 7
    assert any("rebuild.py" in words for words in found["not_checked"])


@pytest.mark.parametrize(
    "command",
    [
        ("few-records", "--release", "out", "--public", "b.csv", "--columns", "age", "--fewest", "2"),
        ("replicate-weights", "--release", "out", "-o", "replicates.csv"),
    ],
    ids=lambda command: " ".join(command[:2]),
)
def test_what_cannot_be_done_with_such_a_folder_says_what_can(town: Path, command: tuple[str, ...]) -> None:
    said = Commands(town).run(*command, status=2)
    assert "release of households" in said
    assert "certificate check" in said


def test_a_signature_of_such_a_folder_is_checked_by_the_signer_s_key_alone(town: Path, tmp_path: Path) -> None:
    shutil.copytree(town / "out", tmp_path / "out")
    run = Commands(tmp_path).run
    for name in ("own", "other"):
        run("certificate", "keygen", "-o", name)
    signed = run("certificate", "sign", "out", "--key", "own")
    holds = run("certificate", "check", "out", "--public-key", "own.pub")["holds"]
    assert any(signed["fingerprint"] in words for words in holds)
    run("certificate", "check", "out", "--public-key", "other.pub", status=2)
    path = tmp_path / "out/certificate.json"
    path.write_bytes(path.read_bytes() + b"\n")
    assert len(run("certificate", "check", "out")["holds"]) == 7, "but for the signature, it holds"
    run("certificate", "check", "out", "--public-key", "own.pub", status=2)


def changed(field: str, change: Callable[[Any], Any]) -> Callable[[dict[str, Any]], None]:
    def edit(certificate: dict[str, Any]) -> None:
        certificate[field] = change(certificate[field])

    return edit


def half_the_noise(tables: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [table | {"scale": str(Fraction(table["scale"]) / 2)} for table in tables]


EDITS = {
    "fewer persons protected": changed("largest_household", lambda largest: largest - 1),
    "another n": changed("n", lambda n: n + 1),
    "half the noise": changed("tables", half_the_noise),
    "a table left out": changed("tables", lambda tables: tables[1:]),
    "a smaller epsilon": changed("epsilon", lambda epsilon: epsilon / 2),
    "a smaller rho": changed("rho", lambda rho: "0.001000000000000"),
    "another promise": changed("neighbours", lambda words: words.replace("household", "person")),
    "another sensitivity": changed("sensitivity", lambda words: words.replace("H√2", "√2")),
    "another plan": changed("plan", lambda plan: plan | {"n": 2}),
    "a file less": changed("files", lambda files: {name: sha for name, sha in files.items() if name != "tables.csv"}),
}


@pytest.mark.parametrize("name", EDITS)
def test_an_edited_certificate_does_not_hold(town: Path, name: str) -> None:
    files = household_files_in(town / "out")
    certificate = json.loads(files["certificate.json"])
    EDITS[name](certificate)
    with pytest.raises(CertificateError):
        checked_households(files | {"certificate.json": json.dumps(certificate).encode()})


@pytest.mark.parametrize("name", sorted(set(HOUSEHOLD_FILES) - {"certificate.json"}))
def test_an_edited_or_a_lacking_file_does_not_hold(town: Path, name: str) -> None:
    files = household_files_in(town / "out")
    with pytest.raises(CertificateError):
        checked_households(files | {name: files[name] + b"\n"})
    with pytest.raises(CertificateError):
        checked_households({other: body for other, body in files.items() if other != name})
