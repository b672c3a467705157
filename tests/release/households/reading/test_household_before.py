"""A release of households from before there were reports, as commit 408ac85 wrote and stored it, keeps its bytes.

before/households/   its files of 10 households by seed 3; stored.json is what its store has
"""

from __future__ import annotations

from pathlib import Path

import pytest
from support.commands import Commands

from pmwpub.release.households.household_bundle import HouseholdBundle
from pmwpub.release.households.household_checks import checked_households, household_files_in
from pmwpub.release.households.household_files import HOUSEHOLD_FILES
from pmwpub.release.households.reading.household_answers import HouseholdAnswers
from pmwpub.release.households.reading.household_folder import household_bundle_in

BEFORE = Path(__file__).parents[2] / "before" / "households"
STORED = (BEFORE / "stored.json").read_bytes()


def test_what_was_stored_before_is_read_and_written_to_the_byte() -> None:
    bundle = HouseholdBundle.from_bytes(STORED)
    assert bundle.report is None
    assert bundle.to_bytes() == STORED
    files = bundle.files(10, 3)
    assert set(files) == set(HOUSEHOLD_FILES)
    assert files == {name: (BEFORE / name).read_bytes() for name in HOUSEHOLD_FILES}


def test_a_folder_of_before_holds_and_is_answered(tmp_path: Path) -> None:
    files = household_files_in(BEFORE)
    assert len(checked_households(files)) == 7
    said = Commands(tmp_path).run("certificate", "check", str(BEFORE))
    assert said["unlisted"] == ["stored.json"]
    found, stored = (HouseholdAnswers(one) for one in (household_bundle_in(BEFORE), HouseholdBundle.from_bytes(STORED)))
    assert found.persons() == stored.persons()
    assert found.marginal(["age"]) == stored.marginal(["age"])


def test_a_page_beside_files_that_name_none_is_no_part_of_them(tmp_path: Path) -> None:
    for name in HOUSEHOLD_FILES:
        (tmp_path / name).write_bytes((BEFORE / name).read_bytes())
    (tmp_path / "report.html").write_text("<p>anything</p>")
    assert Commands(tmp_path).run("certificate", "check", ".")["unlisted"] == ["report.html"]
    assert household_bundle_in(tmp_path).report is None


@pytest.mark.parametrize("strange", ["5", "[]", "{}"])
def test_a_report_that_is_no_text_is_none(strange: str) -> None:
    from pmwpub.errors import CertificateError

    with pytest.raises(CertificateError):
        HouseholdBundle.from_bytes(STORED[:-1] + f',"report":{strange}}}'.encode())
