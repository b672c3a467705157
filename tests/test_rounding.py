"""Numbers rounded against ourselves: losses up, what is left down."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmwpub.rounding import above, below, down, up


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
def test_what_is_printed_lies_on_the_safe_side_and_within_one_digit(value: float, digits: int) -> None:
    shown, exact = Fraction(up(value, digits)), Fraction(str(value))
    assert exact <= shown <= exact * (1 + Fraction(1, 10 ** (digits - 1)))
    less = Fraction(down(value, digits))
    assert exact * (1 - Fraction(1, 10 ** (digits - 1))) <= less <= exact


@pytest.mark.parametrize(
    ("value", "words"),
    [(0.99999, "0.9999"), (1.0, "1"), ("1/3", "0.3333"), (2.5e-9, "2.5e-9"), (0, "0")],
)
def test_what_is_left_is_rounded_down_to_four_digits(value: float | str, words: str) -> None:
    assert down(value) == words


def test_a_decimal_of_few_digits_stays_as_it_is() -> None:
    assert [above(Fraction(text)) for text in ("0.1", "0.3", "1e-9")] == [0.1, 0.3, 1e-9]
    assert below(Fraction("0.3")) == 0.3


@given(st.fractions(min_value=0, max_value=10**6))
def test_floats_lie_on_their_side_and_next_to_the_number(value: Fraction) -> None:
    assert Fraction(repr(below(value))) <= value <= Fraction(repr(above(value)))
    assert above(value) <= math.nextafter(below(value), math.inf)
