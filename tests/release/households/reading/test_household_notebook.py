"""The notebook beside a release of households: it runs, joins persons to households, and no name becomes code in it."""

from __future__ import annotations

import ast
import inspect
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import nbformat
import pytest
from support.commands import Commands
from support.households import csv_of, homes, schema_text

from pmwpub.release.households.household_bundle import HouseholdBundle
from pmwpub.release.notebooks import household_notebook as notebooks
from pmwpub.release.notebooks.household_notebook import household_notebook, with_household_notebook


def run(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    """What the cells print and show, run one behind the other where they lie."""
    from plotly.graph_objects import Figure

    shown: list[Any] = []
    monkeypatch.chdir(folder)
    monkeypatch.setattr(Figure, "show", lambda figure: shown.append(figure))
    space: dict[str, Any] = {"display": shown.append}
    notebook = nbformat.reads((folder / "analyst.ipynb").read_text(), as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            exec(cell.source, space)
    (drawn,) = [one for one in shown if isinstance(one, Figure)]
    assert drawn.layout.xaxis.title.text == "share of persons (%)"
    return capsys.readouterr().out + "".join(str(one) for one in shown)


def test_it_runs_and_all_that_it_compares_agrees(
    town: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also the rebuild, with the public table put beside the files."""
    shutil.copytree(town / "out", tmp_path / "out")
    shutil.copy(town / "b.csv", tmp_path / "out")
    said = run(tmp_path / "out", monkeypatch, capsys)
    assert said.count(": agrees") == 8 + 4, said  # the files, and those that were made again
    assert said.count(": yes") == 5
    assert not [word for word in (": NO", "DIFFERS", "missing", "needs the package") if word in said]
    assert "All that was made again agrees." in said
    assert "25 households," in said
    assert "persons of a household:" in said


def test_it_says_what_does_not_belong_together(
    town: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A person less is seen by the hash, and by the size of that household; without the public table it says so."""
    shutil.copytree(town / "out", tmp_path / "out")
    path = tmp_path / "out/persons.csv"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    said = run(tmp_path / "out", monkeypatch, capsys)
    assert "persons.csv: DIFFERS" in said
    assert ": NO" in said
    assert "The public table that the rebuild needs" in said


def test_it_is_handed_out_and_no_part_of_what_is_checked(town: Path, tmp_path: Path, bundle: HouseholdBundle) -> None:
    shutil.copytree(town / "out", tmp_path / "out")
    body = (tmp_path / "out/analyst.ipynb").read_bytes()
    assert body == household_notebook(bundle)
    command = Commands(tmp_path).run
    assert command("certificate", "check", "out")["unlisted"] == []
    (tmp_path / "out/analyst.ipynb").write_bytes(body + b"\n")
    assert command("certificate", "check", "out")["unlisted"] == ["analyst.ipynb"]
    assert list(inspect.signature(household_notebook).parameters) == ["bundle"]


def test_without_it_nothing_else_is_missing(bundle: HouseholdBundle, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: HouseholdBundle) -> bytes:
        raise RuntimeError

    monkeypatch.setattr(notebooks, "household_notebook", fail)
    assert with_household_notebook(bundle, {"a": b"1"}) == {"a": b"1"}


def test_names_of_strangers_are_text_in_one_cell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    quotes, code = "it's \"\\", "'); raise SystemExit(7) #"
    for name, some, first in (("p.csv", homes(60, 1), 1), ("b.csv", homes(50, 2), 1_000)):
        text = csv_of(some, first).replace("home,", '"=home",', 1)
        head, rest = text.split("\n", 1)
        head = head.replace("age", '"it\'s ""\\"').replace("tenure", f'"{code}"')
        (tmp_path / name).write_text(f"{head}\n{rest}")
    schema = schema_text().replace('"home"', '"=home"').replace('"tenure"', f'"{code}"')
    (tmp_path / "schema.json").write_text(schema.replace('"age"', '"it\'s \\"\\\\"'))
    command = Commands(tmp_path).run
    own = ("--unit", "household", "--largest-household", "4")
    command("ledger", "register", "homes", "--n", "60", "--epsilon", "3", *own)
    spend = ("release", "--population", "homes", "--schema", "schema.json", "--private", "p.csv", "--public", "b.csv")
    command(*spend, "-k", "2", "--epsilon", "1", "-o", "out")
    notebook = nbformat.reads((tmp_path / "out/analyst.ipynb").read_text(), as_version=4)
    holding = [cell for cell in notebook.cells if "SystemExit" in cell.source]
    assert [cell.id for cell in holding] == ["code-columns"]
    found = {line.targets[0].id: ast.literal_eval(line.value) for line in ast.parse(holding[0].source).body}  # type: ignore[attr-defined]
    assert found["PERSONS"] == [code, quotes, "sex"]
    assert (found["ID"], found["SHARED"]) == (["=home"], [code])
    assert run(tmp_path / "out", monkeypatch, capsys).count(": yes") == 5


def test_a_release_that_measured_no_tables_has_none(bundle: HouseholdBundle) -> None:
    """Such as one by PMW^Pub: the notebook shows answers by noisy tables."""
    without = replace(bundle, certificate=bundle.certificate.model_copy(update={"tables": ()}))
    assert with_household_notebook(without, {"a": b"1"}) == {"a": b"1"}
    assert set(with_household_notebook(bundle, {"a": b"1"})) == {"a", "analyst.ipynb"}
