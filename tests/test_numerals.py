"""Whole numbers with their thousands in groups, read as they are written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmwpub.cli.arguments.shared_arguments import whole
from pmwpub.errors import BudgetError, PlanError
from pmwpub.numerals import read_float, read_whole, ungrouped
from pmwpub.privacy.budget import as_fraction
from pmwpub.ui.widgets.number_fields import as_listed_whole, as_whole

SPACES = {"ordinary": " ", "no-break": "\u00a0", "thin": "\u2009", "narrow no-break": "\u202f"}
NO_GROUPS = [
    "36,84", "3,6842", ",123", "36,", "0,500", "00,500", "1,,000", "1,000 000", "1, 000", "36_842", "36'842", "36.842",
    "1,0000", "1234,567", "36,842.0", "36,842,", "٣٦,٨٤٢", "３６,842", "36\u2007842", "",
]  # fmt: skip


@given(st.integers(0, 10**12))
def test_a_count_is_read_back_as_the_pages_and_the_ledger_write_it(count: int) -> None:
    assert as_whole(f"{count:,}", "n", 0, 10**12) == whole(f"{count:,}") == count


@pytest.mark.parametrize("space", SPACES.values(), ids=list(SPACES))
@pytest.mark.parametrize("count", [999, 1000, 36_842, 1_000_000, 987_654_321])
def test_any_space_that_people_group_thousands_by_is_read(space: str, count: int) -> None:
    written = f"{count:,}".replace(",", space)
    assert as_whole(f" {written} ", "n", 1, 10**9) == whole(written) == count


@pytest.mark.parametrize("text", NO_GROUPS)
def test_what_is_no_grouping_is_not_guessed(text: str) -> None:
    assert ungrouped(text) == text
    with pytest.raises(PlanError, match="whole number"):
        as_whole(text if text != "36.842" else "36.8", "n", 1, 10**9)
    with pytest.raises(Exception, match="whole number"):
        whole(text)


@pytest.mark.parametrize("text", ["1,000", "10 100", "10\u00a0100"])
def test_in_a_list_a_comma_or_a_space_groups_nothing(text: str) -> None:
    with pytest.raises(PlanError, match="whole number"):
        as_listed_whole(text, "Rounds", 1, 10**9, so="")


@pytest.mark.parametrize("text", ["0,5", "1,000", "36,842", "1,5", "1.000,5"])
def test_a_comma_in_a_number_with_decimals_is_refused_and_the_point_is_named(text: str) -> None:
    with pytest.raises(BudgetError, match="with a point for decimals"):
        as_fraction(text)


def test_a_number_without_a_comma_is_refused_without_a_word_about_points() -> None:
    with pytest.raises(BudgetError) as refusal:
        as_fraction("much")
    assert "point" not in str(refusal.value)


STRANGE = ["1_0", "١٠", "１０", "²", "0x10", "1e", "", " ", "nan", "inf", "-Infinity", "1,5", "1" * 500, "\ud800"]


@pytest.mark.parametrize("text", STRANGE)
def test_what_python_would_take_for_a_number_and_people_do_not_write_is_none(text: str) -> None:
    with pytest.raises(BudgetError):
        read_whole(text)
    with pytest.raises(ValueError, match="digits 0 to 9"):
        read_float(text)
    with pytest.raises(BudgetError):
        as_fraction(text)


@pytest.mark.parametrize(
    ("text", "number"), [("10", 10.0), (" -1.5 ", -1.5), (".5", 0.5), ("5.", 5.0), ("+1e-3", 0.001), ("2E+2", 200.0)]
)
def test_a_number_with_a_point_or_an_exponent_is_read_as_its_nearest_float(text: str, number: float) -> None:
    assert read_float(text) == number


def test_a_number_that_no_float_is_near_is_none() -> None:
    assert read_float("1e308") == 1e308
    with pytest.raises(ValueError, match="no number"):
        read_float("1e309")
