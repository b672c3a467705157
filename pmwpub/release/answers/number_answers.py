"""Single numbers that a release answers, a difference or a mean, each with its interval, as JSON can hold them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from pmwpub.mechanisms.table_fit.intervals.cell_intervals import CONFIDENCE, Basis
from pmwpub.mechanisms.table_fit.intervals.contrast_intervals import Contrast, mean_of
from pmwpub.records import Floats
from pmwpub.rounding import up
from pmwpub.tabular.files.text.inert_cells import inert
from pmwpub.tabular.files.text.quoted_csv import csv_bytes
from pmwpub.tabular.schema.column_types import AttributeColumn, NumericColumn

NOT_COVERED = "not covered: how far off this number may be is not known"
"""Said of a number without an interval."""

SIGN_UNKNOWN = "whether there is any difference is not known"
"""Said of a difference whose interval holds 0."""

OF_A_MEAN = (
    "The mean over the rows that have a number, where each bin counts as its middle. It is made of the noisy table of "
    "this column alone: what reweighted public rows say of a mean has no interval that covers. The interval is for the "
    "mean of bin middles; how far the mean of the numbers themselves may lie from that is said beside it. Numbers "
    "beyond the edges that were put into the nearest bin may move it further."
)
"""What is said beside means."""

WITHIN = (
    "Shares within a column are of the rows that have its level. None is covered where too few rows have it beside the "
    "error of their share."
)
"""What is said beside shares within a column."""


@dataclass(frozen=True)
class NumberAnswer:
    """One number.

    what       in words
    value      what is answered; None where there is nothing to answer
    released   what the released weights answer
    low, high  the ends of the interval; None where nothing is covered
    remark     `NOT_COVERED`, `SIGN_UNKNOWN` or ""
    binning    of a mean of bin middles: how far the mean of numbers within the edges may lie from it because of the
               bins alone, by the released shares; None of anything else
    """

    what: str
    value: float | None
    released: float | None
    low: float | None
    high: float | None
    confidence: float
    basis: str
    remark: str
    binning: float | None = None

    @classmethod
    def of(cls, what: str, found: Contrast, *, difference: bool) -> NumberAnswer:
        """A contrast in words."""
        remark = "" if found.low is not None else NOT_COVERED
        if difference and found.low is not None and found.high is not None and found.low <= 0 <= found.high:
            remark = SIGN_UNKNOWN
        numbers = (_number(found.value), _number(found.released), found.low, found.high)
        return cls(what, *numbers, CONFIDENCE, str(found.basis), remark)

    @classmethod
    def uncovered(cls, what: str, released: float) -> NumberAnswer:
        """What the released weights answer, of which nothing more is known."""
        return cls.of(what, Contrast(released, released, None, None, Basis.NONE), difference=False)

    @property
    def of_bins(self) -> str:
        """How far binning alone may move a mean, rounded up: a sentence of plain text; "" of anything else."""
        if self.binning is None:
            return ""
        return (
            f"The true mean may lie up to {up(self.binning, 3)} further off (by the released shares), for within a bin "
            "nothing is known."
        )

    def line(self) -> dict[str, object]:
        """The number as JSON has it."""
        shown = {"value": self.value, "released": self.released, "low": self.low, "high": self.high}
        rounded = {name: None if value is None else round(value, 6) for name, value in shown.items()}
        told = {"confidence": self.confidence, "basis": self.basis}
        more = {"remark": self.remark} if self.remark else {}
        bins = {} if self.binning is None else {"binning": float(up(self.binning, 6))}
        return {"what": self.what, **rounded, **told, **more, **bins}


OF_A_RANGE = (
    "The share of all rows, also of those without a number or level in the column. It is made of the noisy table of "
    "this column alone, by the law of its noise; whatever the column holds, 95 of 100 such intervals cover."
)
"""What is said beside shares of a range, and cumulative shares."""

NUMBER_COLUMNS = ("what", "value", "released", "low", "high", "confidence", "basis", "remark", "binning")


def numbers_csv(answers: Sequence[NumberAnswer]) -> bytes:
    """Single numbers as CSV (UTF-8, comma, LF), inert in a spreadsheet."""
    lines = (answer.line() | {"what": inert(answer.what)} for answer in answers)
    rows = (["" if line.get(name) is None else line[name] for name in NUMBER_COLUMNS] for line in lines)
    return csv_bytes(NUMBER_COLUMNS, rows)


def middles(column: AttributeColumn) -> list[float | None]:
    """The middle of each bin of a numeric column, a spike's own number; None for a level that is no number."""
    levels = len(column.attribute.levels)
    if not isinstance(column, NumericColumn):
        return [None] * levels
    bins = [_middle(low, high) for low, high in zip(column.edges, column.edges[1:], strict=False)]
    return [bins[code] if code < len(bins) else None for code in range(levels)]


def reach_of_bins(column: AttributeColumn, shares: Floats) -> float | None:
    """How far the mean of a numeric column may lie from that of its bins' middles: at most the mean of half the bins'
    widths; None where no row has a number.

    shares  of the levels

    Every number of a bin is at most half its width from its middle. That is said of numbers within the edges.
    """
    edges = column.edges if isinstance(column, NumericColumn) else ()
    halves = [high / 2.0 - low / 2.0 for low, high in pairwise(edges)]
    found = mean_of(shares, [*halves, *[None] * (len(shares) - len(halves))])
    return None if math.isnan(found) else found


def _middle(low: float, high: float) -> float:
    """Half the sum of two ends, which may be as large as numbers are."""
    total = low + high
    return total / 2.0 if math.isfinite(total) else low / 2.0 + high / 2.0


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value
