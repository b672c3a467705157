"""With the noise forced, nothing that leaves a command tells two neighbouring tables of households apart."""

from __future__ import annotations

from pathlib import Path

import pytest
from guarantees.flows import trace_commands
from guarantees.traces import Trace, differences
from support.households import LARGEST, csv_of, homes, schema_text
from support.planting import plant

from pmwpub.service.purchases.households import household_purchase

N = 40
SPEND = ["--population", "homes", "--schema", "schema.json", "--private", "p.csv", "--public", "b.csv", "-k", "2"]
COMMANDS = [
    ["ledger", "register", "homes", "--n", str(N), "--epsilon", "8", "--unit", "household", "--largest-household", "4"],
    ["release", *SPEND, "--epsilon", "1", "--dry-run"],
    ["release", *SPEND, "--epsilon", "1", "-o", "one"],
    ["release", *SPEND, "--epsilon", "1", "-o", "again", "--rows", "25"],
    ["release", *SPEND, "--epsilon", "1", "-o", "second", "--repeat", "1"],
    ["release", *SPEND, "--epsilon", "1", "--engine", "pmw-pub", "--rounds", "7", "-o", "rounds"],
    [
        "release",
        *SPEND,
        "--epsilon",
        "1",
        "--rounds",
        "3",
        "--output",
        "average",
        "--selection",
        "permute-and-flip",
        "-o",
        "average",
    ],
    ["release", *SPEND, "--epsilon", "rest", "-o", "rest"],
    ["release", *SPEND, "--epsilon", "9", "-o", "dear"],
    ["ledger", "show", "homes"],
]

REST = homes(N - 1, 1)
ONE = ["rent,old,f"]
LARGE = ["own,child,m", "own,child,f", "own,adult,f", "own,adult,m"]
BEYOND = [f"own,{age},{sex}" for age in ("child", "adult", "old") for sex in "fm"]
UNKNOWN = ["tent,no age,x", "own,child,"]
PAIRS = {
    "one by the largest": (ONE, LARGE),
    "the largest by one": (LARGE, ONE),
    "one by more than the largest": (ONE, BEYOND),
    "the largest by cells without a level": (LARGE, UNKNOWN),
}


def traced(folder: Path, home: list[str], capfd: pytest.CaptureFixture[str]) -> Trace:
    """All that the commands print, write and store of a table of which one household is `home`."""
    folder.mkdir(parents=True)
    (folder / "p.csv").write_text(csv_of([*REST[:9], home, *REST[9:]]))
    (folder / "b.csv").write_text(csv_of(homes(60, 2, owning=0.3), 1_000))
    (folder / "schema.json").write_text(schema_text(LARGEST))
    trace = Trace()
    trace_commands(trace, folder, COMMANDS, capfd)
    return trace


@pytest.mark.parametrize("name", PAIRS)
def test_nothing_that_leaves_tells_neighbours_of_any_size_apart(
    name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    ours, theirs = (traced(tmp_path / str(place), home, capfd) for place, home in enumerate(PAIRS[name]))
    assert differences(ours, theirs) == set()
    assert len(ours.exports) > 48, "six folders of eight files"
    assert [text[0] for text in ours.output.values()] == ["0"] * 8 + ["2", "0"], ours.logs
    assert len(ours.calls) == 3 * 12 + 2 * (7 + 3), "three draws of twelve tables, and ten rounds"
    assert len(ours.answers) == 7 + 3, "the rounded answers of each round"


@pytest.mark.fault("the number of persons treated as public")
def test_a_number_of_persons_in_the_certificate_is_caught(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    right = "remarks = remarks_from(service.ledger.marks(current.population.name))"
    wrong = f'{right}; remarks += (f"{{len(households.persons)}} persons",)'
    plant(monkeypatch, household_purchase.HouseholdPurchase, "prepared", right, wrong)
    ours, theirs = (traced(tmp_path / str(place), home, capfd) for place, home in enumerate((ONE, LARGE)))
    assert {"exports", "output"} <= differences(ours, theirs)
