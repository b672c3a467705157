"""Public tables with weights of their own, by command: as the same tables with each row repeated, and made again."""

from __future__ import annotations

import io
import json
import random
import shutil
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from guarantees.flows import trace_commands
from guarantees.traces import Trace
from support.planting import plant

from pmwpub.cli import main
from pmwpub.release import rebuild, rebuilding

N = 60
SPEND = ["--population", "P", "--schema", "schema.json", "--private", "p.csv"]
ONE = [*SPEND, "--public", "b.csv", "-k", "2"]
TWO = [*SPEND, "--public", "b.csv", "--public", "c.csv", "-k", "2"]
COMMANDS = [
    ["ledger", "register", "P", "--n", str(N), "--epsilon", "900"],
    ["release", *ONE, "--epsilon", "60", "--engine", "table-fit", "-o", "tables"],
    ["release", *ONE, "--epsilon", "1", "--engine", "pmw-pub", "--rounds", "3", "-o", "rounds"],
    ["release", *ONE, "--epsilon", "1", "--engine", "unchanged", "-o", "unchanged"],
    ["release", *TWO, "--epsilon", "1", "--engine", "pmw-pub", "--rounds", "3", "-o", "merged"],
    ["release", *TWO, "--epsilon", "60", "--engine", "table-fit-pool", "-o", "learnt"],
    ["assess", *TWO, "--compare"],
]
FOLDERS = {"tables": "b.csv", "rounds": "b.csv", "unchanged": "b.csv", "merged": "b.csv c.csv", "learnt": "b.csv c.csv"}
"""What is released, and of which public tables."""
MADE = [f"{folder}/{name}.csv" for folder in FOLDERS for name in ("weights", "synthetic")]
WORDS = "w, in whole units of 2, at most 10 each"
CAP = 5
"""Units of 2: a row counts 1 to 5 times."""


def rows(seed: int, number: int) -> list[tuple[str, str, int]]:
    """Sex, age, and how many units of 2 a row weighs."""
    rng = random.Random(seed)
    return [(rng.choice("FM"), str(rng.randrange(6)), rng.randint(1, CAP)) for _ in range(number)]


NOTHING = ["X,0,0", "M,5,-7", "M,1,", "F,5,much"]
"""Rows of no weight: as if they were not there."""


def table(lines: list[tuple[str, str, int]], *, repeated: bool = False, more: Sequence[str] = ()) -> str:
    """The rows with their weight, the heaviest beyond the cap; or each so often, of weight 1."""
    if repeated:
        written = [f"{sex},{age},1" for sex, age, units in lines for _ in range(units)]
    else:
        weights = ["0", "2", "4.5", "5", "8", "1e6"]
        written = [f"{sex},{age},{weights[units]}" for sex, age, units in lines]
    return "\n".join(["sex,age,w", *written, *more]) + "\n"


def schema(weighs: str | None) -> str:
    weight = {"name": "w", "kind": "weight", "cap": 2 * CAP, "unit": 2, "total": 400}
    columns = [
        {"name": "sex", "kind": "categorical", "levels": ["F", "M"], "other": True},
        {"name": "age", "kind": "ordered", "levels": list("012345"), "other": True},
        weight if weighs is None else weight | {"weighs": weighs},
    ]
    return json.dumps({"version": 2, "missing_tokens": [""], "columns": columns})


def folder_of(folder: Path, *, weighs: str | None) -> Path:
    """Private rows that are weighed; public ones that are, or that are repeated and not weighed."""
    folder.mkdir(parents=True)
    (folder / "p.csv").write_text(table(rows(1, N)))
    for name, seed, number in (("b", 2, 2_000), ("c", 3, 900)):
        lines = rows(seed, number)
        text = table(lines, more=NOTHING) if weighs else table(lines, repeated=True)
        (folder / f"{name}.csv").write_text(text)
    (folder / "schema.json").write_text(schema(weighs))
    return folder


