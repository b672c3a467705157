"""`evaluate`: the same numbers on any workers, stopped and taken up again, and as a page to share."""

from __future__ import annotations

import html
import json
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from pmwpub.cli import main
from pmwpub.cli.evaluate_journal import Journal
from pmwpub.cli.evaluating.error_files import write_errors
from pmwpub.errors import FileRefused
from pmwpub.evaluation import Simulation
from pmwpub.theory import HYPOTHESES, accuracy_line


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, rows in (("t.csv", 300), ("b.csv", 120), ("c.csv", 90)):
        rng = np.random.default_rng(rows)
        lines = [f"{'FM'[rng.integers(2)]},{rng.integers(90)},{'xyz'[rng.integers(3)]}" for _ in range(rows)]
        (tmp_path / name).write_text("\n".join(["sex,age,job", *lines]) + "\n")
    monkeypatch.chdir(tmp_path)
    assert main(["schema", "draft", "b.csv", "c.csv", "-o", "schema.json"]) == 0
    return tmp_path


def evaluate(out: str, *more: str) -> int:
    common = ["--schema", "schema.json", "--truth", "t.csv", "--public", "b.csv", "--public", "c.csv", "-k", "2"]
    return main(["evaluate", *common, "--epsilons", "0.5,2", "--runs", "2", "--rounds", "3", "-o", out, *more])


def test_the_number_of_workers_leaves_no_trace_in_the_errors(folder: Path) -> None:
    assert evaluate("one.csv") == 0
    assert evaluate("two.csv", "--workers", "2") == 0
    assert (folder / "one.csv").read_bytes() == (folder / "two.csv").read_bytes()


