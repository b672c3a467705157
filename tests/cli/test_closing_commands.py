"""`ledger address`, `export`, `import`, `arrived` and `retire`: the steps of a move, each naming the next one."""

from __future__ import annotations

import hashlib
import json
import shlex
import zipfile
from pathlib import Path
from typing import Any

import pytest
from ledger.terms import charge, key, people

from pmwpub.cli import main
from pmwpub.ledger import Ledger


class Servers:
    """Runs `pmwpub ledger ...` on two stores."""

    def __init__(self, folder: Path, capture: pytest.CaptureFixture[str]) -> None:
        self.folder, self.capture = folder, capture
        with Ledger.open(self.url("old")) as ledger:
            ledger.register(people("my town"))
            booking = ledger.book("my town", key("first"), "{}", [charge(10**12)])
            ledger.finish(booking.id, b"a result")

    def url(self, server: str) -> str:
        return f"sqlite:///{self.folder}/{server}.sqlite3"

    def run(self, server: str, *arguments: str, status: int = 0) -> Any:
        found = main(["--store", self.url(server), "ledger", *arguments])
        printed = self.capture.readouterr()
        assert found == status, printed.err
        return printed.err if status else json.loads(printed.out)

    def follow(self, server: str, found: dict[str, Any], file: Path | None = None) -> Any:
        """Run the command that an answer names, as somebody would copy it."""
        words = shlex.split(found["next"].split("pmwpub ledger ", 1)[1])
        return self.run(server, *[str(file) if word in ("FILE", "town.zip") else word for word in words])


@pytest.fixture
def servers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Servers:
    return Servers(tmp_path, capsys)


def test_each_step_names_the_next_and_the_population_ends_up_open_there_alone(servers: Servers) -> None:
    file = servers.folder / "town.zip"
    before = servers.run("old", "show", "my town")
    exported = servers.follow("old", servers.run("new", "address", "my town"), file)
    with zipfile.ZipFile(file) as written:
        assert hashlib.sha256(written.read("manifest.json")).hexdigest() == exported["sum"]
    taken = servers.follow("new", exported, file)
    assert taken["again"] is False
    assert {one: taken[one] for one in ("n", "epsilon", "spent", "remaining")} == {
        one: before[one] for one in ("n", "epsilon", "spent", "remaining")
    }
    assert servers.follow("old", taken) == {"population": "my town", "sum": exported["sum"], "arrived": True}
    assert "moved to another server" in servers.run("old", "show", "my town")["closed"]
    assert "closed" not in servers.run("new", "show", "my town")
    again = servers.run("new", "import", str(file))
    assert (again["again"], again["receipt"]) == (True, taken["receipt"])


def test_what_is_refused_says_why_and_exits_with_2(servers: Servers) -> None:
    file = servers.folder / "town.zip"
    found = servers.run("new", "address", "my town")
    assert "40 hexadecimal" in servers.run("old", "export", "my town", "--to", "x", "-o", str(file), status=2)
    store = str(servers.folder / "old.sqlite3")
    assert "written over" in servers.run("old", "export", "my town", "--to", found["address"], "-o", store, status=2)
    assert "no export" in servers.run("new", "import", store, status=2)
    assert "was not exported" in servers.run("old", "arrived", "my town", "x", status=2)
    servers.follow("old", found, file)
    assert "was expected" in servers.run("new", "import", str(file), "--sum", "0" * 64, status=2)
    assert "another store" in servers.run("third", "import", str(file), status=2)
    assert "no receipt" in servers.run("old", "arrived", "my town", "x", status=2)
    assert "is registered" in servers.run("old", "address", "My Town", status=2)


def test_retiring_takes_a_word_that_it_is_meant(servers: Servers) -> None:
    assert "Retiring is final" in servers.run("old", "retire", "my town", status=2)
    assert "closed" not in servers.run("old", "show", "my town")
    assert "No population" in servers.run("old", "retire", "nobody", "--final", status=2)
    assert "was retired on" in servers.run("old", "retire", "my town", "--final")["closed"]


@pytest.mark.parametrize(
    "command", ["address A", "export A --to x -o y", "import y", "arrived A x", "retire A --final"]
)
def test_a_machine_for_viewers_alone_closes_and_takes_in_nothing(
    servers: Servers, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PMWPUB_VIEWERS_ONLY", "1")
    assert "viewers alone" in servers.run("old", *command.split(), status=2)
