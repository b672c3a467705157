"""Rounding a number plus noise to a public grid while the number is known only as an interval.

The number f moves by at most k/n between neighbours, but only f itself does: an approximation of it may move by
much more (Liu et al. 2021 stop a solver early, which does). Here the noise is drawn first; then the interval
around f is refined until interval and noise leave a single cell. What is released is the rounding of f + noise,
exactly, however far the interval was from closing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from pmwpub.errors import BudgetError
from pmwpub.privacy.lattice_noise import LatticeLaw
from pmwpub.privacy.noise import NoiseSource
from pmwpub.progress import Progress

EXPECTED_STEPS = 50
"""What progress is measured against; a refinement that takes longer moves the mark along."""


@dataclass(frozen=True)
class Grid:
    """Cells [(i - 1/2) width, (i + 1/2) width) of lattice steps, i whole, each released as its midpoint.

    n              private rows: a lattice step is 1/(n steps_per_row)
    steps_per_row  2^j
    width          odd, in steps: so edges are odd halves of a step, and no c/n or c/(2n) sits on one

    Raises BudgetError for an even or non-positive width.
    """

    n: int
    steps_per_row: int
    width: int

    def __post_init__(self) -> None:
        if self.width < 1 or self.width % 2 == 0:
            raise BudgetError(f"A cell must be an odd number of lattice steps wide; {self.width} came.")

    @classmethod
    def of(cls, law: LatticeLaw, n: int) -> Grid:
        """Cells about one noise scale wide: rounding to them adds about 4 % to the variance."""
        return cls(n, law.steps_per_row, 2 * (math.floor(law.scale) // 2) + 1)

    def cell(self, error: Fraction, shift: int) -> int:
        """The cell that an error, moved by `shift` lattice steps, falls in; exact."""
        return math.floor((error * self.n * self.steps_per_row + shift) / self.width + Fraction(1, 2))

    def midpoint(self, cell: int) -> Fraction:
        return Fraction(cell * self.width, self.n * self.steps_per_row)

    @property
    def cell_width(self) -> Fraction:
        """As a share of the private rows."""
        return Fraction(self.width, self.n * self.steps_per_row)


class Interval(Protocol):
    """lower <= f <= upper, both exact."""

    @property
    def lower(self) -> Fraction: ...

    @property
    def upper(self) -> Fraction: ...


class Refinable(Protocol):
    """A number known as an interval that can be made narrower: a BestMixture."""

    @property
    def interval(self) -> Interval: ...

    @property
    def exhausted(self) -> bool: ...

    def refine(self) -> Interval: ...


def rounded_cell(
    state: Refinable, law: LatticeLaw, grid: Grid, *, noise: NoiseSource, progress: Progress
) -> int | None:
    """The grid cell of f plus noise, or None when the interval cannot be made narrow enough to tell.

    The noise lives in this call alone. There is no clock: the loop ends when the cell is known, when the state is
    exhausted, or when `progress` raises (the steward cancelled).

    Privacy: the cell is a function of floor(f n 2^j + 1/2) + Z, a whole number of lattice steps: cell edges are odd
    halves of a step, so f n 2^j may be rounded to whole steps before Z is added. If f moves by at most k/n then
    f n 2^j moves by at most k 2^j, a whole number, and so does its rounding. Hence what the law says of k 2^j steps
    holds for the cell; the interval has no part in it. Not covered: the time taken, and the answer None.
    """
    shift = law.draw(0, noise)
    step = 0
    while True:
        interval = state.interval
        low, high = grid.cell(interval.lower, shift), grid.cell(interval.upper, shift)
        if low == high:
            return low
        if state.exhausted:
            return None
        progress(step, max(EXPECTED_STEPS, step + 1))
        state.refine()
        step += 1
