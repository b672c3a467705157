"""`release` of households by commands: its files, its refusals, and one unit a population."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest
from support.commands import Run, commands
from support.households import csv_of, homes, schema_text

from pmwpub.ledger.parts import household_words
from pmwpub.release.households.household_certificate import MECHANISM_BEFORE

N = 80
SPEND = (
    *("release", "--population", "homes", "--schema", "schema.json", "--private", "p.csv", "--public", "b.csv"),
    *("-k", "2"),
)
REGISTER = ("ledger", "register", "homes", "--n", str(N), "--epsilon", "3")
HOUSEHOLDS = ("--unit", "household", "--largest-household", "4")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    (tmp_path / "p.csv").write_text(csv_of(homes(N, 1, owning=0.8)))
    (tmp_path / "b.csv").write_text(csv_of(homes(60, 2, owning=0.3), 1_000))
    (tmp_path / "schema.json").write_text(schema_text())
    flat = json.loads(schema_text())
    del flat["household"]
    (tmp_path / "flat.json").write_text(json.dumps(flat))
    return commands(tmp_path, monkeypatch, capsys)


def rows(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text())))


def by_home(persons: list[dict[str, str]]) -> dict[str, list[dict[str, str]]]:
    found = defaultdict(list)
    for person in persons:
        found[person["home"]].append(person)
    return found


def test_synthetic_households_are_whole_public_ones_with_ids(run: Run, tmp_path: Path) -> None:
    run(*REGISTER, *HOUSEHOLDS)
    stated = run(*SPEND, "--epsilon", "1", "-o", "out")
    persons, own = by_home(rows(tmp_path / "out/persons.csv")), rows(tmp_path / "out/households.csv")
    assert [home["home"] for home in own] == [str(place) for place in range(1, N + 1)] == list(persons)
    for home in own:
        members = persons[home["home"]]
        assert home["household size"] == str(len(members))
        assert {person["tenure"] for person in members} == {home["tenure"]}
        assert home["has a child"] == ("yes" if any(person["age"] == "child" for person in members) else "no")
    public = Counter(_kind(members) for members in by_home(rows(tmp_path / "b.csv")).values())
    assert {_kind(members) for members in persons.values()} <= set(public)
    assert (stated["unit"], stated["n"], stated["largest_household"]) == ("one household of 1 to 4 persons", N, 4)
    assert stated["public"]["households"] == 60
    assert "persons" not in stated, "the number of private persons stands nowhere"


def _kind(members: list[dict[str, str]]) -> frozenset[tuple[tuple[str, ...], int]]:
    return frozenset(Counter(tuple(person[c] for c in ("tenure", "age", "sex")) for person in members).items())


def test_weights_and_tables_are_written_and_the_charge_is_the_budget_s(run: Run, tmp_path: Path) -> None:
    run(*REGISTER, *HOUSEHOLDS)
    stated = run(*SPEND, "--epsilon", "1", "-o", "out")
    weights, tables = rows(tmp_path / "out/weights.csv"), rows(tmp_path / "out/tables.csv")
    assert sum(float(row["weight"]) for row in weights) == pytest.approx(1)
    assert len(by_home(rows(tmp_path / "out/weighted_persons.csv"))) == len(weights)
    # persons 2 + 3 + 2 and 6 + 4 + 6 cells, households 4 + 2 + 2 and 8 + 8 + 4
    assert Counter(row["of"] for row in tables) == {"persons": 23, "households": 28}
    (charge,) = run("ledger", "show", "homes")["charges"]
    assert charge["sensitivity"] == "one household of 1 to 4 persons; households by the ids of the column 'home'"
    assert float(stated["rho"]) == pytest.approx(charge["rho"])
    scales = {(table["of"], tuple(table["columns"])): table["scale"] for table in stated["tables"]}
    assert len(scales) == 12
    assert float(stated["spent"]["epsilon"]) <= 1


def test_certificate_and_charge_claim_no_table_that_was_not_measured(run: Run, tmp_path: Path) -> None:
    run(*REGISTER, *HOUSEHOLDS)
    stated = run(*SPEND[:-1], "1", "--epsilon", "1", "-o", "out")
    assert {len(one["columns"]) for one in stated["tables"] if one["of"] == "persons"} == {1}
    (charge,) = run("ledger", "show", "homes")["charges"]
    assert "1-way" not in stated["mechanism"] + charge["mechanism"]
    assert "lists" in stated["mechanism"]
    assert "lists" in charge["mechanism"]
    assert run("certificate", "check", "out")["holds"]
    before = json.loads(Path(tmp_path, "out", "certificate.json").read_text()) | {"mechanism": MECHANISM_BEFORE}
    Path(tmp_path, "out", "certificate.json").write_text(json.dumps(before))
    assert run("certificate", "check", "out")["holds"], "what was handed out before says it otherwise"


def test_the_same_command_again_charges_nothing_and_gives_the_same_bytes(run: Run, tmp_path: Path) -> None:
    run(*REGISTER, *HOUSEHOLDS)
    run(*SPEND, "--epsilon", "1", "-o", "out")
    again = run(*SPEND, "--epsilon", "1", "-o", "again")
    assert (again["stored_earlier"], again["spent"]["rho"]) == (True, 0)
    for path in (tmp_path / "out").iterdir():
        assert path.read_bytes() == (tmp_path / "again" / path.name).read_bytes()
    fewer = run(*SPEND, "--epsilon", "1", "-o", "fewer", "--rows", "10", "--row-seed", "3")
    assert (fewer["households"], fewer["spent"]["rho"]) == (10, 0)
    assert len(rows(tmp_path / "fewer/households.csv")) == 10
    assert run(*SPEND, "--epsilon", "1", "-o", "second", "--repeat", "1")["spent"]["rho"] > 0


def test_the_price_and_the_noise_are_free(run: Run) -> None:
    run(*REGISTER, *HOUSEHOLDS)
    found = run(*SPEND, "--epsilon", "1", "--dry-run")
    assert found["affordable"]
    noise = found["noise"]
    assert noise["persons"] > noise["households"] > 0
    half_widths = noise["half_width_95"]
    size = found["public"]["persons"] / found["public"]["households"]
    assert half_widths["persons"] == pytest.approx(half_widths["persons_per_household"] / size)
    assert half_widths["households"] > 0
    assert run("ledger", "show", "homes")["charges"] == []
    run("ledger", "retire", "homes", "--final")
    for flags in (("--dry-run",), ("-o", "out")):
        assert "was retired on" in run(*SPEND, "--epsilon", "1", *flags, status=2)


@pytest.mark.parametrize(
    "flags",
    [
        ("--engine", "unchanged"), ("--engine", "table-fit", "--rounds", "5"), ("--grow",), ("--three-way",),
        ("--ranges", "age"), ("--prefixes", "age"), ("--cells", "numbers"), ("--columns", "all"),
        ("--engine", "table-fit", "--start", "uniform"), ("--engine", "pmw-pub", "--count-on", "tcp://nowhere"),
        ("--engine", "pmw-pub", "--grow"), ("--criteria", "c.json"), ("--free-table-acknowledged",),
        ("--public", "p.csv"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_what_a_release_of_households_does_not_take_is_refused_not_ignored(run: Run, flags: tuple[str, ...]) -> None:
    run(*REGISTER, *HOUSEHOLDS)
    said = run(*SPEND, "--epsilon", "1", *flags, "-o", "out", status=2)
    assert "households" in said
    assert run("ledger", "show", "homes")["charges"] == []


@pytest.mark.parametrize(
    "command",
    [
        ("misfits", "--population", "homes", "--private", "p.csv"),
        ("misfits", "--population", "homes", "--dry-run"),
    ],
    ids=lambda command: command[0],
)
def test_every_other_command_refuses_a_schema_of_households_in_words(run: Run, command: tuple[str, ...]) -> None:
    run(*REGISTER, *HOUSEHOLDS)
    assert "makes rows persons of households" in run(*command, "--schema", "schema.json", status=2)


def test_a_population_of_households_buys_nothing_that_is_priced_for_persons(run: Run, tmp_path: Path) -> None:
    """Also where the file has as many rows as there are households."""
    lines = (tmp_path / "p.csv").read_text().splitlines()
    (tmp_path / "p.csv").write_text("\n".join(lines[: N + 1]) + "\n")
    run(*REGISTER, *HOUSEHOLDS)
    flat = [one if one != "schema.json" else "flat.json" for one in SPEND]
    said = run(*flat, "--epsilon", "1", "--engine", "table-fit", "-o", "out", status=2)
    assert "only at H² times the ρ" in said
    assert run("ledger", "show", "homes")["charges"] == []


@pytest.mark.parametrize("unit", ["one person", "one dwelling"])
def test_a_population_of_persons_buys_no_release_of_households(run: Run, unit: str) -> None:
    run(*REGISTER, "--unit", unit, "--rows-per-person", "4")
    assert f'protects "{unit}" by its rows' in run(*SPEND, "--epsilon", "1", "-o", "out", status=2)


def test_schema_and_population_name_one_largest_household(run: Run, tmp_path: Path) -> None:
    run(*REGISTER, *HOUSEHOLDS)
    (tmp_path / "schema.json").write_text(schema_text(5))
    assert "at most 4 persons, the schema says 5" in run(*SPEND, "--epsilon", "1", "-o", "out", status=2)


def test_terms_that_were_amended_by_half_buy_nothing(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(*REGISTER, *HOUSEHOLDS)
    with monkeypatch.context() as before:  # new terms are refused; a store of before may hold such ones
        before.setattr(household_words, "check", lambda _: None)
        run("ledger", "amend", "homes", "--rows-per-person", "5")
    (tmp_path / "schema.json").write_text(schema_text(5))
    assert "amend one of them" in run(*SPEND, "--epsilon", "1", "-o", "out", status=2)


@pytest.mark.parametrize(
    ("terms", "words"),
    [
        (("--unit", "household"), "--largest-household H"),
        (("--largest-household", "4"), "--largest-household H"),
        ((*HOUSEHOLDS, "--rows-per-person", "2"), "not --rows-per-person"),
        (("--unit", "household", "--largest-household", "65"), "1 to 64 persons"),
        (("--unit", "household", "--largest-household", "3", "--n", "1"), "n counts households"),
    ],
)
def test_half_a_registration_of_households_is_refused(run: Run, terms: tuple[str, ...], words: str) -> None:
    assert words in run(*REGISTER, *terms, status=2)


def test_an_amendment_to_households_names_the_largest_one(run: Run) -> None:
    run(*REGISTER)
    for word in ("household", " Household "):
        assert "Nothing was changed" in run("ledger", "amend", "homes", "--unit", word, status=2)
    assert run("ledger", "show", "homes")["rows_per_person"] == 1
    run("ledger", "amend", "homes", "--unit", "one household of 1 to 4 persons", "--rows-per-person", "4")
    run(*SPEND, "--epsilon", "1", "--dry-run")


def test_a_file_of_another_number_of_households_is_refused_whatever_its_rows(run: Run, tmp_path: Path) -> None:
    run(*REGISTER, *HOUSEHOLDS)
    (tmp_path / "p.csv").write_text(csv_of(homes(N + 1, 1)))
    said = run(*SPEND, "--epsilon", "1", "-o", "out", status=2)
    assert f"{N} households; the file has {N + 1}" in said
    (tmp_path / "p.csv").write_text(csv_of([["own,old,f"]] * N))
    run(*SPEND, "--epsilon", "1", "-o", "out")


def test_one_table_serves_two_populations_of_households_by_a_recorded_decision(run: Run) -> None:
    run(*REGISTER, *HOUSEHOLDS)
    run(*SPEND, "--epsilon", "1", "-o", "out")
    again = ["others" if one == "homes" else one for one in REGISTER]
    run(*again, *HOUSEHOLDS)
    other = ["others" if one == "homes" else one for one in SPEND]
    assert "acknowledge" in run(*other, "--epsilon", "1", "-o", "out", status=2)
    told = run("ledger", "acknowledge", "others", "--private", "p.csv", "--schema", "schema.json")
    assert told == {"population": "others", "acknowledged_with": ["homes"]}
    run(*other, "--epsilon", "1", "-o", "other")


def test_a_program_buys_the_same_by_data_frames(tmp_path: Path) -> None:
    import pandas as pd

    import pmwpub

    frames = [
        pd.read_csv(io.StringIO(csv_of(some, first)), dtype=str)
        for some, first in ((homes(N, 1), 1), (homes(50, 2), 900))
    ]
    own: dict[str, Any] = {"schema": pmwpub.HouseholdSchema.from_json(schema_text()), "epsilon": 1}
    with pmwpub.Ledger.open(f"sqlite:///{tmp_path}/ledger.sqlite3") as ledger:
        unit = "one household of 1 to 4 persons"
        ledger.register(pmwpub.Population("homes", N, 4, unit, 3, "1e-4"))  # type: ignore[arg-type]
        ledger.register(pmwpub.Population("rows", N, 4, "one dwelling", 3, "1e-4"))  # type: ignore[arg-type]
        found = pmwpub.release_households(ledger, "homes", private=frames[0], public=frames[1], **own)
        with pytest.raises(pmwpub.PmwPubError, match="by its rows"):
            pmwpub.release_households(ledger, "rows", private=frames[0], public=frames[1], **own)
        for strange in (5, 0, "all"):
            asked = own | {"workload": strange}
            with pytest.raises(pmwpub.PmwPubError, match=r"A workload \(pmwpub\.WorkloadChoice\) is needed"):
                pmwpub.release_households(ledger, "homes", private=frames[0], public=frames[1], **asked)
    files = found.files(20, seed=1)
    assert len(files["households.csv"].splitlines()) == 21
    assert found.certificate.n == N
