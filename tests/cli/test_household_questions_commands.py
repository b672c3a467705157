"""`assess` and `error` under a schema of households, and the same by data frames."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from cli.test_household_release import HOUSEHOLDS, REGISTER, SPEND
from cli.test_household_release import run as run
from support.commands import Run
from support.households import csv_of, homes, schema_text

import pmwpub

OF = ("--population", "homes", "--schema", "schema.json", "--private", "p.csv")
ASSESS = ("assess", *OF, "--public", "b.csv", "--public", "c.csv", "-k", "2")


@pytest.fixture
def town(run: Run, tmp_path: Path) -> Run:
    (tmp_path / "c.csv").write_text(csv_of(homes(60, 5, owning=0.75), 5_000))
    run(*REGISTER, *HOUSEHOLDS)
    return run


def test_each_candidate_s_floor_and_start_are_told_in_both_units_at_one_charge_each(town: Run) -> None:
    found = town(*ASSESS, "--epsilon", "1/2")
    assert [line["candidate"] for line in found["assessments"]] == ["b.csv", "c.csv"]
    for line in found["assessments"]:
        for part in (line["floor"], line["start"]):
            share, persons = part["share_of_households"], part["persons_per_household"]
            assert persons == {name: 4 * value for name, value in share.items()}
            assert share["low"] <= share["high"]
    assert len(town("ledger", "show", "homes")["charges"]) == 4
    again = town(*ASSESS, "--epsilon", "1/2")
    assert (again["assessments"], again["spent"]["rho"]) == (found["assessments"], 0)
    alone = town(*ASSESS, "--epsilon", "1/4", "--no-floor")["assessments"][0]
    assert (alone["floor"], alone["start"]["epsilon"]) == (None, 0.25)


def test_the_best_is_chosen_by_floors_or_by_tables_as_they_are_for_one_charge(town: Run) -> None:
    for flags, by in (((), "floor"), (("--no-floor",), "start")):
        best = town(*ASSESS, "--epsilon", "1/2", "--best", *flags)["best"]
        assert best["candidate"] in best["candidates"]
        assert (sorted(best["candidates"]), best["by"]) == (["b.csv", "c.csv"], by)
    charges = town("ledger", "show", "homes")["charges"]
    assert [charge["rho"] for charge in charges] == [pytest.approx(1 / 32)] * 2


def test_the_error_of_a_release_is_bought_by_its_folder_or_its_plan(town: Run, tmp_path: Path) -> None:
    town(*SPEND, "--epsilon", "1", "-o", "out")
    found = town("error", *OF, "--release", "out", "--epsilon", "1/2")
    assert found["error"]["persons_per_household"]["value"] == 4 * found["error"]["share_of_households"]["value"]
    again = town("error", *OF, "--release", found["release"], "--epsilon", "1/2")
    assert (again["error"], again["stored_earlier"], again["spent"]["rho"]) == (found["error"], True, 0)
    assert "holds draw 0" in town("error", *OF, "--release", "out", "--draw", "3", "--epsilon", "1", status=2)
    (tmp_path / "out/weights.csv").write_text("other")
    assert "weights.csv differs" in town("error", *OF, "--release", "out", "--epsilon", "1", status=2)
    assert "no release of households" in town("error", *OF, "--release", "0" * 64, "--epsilon", "1", status=2)


@pytest.mark.parametrize(
    "flags",
    [
        ("--pool", "b.csv+c.csv"), ("--fast",), ("--part",), ("--full",), ("--compare",), ("--expect", "1"),
        ("--prefixes", "age"), ("--count-on", "tcp://nowhere"), ("--best", "--no-start"), ("--no-floor", "--no-start"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_what_an_assessment_of_households_does_not_take_is_refused(town: Run, flags: tuple[str, ...]) -> None:
    assert town(*ASSESS, "--epsilon", "1/2", *flags, status=2)
    assert town("ledger", "show", "homes")["charges"] == []


def test_an_assessment_without_a_price_or_tables_is_refused(town: Run) -> None:
    for command in (ASSESS, (*ASSESS, "--precision", "0.1"), ("assess", *OF, "--epsilon", "1")):
        assert "households" in town(*command, status=2)


@pytest.mark.parametrize("flags", [(), ("--no-floor",), ("--no-start",), ("--best",)], ids=" ".join)
def test_an_epsilon_above_a_million_is_refused_in_the_words_of_a_release(town: Run, flags: tuple[str, ...]) -> None:
    for epsilon in ("1e308", "1000001"):
        said = town(*ASSESS, "--epsilon", epsilon, *flags, status=2)
        assert "Epsilon must be positive and at most 1,000,000" in said


def test_the_epsilon_of_an_error_is_at_most_a_million(town: Run) -> None:
    town(*SPEND, "--epsilon", "1", "-o", "out")
    said = town("error", *OF, "--release", "out", "--epsilon", "1e308", status=2)
    assert "Epsilon must be positive and at most 1,000,000" in said


def test_a_refusal_names_its_file_once(town: Run, tmp_path: Path) -> None:
    for name in ("b.csv", "p.csv"):
        whole = (tmp_path / name).read_text()
        (tmp_path / name).write_text(whole.splitlines()[0] + "\n")
        assert town(*ASSESS, "--epsilon", "1/2", status=2).count(f"{name}: ") == 1
        (tmp_path / name).write_text(whole)


def test_a_population_of_persons_buys_no_answers_about_households(run: Run) -> None:
    run(*REGISTER, "--unit", "one person", "--rows-per-person", "4")
    for command in (("assess", *OF, "--public", "b.csv"), ("error", *OF, "--release", "0" * 64)):
        assert 'protects "one person" by its rows' in run(*command, "--epsilon", "1/2", status=2)


def test_a_program_asks_the_same_by_data_frames(tmp_path: Path) -> None:
    import pandas as pd

    def frame(some: list[list[str]], first: int) -> Any:
        return pd.read_csv(io.StringIO(csv_of(some, first)), dtype=str)

    schema = pmwpub.HouseholdSchema.from_json(schema_text())
    private, public = frame(homes(80, 1), 1), {"b": frame(homes(50, 2), 900), "c": frame(homes(50, 3), 1900)}
    with pmwpub.Ledger.open(f"sqlite:///{tmp_path}/ledger.sqlite3") as ledger:
        unit = "one household of 1 to 4 persons"
        ledger.register(pmwpub.Population("homes", 80, 4, unit, 4, "1e-4"))  # type: ignore[arg-type]
        asked = pmwpub.AskedHouseholds.of(ledger, "homes", schema=schema, private=private, public=public)
        parts = asked.assess("b", epsilon="0.5", floor=False)
        assert parts["start"].persons.value == 4 * parts["start"].households.value
        assert asked.choose(epsilon="0.5") in public
        assert asked.choose(["c", "b"], epsilon="0.5", by_floor=False) in public
        released = pmwpub.release_households(
            ledger, "homes", schema=schema, private=private, public=public["b"], epsilon=1, public_name="b"
        )
        spent = ledger.balance("homes").spent
        error = asked.error(released, epsilon="0.5")
        assert 0 <= error.households.low <= error.households.high <= 1
        assert asked.error(released, epsilon="0.5") == error
        assert ledger.balance("homes").spent > spent
        with pytest.raises(pmwpub.PmwPubError, match="No public table was given by that name"):
            asked.assess("z", epsilon="0.5")
        with pytest.raises(pmwpub.PmwPubError, match="two different candidates"):
            asked.choose(["b"], epsilon="0.5")
