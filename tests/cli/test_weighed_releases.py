"""Releases, errors and floors under a schema that weighs rows, by command; what is not taken through is refused."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.fakes import FixedNoise

from pmwpub.cli import main
from pmwpub.plans.release_plans import release_plan_of
from pmwpub.privacy.noise import SecureNoise
from pmwpub.release import rebuild

Run = Callable[..., Any]
ROWS, CAP = 2_000, 4.0
OF_ROWS = r"(?:%|points|shares?|Share|counted as [\d.]+|± [\d,.]+) (?:of (?:the )?)?rows"
"""Shares and noise as they are said where each row counts as one."""
CRITERIA = json.dumps([{"kind": "largest", "within": "0.1"}])
WEIGHT = {"name": "w", "kind": "weight", "cap": CAP, "unit": 0.1, "total": 4_000}


def table(rows: int, seed: int) -> tuple[str, float]:
    """Women weigh 1 and men 3; the exact weighted share of men."""
    rng = np.random.default_rng(seed)
    men, old = rng.integers(2, size=rows), rng.integers(3, size=rows)
    lines = [f"{'FM'[man]},{age},{1 + 2 * man}" for man, age in zip(men, old, strict=True)]
    return "\n".join(["sex,age,w", *lines]) + "\n", 3 * men.sum() / (rows + 2 * men.sum())


def schema(**weight: object) -> dict[str, object]:
    columns = [
        {"name": "sex", "kind": "categorical", "levels": ["F", "M"], "other": True},
        {"name": "age", "kind": "ordered", "levels": ["0", "1", "2"], "other": True},
    ]
    return {"version": 2, "missing_tokens": [], "columns": [*columns, WEIGHT | weight]}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    Path(tmp_path, "p.csv").write_text(table(ROWS, 1)[0])
    Path(tmp_path, "b.csv").write_text(table(800, 2)[0])
    Path(tmp_path, "schema.json").write_text(json.dumps(schema()))
    monkeypatch.chdir(tmp_path)

    def command(*arguments: str, status: int = 0) -> Any:
        found = main(["--store", f"sqlite:///{tmp_path}/ledger.sqlite3", *arguments])
        output = capsys.readouterr()
        assert found == status, output.err
        return output.err if status else json.loads(output.out)

    command("ledger", "register", "P", "--n", str(ROWS), "--epsilon", "900")
    return command


def bought(run: Run, *flags: str, command: str = "release", status: int = 0) -> Any:
    given = ("--population", "P", "--schema", "schema.json", "--private", "p.csv", "--public", "b.csv", "-k", "2")
    return run(command, *given, "--epsilon", "20", *flags, status=status)


def share_of_men(folder: str) -> float:
    lines = Path(folder, "weights.csv").read_text().splitlines()[1:]
    return sum(float(line.split(",")[-1]) for line in lines if line.startswith("M"))


@pytest.mark.parametrize("engine", ["table-fit", "pmw-pub"])
def test_a_weighed_release_states_its_weights_is_checked_and_made_again(
    run: Run, engine: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = bought(run, "--engine", engine, "-o", "out")
    assert found["weights"] == {"column": "w", "cap": 40, "unit": "0.1", "total": 40_000, "measured": None}
    assert found["plan"]["weights"] == found["weights"]
    assert "at most weights.cap units" in found["neighbours"]
    assert "raked" in found["neighbours"]
    assert (found["n"], found["rows_per_person"]) == (ROWS, 1)
    assert run("certificate", "check", "out")["holds"]
    assert rebuild.main(["b.csv", "--from", "out"]) == 0
    assert "DIFFERS" not in capsys.readouterr().out
    # Half of the rows and three quarters of the weight are men's; the public table, which counts rows, says a half.
    assert abs(share_of_men("out") - table(ROWS, 1)[1]) < 0.06
    (charge,) = run("ledger", "show", "P")["charges"]
    assert charge["sensitivity"] == "40 units of weight"
    answered = run("answer", "--release", "out", "--marginal", "sex")
    assert "for a weight in this private table" in answered["covers"]
    assert "their weight is meant" in answered["remark"]


def test_the_noise_before_a_purchase_is_said_in_units_of_weight(run: Run) -> None:
    free = bought(run, "--engine", "table-fit", "--dry-run")
    noise = free["noise"]
    assert noise["units_of_weight"] == pytest.approx(noise["share"] * 40_000)
    assert "units of weight (95 %)" in free["words"][0]
    assert "% of the total weight" in free["words"][0]


def test_a_private_file_that_is_read_as_somebody_said_is_told_how_the_schema_writes(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    text = Path("p.csv").read_text()
    Path("p.csv").write_text(text.replace(",", ";"))
    given = ("--population", "P", "--schema", "schema.json", "--private", "p.csv", "--public", "b.csv", "-k", "2")
    arguments = ["--store", f"sqlite:///{Path.cwd()}/ledger.sqlite3", "release", *given, "--epsilon", "20", "-o", "out"]
    assert main([*arguments, "--overlap-acknowledged", "--read", "p.csv=utf-8,semicolon"]) == 0
    assert "weights such as 12.5 (w). A cell written otherwise weighs nothing" in capsys.readouterr().err


def test_a_certificate_whose_weights_were_changed_does_not_hold(run: Run) -> None:
    bought(run, "--engine", "table-fit", "-o", "out")
    path = Path("out", "certificate.json")
    stated = json.loads(path.read_text())
    for changed in ({"cap": 20}, {"total": 80_000}, {"unit": "0.2"}):
        path.write_text(json.dumps(stated | {"weights": stated["weights"] | changed}))
        assert "does not hold" in run("certificate", "check", "out", status=2)


def test_a_certificate_of_another_total_than_the_schema_declares_does_not_hold(run: Run) -> None:
    """Also where plan, hash and certificate say that total alike."""
    found = bought(run, "--engine", "table-fit", "-o", "out")
    weights = found["weights"] | {"total": 80_000}
    plan = found["plan"] | {"weights": weights}
    forged = {"plan": plan, "plan_sha256": release_plan_of(json.dumps(plan)).sha256, "weights": weights}
    path = Path("out", "certificate.json")
    path.write_text(json.dumps(json.loads(path.read_text()) | forged))
    assert "plan and schema differ in how rows are weighed" in run("certificate", "check", "out", status=2)


def test_noise_for_less_than_k_w_units_costs_more_than_a_certificate_states(run: Run) -> None:
    bought(run, "--engine", "table-fit", "-o", "out")
    path = Path("out", "certificate.json")
    stated = json.loads(path.read_text())
    for table in stated["tables"]:
        table["scale"] = str(Fraction(table["scale"]) * Fraction(99, 100))
    path.write_text(json.dumps(stated))
    assert "the tables' noise costs more than that" in run("certificate", "check", "out", status=2)


def worst(folder: str) -> float:
    """The largest error of weights.csv over the cells of (sex, age), of private weight in 4,000: by hand."""
    private, made = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for line in Path("p.csv").read_text().splitlines()[1:]:
        sex, age, weight = line.split(",")
        private[sex, age] += float(weight) / 4_000
    for line in Path(folder, "weights.csv").read_text().splitlines()[1:]:
        sex, age, share = line.split(",")
        made[sex, age] += float(share)
    return max(abs(private[cell] - made[cell]) for cell in private)


def test_an_error_is_of_shares_of_the_total(run: Run) -> None:
    bought(run, "--engine", "table-fit", "-o", "out")
    given = ("--population", "P", "--schema", "schema.json", "--private", "p.csv", "--release", "out")
    error = run("error", *given, "--epsilon", "20")["error"]
    # Noise of scale 40/20 units in 40,000: far below a thousandth.
    assert abs(error - worst("out")) < 0.002
    charge = run("ledger", "show", "P")["charges"][-1]
    assert charge["sensitivity"] == "40/40000"
    assert charge["scale"].endswith("(2 units of weight)")  # k W/epsilon = 40/20


def test_floor_and_start_are_of_shares_of_the_total(run: Run) -> None:
    found = bought(run, command="assess")["assessments"][0]
    # The public table has each of six cells at about 1/6; the private weight of a man's cell is about 1/4.
    private = 3 * sum(line.startswith("M,0") for line in Path("p.csv").read_text().splitlines()) / 4_000
    assert abs(private - 0.25) < 0.02
    assert 0.06 < found["start"] < 0.12
    assert found["floor"] < 0.01  # some mixture of the six cells has all but what T is off by
    charges = run("ledger", "show", "P")["charges"]
    assert {charge["sensitivity"] for charge in charges} == {"40/40000"}
    assert all(charge["scale"].endswith("units of weight)") for charge in charges)


def test_the_total_is_no_check_shares_may_sum_to_less_or_to_more(run: Run) -> None:
    sums = []
    for total in (1_000, 16_000):  # a quarter of what the weights sum up to, and four times it
        Path("schema.json").write_text(json.dumps(schema(total=total)))
        found = bought(run, "--engine", "table-fit", "-o", f"out{total}")
        with Path(f"out{total}", "tables.csv").open(newline="") as stream:
            lines = [line for line in csv.DictReader(stream) if line["table"] == "1"]
        sums.append(sum(int(line["noisy_count"]) for line in lines) / found["weights"]["total"])
    assert 1.5 < sums[0] <= 2.1  # each sex is clipped at the whole: 1 and 1
    assert 0.2 < sums[1] < 0.3


def test_what_does_not_take_weights_through_says_so_before_a_charge(run: Run) -> None:
    Path("c.json").write_text(CRITERIA)
    said = bought(run, "--engine", "table-fit", "--criteria", "c.json", "-o", "out", status=2)
    assert "plan without criteria" in said
    free = bought(run, "--engine", "table-fit", "--criteria", "c.json", "--dry-run", status=2)
    assert "plan without criteria" in free
    assert run("ledger", "show", "P")["charges"] == []


def test_without_a_total_a_release_asks_for_one(run: Run) -> None:
    Path("schema.json").write_text(json.dumps(schema(total=None)))
    assert "pmwpub weight-total" in bought(run, "--engine", "table-fit", "-o", "out", status=2)
    assert run("ledger", "show", "P")["charges"] == []


def test_a_private_file_without_the_column_of_weights_is_refused(run: Run) -> None:
    lines = [line.rsplit(",", 1)[0] for line in Path("p.csv").read_text().splitlines()]
    Path("p.csv").write_text("\n".join(lines) + "\n")
    assert "lacks columns that the schema needs: 'w'" in bought(run, "--engine", "table-fit", "-o", "out", status=2)


def test_a_total_that_was_bought_is_what_shares_are_taken_of(run: Run) -> None:
    Path("schema.json").write_text(json.dumps(schema(total=None)))
    given = ("weight-total", "--population", "P", "--schema", "schema.json", "--epsilon", "5")
    free = run(*given, "--dry-run")
    found = run(*given, "--private", "p.csv")
    assert free["half_width"] == found["half_width"] > 0
    exact = sum(float(line.split(",")[2]) for line in Path("p.csv").read_text().splitlines()[1:])
    assert abs(found["total"] / 10 - exact) < 20 * found["half_width"] / 10
    (charge,) = run("ledger", "show", "P")["charges"]
    assert charge["sensitivity"] == "40 units of weight"
    made = bought(run, "--engine", "table-fit", "-o", "out")
    assert made["weights"]["total"] == found["total"]
    assert made["weights"]["measured"] == found["plan_sha256"]
    assert run("certificate", "check", "out")["holds"]
    assert run(*given, "--private", "p.csv")["stored_earlier"]


def test_a_total_with_more_noise_replaces_none_with_less(run: Run) -> None:
    Path("schema.json").write_text(json.dumps(schema(total=None)))
    given = ("--population", "P", "--schema", "schema.json", "--private", "p.csv")
    wide, narrow = (run("weight-total", *given, "--epsilon", epsilon) for epsilon in ("1", "5"))
    assert wide["half_width"] > narrow["half_width"]
    made = bought(run, "--engine", "table-fit", "-o", "out")
    assert made["weights"]["measured"] == narrow["plan_sha256"]
    later = run("weight-total", *given, "--epsilon", "0.5")
    run("weight-total", *given, "--epsilon", "5", "--repeat", "1")  # as narrow, and not the first
    before, spent = Path("out", "weights.csv").read_bytes(), len(run("ledger", "show", "P")["charges"])
    again = bought(run, "--engine", "table-fit", "-o", "out")
    assert again["stored_earlier"]
    assert again["weights"]["total"] == narrow["total"] != later["total"]
    assert Path("out", "weights.csv").read_bytes() == before
    assert len(run("ledger", "show", "P")["charges"]) == spent
    best = run("weight-total", *given, "--epsilon", "20")
    assert bought(run, "--engine", "table-fit", "-o", "new")["weights"]["measured"] == best["plan_sha256"]
    # Of the first release's own total, and not of the one that plans take now.
    assert run("error", *given, "--release", "out", "--epsilon", "20")["error"] < 0.5
    assert run("ledger", "show", "P")["charges"][-1]["sensitivity"] == f"40/{narrow['total']}"


def test_a_total_that_would_tell_nothing_is_not_sold(run: Run) -> None:
    Path("schema.json").write_text(json.dumps(schema(total=None)))
    given = ("weight-total", "--population", "P", "--schema", "schema.json", "--epsilon", "0.001")
    for more in (("--private", "p.csv"), ("--dry-run",)):
        assert "2,000 rows of at most 40 units weigh 80,000 at most" in run(*given, *more, status=2)
    assert run("ledger", "show", "P")["charges"] == []


def test_no_total_is_sold_where_the_schema_declares_one_or_weighs_no_rows(run: Run) -> None:
    given = ("weight-total", "--population", "P", "--schema", "schema.json", "--epsilon", "5", "--private", "p.csv")
    assert "declares the total" in run(*given, status=2)
    Path("schema.json").write_text(json.dumps(schema(cap=None, unit=None, total=None)))
    assert "weighs no rows" in run(*given, status=2)
    assert run("ledger", "show", "P")["charges"] == []


def test_report_answers_and_replicate_weights_are_of_weight(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SecureNoise, "gaussians", FixedNoise().gaussians)
    men = table(ROWS, 1)[0].count("\nM")
    total = ROWS + 2 * men
    Path("schema.json").write_text(json.dumps(schema(total=total)))
    bought(run, "--engine", "table-fit", "-o", "out")
    report = Path("out", "report.html").read_text()
    assert f"in whole units of 0.1, at most 4 each; shares are of a total of {total:,}" in report
    assert "raked" in report
    assert "units of weight on each cell" in report
    assert re.findall(OF_ROWS, report) == []
    cells = run("answer", "--release", "out", "--marginal", "sex")["cells"]
    (cell,) = (one for one in cells if one["levels"] == {"sex": "M"})
    assert cell["low"] <= 3 * men / total <= cell["high"]
    made = run("replicate-weights", "--release", "out", "-o", "r.csv", "--replicates", "20")
    assert made["sum_of_weights"] == total
    with Path("r.csv").open(newline="") as stream:
        assert abs(sum(float(line["weight"]) for line in csv.DictReader(stream)) - total) < 0.1


def test_what_clipping_costs_is_shown_on_public_tables(run: Run) -> None:
    Path("c.csv").write_text("sex,age,w\nF,0,1\nF,0,1\nM,1,6\n")
    found = run("schema", "weights", "c.csv", "--schema", "schema.json", "--cap", "4")
    ((cost,),) = (one["caps"] for one in found["files"])
    # Of 8 in all 2 lie above 4; the man's share falls from 6/8 to 4/6.
    assert (cost["cap"], cost["weight_clipped"], cost["total"]) == (4, 0.25, 6)
    assert cost["rows_above"] == pytest.approx(1 / 3)
    assert cost["largest_shift"] == pytest.approx(6 / 8 - 4 / 6)
    halves = run("schema", "weights", "c.csv", "--schema", "schema.json")["files"][0]["caps"]
    assert [one["cap"] for one in halves] == [2, 4, 8]
    Path("d.csv").write_text("sex,age\nF,0\n")
    assert "has no column 'w'" in run("schema", "weights", "d.csv", "--schema", "schema.json", status=2)


def costs(run: Run, *weights: str, cap: str = "4") -> dict[str, Any]:
    Path("c.csv").write_text("sex,age,w\n" + "".join(f"{'FM'[i % 2]},0,{w}\n" for i, w in enumerate(weights)))
    found = run("schema", "weights", "c.csv", "--schema", "schema.json", "--cap", cap)
    cost: dict[str, Any] = found["files"][0]["caps"][0]
    return cost


@pytest.mark.parametrize("huge", ["1e999", "1e308"])
def test_what_clipping_costs_is_said_of_weights_that_no_float_holds(run: Run, huge: str) -> None:
    cost = costs(run, huge, "1", huge, "3")
    # All but 12 in 2e308 or more is clipped; women's share falls from all to 8/12.
    assert (cost["weight_clipped"], cost["rows_above"], cost["total"]) == (1.0, 0.5, 12)
    assert cost["largest_shift"] == pytest.approx(1 - 8 / 12)


def test_what_clipping_costs_is_said_of_weights_below_all_floats(run: Run) -> None:
    cost = costs(run, "1e-999", "3e-999")
    assert (cost["weight_clipped"], cost["rows_above"], cost["largest_shift"], cost["total"]) == (0, 0, 0, 0)


def test_public_tables_of_one_name_are_told_apart_by_their_paths(run: Run) -> None:
    for folder, lines in (("a", "F,0,1\n"), ("d", "F,0,8\n")):
        Path(folder).mkdir()
        Path(folder, "c.csv").write_text(f"sex,age,w\n{lines}")
    found = run("schema", "weights", "a/c.csv", "d/c.csv", "--schema", "schema.json", "--cap", "4")["files"]
    assert [(one["file"], one["caps"][0]["weight_clipped"]) for one in found] == [("a/c.csv", 0), ("d/c.csv", 0.5)]


def test_a_closed_population_is_told_no_price_of_a_release_or_a_total(run: Run) -> None:
    Path("other.json").write_text(json.dumps(schema(total=None)))
    of_total = ("weight-total", "--population", "P", "--schema", "other.json", "--epsilon", "1", "--dry-run")
    assert run(*of_total)["price"]["rho"] > 0
    assert bought(run, "--dry-run")["affordable"]
    run("ledger", "retire", "P", "--final")
    assert "was retired on" in run(*of_total, status=2)
    assert "was retired on" in bought(run, "--dry-run", status=2)
    assert "was retired on" in bought(run, "-o", "out", status=2)
