"""Short words of the pages: lists of columns, bounds of numbers, and labels that fit a phone."""

from __future__ import annotations

import pytest

from pmwpub.errors import PlanError
from pmwpub.ui.hand_over.in_short import COLUMNS, first_columns
from pmwpub.ui.widgets import number_fields
from pmwpub.ui.wording.written import number

NAMES = [f"c{place}" for place in range(20)]


def test_one_column_more_is_named_and_several_are_counted() -> None:
    assert first_columns(["a"]) == "a"
    assert first_columns(["a", "b"]) == "a and b"
    assert first_columns([]) == ""
    assert first_columns(NAMES[: COLUMNS + 1]).endswith(", c11 and c12")
    assert first_columns(NAMES[: COLUMNS + 2]).endswith(", c11 and 2 more")


def test_bounds_of_a_number_have_their_thousands_parted() -> None:
    with pytest.raises(PlanError, match="a whole number from 1 to 1,000,000 is needed"):
        number_fields.as_whole("0", "n", 1, 10**6, so="Nothing is done.")


def test_numbers_on_pages_have_their_thousands_written_out() -> None:
    assert [number(7312.4), number(0.0123456)] == ["7,310", "0.0123"]
