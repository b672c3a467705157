"""`ledger register` and `ledger amend`: warnings and changes in words on stderr, no refusal for what is warned of."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from ledger.terms import charge, key

from pmwpub.cli import main
from pmwpub.ledger import Ledger


class Shell:
    """Runs `pmwpub ledger ...` on one store, and keeps what was said on stderr."""

    def __init__(self, folder: Path, capture: pytest.CaptureFixture[str]) -> None:
        self.url, self.capture, self.said = f"sqlite:///{folder}/ledger.sqlite3", capture, ""

    def run(self, *arguments: str, status: int = 0) -> Any:
        found = main(["--store", self.url, "ledger", *arguments])
        printed = self.capture.readouterr()
        self.said = printed.err
        assert found == status, printed.err
        return json.loads(printed.out) if printed.out else None


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Shell:
    made = Shell(tmp_path, capsys)
    made.run("register", "town", "--n", "1,000", "--epsilon", "3")
    assert made.said == ""
    return made


def test_terms_that_warn_of_something_are_registered_with_the_warnings_on_stderr(shell: Shell) -> None:
    found = shell.run("register", "A", "--n", "36,842", "--epsilon", "5000", "--delta", "0.9")
    assert (found["n"], found["epsilon"], found["delta"]) == (36_842, 5000.0, 0.9)
    assert "δ = 0.9 is above 1/n" in shell.said
    assert "ε = 5000 is above 10" in shell.said


def test_limits_themselves_bring_no_warning(shell: Shell) -> None:
    shell.run("register", "A", "--n", "1000", "--epsilon", "10", "--delta", "1/1000")
    assert shell.said == ""


@pytest.mark.parametrize("n", ["36,842", "36 842", "36\u00a0842", "36\u2009842", "36842"])
def test_a_mistyped_n_is_corrected_and_the_default_delta_follows(n: str, shell: Shell) -> None:
    found = shell.run("amend", "town", "--n", n)
    assert found["n"] == 36_842
    assert found["delta"] == pytest.approx(36_842**-2)
    assert shell.said.splitlines() == [
        "pmwpub: n, the rows of the private table: it was 1,000 and is now 36,842.",
        "pmwpub: δ: it was 1e-6 and is now 7.37e-10, which is 1/n².",
    ]
    assert found | {"unvouched": [], "charges": []} == shell.run("show", "town")


@pytest.mark.parametrize("n", ["36,84", "3,6842", ",123", "36_842", "0,500"])
def test_a_wrong_grouping_is_refused(n: str, shell: Shell) -> None:
    with pytest.raises(SystemExit) as stopped:
        shell.run("amend", "town", "--n", n)
    assert stopped.value.code == 2
    assert "whole number" in shell.capture.readouterr().err
    assert shell.run("show", "town")["n"] == 1000


def test_every_term_can_be_amended_at_once_with_its_warnings(shell: Shell) -> None:
    flags = ("--rows-per-person", "2", "--unit", "one visit", "--epsilon", "11", "--delta", "0.01")
    found = shell.run("amend", "town", *flags)
    assert (found["rows_per_person"], found["epsilon"], found["delta"]) == (2, 11.0, 0.01)
    assert 'it was "one person" and is now "one visit"' in shell.said
    assert "δ = 0.01 is above 1/n" in shell.said
    assert "ε = 11 is above 10" in shell.said
    shell.run("amend", "town", "--delta", "1/n^2", "--epsilon", "3")
    assert "which is 1/n²" in shell.said
    assert "above" not in shell.said


def test_a_delta_that_was_given_stays_when_n_changes(shell: Shell) -> None:
    shell.run("amend", "town", "--delta", "1e-9")
    assert shell.run("amend", "town", "--n", "2000")["delta"] == 1e-9


def test_an_amendment_without_a_change_says_nothing(shell: Shell) -> None:
    before = shell.run("show", "town")
    assert shell.run("amend", "town", "--n", "1000", "--epsilon", "3").items() <= before.items()
    assert shell.said == ""


def test_a_decimal_comma_is_refused_and_the_point_is_named(shell: Shell) -> None:
    shell.run("amend", "town", "--epsilon", "0,5", status=2)
    assert "with a point for decimals" in shell.said
    shell.run("register", "B", "--n", "9", "--epsilon", "1", "--delta", "0,1", status=2)
    assert "with a point for decimals" in shell.said
    assert shell.run("show", "town")["epsilon"] == 3.0


def test_after_a_charge_only_a_lower_epsilon_is_taken(shell: Shell) -> None:
    with Ledger.open(shell.url) as ledger:
        ledger.book("town", key(), "{}", [charge(10**12)])
    for flags in (["--n", "2000"], ["--epsilon", "4"], ["--unit", "x"], ["--delta", "1e-9"], ["--epsilon", "0.0001"]):
        shell.run("amend", "town", *flags, status=2)
    assert shell.run("show", "town")["n"] == 1000
    assert shell.run("amend", "town", "--epsilon", "2")["epsilon"] == 2.0
    assert shell.said == "pmwpub: The total ε: it was 3 and is now 2.\n"


def test_an_unknown_population_is_refused(shell: Shell) -> None:
    shell.run("amend", "nowhere", "--n", "9", status=2)
    assert "No population" in shell.said
