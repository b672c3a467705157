"""What the README tells people to run does run."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import numpy as np
import pytest

from pmwpub.cli import main

README = (Path(__file__).resolve().parent.parent / "README.md").read_text(encoding="utf-8")


def write(path: Path, rows: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    lines = [f"{'FM'[rng.integers(2)]},{rng.integers(90)},{'xyz'[rng.integers(3)]}" for _ in range(rows)]
    path.write_text("\n".join(["sex,age,job", *lines]) + "\n")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, rows in (("A.csv", 400), ("B.csv", 150), ("C.csv", 150)):
        write(tmp_path / name, rows, rows + ord(name[0]))
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
    blocks = re.findall(r"```\n(pmwpub .*?)```", README, flags=re.DOTALL)
    commands = [line for block in blocks for line in block.splitlines() if line.startswith("pmwpub ")]
    assert {command.split()[1] for command in commands} >= {"schema", "ledger", "assess", "release", "evaluate"}
    for command in commands:
        arguments = ["400" if part == "20000" else part for part in shlex.split(command)[1:]]
        assert main(arguments) == 0, (command, capsys.readouterr().err)


def test_each_picture_is_there() -> None:
    for path in re.findall(r"!\[[^]]*\]\(([^)]+)\)", README):
        assert (Path(__file__).resolve().parent.parent / path).is_file(), path
