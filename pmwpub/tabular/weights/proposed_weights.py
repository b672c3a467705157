"""Caps and units of a column of weights: as a person declares them in one text, and as public tables propose them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from fractions import Fraction

from pydantic import ValidationError

from pmwpub.errors import SchemaError
from pmwpub.tabular.weights.weight_column import MOST_UNITS, WeightColumn, plain_decimal

PROPOSED = Fraction(9, 10)
"""The quantile of public weights that is proposed as a cap: on weighted ADULT (docs/results.md) what lies above costs
less than the noise of a larger cap."""

QUANTILES = (Fraction(1, 2), Fraction(3, 4), PROPOSED, Fraction(19, 20), Fraction(99, 100), Fraction(1))
"""Of public weights: the candidates for a cap."""


def declared_weight(name: str, text: str) -> WeightColumn:
    """The column that CAP:UNIT or CAP:UNIT:TOTAL declares, behind which :all or :public may say whose rows it weighs;
    SchemaError for another text."""
    parts = text.split(":")
    weighs = {"weighs": parts.pop()} if parts[-1] in ("all", "public") else {}
    if not 2 <= len(parts) <= 3:
        raise SchemaError(f"Weights are declared as CAP:UNIT or CAP:UNIT:TOTAL, of column {name!r}; another text came.")
    said = dict(zip(("cap", "unit", "total"), parts, strict=False)) | weighs
    try:
        return WeightColumn.model_validate({"name": name, "kind": "weight", **said})
    except ValidationError as failure:
        words = failure.errors(include_url=False)[0]["msg"].removeprefix("Value error, ")
        raise SchemaError(f"Column {name!r}: {words}.") from failure


def numbers_of(
    name: str, counts: Mapping[str, int], missing_tokens: frozenset[str] = frozenset()
) -> dict[Fraction, int]:
    """The positive numbers among public cells, in rising order, and how often each stands, as weights are read."""
    reader = WeightColumn(name=name, kind="weight")
    found: dict[Fraction, int] = {}
    for cell, often in counts.items():
        if (number := reader.number_of(cell, missing_tokens)) > 0:
            found[number] = found.get(number, 0) + often
    return dict(sorted(found.items()))


def caps_of(numbers: Mapping[Fraction, int]) -> list[Fraction]:
    """The candidates for a cap, rising: each of QUANTILES with two digits, rounded up; none that no schema takes."""
    found = {_two_digits(_quantile(numbers, part)) for part in QUANTILES} if numbers else set()
    return sorted(cap for cap in found if with_unit(cap, numbers) is not None)


def proposed_weight(numbers: Mapping[Fraction, int]) -> str | None:
    """CAP:UNIT for public weights; None where they are none, or beyond what a schema takes.

    The unit is 1 where all weights are whole and the cap allows it, else a hundredth to a thousandth of the cap.
    """
    return with_unit(_two_digits(_quantile(numbers, PROPOSED)), numbers) if numbers else None


def with_unit(cap: Fraction, numbers: Iterable[Fraction]) -> str | None:
    """CAP:UNIT for a cap with two digits that somebody chose; None where no schema takes them."""
    whole = cap.denominator == 1 and all(number.denominator == 1 for number in numbers)
    unit = Fraction(1) if whole and cap <= MOST_UNITS else Fraction(10) ** (_exponent(cap) - 2)
    try:
        return f"{decimal_text(cap)}:{decimal_text(unit)}"
    except ValueError:
        return None


def decimal_text(number: Fraction) -> str:
    """As a schema writes it; ValueError for what it cannot write."""
    return plain_decimal(str(Decimal(number.numerator) / Decimal(number.denominator)))


def _quantile(numbers: Mapping[Fraction, int], part: Fraction) -> Fraction:
    """The smallest number that at least this part of the rows do not pass."""
    wanted, seen = part * sum(numbers.values()), 0
    for number, often in numbers.items():
        seen += often
        if seen >= wanted:
            return number
    raise ValueError("a quantile is of at least one number")


def _two_digits(number: Fraction) -> Fraction:
    step = Fraction(10) ** (_exponent(number) - 1)
    return -(-number // step) * step


def _exponent(number: Fraction) -> int:
    """e with 10^e <= number < 10^(e + 1)."""
    exponent = len(str(number.numerator)) - len(str(number.denominator))
    return exponent if Fraction(10) ** exponent <= number else exponent - 1
