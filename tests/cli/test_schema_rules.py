"""Rules at `schema draft`: given by text, held against the public files, suggested by them."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from pmwpub.cli import main
from pmwpub.tabular.schema.table_schema import Schema

CHILD = 'age = "child" implies work = "none"'


def survey(seed: int, *, children_at_work: int) -> str:
    draw = random.Random(seed)
    lines = ["age,work,sex"]
    for number in range(200):
        age = draw.choice(["child", "adult", "old"])
        work = "none" if age == "child" else draw.choice(["none", "part", "full"])
        lines.append(f"{age},{work},{draw.choice('fm')}")
        lines += [f"child,full,{draw.choice('fm')}"] if number < children_at_work else []
    return "\n".join([*lines, ""])


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PMWPUB_STORE", f"sqlite:///{tmp_path / 'ledger.sqlite'}")
    (tmp_path / "a.csv").write_text(survey(1, children_at_work=2))
    (tmp_path / "b.csv").write_text(survey(2, children_at_work=0))

    def draft(*arguments: str, status: int = 0) -> Any:
        assert main(["schema", "draft", "a.csv", "b.csv", *arguments, "-o", "schema.json"]) == status
        printed = capsys.readouterr()
        return printed.err if status else json.loads(printed.out)

    return draft


def test_rules_are_part_of_the_schema_and_the_public_rows_that_break_them_are_listed(run: Any) -> None:
    found = run("--rule", f"{CHILD}  # by law", "--rule", 'sex = "f" or sex = "m" and work != "part"')
    first, second = found["rules"]
    assert (first["rule"], first["reason"]) == (CHILD, "by law")
    assert first["public_rows_left_out"] == [{"file": "a.csv", "rows": 2, "first": [2, 4]}]
    assert second["rule"] == 'sex = "f" or (sex = "m" and work != "part")'
    assert {one["file"] for one in second["public_rows_left_out"]} == {"a.csv", "b.csv"}
    schema = Schema.from_json(Path("schema.json").read_bytes())
    assert [rule.text for rule in schema.rules] == [first["rule"], second["rule"]]
    assert found["schema_sha256"] == schema.sha256
    assert "suggested_rules" not in found


def test_levels_that_no_public_row_has_together_are_suggested_and_no_rule_by_that(run: Any) -> None:
    found = run("--suggest-rules")
    assert found["rules"] == []
    assert [one["rule"] for one in found["suggested_rules"]] == ['age = "child" implies work != "part"']
    assert found["suggested_rules"][0]["expected_rows"] > 20
    assert Schema.from_json(Path("schema.json").read_bytes()).rules == ()
    again = run("--suggest-rules", "--rule", CHILD)
    assert again["suggested_rules"] == []


def test_without_the_flags_nothing_is_said_of_rules(run: Any) -> None:
    assert not {"rules", "suggested_rules"} & set(run())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("age = child", "double quotes"),
        ('age < "old"', "have no order"),
        ('age = "child" implies age = "child"', "every row"),
        ('work = "none" and work = "part"', "no row"),
    ],
)
def test_what_is_no_rule_is_refused_and_no_file_is_written(run: Any, text: str, words: str) -> None:
    assert words in run("--rule", text, status=2)
    assert not Path("schema.json").exists()


def test_twenty_rules_over_two_hundred_levels_are_drafted(run: Any) -> None:
    lines = ["place,age"] + [f"place {number % 200:03},{number % 80}" for number in range(4_000)]
    for name in ("a.csv", "b.csv"):
        Path(name).write_text("\n".join(lines))
    texts = [f'place = "place {number:03}" implies place != "place 199" and age >= 20' for number in range(20)]
    rules = [argument for text in texts for argument in ("--rule", text)]
    flags = ("--max-levels", "200", "--kind", "age=numeric", "--binning", "width", "--bins", "4")
    edges = run(*flags)
    assert len(edges["columns"]) == 2
    low = Schema.from_json(Path("schema.json").read_bytes()).encoded[1].edges[1]  # type: ignore[union-attr]
    found = run(*flags, *[argument.replace(">= 20", f">= {low:g}") for argument in rules])
    assert len(found["rules"]) == 20
    assert all(one["public_rows_left_out"][0]["rows"] > 0 for one in found["rules"])
