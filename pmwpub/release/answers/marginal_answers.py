"""The cells of a marginal of a release, each with its interval, in words that a table or JSON can hold."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from pmwpub.errors import WorkloadError
from pmwpub.mechanisms.table_fit.intervals.cell_intervals import CONFIDENCE, Basis, MarginalIntervals
from pmwpub.plans import MOST_CELLS
from pmwpub.queries.workload import Marginal, Workload
from pmwpub.tabular.files.text.inert_cells import inert
from pmwpub.tabular.files.text.quoted_csv import csv_bytes

COVERS = (
    "Each interval is for the share of this private table's rows, not of a wider population; about 95 of 100 cells lie "
    "in theirs, on average over the cells of a table. It is no part of the privacy guarantee."
)
"""What is said beside intervals, wherever they are shown."""

COVERS_WEIGHT = (
    "Each interval is for a weight in this private table, as a share of the total that the release takes shares of, "
    "not for a wider population; what that total is off by is in no interval. About 95 of 100 cells lie in theirs, on "
    "average over the cells of a table. It is no part of the privacy guarantee."
)
"""The same of a release whose rows are weighed."""

RESTS_ON = (
    "What an interval rests on: noisy cell, the known noise of such cells alone; model, a model of how public and "
    "private tables differ, whose coverage was measured; upper end, noisy cells that the cell is part of."
)
"""The short words for what intervals rest on, for people."""

TOO_NOISY = "too noisy to use"
"""Said of a cell whose interval reaches further than the share itself: half its width is more than the share."""


def check_answered(shape: Sequence[int]) -> None:
    """WorkloadError for a marginal of more cells than any table that is measured: they would fill the memory."""
    cells = math.prod(shape)
    if cells > MOST_CELLS:
        raise WorkloadError(
            f"These columns together have {cells:,} cells; at most {MOST_CELLS:,} are answered at once. Ask for fewer "
            "columns, or for columns of fewer levels."
        )


@dataclass(frozen=True)
class CellAnswer:
    """One cell of a marginal.

    levels     column -> label
    share      of rows; the release's own answer, or the noisy cell's where that is sharper
    released   of rows, in the released weights
    low, high  the ends of the interval; None where nothing is covered
    remark     `TOO_NOISY` or ""
    """

    levels: dict[str, str]
    share: float
    released: float
    low: float | None
    high: float | None
    confidence: float
    basis: str
    remark: str

    def line(self) -> dict[str, object]:
        """The cell as JSON has it."""
        shown = {"share": self.share, "released": self.released, "low": self.low, "high": self.high}
        rounded = {name: None if value is None else round(value, 6) for name, value in shown.items()}
        told = {"confidence": self.confidence, "basis": self.basis}
        return {"levels": self.levels, **rounded, **told, **({"remark": self.remark} if self.remark else {})}


def cell_answers(workload: Workload, intervals: MarginalIntervals) -> tuple[CellAnswer, ...]:
    """The cells in the marginal's order.

    workload  has the marginal's domain
    """
    one = Workload(workload.domain, (Marginal(intervals.attributes),))
    parts = (intervals.shares, intervals.released, intervals.low, intervals.high, intervals.basis)
    found = []
    for cell, (share, released, low, high, basis) in enumerate(zip(*(part.ravel() for part in parts), strict=True)):
        covered = not math.isnan(low)
        noisy = basis in (Basis.MODEL, Basis.NOISY) and (high - low) / 2 > share
        found.append(
            CellAnswer(
                levels=one.labels(cell),
                share=float(share),
                released=float(released),
                low=float(low) if covered else None,
                high=float(high) if covered else None,
                confidence=CONFIDENCE,
                basis=str(basis),
                remark=TOO_NOISY if noisy else "",
            )
        )
    return tuple(found)


ANSWERED = ("share", "released", "low", "high", "confidence", "basis", "remark")


def answers_csv(answers: Sequence[CellAnswer]) -> bytes:
    """The cells of one marginal as CSV (UTF-8, comma, LF): its columns, then the rest; inert in a spreadsheet."""
    lines = ([*map(inert, answer.levels.values()), *_answered(answer)] for answer in answers)
    return csv_bytes([*map(inert, answers[0].levels), *ANSWERED], lines)


def long_csv(marginals: Iterable[Sequence[CellAnswer]]) -> bytes:
    """The cells of several marginals as one CSV: their columns and levels in words, then the rest."""
    lines = (
        [inert("; ".join(answer.levels)), inert("; ".join(answer.levels.values())), *_answered(answer)]
        for answers in marginals
        for answer in answers
    )
    return csv_bytes(["columns", "levels", *ANSWERED], lines)


def _answered(answer: CellAnswer) -> list[object]:
    line = answer.line()
    return ["" if line.get(name) is None else line[name] for name in ANSWERED]


def uncovered(shares: np.ndarray, attributes: tuple[int, ...]) -> MarginalIntervals:
    """A marginal of which nothing is covered."""
    none = np.full(shares.shape, math.nan)
    return MarginalIntervals(attributes, shares, shares, none, none, np.full(shares.shape, Basis.NONE, dtype=object))
