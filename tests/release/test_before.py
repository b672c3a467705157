"""What the commit that `before/make_before.py` names handed out and stored is read, checked, rebuilt and sold as then.

before/out/             a release of one public table, with nothing but what is usual
before/pool/            one of two public tables, by the paper's variants
before/western/         one of a table that is read in another way, from before plans said so
before/ledger.sqlite3   the store that they were bought in, with assessments, a choice and an error
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import buying
import pytest
from ledger import old_stores
from ledger.stores.make_version_1 import people
from release.before.make_before import COMMANDS

import pmwpub
from pmwpub.cli import main
from pmwpub.jobs import InlineEngine
from pmwpub.ledger import Ledger, PlanKey
from pmwpub.plans import AssessmentPlan, BestPlan, ErrorPlan, ReleasePlan
from pmwpub.release.certificate import Certificate
from pmwpub.service import Service
from pmwpub.service.inputs import study_store

BEFORE = Path(__file__).parent / "before"
PRINTED = json.loads((BEFORE / "printed.json").read_text(encoding="utf-8"))
TABLES = {"out": ["b.csv"], "pool": ["c.csv", "b.csv"], "western": ["w.csv"]}
"""A release -> the public tables it was made from, in an order that says nothing."""

BOUGHT = {"out": "release", "pool": "pool", "western": "western"}
CHECKED = {"out": "check", "pool": "check pool", "western": "check western"}
"""A release -> the commands that bought and checked it."""

READ, NOW_READ = "how they are read, and", "how they are read where the plan does not say it, and"
"""What the check said it leaves out, and what it says since plans state how files are read: the one change of words."""

PLANS = {"assessment": AssessmentPlan, "best": BestPlan, "error": ErrorPlan, "release": ReleasePlan}
KINDS = ["assessment", "assessment", "best", "release", "release", "release", "assessment", "error"]
"""Of the bookings of the store, in their order."""

MADE = {"weights.csv", "measurements.csv", "synthetic.csv"}
AGAIN = {"assess": "assessments", "assess western": "assessments", "best": "best", "error": "error"} | dict.fromkeys(
    BOUGHT.values(), "transcript"
)
"""A command that buys -> a key under which it prints what was drawn."""


def stored() -> list[dict[str, Any]]:
    """The bookings of the store as it was left then, with the bytes of their results; read by nothing of this code."""
    with closing(sqlite3.connect(f"file:{BEFORE / 'ledger.sqlite3'}?mode=ro&immutable=1", uri=True)) as connection:
        connection.row_factory = sqlite3.Row
        words = "SELECT id, plan_json, plan_sha256, body FROM bookings JOIN results ON booking_id = id ORDER BY id"
        return [dict(row) for row in connection.execute(words)]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a copy of all that lay in the folder of then, as the working folder."""
    shutil.copytree(BEFORE, tmp_path / "then")
    monkeypatch.chdir(tmp_path / "then")
    return tmp_path / "then"


