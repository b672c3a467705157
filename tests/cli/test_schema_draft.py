"""`schema draft`: what it prints beside the file, what its flags decide, and which files it refuses."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from pmwpub.cli import main
from pmwpub.tabular.schema.table_schema import Schema

SAMPLE = Path(__file__).resolve().parents[2] / "sample_data"


class Drafting:
    """A folder, and the command in it."""

    def __init__(self, folder: Path, streams: pytest.CaptureFixture[str]) -> None:
        self.folder, self.streams = folder, streams

    def file(self, name: str, text: str) -> str:
        (self.folder / name).write_text(text)
        return name

    def run(self, *arguments: str) -> dict[str, Any]:
        assert main(["schema", "draft", *arguments, "-o", "schema.json"]) == 0, self.streams.readouterr().err
        found: dict[str, Any] = json.loads(self.streams.readouterr().out)
        return found

    def refused(self, *arguments: str) -> str:
        assert main([*arguments]) == 2
        return self.streams.readouterr().err

    @property
    def schema(self) -> Schema:
        return Schema.from_json((self.folder / "schema.json").read_bytes())


@pytest.fixture
def drafting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Drafting:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PMWPUB_STORE", f"sqlite:///{tmp_path / 'ledger.sqlite'}")
    return Drafting(tmp_path, capsys)


def survey(wave: int, seed: int, rows: int = 60) -> str:
    """Wave, person, sex, age: the first names the table, the second the row."""
    draw = random.Random(seed)
    lines = [f"{wave},{1000 + row},{draw.choice('fm')},{draw.randint(18, 60)}" for row in range(rows)]
    return "\n".join(["wave,person,sex,age", *lines, ""])


def test_the_review_stands_beside_the_file_as_json(drafting: Drafting) -> None:
    files = [drafting.file("a.csv", survey(2008, 1)), drafting.file("b.csv", survey(2012, 2))]
    found = drafting.run(*files)
    assert {one["name"]: one["kind"] for one in found["columns"]} == {"sex": "categorical", "age": "numeric"}
    sex = next(one for one in found["columns"] if one["name"] == "sex")
    assert sex["levels"] == ["f", "m"]
    assert len(next(one for one in found["columns"] if one["name"] == "age")["bins"]) > 3
    assert {one["name"] for one in found["left_out"]} == {"wave", "person"}
    why = {one["name"]: one["why"] for one in found["left_out"]}
    assert "'2008' in a.csv, '2012' in b.csv" in why["wave"]
    assert "no reweighting of" in why["wave"]
    assert "All 60 values of a.csv differ" in why["person"]
    assert drafting.schema.domain.names == ("sex", "age")
    assert found["schema_sha256"] == drafting.schema.sha256
    assert found["private_file"][0] == "A header with the columns sex, age, in any order; others are ignored."


def test_flags_decide_otherwise_and_the_suspicion_is_remarked_upon(drafting: Drafting) -> None:
    files = [drafting.file("a.csv", survey(2008, 1)), drafting.file("b.csv", survey(2012, 2))]
    found = drafting.run(*files, "--keep", "wave", "--id", "person", "--leave-out", "age")
    assert drafting.schema.domain.names == ("wave", "sex")
    assert drafting.schema.id_column is not None
    assert drafting.schema.id_column.name == "person"
    assert [(one["column"], one["kind"]) for one in found["remarks"]] == [("wave", "names tables")]
    for one in found["left_out"]:
        assert one["name"] in ("person", "age")


def test_every_remedy_that_is_printed_is_a_flag_that_works(drafting: Drafting) -> None:
    files = [drafting.file("a.csv", survey(2008, 1)), drafting.file("b.csv", survey(2012, 2))]
    for one in drafting.run(*files)["left_out"]:
        for remedy in one["remedies"]:
            drafting.run(*files, *remedy.split(" "))
            assert {column.name: column.kind for column in drafting.schema.columns}[one["name"]] == remedy.split("=")[1]


def test_sample_data_with_a_wave_draft_to_a_schema_without_it_and_nothing_else_is_lost(drafting: Drafting) -> None:
    """The paper's kind of survey, with the column that a budget would run into in every round."""
    files = []
    for letter, year in (("b", 2008), ("c", 2012)):
        lines = (SAMPLE / f"state_{letter}.csv").read_text().splitlines()[:2_000]
        lines = [f"{'wave' if not place else year},{line}" for place, line in enumerate(lines)]
        files.append(drafting.file(f"{letter}.csv", "\n".join(lines) + "\n"))
    found = drafting.run(*files)
    assert [one["name"] for one in found["left_out"]] == ["wave"]
    assert "wave" not in drafting.schema.domain.names
    assert len(drafting.schema.domain.names) == 20


def test_no_store_is_made_for_a_draft(drafting: Drafting) -> None:
    drafting.run(drafting.file("a.csv", survey(2008, 1)))
    assert sorted(path.name for path in drafting.folder.iterdir()) == ["a.csv", "schema.json"]
