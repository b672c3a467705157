"""The arguments are read before anything heavy is loaded, and each of them names a command that exists."""

from __future__ import annotations

import argparse
import gc
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module

import pytest

from pmwpub.cli import main
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


def test_a_command_leaves_pythons_own_pace_of_collecting(capsys: pytest.CaptureFixture[str]) -> None:
    before = gc.get_threshold()
    assert main(["ledger", "show", "nobody"]) == 2
    assert "nobody" in capsys.readouterr().err
    assert gc.get_threshold() == before


def test_no_argument_is_read_by_pythons_own_idea_of_a_number() -> None:
    """`int` takes "1_0" for ten, and the digits of every script."""
    for parser in _commands(command_parser()):
        for action in parser._actions:
            assert action.type not in (int, float), (parser.prog, action.option_strings)


@pytest.mark.parametrize("number", ["1_0", "١٠", "1.0", "nan", ""])
def test_a_whole_number_is_written_in_the_digits_0_to_9(number: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["few-records", "--release", "out", "--public", "b.csv", "--columns", "sex", "--fewest", number])
    assert ended.value.code == 2
    assert "a whole number is needed" in capsys.readouterr().err
