"""Nothing false that a folder's own files can show passes `certificate check`, whatever hashes were written again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

import pytest
from support.commands import Commands
from support.households import csv_of, homes, schema_text

from pmwpub.errors import CertificateError
from pmwpub.release.households.household_certificate import HouseholdCertificate
from pmwpub.release.households.household_checks import checked_households, household_files_in

N = 60
REGISTER = (*("ledger", "register", "homes", "--n", str(N), "--epsilon", "3"), "--unit", "household")
SPEND = (
    *("release", "--population", "homes", "--schema", "schema.json", "--private", "p.csv", "--public", "b.csv"),
    *("-k", "2", "--epsilon", "1", "--rows", "25", "--row-seed", "4", "-o", "out"),
)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """A release of 25 synthetic households with at most 4 persons."""
    folder = tmp_path_factory.mktemp("town")
    (folder / "p.csv").write_text(csv_of(homes(N, 1, owning=0.8)))
    (folder / "b.csv").write_text(csv_of(homes(50, 2, owning=0.3), 1_000))
    (folder / "schema.json").write_text(schema_text())
    run = Commands(folder).run
    run(*REGISTER, "--largest-household", "4")
    run(*SPEND)
    return household_files_in(folder / "out")


def edited(files: dict[str, bytes], /, **changes: Any) -> dict[str, bytes]:
    stated = json.loads(files["certificate.json"]) | changes
    return files | {"certificate.json": json.dumps(stated).encode()}


def resealed(files: dict[str, bytes], /, **bodies: bytes) -> dict[str, bytes]:
    """With other files, whose hashes the certificate states."""
    changed = {name.replace("__", "."): body for name, body in bodies.items()}
    hashes = json.loads(files["certificate.json"])["files"]
    said = hashes | {name: hashlib.sha256(body).hexdigest() for name, body in changed.items()}
    return edited(files | changed, files=said)


def test_the_folder_holds_as_it_was_written(files: dict[str, bytes]) -> None:
    assert len(checked_households(files)) == 7
    assert "rounds" not in json.loads(files["certificate.json"]), "as before there were any"
    assert checked_households(resealed(files)) == checked_households(files)


LEDGER, REBUILD, LABEL = "only the ledger knows", "rebuild.py, with the public table", "says nothing of the release"
CANNOT_BE_CHECKED = {
    "population": LEDGER,
    "repeat": LEDGER,
    "charge_id": LEDGER,
    "charged_at": LEDGER,
    "remarks": LEDGER,
    "strengths": REBUILD,
    "versions": LABEL,
}
"""Keys that may say something else, and who can know better; `strengths` may not be lacking, though."""

OTHER: dict[str, Callable[[Any], Any]] = {
    "version": lambda number: number + 1,
    "engine": lambda _: "table-fit",
    "epsilon": lambda epsilon: epsilon * 1.001,
    "delta": lambda _: "0.01",
    "rho": lambda _: "0.001000000000000",
    "unit": lambda _: "one household of 1 to 9 persons",
    "n": lambda n: n + 1,
    "largest_household": lambda largest: largest + 1,
    "tables": lambda tables: tables[1:],
    "strengths": lambda found: found | {"all": found["all"] * 2},
    "candidate": lambda one: one | {"sha256": "0" * 64},
    "public": lambda facts: facts | {"households": 1},
    "plan": lambda plan: plan | {"own_share": "1/3"},
    "repeat": lambda repeat: repeat + 1,
    "charge_id": lambda number: number + 1,
    "ledger_total": lambda total: total | {"epsilon": total["epsilon"] / 2},
    "budget": lambda budget: budget | {"epsilon": budget["epsilon"] * 2},
    "remarks": lambda remarks: [*remarks, "one more"],
    "households": lambda number: number - 1,
    "row_seed": lambda seed: seed + 1,
    "files": lambda hashes: hashes | {"notes.txt": "0" * 64},
    "versions": lambda versions: versions | {"python": "2.7"},
}


@pytest.mark.parametrize("key", [key for key in HouseholdCertificate.model_fields if key != "rounds"])
def test_every_key_of_the_certificate_is_held_against_something(files: dict[str, bytes], key: str) -> None:
    now = json.loads(files["certificate.json"])[key]
    changed = edited(files, **{key: OTHER.get(key, lambda words: words[:-1] + "x")(now)})
    assert json.loads(changed["certificate.json"])[key] != now
    if key in CANNOT_BE_CHECKED:
        assert len(checked_households(changed)) == 7
        return
    with pytest.raises(CertificateError):
        checked_households(changed)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"unit": "one person"}, "unit"),
        ({"households": -5}, "between 1 and"),
        ({"households": 7}, "not drawn"),
        ({"households": None}, "number of synthetic households"),
        ({"households": 10_000_000}, "not drawn"),
        ({"row_seed": -1}, "between 0 and"),
        ({"row_seed": None}, "no seed"),
        ({"strengths": None}, "no strengths"),
        ({"tables": [{"of": "persons", "columns": ["age"], "scale": "0"}]}, "can read"),
        ({"tables": [{"of": "households", "columns": ["tenure"], "scale": "0/3"}]}, "can read"),
        ({"ledger_total": {"rho": "0.000100000000000", "epsilon": 0.1}}, "less than what was spent"),
        ({"budget": {"rho": "0.000100000000000", "epsilon": 0.1}}, "less than what was spent"),
    ],
)
def test_false_statements_are_refused_in_words(files: dict[str, bytes], changes: dict[str, Any], words: str) -> None:
    with pytest.raises(CertificateError, match=words):
        checked_households(edited(files, **changes))


def test_another_reading_of_the_public_table_than_the_plan_s_is_refused(files: dict[str, bytes]) -> None:
    named = json.loads(files["certificate.json"])["candidate"]
    with pytest.raises(CertificateError, match="another way than its plan"):
        checked_households(edited(files, candidate=named | {"read_as": "cp1252,semicolon"}))


TABLES = ("persons.csv", "households.csv", "weights.csv", "weighted_persons.csv")


@pytest.mark.parametrize("name", [*TABLES, "tables.csv", "schema.json", "rebuild.py"])
@pytest.mark.parametrize(
    "edit",
    [
        lambda body: b"",
        lambda body: body[:-40],
        lambda body: body + b"x\n",
        lambda body: body.splitlines(keepends=True)[0],
        lambda body: b"\n".join(body.splitlines()[:-1]) + b"\n",
        lambda body: b"\xff" + body,
    ],
    ids=["empty", "truncated", "longer", "first line", "a line less", "no text"],
)
def test_no_other_file_holds_under_its_own_hash(
    files: dict[str, bytes], name: str, edit: Callable[[bytes], bytes]
) -> None:
    with pytest.raises(CertificateError):
        checked_households(resealed(files, **{name.replace(".", "__"): edit(files[name])}))


def test_weights_that_do_not_sum_to_one_and_sizes_that_are_not_are_refused(files: dict[str, bytes]) -> None:
    head, first, *rest = files["weights.csv"].decode().splitlines()
    for said in ("2.0", "-0.5", "nan", "inf"):
        line = ",".join([*first.split(",")[:-1], said])
        with pytest.raises(CertificateError, match=r"weights\.csv"):
            checked_households(resealed(files, weights__csv="\n".join([head, line, *rest, ""]).encode()))
    number, size, *own = first.split(",")
    other = ",".join([number, str(int(size) % 4 + 1), *own])
    with pytest.raises(CertificateError, match=r"weights\.csv"):
        checked_households(resealed(files, weights__csv="\n".join([head, other, *rest, ""]).encode()))


def test_a_household_s_size_is_that_of_its_persons(files: dict[str, bytes]) -> None:
    head, first, *rest = files["households.csv"].decode().splitlines()
    number, size, *own = first.split(",")
    other = ",".join([number, str(int(size) % 4 + 1), *own])
    with pytest.raises(CertificateError, match="not drawn"):
        checked_households(resealed(files, households__csv="\n".join([head, other, *rest, ""]).encode()))
