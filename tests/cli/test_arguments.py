"""The arguments are read before anything heavy is loaded, and each of them names a command that exists."""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module

import pytest

from pmwpub.cli.arguments import command_parser

HEAVY = (
    "alembic", "gmpy2", "highspy", "jinja2", "numba", "numpy", "opendp", "pandas", "plotly", "pyarrow", "pydantic",
    "scipy", "sqlalchemy", "sqlite3", "streamlit",
)  # fmt: skip
OURS = ("pmwpub.ledger", "pmwpub.plans", "pmwpub.privacy", "pmwpub.service", "pmwpub.tabular")

PROGRAM = """
import sys
from pmwpub.cli import main
try:
    main(sys.argv[1:])
except SystemExit as end:
    status = end.code
print(status, *sorted(sys.modules), file=sys.stderr)
"""


def _started(*arguments: str) -> tuple[int, set[str]]:
    """The status of a command that ends with its arguments, and the modules that it had loaded then."""
    ran = subprocess.run([sys.executable, "-c", PROGRAM, *arguments], capture_output=True, text=True, check=True)
    status, *modules = ran.stderr.splitlines()[-1].split()
    return int(status), set(modules)


@pytest.mark.parametrize(
    ("arguments", "status"),
    [(["--help"], 0), (["release", "--help"], 0), (["ledger", "register", "--help"], 0), (["relase"], 2), ([], 2)],
    ids=["help", "release help", "register help", "mistyped", "nothing"],
)
def test_help_and_a_mistyped_command_wait_for_nothing_heavy(arguments: list[str], status: int) -> None:
    ended, modules = _started(*arguments)
    assert ended == status
    assert "pmwpub.cli.arguments" in modules
    assert modules.isdisjoint(HEAVY + OURS)


def test_heavy_modules_are_named_as_python_names_them() -> None:
    for name in HEAVY + OURS:
        import_module(name)


def _commands(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """Every parser that has no commands below it."""
    below = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    if not below:
        yield parser
    for action in below:
        for one in action.choices.values():
            yield from _commands(one)


@pytest.mark.parametrize("command", list(_commands(command_parser())), ids=lambda command: command.prog)
def test_every_command_names_a_function_that_exists(command: argparse.ArgumentParser) -> None:
    module, _, name = command.get_default("run").partition(":")
    assert callable(getattr(import_module(module), name))