@pytest.fixture
def run(place: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """Runs a command of now on the copied store; what it prints."""

    def command(arguments: list[str]) -> Any:
        status = main(["--store", "sqlite:///ledger.sqlite3", *arguments])
        said = capsys.readouterr()
        assert status == 0, said.err
        return json.loads(said.out)

    return command


@pytest.fixture
def service(place: Path) -> Iterator[Service]:
    with Ledger.open(f"sqlite:///{place / 'ledger.sqlite3'}") as ledger:
        yield Service(ledger, InlineEngine())


@pytest.mark.parametrize("release", TABLES)
def test_the_check_holds_and_says_what_it_said(run: Callable[..., Any], release: str) -> None:
    then = PRINTED[CHECKED[release]]
    now = run(["certificate", "check", release])
    assert len(then["holds"]) == 18
    assert now["holds"] == then["holds"]
    assert now["not_checked"] == [words.replace(READ, NOW_READ) for words in then["not_checked"]]
    assert now["unlisted"] == then["unlisted"] == []


@pytest.mark.parametrize("release", TABLES)
def test_its_own_script_rebuilds_every_byte_with_the_package_of_now(place: Path, tmp_path: Path, release: str) -> None:
    again = tmp_path / "again"
    script = [sys.executable, str(place / release / "rebuild.py"), *(str(place / name) for name in TABLES[release])]
    package = {"PYTHONPATH": str(Path(pmwpub.__file__).parents[1])}
    found = subprocess.run(
        [*script, "--into", str(again)], cwd=tmp_path, env=os.environ | package, capture_output=True, text=True
    )
    assert (found.returncode, found.stderr) == (0, "")
    assert set(found.stdout.splitlines()) == {f"{name}: agrees" for name in MADE}
    assert {path.name for path in again.iterdir()} == MADE
    for name in MADE:
        assert (again / name).read_bytes() == (BEFORE / release / name).read_bytes()


@pytest.mark.parametrize("release", TABLES)
def test_a_certificate_is_written_as_it_was_read(release: str) -> None:
    body = (BEFORE / release / "certificate.json").read_bytes()
    assert Certificate.from_bytes(body).to_bytes() == body


def test_every_stored_plan_keeps_its_text_and_its_hash() -> None:
    found = stored()
    assert [json.loads(one["plan_json"])["kind"] for one in found] == KINDS
    for one in found:
        plan = PLANS[json.loads(one["plan_json"])["kind"]].model_validate_json(one["plan_json"], strict=True)
        assert (plan.canonical, plan.sha256) == (one["plan_json"], one["plan_sha256"])


def test_every_plan_sent_again_gets_the_stored_bytes_uncharged(service: Service, place: Path) -> None:
    ledger, found = service.ledger, stored()
    private = study_store.load_private(service, "people", place / "private.csv")
    spent, history, booked = ledger.balance("people").spent, ledger.history("people"), ledger.bookings("people")
    assert len(found) == len(booked) == len(KINDS)
    for one in found:
        plan = PLANS[json.loads(one["plan_json"])["kind"]].model_validate_json(one["plan_json"])
        assert ledger.booking("people", PlanKey(one["plan_sha256"])) is not None
        outcome = buying.buy(service, private, plan)
        assert (outcome.booking.id, outcome.status, outcome.fresh) == (one["id"], "done", False)
        assert outcome.result == one["body"]
    assert ledger.balance("people").spent == spent
    assert ledger.history("people") == history
    assert ledger.bookings("people") == booked


@pytest.mark.parametrize("name", AGAIN)
def test_every_command_given_again_prints_what_it_printed_and_spends_nothing(
    run: Callable[..., Any], place: Path, name: str
) -> None:
    arguments, then = COMMANDS[name], PRINTED[name]
    if name in BOUGHT.values():
        arguments = [*arguments[:-1], "again"]
    now = run(arguments)
    assert now[AGAIN[name]] == then[AGAIN[name]]
    assert then["spent"]["rho"] > 0
    assert now["spent"] == {"percent": 0.0, "rho": 0.0, "epsilon": 0.0, "pure_epsilon": 0.0}
    then_left = PRINTED["show"]["remaining"]
    assert {key: now["remaining"][key] for key in then_left} == then_left
    assert now.get("stored_earlier", True)
    charges = run(COMMANDS["show"])["charges"]
    assert [{key: line[key] for key in line if key != "percent_of_grant"} for line in charges] == (
        PRINTED["show"]["charges"]
    )


@pytest.mark.parametrize(("release", "command"), BOUGHT.items())
def test_a_stored_release_is_written_again_byte_for_byte(
    run: Callable[..., Any], place: Path, release: str, command: str
) -> None:
    """But for the report and the script, which are of the program that writes them."""
    run([*COMMANDS[command][:-1], "again"])
    for name in MADE | {"schema.json"}:
        assert (place / "again" / name).read_bytes() == (BEFORE / release / name).read_bytes()


def test_the_same_lines_of_python_on_the_store_of_version_1_buy_nothing_anew(tmp_path: Path) -> None:
    """The rows, the plans and the store are those of `ledger/stores/make_version_1.py`."""
    url = old_stores.put(f"sqlite:///{tmp_path / 'ledger.sqlite3'}")
    public = {"b": people(150, 1), "c": people(120, 2)}
    schema, workload = pmwpub.draft_schema(list(public.values())), pmwpub.WorkloadChoice(k=2)
    with Ledger.open(url) as ledger:
        booked, spent = ledger.bookings("people"), ledger.balance("people").spent
        project = pmwpub.Project(ledger, "people", schema=schema, public=public, workload=workload)
        project.assess(people(300, 3), epsilon="0.5")
        release = project.release(people(300, 3), "b", epsilon="1", rounds=3)
        assert [json.loads(one.plan_json)["kind"] for one in booked] == ["assessment", "assessment", "release"]
        assert ledger.bookings("people") == booked
        assert ledger.balance("people").spent == spent
    (body,) = (one["body"] for one in old_stores.dumped()["results"] if one["booking_id"] == booked[-1].id)
    assert release.bundle.to_bytes() == body