class Captured:
    """What is printed, for a fixture that outlives one test."""

    def __init__(self) -> None:
        self.streams = io.StringIO(), io.StringIO()

    def readouterr(self) -> SimpleNamespace:
        texts = [stream.getvalue() for stream in self.streams]
        for stream in self.streams:
            stream.seek(0)
            stream.truncate()
        return SimpleNamespace(out=texts[0], err=texts[1])


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[tuple[Path, Trace], tuple[Path, Trace]]:
    """All commands on weighed public tables, and on the same with their rows repeated; the noise is forced."""
    base, found = tmp_path_factory.mktemp("public"), []
    for name, weighs in (("weighed", "all"), ("repeated", None)):
        folder, trace, captured = folder_of(base / name, weighs=weighs), Trace(), Captured()
        with redirect_stdout(captured.streams[0]), redirect_stderr(captured.streams[1]):
            trace_commands(trace, folder, COMMANDS, captured)  # type: ignore[arg-type]
        assert [text[0] for text in trace.output.values()] == ["0"] * len(COMMANDS), (trace.output, trace.logs)
        found.append((folder, trace))
    return found[0], found[1]


Both = tuple[tuple[Path, Trace], tuple[Path, Trace]]


@pytest.mark.parametrize("made", MADE)
def test_a_weighed_public_table_releases_what_it_does_with_its_rows_repeated(both: Both, made: str) -> None:
    (_, weighed), (_, repeated) = both
    assert weighed.exports[made] == repeated.exports[made]


def test_a_weighed_public_table_unchanged_has_the_shares_of_its_weight_by_hand(both: Both) -> None:
    lines = rows(2, 2_000)
    men = Fraction(sum(units for sex, _, units in lines if sex == "M"), sum(units for _, _, units in lines))
    released = (both[0][0] / "unchanged" / "weights.csv").read_text().splitlines()[1:]
    assert sum(float(line.split(",")[2]) for line in released if line[0] == "M") == pytest.approx(float(men), abs=1e-12)
    assert abs(men - Fraction(sum(sex == "M" for sex, _, _ in lines), 2_000)) > Fraction(1, 1_000)


def test_public_rows_of_no_weight_are_no_atoms_and_are_counted(both: Both) -> None:
    (folder, trace), _ = both
    facts = {one["candidate"]: one for one in printed(trace, "--compare")["candidates"]}
    assert (facts["b.csv"]["weighed"], facts["b.csv"]["without_weight"]) == (["b.csv"], 4)
    lines = (folder / "unchanged" / "weights.csv").read_text().splitlines()[1:]
    assert {line[0] for line in lines} == {"F", "M"}  # the only row of another sex weighs nothing


