"""Quantiles that a release answers, each with the bins or levels that hold it, as JSON and CSV can hold them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pmwpub.mechanisms.table_fit.intervals.cell_intervals import CONFIDENCE, Basis
from pmwpub.mechanisms.table_fit.intervals.range_intervals import QuantileBins
from pmwpub.release.answers.number_answers import NOT_COVERED
from pmwpub.release.answers.ordered_columns import OrderedColumn
from pmwpub.tabular.files.text.inert_cells import inert
from pmwpub.tabular.files.text.quoted_csv import csv_bytes

OF_A_QUANTILE = (
    "Of the rows that have a number or level in the column. A number is interpolated in its bin, as if rows lay evenly "
    "there; the interval's ends are edges of bins, or levels, for where rows lie inside a bin is not known. The "
    "interval inverts those of cumulative shares, by the noisy table of this column alone."
)
"""What is said beside quantiles."""


@dataclass(frozen=True)
class QuantileAnswer:
    """One quantile of one column.

    at           which part of the rows lies below it
    value        the number that is answered: by the released weights, or the end of the interval that is nearest to
                 that; None of a column of levels
    level        the bin or level that holds it; None where no row has one
    released     the number by the released weights
    low, high    of numbers, the edges of the interval; None where nothing is covered
    first, last  the first and last bin or level of the interval; None alike
    """

    column: str
    at: float
    value: float | None
    level: str | None
    released: float | None
    low: float | None
    high: float | None
    first: str | None
    last: str | None
    confidence: float
    basis: str
    remark: str

    @classmethod
    def of(cls, column: OrderedColumn, at: float, found: QuantileBins) -> QuantileAnswer:
        """A quantile in numbers and words."""
        own, place, inside = column.column.own_levels, found.released, found.inside
        released = None if place is None else column.at(place, inside)
        level = None if place is None else own[place]
        answered = cls(
            column=column.name, at=at, value=released, level=level, released=released, low=None, high=None, first=None,
            last=None, confidence=CONFIDENCE, basis=str(Basis.NONE), remark=NOT_COVERED,
        )  # fmt: skip
        if found.first is None or found.last is None:
            return answered
        if place is None or place < found.first:
            place, inside = found.first, 0.0
        elif place > found.last:
            place, inside = found.last, 1.0
        low, high = column.ends(found.first, found.last)
        return replace(
            answered, value=column.at(place, inside), level=own[place], low=low, high=high, first=own[found.first],
            last=own[found.last], basis=str(Basis.NOISY), remark="",
        )  # fmt: skip

    @property
    def what(self) -> str:
        """Which quantile of which column."""
        return f"median of {self.column}" if self.at == 0.5 else f"quantile {self.at:g} of {self.column}"

    def line(self) -> dict[str, object]:
        """The quantile as JSON has it."""
        shown = {"value": self.value, "released": self.released, "low": self.low, "high": self.high}
        rounded = {name: None if value is None else round(value, 6) for name, value in shown.items()}
        levels = {"level": self.level, "first": self.first, "last": self.last}
        told = {"confidence": self.confidence, "basis": self.basis}
        return {"at": self.at, "what": self.what, **rounded, **levels, **told} | (
            {"remark": self.remark} if self.remark else {}
        )


QUANTILE_COLUMNS = (
    *("at", "what", "value", "released", "low", "high", "level", "first", "last", "confidence", "basis", "remark"),
)


def quantiles_csv(answers: Sequence[QuantileAnswer]) -> bytes:
    """Quantiles as CSV (UTF-8, comma, LF), inert in a spreadsheet."""
    lines = (answer.line() for answer in answers)
    rows = (["" if line.get(name) is None else line[name] for name in QUANTILE_COLUMNS] for line in lines)
    safe = ([inert(cell) if isinstance(cell, str) else cell for cell in row] for row in rows)
    return csv_bytes(QUANTILE_COLUMNS, safe)
