"""Noisy counts of the private rows that a schema does not fit, in each of some columns and in any of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from pmwpub.errors import PlanError
from pmwpub.privacy.budget import ZCDP
from pmwpub.privacy.noise import SECURE, NoiseSource
from pmwpub.privacy.vector_gaussian import VectorGaussian
from pmwpub.queries.counts import PrivateCounts
from pmwpub.records import Ints

CONFIDENCE = Fraction(95, 100)
"""Of the interval around each count, taken alone."""

DEVIATIONS = Fraction(49, 25)
"""1.96: at least 95 % of discrete Gaussian noise lies within so many deviations that make a whole number of rows."""


@dataclass(frozen=True)
class MisfitNoise:
    """What is counted and at what precision; a function of public facts alone.

    columns          c: how many things are looked at: columns, and the rules of the schema where they are asked for
    n                the public number of private rows
    rows_per_person  k
    half_width       of the interval around each share of rows, a fraction of one; at most one half

    Raises PlanError for a half-width that is narrower than a row or wider than one half, and for no column.
    """

    columns: int
    n: int
    rows_per_person: int
    half_width: Fraction

    def __post_init__(self) -> None:
        if self.columns < 1 or self.n < 1 or self.rows_per_person < 1:
            raise PlanError("A look at the fit needs at least one column, one row, and one row a person.")
        if not 0 < self.half_width <= Fraction(1, 2):
            raise PlanError("The half-width of a look at the fit is a share of the rows above 0 and at most 1/2.")
        if self.rows < 1:
            raise PlanError(f"The half-width is narrower than one of the {self.n:,} rows; take a wider one.")

    @property
    def rows(self) -> int:
        """h: the half-width in whole rows, rounded down."""
        return math.floor(self.half_width * self.n)

    @property
    def noise(self) -> VectorGaussian:
        """Discrete Gaussian noise of scale h/1.96 on each of the c + 1 counts, which move by k sqrt(c + 1) in L2."""
        return VectorGaussian(self.rows / DEVIATIONS, Fraction(squared_sensitivity(self.columns, self.rows_per_person)))

    @property
    def rho(self) -> ZCDP:
        """k^2 (c + 1)/(2 sigma^2), exact in fractions and rounded up."""
        return self.noise.rho


def squared_sensitivity(columns: int, rows_per_person: int) -> int:
    """k^2 (c + 1): how far one person's rows move the c + 1 counts together, in L2 and squared."""
    return rows_per_person**2 * (columns + 1)


def narrowest(columns: int, n: int, rows_per_person: int, most: ZCDP) -> Fraction | None:
    """The least half-width, in whole rows over n, that costs at most so much; None where it is above one half.

    rho = k^2 (c + 1) (49/25)^2/(2 h^2) is at most `most` where h^2 is at least k^2 (c + 1) (49/25)^2/(2 most).
    """
    if most.units < 1:
        return None
    square = squared_sensitivity(columns, rows_per_person) * DEVIATIONS**2 / (2 * most.rho)
    whole = math.ceil(square)
    rows = math.isqrt(whole - 1) + 1
    return None if 2 * rows > n else Fraction(rows, n)


def most_columns(n: int, rows_per_person: int, half_width: Fraction, most: ZCDP) -> int:
    """How many columns can be looked at within a price at one half-width; 0 where not even one can."""
    rows = math.floor(half_width * n)
    counts = math.floor(2 * most.rho * (rows / DEVIATIONS) ** 2 / rows_per_person**2)
    return max(0, counts - 1)


def misfit_release(counts: PrivateCounts, law: MisfitNoise, *, noise: NoiseSource = SECURE) -> Ints:
    """int64 (c + 1,): the noisy counts of rows that misfit in each column, then in any of them; not clamped.

    counts  of the same, exact

    Raises PlanError for counts of other columns or another table.

    Privacy: neighbours replace one person's at most k of n rows by as many (or all rows of one ID, of which k are
    counted: see tabular.misfit_pass). Which columns are looked at, whether rules are, and how precisely, is fixed by
    the plan, from public facts. Whether a row misfits in a column is a function of that row and the schema alone, and
    so is whether it misfits in any, and whether it breaks a rule, which counts among the c: a row adds a vector of
    zeros and ones to the c + 1 counts. Each of the at most k rows taken out and its replacement differ by a vector
    whose entries lie in {-1, 0, 1}; the sum of k of them has entries of at most k: every count moves by at most k, and
    all together by at most k sqrt(c + 1) in L2. Where columns alone are looked at that is reached, by k rows that
    misfit everywhere and are replaced by k rows that misfit nowhere, so a smaller sensitivity would be wrong. Integer
    Gaussian noise of one scale sigma on each then costs rho = k^2 (c + 1)/(2 sigma^2) in zCDP (`VectorGaussian`).
    Values and intervals are functions of the noisy counts and of public numbers. Not covered: time.
    """
    if len(counts.counts) != law.columns + 1 or counts.n != law.n:
        raise PlanError("The private counts belong to another look at the fit than the one that was planned.")
    return law.noise.measure(counts.counts, noise=noise)


def share_between(noisy: int, law: MisfitNoise) -> tuple[Fraction, Fraction, Fraction]:
    """A noisy count as a share of rows, and the ends of its 95 % interval.

    The interval is about the nearest count that there can be, so noise beyond 0 or n never makes it narrower.
    """
    nearest = min(max(noisy, 0), law.n)
    ends = (min(max(nearest + by, 0), law.n) for by in (-law.rows, law.rows))
    low, high = (Fraction(end, law.n) for end in ends)
    return Fraction(noisy, law.n), low, high