def test_public_tables_compare_with_each_other_by_their_weight(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Floors and starts of pairs are those of repeated rows: the one that plays private people is drawn by weight."""
    found = []
    for name, weighs in (("weighed", "public"), ("repeated", None)):
        folder = folder_of(tmp_path / name, weighs=weighs)
        text = json.loads((folder / "schema.json").read_text())
        text["columns"][2] = {key: one for key, one in text["columns"][2].items() if weighs and key != "total"}
        text["columns"] = [column for column in text["columns"] if column]
        (folder / "schema.json").write_text(json.dumps(text))
        monkeypatch.chdir(folder)
        assert main(["--store", "sqlite:///ledger.sqlite3", *COMMANDS[0]]) == 0
        capsys.readouterr()
        assert main(["--store", "sqlite:///ledger.sqlite3", *COMMANDS[-1]]) == 0
        lines = sorted(json.loads(capsys.readouterr().out)["comparison"], key=lambda line: line["candidate"])
        found.append([{key: value for key, value in line.items() if key != "seconds"} for line in lines])
    assert len(found[0]) == 2
    assert found[0] == found[1]


@pytest.mark.parametrize(("folder", "tables"), FOLDERS.items())
def test_a_release_on_weighed_public_tables_says_so_is_checked_and_made_again(
    both: Both, folder: str, tables: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(both[0][0])
    stated = json.loads(Path(folder, "certificate.json").read_text())
    assert {one["weighed_by"] for one in stated["candidate"]} == {WORDS}
    assert stated["plan"]["inputs"]["weighed"] == sorted(one["sha256"] for one in stated["candidate"])
    assert f"count with their survey weight ({WORDS})" in Path(folder, "report.html").read_text()
    assert main(["certificate", "check", folder]) == 0
    assert json.loads(capsys.readouterr().out)["holds"]
    assert rebuild.main([*tables.split(), "--from", folder]) == 0
    said = capsys.readouterr().out
    assert "DIFFERS" not in said
    for table in tables.split():
        assert f"{table}: its rows count with their weight ({WORDS})" in said


@pytest.mark.fault("public rows counted once where the release weighed them")
def test_a_rebuild_that_counts_public_rows_once_is_caught(
    both: Both, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    plant(monkeypatch, rebuilding, "supports_of", "one.support if weighed else Support", "Support")
    folder = both[0][0]
    assert rebuild.main([str(folder / "b.csv"), "--from", str(folder / "rounds")]) == 1
    assert "weights.csv: DIFFERS" in capsys.readouterr().out


def test_a_release_on_unweighed_public_tables_is_written_as_ever(both: Both) -> None:
    folder = both[1][0]
    for one in FOLDERS:
        text = Path(folder, one, "certificate.json").read_text()
        assert "weighed" not in text
        assert "Public rows of b.csv" not in Path(folder, one, "report.html").read_text()


FORGED = {
    "the table is said to count rows": (lambda stated: stated["candidate"][0].pop("weighed_by"), "other public tables"),
    "the table is said to be weighed otherwise": (
        lambda stated: stated["candidate"][0].update(weighed_by="w, in whole units of 1, at most 10 each"),
        "differ in how rows are weighed",
    ),
}


@pytest.mark.parametrize("name", FORGED)
def test_a_certificate_that_weighs_public_rows_otherwise_does_not_hold(
    both: Both, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change, words = FORGED[name]
    shutil.copytree(both[0][0] / "rounds", tmp_path / "forged")
    path = tmp_path / "forged" / "certificate.json"
    stated = json.loads(path.read_text())
    change(stated)
    path.write_text(json.dumps(stated))
    assert main(["certificate", "check", str(tmp_path / "forged")]) == 2
    assert words in capsys.readouterr().err
    assert rebuild.main([str(both[0][0] / "b.csv"), "--from", str(tmp_path / "forged")]) == 2
    assert "public rows weighed in another way" in capsys.readouterr().err


def printed(trace: Trace, flag: str) -> Any:
    (text,) = (text for command, text in trace.output.items() if flag in command)
    return json.loads(text.partition("\n")[2])


def few(folder: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    given = ["--release", str(folder / "tables"), "--public", str(folder / "b.csv"), "--columns", "age,sex"]
    assert main(["few-records", *given, "--fewest", "200"]) == 0
    return json.loads(capsys.readouterr().out)


def test_few_records_are_rows_and_not_their_weight(both: Both, capsys: pytest.CaptureFixture[str]) -> None:
    """Of 2,000 rows in twelve groups each has fewer than 200; repeated by their weight each has far more."""
    weighed, repeated = (few(folder, capsys) for folder, _ in both)
    assert (weighed["combinations"], repeated["combinations"]) == (12, 0)


def test_what_a_table_lacks_or_no_private_row_has_to_have(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A table without the column counts each row once, also in a pool; private rows need no weight of their own."""
    folder = folder_of(tmp_path / "some", weighs="public")
    columns = json.loads((folder / "schema.json").read_text())
    del columns["columns"][2]["total"]
    (folder / "schema.json").write_text(json.dumps(columns))
    for name in "pc":
        lines = [line.rsplit(",", 1)[0] for line in (folder / f"{name}.csv").read_text().splitlines()]
        (folder / f"{name}.csv").write_text("\n".join(line for line in lines if line[0] != "X") + "\n")
    trace, captured = Trace(), Captured()
    with redirect_stdout(captured.streams[0]), redirect_stderr(captured.streams[1]):
        trace_commands(trace, folder, [COMMANDS[0], [*COMMANDS[4][:-2], "-o", "merged"]], captured)  # type: ignore[arg-type]
    assert [text[0] for text in trace.output.values()] == ["0", "0"], trace.logs
    stated = json.loads(trace.exports["merged/certificate.json"])
    assert {one["name"]: one.get("weighed_by") for one in stated["candidate"]} == {"b.csv": WORDS, "c.csv": None}
    assert "weights" not in stated["plan"]
    assert "Rows of c.csv, without that column, count as one unit each." in trace.exports["merged/report.html"].decode()
    assert rebuild.main([str(folder / "c.csv"), str(folder / "b.csv"), "--from", str(folder / "merged")]) == 0


@pytest.mark.parametrize("weighs", ["all", None])
def test_a_release_says_which_public_rows_weigh_nothing_and_which_count_once(
    weighs: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four rows of b.csv weigh nothing, and c.csv has no weights; a schema without public weights says nothing."""
    folder = folder_of(tmp_path / "town", weighs=weighs)
    (folder / "b.csv").write_text(table(rows(2, 90), more=NOTHING))
    (folder / "c.csv").write_text("".join(f"{sex},{age}\n" for sex, age, _ in [("sex", "age", 0), *rows(3, 90)]))
    monkeypatch.chdir(folder)
    store = ["--store", "sqlite:///ledger.sqlite3"]
    given = [*store, "release", *TWO, "--epsilon", "1", "--engine", "pmw-pub", "--rounds", "2"]
    assert main([*store, *COMMANDS[0]]) == 0
    capsys.readouterr()
    assert main([*given, "--dry-run"]) == 0
    planned = json.loads(capsys.readouterr().out)
    assert main([*given, "-o", "out"]) == 0
    said = capsys.readouterr().err
    words = (
        "pmwpub: of b.csv rows that weigh nothing are left out: 4.\n"
        "pmwpub: c.csv has no column of weights: each of its rows counts once.\n"
    )
    assert (words in said) == (weighs is not None)
    lines = [
        {"candidate": "b.csv", "weighed_by": WORDS, "without_weight": 4},
        {"candidate": "c.csv", "weighed_by": None, "without_weight": 0},
    ]
    assert planned.get("public_weights") == (lines if weighs else None)


def test_a_refused_release_has_said_what_is_left_out_before_it_could_charge(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder_of(tmp_path / "town", weighs="all"))
    store = ["--store", "sqlite:///ledger.sqlite3"]
    assert main([*store, *COMMANDS[0]]) == 0
    capsys.readouterr()
    dear = [*store, "release", *ONE, "--epsilon", "901", "--engine", "table-fit", "-o", "out"]
    assert main(dear) != 0
    assert "of b.csv rows that weigh nothing are left out: 4." in capsys.readouterr().err


def test_public_rows_too_heavy_for_exact_sums_are_refused_before_the_charge(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """600 rows of 1,000 units beside 10^12: 4 * 600,000 * (2 * 10^12 + 1) is more than 2^62."""
    text = json.loads(schema("all"))
    text["columns"][2] |= {"cap": 1_000, "unit": 1, "total": 10**12}
    (tmp_path / "schema.json").write_text(json.dumps(text))
    (tmp_path / "p.csv").write_text(table(rows(1, N)))
    heavy = [f"{'FM'[place % 2]},{place % 6},1000" for place in range(600)]
    (tmp_path / "b.csv").write_text("\n".join(["sex,age,w", *heavy]) + "\n")
    monkeypatch.chdir(tmp_path)
    store = ["--store", "sqlite:///ledger.sqlite3"]
    assert main([*store, *COMMANDS[0]]) == 0
    capsys.readouterr()
    assert main([*store, "release", *ONE, "--epsilon", "1", "--engine", "pmw-pub", "-o", "out"]) == 2
    assert "Public rows that count 600,000 in all" in capsys.readouterr().err
    assert main([*store, "ledger", "show", "P"]) == 0
    assert json.loads(capsys.readouterr().out)["charges"] == []


def test_what_clipping_costs_is_shown_at_the_cap_of_public_rows(
    both: Both, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "c.csv").write_text("sex,age,w\nF,0,2\nM,1,18\n")
    assert main(["schema", "weights", str(tmp_path / "c.csv"), "--schema", str(both[0][0] / "schema.json")]) == 0
    (found,) = json.loads(capsys.readouterr().out)["files"]
    # Of 20 in all 8 lie above 10.
    assert [(one["cap"], one["weight_clipped"]) for one in found["caps"]][1] == (10, 0.4)