def test_all_methods_are_the_variants_the_table_unchanged_and_the_baselines(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert evaluate("all.csv", "--methods", "all") == 0
    lines = (folder / "all.csv").read_text().splitlines()[1:]
    assert {line.split(",")[0] for line in lines} == {
        "pmw-pub", "pmw-pub+permute-and-flip", "pmw-pub+average", "pmw-pub+uniform", "pmw-pub+no-replay", "unchanged",
        "table-fit", "mwem", "dual-query", "ji-elkan", "hdmm", "residual-planner",
    }  # fmt: skip
    assert evaluate("all.csv", "--methods", "magic") == 2
    assert "The methods are" in capsys.readouterr().err


def test_a_baseline_that_cannot_run_says_why_and_the_others_run(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert evaluate("some.csv", "--methods", "mwem+on=sex/job,mwem+on=sex,hdmm", "--html", "page.html") == 0
    streams = capsys.readouterr()
    refused = json.loads(streams.out)["refused"]
    assert [(one["method"], one["epsilon"]) for one in refused] == [("mwem+on=sex", 0.5), ("mwem+on=sex", 2.0)]
    assert "pmwpub: mwem+on=sex at epsilon 0.5 did not run: None of the workload's 3 marginals" in streams.err
    lines = [line.split(",") for line in (folder / "some.csv").read_text().splitlines()[1:]]
    assert {(line[0], line[1]) for line in lines} == {("mwem+on=job/sex", ""), ("hdmm", "")}
    assert "HDMM (no rows)" in (folder / "page.html").read_text()


def test_a_stopped_command_goes_on_where_it_was(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert evaluate("whole.csv") == 0
    real, kept = Journal.add, []

    def add(journal: Journal, task: object, found: object) -> None:
        if len(kept) == 5:
            raise KeyboardInterrupt
        kept.append(task)
        real(journal, task, found)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(Journal, "add", add)
        assert evaluate("stopped.csv") == 130
    assert not (folder / "stopped.csv").exists()
    with (folder / "stopped.csv.partial").open("ab") as stream:
        stream.write(b'[{"candidate": "b.c')  # killed while it wrote
    capsys.readouterr()
    assert evaluate("stopped.csv") == 0
    assert json.loads(capsys.readouterr().out)["resumed"] == 5
    assert (folder / "stopped.csv").read_bytes() == (folder / "whole.csv").read_bytes()
    assert not (folder / "stopped.csv.partial").exists()


def test_what_another_table_left_behind_is_not_taken_up(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "errors.csv.partial").write_bytes(b"0123\n" + b"not for us\n")
    assert evaluate("errors.csv") == 0
    assert json.loads(capsys.readouterr().out)["resumed"] == 0


def test_runs_of_an_older_spelling_are_taken_up_and_two_spellings_are_told(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    methods = ["--methods", "ji-elkan+lambda=0.010,hdmm+even"]
    with monkeypatch.context() as patch:
        patch.setattr(Journal, "close", lambda journal: None)
        assert evaluate("errors.csv", *methods) == 0
    whole = (folder / "errors.csv").read_bytes()
    partial = folder / "errors.csv.partial"
    head, *parts = partial.read_bytes().rstrip(b"\n").split(b"\n")
    older = [part.replace(b'"ji-elkan"', b'"ji-elkan+lambda=0.01"').replace(b"+even", b"+even=3") for part in parts]
    partial.write_bytes(b"\n".join([head, *older, *parts[:2], b""]))
    capsys.readouterr()
    assert evaluate("errors.csv", *methods) == 0
    said = capsys.readouterr()
    assert "2 finished runs were kept twice, under two spellings of one method" in said.err
    assert json.loads(said.out)["resumed"] == len(parts) == json.loads(said.out)["runs"]
    assert (folder / "errors.csv").read_bytes() == whole


def test_floors_and_verdicts_are_in_the_answer_and_the_figure_is_one_file(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert evaluate("errors.csv", "--floors", "--html", "errors.html") == 0
    said = json.loads(capsys.readouterr().out)
    assert [floor["candidate"] for floor in said["floors"]] == ["b.csv", "c.csv"]
    assert all(0 <= floor["lower"] <= floor["upper"] <= 1 for floor in said["floors"])
    assert {one["candidate"] for one in said["not_expected_to_beat_unchanged"]} <= {"b.csv", "c.csv"}
    page = (folder / "errors.html").read_text()
    assert "<svg" in page
    assert "<script" not in page
    assert "not private" in page


def test_the_page_has_the_accuracy_theorem_where_it_is_asked_for(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert evaluate("errors.csv", "--floors", "--html", "plain.html") == 0
    floors = json.loads(capsys.readouterr().out)["floors"]
    assert evaluate("errors.csv", "--floors", "--html", "theory.html", "--theory") == 0
    plain, theory = ((folder / name).read_text() for name in ("plain.html", "theory.html"))
    assert "the theorem" not in plain
    queries = int(re.search(r"Workload of (\d+) queries", theory).group(1))  # type: ignore[union-attr]
    rows = {"b.csv": 120, "c.csv": 90}
    for floor in floors:
        line = accuracy_line(
            (0.5, 2.0),
            delta=Fraction(1, 300**2),
            n=300,
            m=rows[floor["candidate"]],
            queries=queries,
            best_mixture=floor["upper"],
        )
        for epsilon, error in zip(("0.5", "2"), line.errors, strict=True):
            name = f"{floor['candidate']}, the theorem&#x27;s bound"
            assert f"<tr><td>{name}</td><td>{epsilon}</td><td>{100 * error:.3g}</td><td>–</td></tr>" in theory
    for words in HYPOTHESES:
        assert html.escape(words) in theory
    assert "longdash" in theory


def test_a_place_that_cannot_be_written_or_has_no_worker_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert evaluate("nowhere/errors.csv") == 2
    assert evaluate("errors.csv", "--workers", "0") == 2
    assert "At least one worker" in capsys.readouterr().err
    (folder / "taken").mkdir()
    with pytest.raises(FileRefused):
        write_errors(folder / "taken", Simulation())


@pytest.mark.parametrize(
    "wrong",
    [
        *(["--epsilons", epsilon] for epsilon in ("0", "-1", "nan", "1e400", "1e308", "0.5,2000000", "1/0", "")),
        *(["--rounds", rounds] for rounds in ("0", "1000000000", "x")),
        *(["--methods", f"mwem,{name}"] for name in ("ji-elkan+lambda=0", "dual-query+eta=-1", "aim+megabytes=-1")),
        *(["--methods", name] for name in ("mwem+on=", "hdmm+even=3", "dual-query+samples=0", "ji-elkan+lambda=1e9")),
        ["--html", "nowhere/page.html"],
        ["--dask", "foo"],
        ["--theory"],
        ["--theory", "--floors"],
        ["--theory", "--html", "page.html"],
    ],
    ids=lambda wrong: " ".join(wrong),
)
def test_nonsense_is_refused_in_words_before_anything_runs_or_is_written(
    folder: Path, wrong: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(folder.iterdir())
    common = ["--schema", "schema.json", "--truth", "t.csv", "--public", "b.csv", "-k", "2", "-o", "e.csv"]
    assert main(["evaluate", *common, "--epsilons", "0.5", "--rounds", "3", *wrong]) == 2
    said = capsys.readouterr().err.splitlines()[-1]
    assert said.startswith("pmwpub: ")
    assert said.endswith(".")
    assert sorted(folder.iterdir()) == before
