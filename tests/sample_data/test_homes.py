"""The sample's survey: homes drawn whole, weights of a design, and the commands that its README shows."""

from __future__ import annotations

import csv
import re
import shlex
import shutil
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from pmwpub.cli import main
from pmwpub.tabular.files.reading import read_table
from pmwpub.tabular.households.household_schema import HouseholdSchema
from pmwpub.tabular.households.reading_households import private_households, public_households
from pmwpub.tabular.private_pass import encode_private
from pmwpub.tabular.schema.table_schema import Schema

FOLDER = Path(__file__).resolve().parents[2] / "sample_data"
HOMES = {"a": 3_000, "b": 2_000, "c": 2_000, "d": 2_000}
PERSONS = {"a": 6_545, "b": 4_467, "c": 4_293, "d": 3_507}
WEIGHT = {"a": 160_156, "b": 108_859, "c": 104_446, "d": 89_356}
"""As README.md lists them."""


@cache
def persons(state: str) -> list[dict[str, str]]:
    with (FOLDER / f"homes_{state}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@cache
def homes(state: str) -> dict[str, list[dict[str, str]]]:
    found: dict[str, list[dict[str, str]]] = {}
    for person in persons(state):
        found.setdefault(person["home"], []).append(person)
    return found


def share(state: str, column: str, level: str, *, weighed: bool) -> float:
    weights = Counter[bool]()
    for person in persons(state):
        weights[person[column] == level] += int(person["weight"]) if weighed else 1
    return weights[True] / sum(weights.values())


@pytest.mark.parametrize("state", "abcd")
def test_a_home_has_one_head_and_what_its_members_share(state: str) -> None:
    assert len(homes(state)) == HOMES[state]
    for members in homes(state).values():
        relations = Counter(person["relation"] for person in members)
        assert relations["Head"] == 1
        assert relations["Spouse"] <= 1
        assert 1 <= len(members) <= 7
        for column in ("weight", "region", "tenure", "household"):
            assert len({person[column] for person in members}) == 1
    sizes = Counter(map(len, homes(state).values()))
    assert sizes[1] > 0.25 * HOMES[state]
    assert sum(sizes[size] for size in (3, 4, 5)) > 0.1 * HOMES[state]
    assert sum(often for size, often in sizes.items() if size > 6) <= 5


@pytest.mark.parametrize("state", "abcd")
def test_children_are_younger_than_the_head_of_their_home(state: str) -> None:
    for members in homes(state).values():
        (head,) = (person for person in members if person["relation"] == "Head")
        children = (person for person in members if person["relation"] == "Child")
        assert all(int(child["age"]) <= int(head["age"]) - 17 for child in children)


@pytest.mark.parametrize("state", "abcd")
def test_weights_belong_to_the_area_and_count_more_where_fewer_were_drawn(state: str) -> None:
    own = {region: {int(p["weight"]) for p in persons(state) if p["region"] == region} for region in ("City", "Town")}
    assert own["City"] <= set(range(24, 161))
    assert own["Town"] <= set(range(18, 51))
    assert sum(int(person["weight"]) for person in persons(state)) == WEIGHT[state]
    assert share(state, "region", "Country", weighed=False) > 0.4
    assert share(state, "region", "Country", weighed=True) < 0.25


def test_the_states_differ_as_their_parts_ask() -> None:
    couples = ("Couple", "Family")
    owing = {s: sum(p["tenure"] == "Loan" and p["household"] in couples for p in persons(s)) for s in "abcd"}
    assert owing["d"] == 0
    assert all(owing[state] > 0.2 * PERSONS[state] for state in "abc")


@pytest.mark.parametrize("state", "abcd")
def test_every_cell_has_a_level_under_the_schema_of_persons(state: str) -> None:
    schema = Schema.from_json((FOLDER / "survey.json").read_bytes())
    assert schema.weight_column is not None
    assert schema.weight_column.units == (1, 50)
    encoded = encode_private(
        read_table(FOLDER / f"homes_{state}.csv"), schema.without_column("weight"), n=PERSONS[state]
    )
    assert not encoded.unplaced
    assert set(encoded.ignored) == {"home", "weight"}
    assert len(schema.domain.attributes) == 13


def test_the_schema_of_homes_makes_households_of_the_same_files() -> None:
    schema = HouseholdSchema.from_json((FOLDER / "homes.json").read_bytes())
    assert len(private_households(read_table(FOLDER / "homes_a.csv"), schema)) == HOMES["a"]
    for state in "bcd":
        small = sum(len(members) <= 6 for members in homes(state).values())
        assert len(public_households(read_table(FOLDER / f"homes_{state}.csv"), schema).households) == small


def test_the_commands_that_the_readme_shows_run_in_its_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    blocks = re.findall(r"```\n(pmwpub .*?)```", (FOLDER / "README.md").read_text(encoding="utf-8"), flags=re.DOTALL)
    commands = [line for block in blocks for line in block.splitlines()]
    assert len(commands) == 6
    for path in FOLDER.glob("*.*"):
        shutil.copy(path, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PMWPUB_STORE", f"sqlite:///{tmp_path}/ledger.sqlite3")
    for command in commands:
        few = command.replace("--marginals 10", "--marginals 2")
        assert main(shlex.split(few)[1:]) == 0, (command, capsys.readouterr().err)
    assert {"persons.csv", "households.csv"} <= {path.name for path in (tmp_path / "homes").iterdir()}
    assert (tmp_path / "survey" / "synthetic.csv").is_file()
