"""Numbers as people write them, read exactly: decimals, fractions, and thousands in groups, as this app shows them."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from fractions import Fraction
from numbers import Integral

from pmwpub.errors import BudgetError

_SEPARATORS = (",", " ", "\u00a0", "\u2009", "\u202f")
"""The comma that this app writes, and the ordinary, no-break, thin and narrow no-break space."""

_GROUPED = re.compile("|".join(f"[+-]?[1-9][0-9]{{0,2}}(?:{separator}[0-9]{{3}})+" for separator in _SEPARATORS))
LONGEST = 100
"""Characters of a whole number that are looked at."""

_WHOLE = re.compile(f"[+-]?[0-9]{{1,{LONGEST}}}")
_WITH_A_POINT = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")

NEEDS_A_POINT = "with a point for decimals"

MAX_DIGITS = 400
"""Of a number that somebody gives: before and behind the point, or of a fraction's numerator and denominator."""

MAX_EXACT_DIGITS = 4000
"""Of a fraction that was computed, or stands in a store of before; longer ones Python does not write as text."""

Number = Fraction | int | float | str | Decimal


def ungrouped(text: str) -> str:
    """A whole number without the separators of its thousands: "36,842" and "36 842" -> "36842".

    Any other text comes back as it is, "36,84", ",123" and "0,500" too: what they mean is not guessed.
    """
    grouped = len(text) <= LONGEST and _GROUPED.fullmatch(text) is not None
    return re.sub(r"[^0-9+-]", "", text) if grouped else text


def read_whole(text: str) -> int:
    """The whole number that a text writes in the digits 0 to 9, its thousands grouped or not.

    Raises BudgetError for any other text: one of more than 100 digits, with "_" between them, or with other digits.
    """
    plain = ungrouped(text.strip())
    if _WHOLE.fullmatch(plain) is None:
        raise BudgetError(f"A whole number is needed; {text[:40]!r} came.")
    return int(plain)


def read_float(text: str) -> float:
    """The float nearest to the number that a text writes in the digits 0 to 9, with a point for decimals.

    Raises ValueError for any other text, NaN and infinities among them, and for numbers that no float is near.
    """
    plain = text.strip()
    if len(plain) > MAX_DIGITS or _WITH_A_POINT.fullmatch(plain) is None or not math.isfinite(found := float(plain)):
        raise ValueError("no number in the digits 0 to 9")
    return found


def as_fraction(number: Number) -> Fraction:
    """The exact fraction that a user means: "0.1" and the float 0.1 are both 1/10; "1/3" is a third.

    Raises BudgetError for what is no number, NaN, infinities, numbers beyond 1e400 or with more than 400 decimals,
    fractions of more than 400 digits above or below the line (4,000 where it is no text), and text with digits that are
    not 0 to 9 or with "_" between them. Commas are refused: "0,5" could be two numbers.
    """
    try:
        if isinstance(number, str) and (not number.isascii() or "_" in number):
            raise ValueError
        if isinstance(number, Integral):
            return bounded(Fraction(int(number)), MAX_EXACT_DIGITS)
        if isinstance(number, Fraction):
            return bounded(number, MAX_EXACT_DIGITS)
        if isinstance(number, str) and "/" in number:
            return bounded(Fraction(number), MAX_DIGITS)
        decimal = Decimal(repr(float(number)) if isinstance(number, float) else number)
        if decimal.is_finite() and int(decimal.as_tuple().exponent) >= -MAX_DIGITS and decimal.adjusted() <= MAX_DIGITS:
            return Fraction(decimal)
    except (ValueError, ArithmeticError, TypeError):
        pass
    point = f", {NEEDS_A_POINT}" if isinstance(number, str) and "," in number else ""
    came = f"{number[:40]!r}" if isinstance(number, str) else _came(number)
    raise BudgetError(f"A finite number is needed, such as 0.1 or 1e-9{point}; {came} came.")


def bounded(number: Fraction, digits: int) -> Fraction:
    """The same number; ValueError where its numerator or denominator has more digits than that."""
    if max(abs(number.numerator), number.denominator) >= 10**digits:
        raise ValueError("too many digits")
    return number


def _came(number: object) -> str:
    """Something that is no text, for a message."""
    if isinstance(number, Integral | Fraction):
        return f"one of more than {MAX_EXACT_DIGITS:,} digits"
    return repr(str(number)[:40])
