"""Parents, bands, rules, prefixes and added rows together: no release by commands contradicts any of them."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable

import numpy as np
import pytest
from support.commands import Commands

from pmwpub.release import rebuild

PLACES, ROWS = 200, 1_500
RELEASES = {
    "grown": ("--engine", "table-fit", "--grow", "--cells", "numbers"),
    "rounds": ("--engine", "pmw-pub", "--rounds", "6"),
}
BANDS = {"[0, 15)": (0, 15), "[15, 65)": (15, 65), "[65, 90]": (65, 91)}
GIVEN = ("-k", "2", "--population", "P", "--schema", "schema.json", "--public", "b.csv", "--private", "p.csv")

Row = dict[str, str]


def place(number: int) -> str:
    """20 states of ten places each."""
    return f"{number // 10 + 11}{number % 10:03d}"


REGIONS = {str(state + 11): "NESW"[state % 4] for state in range(20)}


def least(cell: str) -> float:
    """The number in a cell, or the lower end of the bin that it names."""
    return float(cell.strip("[(").split(",")[0])


def works(row: Row) -> bool:
    return row["work"] in ("part", "full")


def paid(row: Row) -> bool:
    """Whether hours are more than none: a bin that is no spike, or a number above 0."""
    return row["hours"][0] in "([" or float(row["hours"]) > 0


def _full_in(county: str) -> Callable[[Row], bool]:
    return lambda row: row["county"] == county and row["work"] == "full"


BROKEN: dict[str, Callable[[Row], bool]] = {
    'age < 15 implies work = "none"': lambda row: least(row["age"]) < 15 and works(row),
    'work = "none" implies hours = 0': lambda row: row["work"] == "none" and paid(row),
    'hours = 0 implies work not in ("part", "full")': lambda row: works(row) and not paid(row),
    'age >= 80 implies work != "full"': lambda row: least(row["age"]) >= 80 and row["work"] == "full",
    **{f'county = "{place(number)}" implies work != "full"': _full_in(place(number)) for number in range(16)},
}
"""20 rules, and which rows each is definitely false of, said by itself."""


def table(rows: int, seed: int, *, old_part_time: bool) -> str:
    """People of whom some break rules; without old people at work part time where asked."""
    draw = np.random.default_rng(seed)
    lines = ["county,age,work,hours,sex"]
    while len(lines) <= rows:
        number = min(int(draw.geometric(0.02)) - 1, PLACES - 1) if len(lines) > PLACES else len(lines) - 1
        age = int(draw.integers(91))
        work = ("none", "part", "full", "")[0 if age < 15 else draw.integers(1, 3) if age >= 65 else draw.integers(4)]
        if draw.random() < 0.04:
            work = "full"
        hours = int(draw.integers(1, 81)) if work in ("part", "full") and draw.random() < 0.97 else 0
        if old_part_time or age < 65 or work != "part":
            lines.append(f"{place(number)},{age},{work},{hours},{'FM'[draw.integers(2)]}")
    return "\n".join(lines) + "\n"


def schema() -> str:
    parents = [{"name": "state", "prefix": 2}, {"name": "region", "map": REGIONS, "of": "state"}]
    counties = [place(number) for number in range(PLACES)]
    ages = {"edges": [*range(0, 95, 5)], "parents": [{"name": "age band", "edges": [0, 15, 65, 90]}]}
    columns = [
        {"name": "county", "kind": "categorical", "levels": counties, "parents": parents},
        {"name": "age", "kind": "numeric", "outside": "clip", **ages},
        {"name": "work", "kind": "categorical", "levels": ["none", "part", "full"], "missing": True},
        {"name": "hours", "kind": "numeric", "outside": "clip", "edges": [0, 0, 20, 40, 80]},
        {"name": "sex", "kind": "categorical", "levels": ["F", "M"]},
    ]
    return json.dumps({"version": 2, "missing_tokens": [""], "columns": columns})


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Commands:
    """A schema of all of it, by a draft with that codebook, and a release by each engine."""
    folder = tmp_path_factory.mktemp("bands")
    (folder / "p.csv").write_text(table(ROWS, 1, old_part_time=True))
    (folder / "b.csv").write_text(table(1_200, 2, old_part_time=False))
    (folder / "book.json").write_text(schema())
    made = Commands(folder)
    rules = [part for rule in BROKEN for part in ("--rule", rule)]
    made.run("schema", "draft", "b.csv", "--codebook", "book.json", *rules, "-o", "schema.json")
    made.run("ledger", "register", "P", "--n", str(ROWS), "--epsilon", "20")
    for name, flags in RELEASES.items():
        made.run("release", *GIVEN, "--prefixes", "age band,hours", "--epsilon", "4", *flags, "-o", name)
    return made


def rows_of(made: Commands, release: str, name: str) -> list[Row]:
    return list(csv.DictReader((made.folder / release / name).read_text().splitlines()))


def contradicts(row: Row) -> bool:
    """Whether a parent is not what its column says."""
    low, past = BANDS[row["age band"]]
    state = row["county"][:2]
    return row["state"] != state or row["region"] != REGIONS[state] or not low <= least(row["age"]) < past


def test_private_and_public_rows_break_rules(made: Commands) -> None:
    assert len(BROKEN) == 20
    for name in ("p.csv", "b.csv"):
        rows = list(csv.DictReader((made.folder / name).read_text().splitlines()))
        assert sum(any(broken(row) for broken in BROKEN.values()) for row in rows) > 30


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("name", ["synthetic.csv", "weights.csv"])
def test_no_released_row_breaks_a_rule_or_contradicts_a_parent(made: Commands, release: str, name: str) -> None:
    rows = rows_of(made, release, name)
    assert len(rows) > 300
    assert {row["age band"] for row in rows} == set(BANDS)
    assert [rule for rule, broken in BROKEN.items() if any(map(broken, rows))] == []
    assert [row for row in rows if contradicts(row)] == []


def test_rows_are_added_for_a_band_of_which_no_public_row_tells(made: Commands) -> None:
    stated = json.loads((made.folder / "grown" / "certificate.json").read_text())["chosen"]["grown"]
    pairs = [dict(zip(one["columns"], one["levels"], strict=True)) for one in stated]
    assert {"age band": "[65, 90]", "work": "part"} in pairs
    old = [row for row in rows_of(made, "grown", "weights.csv") if row["age band"] == "[65, 90]"]
    assert any(row["work"] == "part" for row in old)


@pytest.mark.parametrize("release", RELEASES)
def test_a_release_is_checked_and_rebuilt(made: Commands, release: str) -> None:
    made.run("certificate", "check", release)
    assert rebuild.main([str(made.folder / "b.csv"), "--from", str(made.folder / release)]) == 0


@pytest.mark.parametrize("release", RELEASES)
def test_a_parent_in_order_answers_ranges_and_quantiles_by_its_levels(made: Commands, release: str) -> None:
    def asked(*question: str) -> float:
        return float(made.run("answer", "--release", release, *question)["number"]["released"])

    bands = asked("--range", "age band=[0, 15)..[15, 65)")
    assert bands == pytest.approx(asked("--range", "age=0..65"), abs=1e-5)
    found = made.run("answer", "--release", release, "--quantile", "age band", "--at", "0.5")["quantiles"]
    assert [one["level"] for one in found] == ["[15, 65)"]


def test_what_a_parent_does_not_answer_is_refused_in_words(made: Commands) -> None:
    for question, words in {
        ("--range", "state=11..12"): "the levels of 'state' have no order",
        ("--quantile", "region"): "the levels of 'region' have no order",
        ("--range", "age band=0..65"): "Column 'age band' has no level '0'",
        ("--mean", "age band"): "Column 'age band' is not numeric, so it has no mean",
        ("--marginal", "age,age band"): "'age' and 'age band' are levels of one column",
    }.items():
        assert words in made.run("answer", "--release", "grown", *question, status=2)
    asked = ("misfits", "--population", "P", "--schema", "schema.json", "--private", "p.csv", "--column", "age band")
    for more in ((), ("--dry-run",)):
        assert "'age band' follows from 'age'; name that in its place" in made.run(*asked, *more, status=2)


def test_criteria_are_of_bands_but_for_means(made: Commands) -> None:
    mean = {"kind": "mean", "column": "age band", "within": "0.1", "low": "0", "high": "90", "unit": "1"}
    (made.folder / "mean.json").write_text(json.dumps([mean]))
    spent = made.run("ledger", "show", "P")["spent"]
    asked = ("release", *GIVEN, "--epsilon", "1", "--criteria")
    assert "follows from 'age'; name that in its place" in made.run(*asked, "mean.json", "-o", "never", status=2)
    (made.folder / "share.json").write_text('[{"kind": "marginal", "columns": ["state", "age band"], "within": ".1"}]')
    made.run(*asked, "share.json", "-o", "never", "--dry-run")
    assert made.run("ledger", "show", "P")["spent"] == spent


def test_few_records_and_replicate_weights_are_of_a_release_with_bands(made: Commands) -> None:
    few = ("few-records", "--release", "grown", "--public", "b.csv", "--columns")
    assert 0 < made.run(*few, "state,age band,work")["share"] < 1
    made.run("replicate-weights", "--release", "grown", "-o", "replicates.csv", "--replicates", "20")
    lines = (made.folder / "replicates.csv").read_text().splitlines()
    assert len(lines) == 1 + len(rows_of(made, "grown", "weights.csv"))
