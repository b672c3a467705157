"""Names that are asked for from outside a module: tasks in queues, commands and modules of installed programs."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

from pmwpub.jobs.task_names import TASKS, resolve

NAMES = {"assess", "best", "compare", "error", "release", "simulation", "warm"}
"""The tasks that have had these names since d59d89b."""

PROJECT = Path(__file__).resolve().parents[2] / "pyproject.toml"


@pytest.mark.parametrize("task", sorted(TASKS))
def test_every_registered_task_exists(task: str) -> None:
    assert callable(resolve(TASKS[task]))


def test_no_task_lost_its_name() -> None:
    assert set(TASKS) >= NAMES


@pytest.mark.parametrize("target", ["pmwpub.cli:main", "pmwpub.jobs.__main__:main", "pmwpub.tabular.ipums:Extract"])
def test_what_programs_and_notes_of_before_name_is_still_there(target: str) -> None:
    module, _, name = target.partition(":")
    assert callable(getattr(import_module(module), name))


def test_the_installed_command_is_the_main_of_the_command_line() -> None:
    assert tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["scripts"] == {"pmwpub": "pmwpub.cli:main"}


def test_the_worker_starts_as_a_module_and_asks_for_its_descriptor() -> None:
    """Without one it ends on its missing argument, and on nothing earlier, such as an import."""
    found = subprocess.run([sys.executable, "-m", "pmwpub.jobs"], capture_output=True, text=True, cwd=PROJECT.parent)
    assert found.returncode == 1
    assert found.stderr.splitlines()[-1].startswith("IndexError")
