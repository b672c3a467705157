"""Numbers rounded against ourselves: losses up, what is left down."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from pmwpub.release.certificates.certificate_parts import Delta
from pmwpub.rounding import above, amount, below, down, stated_delta, up


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


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (7312.4, "7,310"), (999.6, "1,000"), (999.4, "999"), (0.4731, "0.473"), (123_456_789, "123,000,000"),
        (999_400_000, "999,000,000"), (1e9, "1e9"), (9.996e8, "1e9"), (2.7789e-8, "2.78e-8"), (0, "0"),
        (-7312.4, "-7,310"),
    ],
)  # fmt: skip
def test_thousands_of_an_amount_are_written_out_up_to_a_billion(value: float, words: str) -> None:
    assert amount(value) == words


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


@pytest.mark.parametrize(
    ("delta", "words"),
    [
        # By long division: 1/49 = 0.020408163265306122448..., 1/36842^2 = 7.36738903808130014589...e-10
        (Fraction(1, 9), "0.111111111111112"), (Fraction(1, 49), "0.0204081632653062"),
        (Fraction(1, 36842**2), "7.36738903808131e-10"), (Fraction(2, 3), "0.666666666666667"),
        (Fraction(999_999_999_999_999, 10**15), "0.999999999999999"), (Fraction(10**15 - 1, 10**15 + 1), None),
    ],
)  # fmt: skip
def test_a_delta_that_is_no_short_decimal_is_stated_rounded_up(delta: Fraction, words: str | None) -> None:
    assert stated_delta(delta) == (words or str(delta))


@pytest.mark.parametrize(
    ("delta", "words"),
    [("0.000025", "2.5e-05"), ("1e-9", "1e-09"), ("0.01", "0.01"), ("1e-16", "1/10000000000000000"), ("0.5", "0.5")],
)
def test_a_delta_that_is_a_short_decimal_is_stated_as_ever(delta: str, words: str) -> None:
    assert stated_delta(Fraction(delta)) == words


@given(st.fractions(min_value=0, max_value=1).filter(lambda delta: 0 < delta < 1))
def test_a_stated_delta_is_never_below_the_delta_and_next_to_it(delta: Fraction) -> None:
    assert delta <= Fraction(stated_delta(delta)) <= delta * (1 + Fraction(1, 10**14))


@given(st.integers(2, 3 * 10**7))
def test_the_default_delta_is_stated_as_a_certificate_may_have_it(n: int) -> None:
    stated = stated_delta(Fraction(1, n**2))
    assert Fraction(1, n**2) <= Fraction(TypeAdapter(Delta).validate_python(stated))
    assert len(stated) < 25
