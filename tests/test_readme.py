"""What README and docs tell people to run does run, and what they link to is there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from support.households import csv_of, homes, schema_text

from pmwpub.cli import main

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
DOCUMENTS = (ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", *sorted((ROOT / "docs").glob("*.md")))
MOST_WORDS = 900
FOLDERS = ("pmwpub", "pages", "tests", "benchmarks", "docs")
MADE = {"rebuild.py"}
"""Written into every bundle."""


def write(path: Path, rows: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    lines = [f"{'FM'[rng.integers(2)]},{rng.integers(90)},{'xyz'[rng.integers(3)]}" for _ in range(rows)]
    path.write_text("\n".join(["sex,age,job", *lines]) + "\n")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, rows in (("A.csv", 400), ("B.csv", 150), ("C.csv", 150)):
        write(tmp_path / name, rows, rows + ord(name[0]))
    (tmp_path / "homes.json").write_text(schema_text())
    (tmp_path / "homes.csv").write_text(csv_of(homes(400, 1)))
    (tmp_path / "others.csv").write_text(csv_of(homes(150, 2), 1_000))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PMWPUB_STORE", f"sqlite:///{tmp_path}/ledger.sqlite3")
    return tmp_path


def test_the_python_example_gives_a_synthetic_frame_in_ten_lines(folder: Path) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    assert len([line for line in example.splitlines() if line.strip()]) <= 10
    names: dict[str, object] = {}
    exec(compile(example, "README.md", "exec"), names)
    assert len(names["synthetic"]) == 1000  # type: ignore[arg-type]


def test_the_commands_run_in_the_order_given(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    blocks = re.findall(r"```\n(pmwpub .*?)```", COMMANDS, flags=re.DOTALL)
    commands = [line for block in blocks for line in block.splitlines() if line.startswith("pmwpub ")]
    assert {command.split()[1] for command in commands} >= {"schema", "ledger", "assess", "release", "evaluate"}
    for command in commands:
        arguments = ["400" if part == "20000" else part for part in shlex.split(command)[1:]]
        assert main(arguments) == 0, (command, capsys.readouterr().err)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_each_picture_and_each_page_that_is_linked_to_is_there(document: Path) -> None:
    for path in re.findall(r"\]\((?!https?:|#)([^)#]+)[^)]*\)", document.read_text(encoding="utf-8")):
        assert (document.parent / path).is_file(), path


NAMED = re.compile(r"`((?:[\w.+-]+/)*[\w+-]+\.py)(?:: (\w+))?`")
"""A file of the project, by the end of its path, and perhaps what is defined in it."""


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_each_file_that_a_document_names_is_there_and_defines_what_it_says(document: Path) -> None:
    files = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))] + [ROOT / "app.py"]
    for end, name in NAMED.findall(document.read_text(encoding="utf-8")):
        if end in MADE:
            continue
        found = [path for path in files if f"/{path.relative_to(ROOT)}".endswith(f"/{end}")]
        assert found, end
        defined = re.compile(rf"^ *(def|class) {name}\b|^{name}\b", re.MULTILINE)
        assert not name or any(defined.search(path.read_text(encoding="utf-8")) for path in found), (end, name)


def test_the_readme_can_be_read_in_a_few_minutes() -> None:
    assert len(README.split()) <= MOST_WORDS


def test_the_faults_that_the_privacy_tables_name_are_planted() -> None:
    """Each by the name under which `make audit` lists it."""
    marks = "".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "tests").rglob("test_*.py")))
    planted = set(re.findall(r"mark\.fault\(\s*\"([^\"]+)\"", marks))
    named = set()
    for line in (ROOT / "docs" / "privacy.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.split(" | ")]
        if line.startswith("| ") and len(cells) == 7 and cells[-1] != "planted faults |":
            named |= {fault.strip() for fault in cells[-1].removesuffix("|").split(";")} - {"the same"}
    assert len(named) > 10
    assert named <= planted, sorted(named - planted)
