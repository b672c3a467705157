from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmwpub.release.wording import percent, rows, up


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0.99991, "1"), (1.0000001, "1.001"), ("1/25", "0.04"), (0.04, "0.04"), ("1/3", "0.3334"),
        ("2.5e-09", "2.5e-9"), (8.0012e-9, "8.002e-9"), (12_345_678.0, "1.235e7"), (20_000, "20000"), (0, "0"),
        (0.000099999, "0.0001"),
    ],
)  # fmt: skip
def test_losses_are_rounded_up_to_four_digits(value: float | str, words: str) -> None:
    assert up(value) == words


@given(st.floats(min_value=1e-300, max_value=1e300), st.integers(1, 6))
def test_what_is_printed_is_never_less_and_at_most_one_digit_more(value: float, digits: int) -> None:
    shown, exact = Fraction(up(value, digits)), Fraction(str(value))
    assert exact <= shown <= exact * (1 + Fraction(1, 10 ** (digits - 1)))


def test_shares_and_rows_read_as_words() -> None:
    assert (percent(0.12345), rows(1), rows(1200)) == ("12.35 %", "1 row", "1,200 rows")
