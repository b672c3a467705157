"""Levels that nest, from public files to a release by commands: 200 places, and no release contradicts itself."""

from __future__ import annotations

import csv
import json
from collections import defaultdict

import numpy as np
import pytest
from support.commands import Commands

from pmwpub.release import rebuild
from pmwpub.tabular.coding.encode import encode_public
from pmwpub.tabular.files.reading import read_table
from pmwpub.tabular.schema.table_schema import Schema

PLACES, ROWS = 200, 1_200


def place(number: int) -> str:
    """20 states of ten places each."""
    return f"{number // 10 + 11}{number % 10:03d}"


REGIONS = {str(state + 11): "NESW"[state % 4] for state in range(20)}


def table(rows: int, seed: int) -> str:
    """Places by a skew law with jobs that depend on the state, and a column of its own that contradicts the rule."""
    rng = np.random.default_rng(seed)
    numbers = np.minimum(rng.geometric(0.02, rows) - 1, PLACES - 1)
    numbers[:PLACES] = np.arange(PLACES)
    jobs = (numbers // 10 + rng.integers(2, size=rows)) % 3
    lines = [f"{place(n)},wrong,{'FM'[rng.integers(2)]},{'xyz'[job]}" for n, job in zip(numbers, jobs, strict=True)]
    return "\n".join(["county,state,sex,job", *lines]) + "\n"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Commands:
    """A drafted schema, and a release by each engine under it."""
    folder = tmp_path_factory.mktemp("nested")
    (folder / "p.csv").write_text(table(ROWS, 1))
    (folder / "b.csv").write_text(table(1_000, 2))
    (folder / "regions.csv").write_text("\n".join(f"{state},{region}" for state, region in REGIONS.items()))
    made = Commands(folder)
    declared = ("--parent", "county=state:prefix:2", "--parent", "county=region:map:regions.csv")
    given = ("b.csv", "--kind", "county=categorical", "--max-levels", "300", *declared)
    (folder / "draft.json").write_text(json.dumps(made.run("schema", "draft", *given, "-o", "schema.json")))
    made.run("ledger", "register", "P", "--n", str(ROWS), "--epsilon", "20")
    given = ("--population", "P", "--schema", "schema.json", "--private", "p.csv", "--public", "b.csv", "-k", "2")
    for engine, flags in (("table-fit", ("--grow",)), ("pmw-pub", ("--rounds", "6"))):
        made.run("release", *given, "--epsilon", "4", "--engine", engine, *flags, "-o", engine)
    return made


def contradictions(rows: list[dict[str, str]]) -> int:
    """Rows whose state or region is not the one of their county."""
    return sum(row["state"] != row["county"][:2] or row["region"] != REGIONS[row["county"][:2]] for row in rows)


def test_a_draft_by_flags_has_the_parents_and_reads_no_column_of_their_name(made: Commands) -> None:
    drafted = json.loads((made.folder / "draft.json").read_text())
    assert [(one["name"], one["of"], len(one["levels"])) for one in drafted["parents"]] == [
        ("state", "county", 20),
        ("region", "county", 4),
    ]
    assert [one["name"] for one in drafted["columns"]] == ["county", "sex", "job"]
    assert any(words == "Not read, for it follows from county: state, region." for words in drafted["private_file"])


@pytest.mark.parametrize("engine", ["table-fit", "pmw-pub"])
def test_no_row_of_a_release_contradicts_itself_and_it_reads_back(made: Commands, engine: str) -> None:
    out, schema = made.folder / engine, Schema.from_json((made.folder / "schema.json").read_text())
    for name in ("synthetic.csv", "weights.csv"):
        rows = list(csv.DictReader((out / name).read_text().splitlines()))
        assert list(rows[0])[:5] == ["county", "sex", "job", "state", "region"]
        assert contradictions(rows) == 0
    table = read_table((out / "synthetic.csv").read_bytes())
    again = encode_public(table, schema)
    assert again.ignored == ("state", "region")
    names = [one.levels for one in schema.domain.attributes]
    labels = [[own[code] for code in codes] for own, codes in zip(names, again.dataset.columns, strict=True)]
    assert [list(row.values()) for row in csv.DictReader((out / "synthetic.csv").read_text().splitlines())] == [
        list(row) for row in zip(*labels, strict=True)
    ]


@pytest.mark.parametrize("engine", ["table-fit", "pmw-pub"])
def test_answers_of_a_parent_are_the_sums_of_those_of_its_levels(made: Commands, engine: str) -> None:
    def shares(*names: str) -> dict[tuple[str, ...], float]:
        cells = made.run("answer", "--release", engine, "--marginal", ",".join(names))["cells"]
        return {tuple(cell["levels"][name] for name in names): cell["released"] for cell in cells}

    sums: dict[tuple[str, ...], float] = defaultdict(float)
    for (county, job), share in shares("county", "job").items():
        sums[county[:2], job] += share
    found = shares("state", "job")
    assert len(found) == 60
    assert max(abs(found[cell] - sums[cell]) for cell in found) < 1e-5  # ten cells, each to six digits


def test_a_column_with_its_own_parent_is_no_question(made: Commands) -> None:
    words = made.run("answer", "--release", "table-fit", "--marginal", "county,state", status=2)
    assert "'county' and 'state' are levels of one column" in words
    words = made.run("answer", "--release", "table-fit", "--marginal", "region,state", status=2)
    assert "'state' and 'region' are levels of one column" in words


@pytest.mark.parametrize(
    "asked", [("--quantile", "state", "--at", "0.5"), ("--range", "state=11..12"), ("--cumulative", "state")]
)
def test_a_parent_without_an_order_has_no_ranges_and_says_so(made: Commands, asked: tuple[str, ...]) -> None:
    assert "the levels of 'state' have no order" in made.run("answer", "--release", "table-fit", *asked, status=2)


def test_a_release_is_checked_and_rebuilt_with_its_parents(made: Commands) -> None:
    made.run("certificate", "check", "table-fit")
    assert rebuild.main([str(made.folder / "b.csv"), "--from", str(made.folder / "table-fit")]) == 0


def test_a_criterion_of_a_column_with_its_own_parent_is_refused_before_anything_is_charged(made: Commands) -> None:
    (made.folder / "c.json").write_text('[{"kind": "marginal", "columns": ["county", "state"], "within": "0.05"}]')
    spent = made.run("ledger", "show", "P")["spent"]
    given = ("--population", "P", "--schema", "schema.json", "--private", "p.csv", "--public", "b.csv", "-k", "2")
    words = made.run("release", *given, "--epsilon", "1", "--criteria", "c.json", "-o", "never", status=2)
    assert "'county' and 'state' are levels of one column" in words
    assert made.run("ledger", "show", "P")["spent"] == spent
