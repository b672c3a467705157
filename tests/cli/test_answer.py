"""`answer`: cells of a release with their intervals, from its own files."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

from pmwpub.api import SyntheticRelease
from pmwpub.cli import main
from pmwpub.release import checking
from pmwpub.release.answers.release_answers import NO_STRENGTHS, OF_ROUNDS, ReleaseAnswers
from pmwpub.release.bundle import INTERVALS, Bundle

Run = Callable[..., Any]
ROWS = 3_000


def _table(rows: int, seed: int) -> str:
    rng = np.random.default_rng(seed)
    lines = []
    for _ in range(rows):
        sex = rng.integers(2)
        job = "xyz"[int(rng.choice(3, p=(0.6, 0.3, 0.1) if sex else (0.2, 0.3, 0.5)))]
        lines.append(f"{'FM'[sex]},{rng.integers(90)},{job}")
    return "\n".join(["sex,age,job", *lines]) + "\n"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    Path(tmp_path, "p.csv").write_text(_table(ROWS, 1))
    Path(tmp_path, "b.csv").write_text(_table(1_000, 2))
    monkeypatch.chdir(tmp_path)

    def command(*arguments: str, status: int = 0) -> Any:
        found = main(["--store", f"sqlite:///{tmp_path}/ledger.sqlite3", *arguments])
        output = capsys.readouterr()
        assert found == status, output.err
        return output.err if status else json.loads(output.out)

    command("schema", "draft", "b.csv", "-o", "schema.json")
    command("ledger", "register", "P", "--n", str(ROWS), "--epsilon", "8")
    return command


def release(run: Run, *flags: str) -> Any:
    given = ("--population", "P", "--schema", "schema.json", "--private", "p.csv", "--public", "b.csv", "-k", "2")
    return run("release", *given, "--epsilon", "2", "-o", "out", *flags)


def answer(run: Run, *flags: str, status: int = 0) -> Any:
    return run("answer", "--release", "out", *flags, status=status)


def test_cells_of_a_marginal_have_intervals_that_hold_the_truth(run: Run) -> None:
    release(run, "--engine", "table-fit")
    found = answer(run, "--marginal", "job,sex")
    private = pandas.read_csv("p.csv")
    for cell in found["cells"]:
        assert list(cell["levels"]) == ["sex", "job"]
        rows = (private.sex == cell["levels"]["sex"]) & (private.job == cell["levels"]["job"])
        # Four times the half-width is eight deviations: the noise of no run reaches so far.
        half = (cell["high"] - cell["low"]) / 2
        assert 0 < half < 0.03
        assert abs(cell["share"] - rows.mean()) <= 4 * half
        assert (cell["confidence"], cell["basis"] in ("model", "noisy cell")) == (0.95, True)
    assert "wider population" in found["covers"]
    assert len(found["misfit"]) == 2
    assert run("ledger", "show", "P")["charges"][1:] == []


def test_all_marginals_of_the_workload_come_as_one_file(run: Run) -> None:
    release(run, "--engine", "table-fit")
    assert answer(run, "-o", "answers.csv")["file"] == "answers.csv"
    with Path("answers.csv").open(newline="") as stream:
        lines = list(csv.DictReader(stream))
    assert {line["columns"] for line in lines} == {"sex; age", "sex; job", "age; job"}
    for columns in ("sex; age", "sex; job", "age; job"):
        assert math.isclose(sum(float(one["released"]) for one in lines if one["columns"] == columns), 1, abs_tol=1e-4)
    alone = answer(run, "--marginal", "sex,job", "-o", "one.csv")["cells"]
    with Path("one.csv").open(newline="") as stream:
        of_one = list(csv.DictReader(stream))
    assert [(one["sex"], one["job"], float(one["low"])) for one in of_one] == [
        (*one["levels"].values(), one["low"]) for one in alone
    ]
    assert [float(one["low"]) for one in lines if one["columns"] == "sex; job"] == [one["low"] for one in alone]


def test_a_release_by_rounds_covers_what_it_measured_alone(run: Run) -> None:
    certificate = release(run, "--engine", "pmw-pub", "--rounds", "5")
    found = answer(run, "-o", "answers.csv")
    assert found["remark"] == OF_ROUNDS
    measured: dict[str, list[int]] = {}
    for line in certificate["transcript"]:
        measured.setdefault("; ".join(line["query"].values()), []).append(line["noisy_count"])
    with Path("answers.csv").open(newline="") as stream:
        lines = {line["levels"]: line for line in csv.DictReader(stream)}
    covered = {levels for levels, line in lines.items() if line["basis"] == "noisy cell"}
    assert covered == set(measured)
    for levels, counts in measured.items():
        share = min(max(sum(counts) / len(counts) / ROWS, 0), 1)
        half = 1.959963984540054 * float(sigma_of(certificate)) / ROWS / math.sqrt(len(counts))
        assert float(lines[levels]["share"]) == pytest.approx(share, abs=1e-6)
        assert float(lines[levels]["high"]) == pytest.approx(min(share + half, 1), abs=1e-6)
    assert all(lines[levels]["low"] == "" for levels in set(lines) - covered)


def sigma_of(certificate: Any) -> float:
    whole, _, part = certificate["measurement_scale"].partition("/")
    return float(whole) / float(part or 1)


def test_a_release_of_before_intervals_says_so(run: Run) -> None:
    release(run, "--engine", "table-fit")
    bundle = Bundle(checking.read_folder(Path("out")))
    older = bundle.certificate.model_copy(
        update={"files": {name: sha for name, sha in bundle.certificate.files.items() if name != INTERVALS}}
    )
    Path("out", "certificate.json").write_bytes(older.to_bytes())
    Path("out", INTERVALS).unlink()
    found = answer(run, "--marginal", "sex")
    assert found["remark"] == NO_STRENGTHS
    assert {(cell["basis"], cell["low"]) for cell in found["cells"]} == {("not covered", None)}


@pytest.mark.parametrize("name", ["tables.csv", "weights.csv", INTERVALS])
def test_changed_files_are_not_answered_from(run: Run, name: str) -> None:
    release(run, "--engine", "table-fit")
    Path("out", name).write_bytes(Path("out", name).read_bytes() + b"\n")
    assert name in answer(run, "--marginal", "sex", status=2)


def test_what_cannot_be_asked_is_refused_in_words(run: Run) -> None:
    release(run, "--engine", "table-fit")
    assert "no column 'town'" in answer(run, "--marginal", "town", status=2)
    assert "different columns" in answer(run, "--marginal", "sex,sex", status=2)
    assert "--marginal" in answer(run, status=2)
    for place in ("out/weights.csv", "ledger.sqlite3", "ledger.sqlite3.witness"):
        assert "written over" in answer(run, "-o", place, status=2)
    assert "certificate.json" in run("answer", "--release", "nowhere", "--marginal", "sex", status=2)


def test_programs_ask_alike(run: Run) -> None:
    release(run, "--engine", "table-fit")
    bundle = Bundle(checking.read_folder(Path("out")))
    by_name = SyntheticRelease(bundle).answer(["job", "sex"])
    assert [one.line() for one in by_name] == answer(run, "--marginal", "sex,job")["cells"]
    assert [one.line() for one in ReleaseAnswers(bundle).marginal(["sex"])] == answer(run, "--marginal", "sex")["cells"]
