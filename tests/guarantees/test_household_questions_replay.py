"""With the noise forced, nothing that is bought of households beside a release tells two neighbouring tables apart."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from guarantees.flows import trace_commands
from guarantees.test_household_replay import BEYOND, LARGE, ONE, REST, UNKNOWN, N
from guarantees.traces import Trace, differences
from support.households import LARGEST, csv_of, homes, schema_text
from support.planting import plant

from pmwpub.service.purchases.households import household_questions_purchase

OF = ["--population", "homes", "--schema", "schema.json", "--private", "p.csv"]
OFFERED = [*OF, "--public", "b.csv", "--public", "c.csv", "-k", "2"]
COMMANDS = [
    ["ledger", "register", "homes", "--n", str(N), "--epsilon", "9", "--unit", "household", "--largest-household", "4"],
    ["assess", *OFFERED, "--epsilon", "0.5"],
    ["assess", *OFFERED, "--epsilon", "0.5", "--best"],
    ["assess", *OFFERED, "--epsilon", "0.5", "--best", "--no-floor"],
    ["release", *OF, "--public", "b.csv", "-k", "2", "--epsilon", "1", "-o", "one"],
    ["error", *OF, "--release", "one", "--epsilon", "0.5"],
    ["error", *OF, "--release", "one", "--epsilon", "50"],
    ["ledger", "show", "homes"],
]
PAIRS = {
    "one by more than the largest": (ONE, BEYOND),
    "the largest by cells without a level": (LARGE, UNKNOWN),
}


def traced(
    folder: Path, home: list[str], capfd: pytest.CaptureFixture[str], commands: list[list[str]] = COMMANDS
) -> Trace:
    folder.mkdir(parents=True)
    (folder / "p.csv").write_text(csv_of([*REST[:9], home, *REST[9:]]))
    (folder / "b.csv").write_text(csv_of(homes(60, 2, owning=0.3), 1_000))
    (folder / "c.csv").write_text(csv_of(homes(50, 3, owning=0.6), 2_000))
    (folder / "schema.json").write_text(schema_text(LARGEST))
    trace = Trace()
    trace_commands(trace, folder, commands, capfd)
    return trace


@pytest.mark.parametrize("name", PAIRS)
def test_what_is_asked_tells_neighbours_of_any_size_apart_by_its_noise_alone(
    name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    ours, theirs = (traced(tmp_path / str(place), home, capfd) for place, home in enumerate(PAIRS[name]))
    assert differences(ours, theirs) == set()
    assert [text[0] for text in ours.output.values()] == ["0"] * 6 + ["2", "0"], ours.logs
    asked = [call for call in ours.calls if not call.startswith("vector")]
    assert len(asked) == 2 * 2 + 2 + 1, "of each candidate a floor and a start; two choices; an error"
    assert [call.split()[3] for call in asked if call.startswith("lattice")] == ["4"] * 3, "made for H persons"
    assert [re.findall(r"\d+", call)[-2:] for call in asked if call.startswith("best")] == [["160", "4"]] * 2


@pytest.mark.fault("the number of persons treated as public")
def test_a_number_of_persons_in_what_is_stored_is_caught(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    right = "remarks = remarks_from(service.ledger.marks(private.population))"
    wrong = f'{right}; remarks += (f"{{len(households.persons)}} persons",)'
    purchase = household_questions_purchase.HouseholdAssessmentPurchase
    plant(monkeypatch, purchase, "prepared", right, wrong)
    some = COMMANDS[:2]
    ours, theirs = (traced(tmp_path / str(place), home, capfd, some) for place, home in enumerate((ONE, LARGE)))
    assert "output" in differences(ours, theirs)
