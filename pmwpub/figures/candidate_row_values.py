"""What is known of a candidate in its row, what of that is out of reach, and the same in words and as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pmwpub.figures.style import Cell, Table, percent
from pmwpub.noisy_interval import NoisyInterval
from pmwpub.rounding import in_percent

FLOOR, START = "noisy floor, on the private table", "noisy start, on the private table"
PLAYED_FLOOR, UNCHANGED, EXPECTED = "floor, simulated", "table unchanged, expected", "release, expected"
HATCHED, PLAYED_HATCHED = "hatched: no ε gets below", "lightly hatched: no ε gets below, by simulation"

Estimate = tuple[float, float, float]
"""An estimate, and between what it may lie."""


@dataclass(frozen=True)
class CandidateRow:
    """What is known of one candidate; errors are shares of the rows.

    floor, start  bought, on the private table itself; None where they were not
    played_floor  what stands for a floor that was not bought, from simulations; whatever ε is
    unchanged     what to expect of the table unchanged
    expected      what to expect of a release
    truths        who played the private table in what is simulated and expected
    """

    label: str
    floor: NoisyInterval | None = None
    start: NoisyInterval | None = None
    played_floor: Estimate | None = None
    unchanged: float | None = None
    expected: Estimate | None = None
    truths: tuple[str, ...] = ()

    @property
    def unreachable(self) -> float:
        """The length of the hatched part: the low end of the floor, as it was bought, else as it was simulated."""
        if self.floor is not None:
            return max(0.0, self.floor.low)
        return 0.0 if self.played_floor is None else max(0.0, self.played_floor[1])

    @property
    def marked_start(self) -> Estimate | None:
        """The bought start, no part of it below the hatched one: no table unchanged has an error below its floor."""
        return None if self.start is None else self._lifted((self.start.estimate, self.start.low, self.start.high))

    @property
    def marked_unchanged(self) -> float | None:
        """`unchanged`, lifted alike."""
        return None if self.unchanged is None else max(self.unchanged, self.unreachable)

    @property
    def reached(self) -> Estimate | None:
        """`expected`, lifted alike."""
        return None if self.expected is None else self._lifted(self.expected)

    def _lifted(self, known: Estimate) -> Estimate:
        estimate, low, high = (max(value, self.unreachable) for value in known)
        return estimate, low, high

    @property
    def played_by(self) -> str:
        """Who played the private table, in words; "" where nobody did."""
        return " and ".join(self.truths)


def interval(known: Estimate, *, bought: bool) -> str:
    """An estimate with its interval; what was not bought is a guess, of two digits."""
    estimate, low, high = (percent(value) if bought else in_percent(value) for value in known)
    return f"{estimate} ({low} to {high})"


def as_estimate(noisy: NoisyInterval | None) -> Estimate | None:
    """A bought number as it is marked."""
    return None if noisy is None else (noisy.estimate, noisy.low, noisy.high)


def in_words(row: CandidateRow, epsilon: str) -> str:
    """A row in a sentence of plain text."""
    bought = ((FLOOR, as_estimate(row.floor)), (START, row.marked_start))
    parts = [f"{name} {interval(own, bought=True)}" for name, own in bought if own is not None]
    if row.floor is None and row.played_floor is not None:
        parts.append(f"{PLAYED_FLOOR} {interval(row.played_floor, bought=False)}")
    if row.marked_unchanged is not None:
        parts.append(f"{UNCHANGED} {in_percent(row.marked_unchanged)}")
    if row.reached is not None:
        parts.append(f"{EXPECTED} at epsilon {epsilon} {interval(row.reached, bought=False)}")
    played = f" ({row.played_by} played the private table)" if row.played_by else ""
    return f"{row.label}: {', '.join(parts) or 'nothing is known yet'}{played}."


def rows_table(rows: Sequence[CandidateRow], epsilon: str) -> Table:
    """All numbers of the rows, each with the ends of its interval."""
    release = f"{EXPECTED} at ε = {epsilon}"
    shares = (*_of(FLOOR), *_of(START), *_of(PLAYED_FLOOR), UNCHANGED, *_of(release))
    lines = tuple((row.label, *_cells(row), row.played_by) for row in rows)
    return Table(("candidate", *shares, "who plays the private table"), lines, shares=shares)


def _of(name: str) -> tuple[str, str, str]:
    return name, f"{name}: from", f"{name}: to"


def _cells(row: CandidateRow) -> tuple[Cell, ...]:
    nothing, played = (None, None, None), row.played_floor if row.floor is None else None
    found = [as_estimate(row.floor) or nothing, row.marked_start or nothing, played or nothing]
    return (*(cell for one in found for cell in one), row.marked_unchanged, *(row.reached or nothing))
