"""`answer`: cells of a release with their intervals, from its own files."""

from __future__ import annotations

import csv
import html
import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from support.commands import Run, commands
from support.complete_schemas import complete

from pmwpub.api import SyntheticRelease
from pmwpub.release import checking
from pmwpub.release.answers import marginal_answers
from pmwpub.release.answers.number_answers import NOT_COVERED
from pmwpub.release.answers.release_answers import NO_STRENGTHS, OF_ROUNDS, ReleaseAnswers
from pmwpub.release.bundle import INTERVALS, Bundle
from pmwpub.release.certificates.certificate_parts import ATTESTED, PUBLIC_PEOPLE

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
    command = commands(tmp_path, monkeypatch, capsys)
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


def test_what_cannot_be_asked_is_refused_in_words(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    release(run, "--engine", "table-fit")
    assert "no column 'town'" in answer(run, "--marginal", "town", status=2)
    assert "different columns" in answer(run, "--marginal", "sex,sex", status=2)
    assert "--marginal" in answer(run, status=2)
    for place in ("out/weights.csv", "ledger.sqlite3", "ledger.sqlite3.witness"):
        assert "written over" in answer(run, "-o", place, status=2)
    assert "certificate.json" in run("answer", "--release", "nowhere", "--marginal", "sex", status=2)
    monkeypatch.setattr(marginal_answers, "MOST_CELLS", 4)
    assert "at most 4 are answered at once" in answer(run, "--marginal", "sex,job,age", status=2)


def test_programs_ask_alike(run: Run) -> None:
    release(run, "--engine", "table-fit")
    bundle = Bundle(checking.read_folder(Path("out")))
    found = SyntheticRelease(bundle)
    assert found.mean("age").line() == answer(run, "--mean", "age")["number"]
    assert (
        found.difference({"sex": "F"}, {"sex": "M"}).line() == answer(run, "--difference", "sex=F", "sex=M")["number"]
    )
    first = json.loads(Path("schema.json").read_text())["columns"][1]["edges"][1]
    assert found.between("age", first).line() == answer(run, "--range", f"age={first}..")["number"]
    assert [one.line() for one in found.cumulative("age")] == answer(run, "--cumulative", "age")["numbers"]
    assert [one.line() for one in found.quantiles("age")] == answer(run, "--quantile", "age")["quantiles"]
    within = [one.line() for one in found.within(["sex", "job"], ["sex"])]
    assert within == answer(run, "--marginal", "sex,job", "--within", "sex")["cells"]
    by_name = found.answer(["job", "sex"])
    assert [one.line() for one in by_name] == answer(run, "--marginal", "sex,job")["cells"]
    assert [one.line() for one in ReleaseAnswers(bundle).marginal(["sex"])] == answer(run, "--marginal", "sex")["cells"]


def test_shares_within_a_column_and_differences_hold_the_truth(run: Run) -> None:
    complete(Path("schema.json"))
    release(run, "--engine", "table-fit")
    private = pandas.read_csv("p.csv")
    found = answer(run, "--marginal", "sex,job", "--within", "sex", "-o", "within.csv")
    assert "of the rows that have its level" in found["shares"]
    covered = [cell for cell in found["cells"] if "(other)" not in cell["levels"].values()]
    assert len(covered) == 6
    assert {cell["basis"] for cell in found["cells"] if cell not in covered} == {"not covered"}
    for cell in covered:
        rows = private[private.sex == cell["levels"]["sex"]]
        own, half = (rows.job == cell["levels"]["job"]).mean(), (cell["high"] - cell["low"]) / 2
        assert 0 < half < 0.05
        assert abs(cell["share"] - own) <= 4 * half
    for sex in "FM":
        assert sum(one["share"] for one in found["cells"] if one["levels"]["sex"] == sex) == pytest.approx(1, abs=1e-5)
    assert Path("within.csv").read_text().startswith('"sex","job","share"')
    less = answer(run, "--difference", "sex=M,job=x", "job=x,sex=F", "-o", "less.csv")["number"]
    own = ((private.sex == "M") & (private.job == "x")).mean() - ((private.sex == "F") & (private.job == "x")).mean()
    assert abs(less["value"] - own) <= 2 * (less["high"] - less["low"])
    assert less["what"] == "share of sex = M, job = x less share of sex = F, job = x"
    with Path("less.csv").open(newline="") as stream:
        (line,) = csv.DictReader(stream)
    assert float(line["low"]) == less["low"]


def test_a_mean_is_made_of_the_noisy_table_of_its_column(run: Run) -> None:
    complete(Path("schema.json"))
    release(run, "--engine", "table-fit")
    found, private = answer(run, "--mean", "age"), pandas.read_csv("p.csv")
    number = found["number"]
    assert number["basis"] == "noisy cell"
    edges = json.loads(Path("schema.json").read_text())["columns"][1]["edges"]
    places = np.clip(np.searchsorted(edges, private.age, side="right") - 1, 0, len(edges) - 2)
    binned = (np.array(edges[:-1]) + np.array(edges[1:]))[places].mean() / 2
    assert 0 < number["high"] - number["low"] < 10
    assert abs(number["value"] - binned) <= 2 * (number["high"] - number["low"])
    assert "middle" in found["mean"]
    assert number["what"] == "mean of bin middles of age"
    shares = np.array([one["released"] for one in answer(run, "--marginal", "age")["cells"]][: len(edges) - 1])
    assert number["binning"] == pytest.approx(shares @ np.diff(edges) / 2 / shares.sum(), rel=1e-3)
    assert abs(private.age.mean() - binned) <= 1.5 * number["binning"]


def test_ranges_cumulative_shares_and_quantiles_hold_the_truth(run: Run) -> None:
    release(run, "--engine", "table-fit")
    private = pandas.read_csv("p.csv").age
    edges = json.loads(Path("schema.json").read_text())["columns"][1]["edges"]
    low, high = edges[1], edges[3]
    found = answer(run, "--range", f"age={low}..{high}", "-o", "range.csv")
    number, own = found["number"], ((private >= low) & (private < high)).mean()
    assert number["what"] == f"share of age from {low} to below {high}"
    assert 0 < number["high"] - number["low"] < 0.1
    # As wide again on both sides is six deviations: the noise of no run reaches so far.
    assert abs(number["value"] - own) <= 1.5 * (number["high"] - number["low"])
    assert "all rows" in found["range"]
    assert Path("range.csv").read_text().splitlines()[1].startswith(f'"{number["what"]}"')
    below = answer(run, "--cumulative", "age", "-o", "below.csv")["numbers"]
    assert len(below) == len(edges) - 1 == len(Path("below.csv").read_text().splitlines()) - 1
    for edge, one in zip(edges[1:], below, strict=True):
        assert abs(one["value"] - (private < edge).mean()) <= 0.1
    asked = answer(run, "--quantile", "age", "--at", ".1,0.5", "-o", "quantiles.csv")
    assert [one["what"] for one in asked["quantiles"]] == ["quantile 0.1 of age", "median of age"]
    for one in asked["quantiles"]:
        assert {one["low"], one["high"]} <= set(edges)
        assert one["low"] - (high - low) <= private.quantile(one["at"]) <= one["high"] + (high - low)
        assert one["low"] <= one["value"] <= one["high"]
    assert [one["at"] for one in answer(run, "--quantile", "age")["quantiles"]] == [0.25, 0.5, 0.75]
    assert Path("quantiles.csv").read_text().startswith('"at","what","value"')


def test_other_engines_answer_such_numbers_without_an_interval(run: Run) -> None:
    release(run, "--engine", "pmw-pub", "--rounds", "5")
    edge = json.loads(Path("schema.json").read_text())["columns"][1]["edges"][1]
    for flags in (["--mean", "age"], ["--difference", "sex=M", "sex=F"], ["--range", f"age={edge}.."]):
        number = answer(run, *flags)["number"]
        assert (number["low"], number["basis"], number["remark"]) == (None, "not covered", NOT_COVERED)
    cells = answer(run, "--marginal", "sex,job", "--within", "sex")["cells"]
    assert {cell["basis"] for cell in cells} == {"not covered"}
    for one in answer(run, "--quantile", "age")["quantiles"]:
        assert (one["low"], one["first"], one["remark"]) == (None, None, NOT_COVERED)
        assert one["value"] == one["released"] is not None


NO_QUESTIONS = [
    (["--mean", "age", "--marginal", "sex"], "one thing"),
    (["--within", "sex", "--mean", "age"], "one thing"),
    (["--mean", "job"], "not numeric"),
    (["--difference", "sex=M", "job=x"], "same columns"),
    (["--difference", "sex=M", "sex=M"], "different cells"),
    (["--difference", "sex=M", "sex=Q"], "no level 'Q'"),
    (["--difference", "sex", "sex=M"], "column=level"),
    (["--marginal", "sex,job", "--within", "age"], "not within all"),
    (["--range", "age"], "COLUMN=FROM..TO"),
    (["--range", "age=1"], "FROM..TO"),
    (["--range", "age=1.5.."], "no edge at 1.5"),
    (["--range", "sex=F.."], "no order"),
    (["--range", "town=F.."], "no column 'town'"),
    (["--cumulative", "job"], "no order"),
    (["--quantile", "age", "--at", "1"], "between 0 and 1"),
    (["--quantile", "age", "--at", "half"], "--at 0.25,0.5,0.75"),
    (["--mean", "age", "--at", "0.5"], "one thing"),
]


def test_questions_that_are_none_are_refused(run: Run) -> None:
    release(run, "--engine", "table-fit")
    for flags, words in NO_QUESTIONS:
        assert words in answer(run, *flags, status=2), flags


def test_the_report_has_the_intervals_that_are_answered_and_says_what_it_leaves_out(run: Run) -> None:
    complete(Path("schema.json"))
    release(run, "--engine", "table-fit")
    report = html.unescape(Path("out", "report.html").read_text())
    assert "How far off its numbers may be" in report
    assert re.search(r"\d+ levels? (is|are) left out: of less than 1 %", report), "no row has (other)"
    asked = SyntheticRelease(Bundle(checking.read_folder(Path("out")))).answer(["job"])
    assert [one.line() for one in asked] == answer(run, "--marginal", "job")["cells"]
    for one in asked:
        level = one.line()["levels"]["job"]
        if level == "(other)":
            continue
        # The report rounds the number itself: a share that `answer` shows as 0.309150 may be more or less than that.
        shown = "".join(f"<td[^>]*>{100 * part:.2f} %</td>" for part in (one.share, one.low, one.high))
        assert re.search(f"<bdi>job</bdi> = <bdi>{level}</bdi></th>{shown}", report), one


def test_rows_of_few_public_records_are_counted_by_their_own_files(run: Run) -> None:
    release(run, "--engine", "table-fit")
    asked = ("few-records", "--release", "out", "--public", "b.csv", "--columns", "job,age,sex", "--fewest", "5")
    found = run(*asked)
    public, weights = pandas.read_csv("b.csv"), pandas.read_csv("out/weights.csv")
    edges = json.loads(Path("schema.json").read_text())["columns"][1]["edges"]
    places = np.clip(np.searchsorted(edges, public.age, side="right") - 1, 0, len(edges) - 2)
    labels = [f"[{edges[place]}, {edges[place + 1]}" for place in places]
    records = pandas.Series(list(zip(public.job, labels, public.sex, strict=True))).value_counts()
    mine = [
        records.get((job, age[:-1], sex), 0)
        for job, age, sex in zip(weights.job, weights.age, weights.sex, strict=True)
    ]
    assert found["share"] == pytest.approx(weights.weight[np.array(mine) < 5].sum())
    assert 0 < found["merged"]["mean"] <= found["merged"]["largest"] < 1
    assert "public people" in found["public_people"]
    for rule in ("drop", "merge"):
        assert run(*asked, "--rule", rule, "-o", "rows.csv")["file"] == "rows.csv"
        rows = pandas.read_csv("rows.csv")
        left = {records.get((one.job, one.age[:-1], one.sex), 0) for one in rows.itertuples()}
        assert (len(rows), min(left) >= 5) == (ROWS, True)
    assert "both or none" in run(*asked, "-o", "rows.csv", status=2)
    assert "written over" in run(*asked, "--rule", "drop", "-o", "b.csv", status=2)
    assert "SHA-256" in run("few-records", "--release", "out", "--public", "p.csv", "--columns", "job", status=2)
    Path("out", "weights.csv").write_bytes(Path("out", "weights.csv").read_bytes() + b"\n")
    assert "weights.csv" in run(*asked, status=2)


def test_the_certificate_says_whose_rows_are_copied(run: Run) -> None:
    certificate = release(run, "--engine", "table-fit")
    assert certificate["statement"] == f"{ATTESTED} {PUBLIC_PEOPLE}"
    assert PUBLIC_PEOPLE in html.unescape(Path("out", "report.html").read_text())
    older = json.loads(Path("out", "certificate.json").read_text())
    Path("out", "certificate.json").write_text(json.dumps(older | {"statement": ATTESTED}, indent=1) + "\n")
    assert run("certificate", "check", "out")["holds"]
    Path("out", "certificate.json").write_text(json.dumps(older | {"statement": PUBLIC_PEOPLE}, indent=1) + "\n")
    assert "other words" in run("certificate", "check", "out", status=2)
