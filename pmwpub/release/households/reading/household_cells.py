"""Numbers that a release of households answers, each with its interval, as a table or JSON can hold them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pmwpub.mechanisms.table_fit.intervals.cell_intervals import CONFIDENCE, Basis
from pmwpub.release.answers.marginal_answers import TOO_NOISY
from pmwpub.release.answers.number_answers import NOT_COVERED
from pmwpub.release.households.reading.noisy_sums import Ends
from pmwpub.tabular.files.text.inert_cells import inert
from pmwpub.tabular.files.text.quoted_csv import csv_bytes

OF_HOUSEHOLDS = (
    "Each interval is for the households of this private table, and the persons who count in them, not for a wider "
    "population. It rests on the known noise of the cells alone: 95 of 100 draws of the noise give one that holds the "
    "true number. It is no part of the privacy guarantee."
)
"""What is said beside intervals, wherever they are shown."""

OF_PERSONS = (
    "share: of the persons who count, a ratio of two released numbers, for how many they are is private and was "
    "measured by the sizes of households. per_household: persons over all households, whose number is public."
)
"""What is said beside numbers of persons."""

UNMEASURED = (
    "No noisy table has these columns together, so nothing is known of how far off these numbers are; they are the "
    "released weights' own."
)
"""What is said beside cells that were not measured."""


@dataclass(frozen=True)
class HouseholdNumber:
    """One number.

    value      by the noisy cells; the released one where none was measured, and of a share where noise hides what it is
               a share of
    released   by the released weights
    low, high  the ends of the interval; None where nothing is covered
    """

    value: float
    released: float
    low: float | None
    high: float | None

    @classmethod
    def of(cls, value: float, released: float, ends: Ends) -> HouseholdNumber:
        """A number that was measured, drawn into its interval where noise carried it out of what can be."""
        return cls(min(max(value, ends[0]), ends[1]), released, *ends)

    @classmethod
    def unmeasured(cls, released: float) -> HouseholdNumber:
        """A number of which nothing was measured."""
        return cls(released, released, None, None)

    @property
    def reach(self) -> float:
        """How far off the number may be: its distance from the farther end; infinite where nothing is covered."""
        if self.low is None or self.high is None:
            return math.inf
        return max(self.value - self.low, self.high - self.value)

    @property
    def remark(self) -> str:
        """`NOT_COVERED`, `TOO_NOISY` where half the interval is wider than the number or it may be any share, or ""."""
        if self.low is None or self.high is None:
            return NOT_COVERED
        any_share = self.low <= 0 and self.high - self.low in (1, 2)
        return TOO_NOISY if any_share or (self.high - self.low) / 2 > abs(self.value) else ""

    def line(self, name: str = "value") -> dict[str, object]:
        """The number as JSON has it, its value under a name."""
        shown = {name: self.value, "released": self.released, "low": self.low, "high": self.high}
        rounded = {key: None if number is None else round(number, 6) for key, number in shown.items()}
        basis = Basis.NONE if self.low is None else Basis.NOISY
        said = {"remark": self.remark} if self.remark else {}
        return {**rounded, "confidence": CONFIDENCE, "basis": str(basis), **said}


@dataclass(frozen=True)
class HouseholdCell:
    """One cell of a marginal of persons or of households.

    levels         column -> label
    share          of the persons who count, or of the households
    per_household  persons over all households; None of a cell that counts households, and of shares within columns
    """

    levels: dict[str, str]
    share: HouseholdNumber
    per_household: HouseholdNumber | None = None

    def line(self) -> dict[str, object]:
        """The cell as JSON has it."""
        more = {} if self.per_household is None else {"per_household": self.per_household.line()}
        return {"levels": self.levels, **self.share.line("share"), **more}


NUMBERS = ("share", "released", "low", "high", "confidence", "basis", "remark")
MORE = ("per_household", "per_household_released", "per_household_low", "per_household_high")


def household_cells_csv(marginals: Iterable[tuple[str, Sequence[HouseholdCell]]]) -> bytes:
    """The cells of several marginals as one CSV (UTF-8, comma, LF), inert in a spreadsheet.

    marginals  what each counts, "persons" or "households", and its cells
    """
    lines = (
        [of, inert("; ".join(cell.levels)), inert("; ".join(cell.levels.values())), *_numbers(cell)]
        for of, cells in marginals
        for cell in cells
    )
    return csv_bytes(["of", "columns", "levels", *NUMBERS, *MORE], lines)


def _numbers(cell: HouseholdCell) -> list[object]:
    line = cell.share.line("share")
    beside = {} if cell.per_household is None else cell.per_household.line("per_household")
    more = [beside.get(name.removeprefix("per_household_")) for name in MORE]
    return ["" if one is None else one for one in [*(line.get(name) for name in NUMBERS), *more]]
