"""Commands against the store of one folder, as tests run them."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pmwpub.cli import main

Run = Callable[..., Any]
"""Runs a command: its JSON, or its error text where another `status` than 0 is expected."""


def commands(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Go into a folder, and run commands there against its ledger.sqlite3."""
    monkeypatch.chdir(folder)

    def command(*arguments: str, status: int = 0) -> Any:
        found = main(["--store", f"sqlite:///{folder}/ledger.sqlite3", *arguments])
        output = capsys.readouterr()
        assert found == status, output.err
        return output.err if status else json.loads(output.out)

    return command


class Commands:
    """Commands on the files of one folder, for what lasts longer than one test."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(self, *arguments: str, status: int = 0) -> Any:
        out, err = io.StringIO(), io.StringIO()
        with contextlib.chdir(self.folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            found = main(["--store", f"sqlite:///{self.folder}/ledger.sqlite3", *arguments])
        assert found == status, err.getvalue()
        return err.getvalue() if status else json.loads(out.getvalue())
