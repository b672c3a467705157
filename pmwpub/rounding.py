"""How numbers and times are written for people.

Losses of privacy are rounded up wherever they are shown, what is left is rounded down; never the other way.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction

Number = Fraction | float | str


def up(value: Number, digits: int = 4) -> str:
    """A positive number to so many significant digits, rounded up: 0.99991 -> "1", 8.0012e-9 -> "8.002e-9".

    A float stands for the decimal that it prints as; a text may be a decimal or a fraction.
    """
    return _to_digits(Fraction(str(value)), digits, math.ceil)


def down(value: Number, digits: int = 4) -> str:
    """The same, rounded down: 0.99999 -> "0.9999"."""
    return _to_digits(Fraction(str(value)), digits, math.floor)


def near(value: float | Fraction, digits: int = 3) -> str:
    """Rounded to the nearest, for numbers that are no loss of privacy; written alike: 2.7789e-8 -> "2.78e-8"."""
    mantissa, marked, exponent = f"{float(value):.{digits}g}".partition("e")
    return f"{mantissa}e{int(exponent)}" if marked else mantissa


def amount(value: float | Fraction) -> str:
    """Such a number with its thousands written out, up to a billion: 7312.4 -> "7,310", where `near` has 7.31e3."""
    rounded = float(near(value))
    return f"{rounded:,.0f}" if 1_000 <= abs(rounded) < 10**9 else near(value)


def in_percent(share: float | Fraction, digits: int = 2) -> str:
    """A share that is no loss of privacy, such as an error, in percent: 0.01234 -> "1.2 %"."""
    return f"{near(100 * share, digits)} %"


def above(value: Fraction) -> float:
    """The least float whose decimal, as it prints, is not below a number."""
    nearest = float(value)
    return nearest if Fraction(repr(nearest)) >= value else math.nextafter(nearest, math.inf)


def below(value: Fraction) -> float:
    """The largest float whose decimal, as it prints, is not above a number."""
    return -above(-value)


def stated_delta(delta: Fraction) -> str:
    """A delta as certificates state it: exact, or rounded up at 15 digits; never below it, at most 1e-14 of it above.

    One with a denominator above 10^15 is a fraction such as "1/10000000000000001"; any other a decimal, such as
    "2.5e-05".
    """
    return str(delta) if delta.denominator > 10**15 else f"{float(up(delta, 15)):.15g}"


def _to_digits(value: Fraction, digits: int, whole: Callable[[Fraction], int]) -> str:
    if value <= 0:
        return "0"
    power = _power_of_ten(value) - digits + 1
    shown = whole(value / Fraction(10) ** power)
    if shown == 10**digits:
        shown, power = shown // 10, power + 1
    decimal = Decimal(shown).scaleb(power).normalize()
    if -4 <= decimal.adjusted() < 7:
        return f"{decimal:f}"
    mantissa, _, exponent = f"{decimal:e}".partition("e")
    return f"{mantissa}e{int(exponent)}"


def _power_of_ten(value: Fraction) -> int:
    """The largest p with 10^p <= value, for a positive value."""
    power = len(str(value.numerator)) - len(str(value.denominator))
    return power if Fraction(10) ** power <= value else power - 1


def moment(written: str) -> str:
    """A time as the store and exports have it (ISO 8601), for people to read: "2026-11-29 23:22:04 UTC".

    To the second, and in the order of time as text; what is no such time stays as it is.
    """
    try:
        found = datetime.fromisoformat(written)
    except ValueError:
        return written
    known = found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    return known.strftime("%Y-%m-%d %H:%M:%S UTC")
