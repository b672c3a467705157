"""Numbers as a report prints them: losses of privacy rounded up, never down."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction


def up(value: Fraction | float | str, digits: int = 4) -> str:
    """A positive number to so many significant digits, rounded up: 0.99991 -> "1", 8.0012e-9 -> "8.002e-9".

    A float stands for the decimal that it prints as; a text may be a decimal or a fraction.
    """
    exact_value = Fraction(str(value))
    if exact_value <= 0:
        return "0"
    power = _power_of_ten(exact_value) - digits + 1
    shown = math.ceil(exact_value / Fraction(10) ** power)
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


def percent(share: float, digits: int = 2) -> str:
    """A share in percent."""
    return f"{100 * share:.{digits}f} %"


def rows(number: int) -> str:
    """ "1 row", "3 rows"."""
    return f"{number:,} row" if number == 1 else f"{number:,} rows"
