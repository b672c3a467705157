"""What a plan says of survey weights, and the two numbers in which mechanisms take a table: its mass, and the reach of
one person.

A weighted table of n rows is to every mechanism what a table of T rows is of which one person may own k W: see
docs/privacy.md, section 11.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Protocol

from pydantic import Field, field_validator

from pmwpub.errors import PlanError
from pmwpub.plan_inputs import Hashed
from pmwpub.queries.counts import PrivateCounts, Rows, WeighedRows, count
from pmwpub.queries.weighed_counts import weighed_count
from pmwpub.queries.workload import Workload
from pmwpub.tabular.weights.weight_column import MOST_TOTAL, MOST_UNITS, WeightColumn, plain_decimal

WITHOUT_WEIGHTS = (
    "The plan weighs rows, and the loaded ones carry no weights; load the table again. Nothing was charged."
)

WeightKind = tuple[str, str, int]
"""What makes two columns weigh alike: name, unit, and the cap in units."""


class Weighing(Hashed):
    """How the rows of a private table are weighed.

    column    the schema's column of weights
    cap       W, the most that one row weighs, in whole units
    unit      what a unit is, in the numbers of the file
    total     T, in units: what counts are divided by; public
    measured  SHA-256 of the plan whose noisy result T is; None where T is a constant that was declared
    """

    column: str
    cap: int = Field(ge=1, le=MOST_UNITS)
    unit: str
    total: int = Field(ge=1, le=MOST_TOTAL)
    measured: str | None = Field(default=None, pattern="^[0-9a-f]{64}$")

    @field_validator("unit")
    @classmethod
    def _one_text(cls, text: str) -> str:
        return plain_decimal(text)

    @classmethod
    def of(cls, column: WeightColumn, total: int, measured: str | None = None) -> Weighing:
        """The weights of a column that has a cap, and what they are taken to add up to, in units."""
        name, unit, cap = kind_of_weights(column)
        return cls(column=name, unit=unit, cap=cap, total=total, measured=measured)


def kind_of_weights(column: WeightColumn) -> WeightKind:
    """By what a column weighs rows; ValueError of one without a cap."""
    return column.name, column.unit or "", column.units[1]


def fits_column(weights: Weighing | None, column: WeightColumn | None) -> bool:
    """Whether a plan weighs rows by a schema's column: by its unit and cap, and by the total that it declares, if it
    does."""
    if weights is None or column is None:
        return weights is None and column is None
    if (weights.measured is None) != (column.total is not None):
        return False
    return weights == Weighing.of(column, column.total_units or weights.total, weights.measured)


def sum_of_weights(stated: Weighed) -> float:
    """What released weights are scaled to: n rows, or the total in the numbers that the file of weights has."""
    return stated.n if stated.weights is None else float(stated.weights.total * Fraction(stated.weights.unit))


def weights_in_words(weights: Weighing) -> tuple[str, str]:
    """What weighing means for a release, and for whom its promise does not hold, for readers."""
    unit = Fraction(weights.unit)
    most, total = (f"{float(number * unit):,.10g}" for number in (weights.cap, weights.total))
    known = "a constant that was declared" if weights.measured is None else "a noisy number that was bought"
    return (
        f"Rows count as their survey weight ({weights.column}), in whole units of {weights.unit}, at most {most} each; "
        f"shares are of a total of {total}, {known}. What that total is off by is in no interval.",
        "This protects only where a weight is its row's own, as a design weight is: weights that were raked, "
        "post-stratified or adjusted for nonresponse move when another person is replaced, and the proof does not "
        "cover that. Design effects and nonresponse are not covered either.",
    )


class Weighed(Protocol):
    """A plan or a certificate: how many rows there are, how many one person may own, and how they are weighed."""

    @property
    def n(self) -> int: ...
    @property
    def rows_per_person(self) -> int: ...
    @property
    def weights(self) -> Weighing | None: ...


def mass_of(stated: Weighed) -> int:
    """What counts are divided by: n rows, or T units of weight."""
    return stated.n if stated.weights is None else stated.weights.total


def reach_of(stated: Weighed) -> int:
    """By how much one person may move a count: k rows, or k W units of weight.

    Privacy: k rows taken out take at most W units each from a count, k put in add at most as much; see
    docs/privacy.md, section 11.
    """
    return stated.rows_per_person * cap_of(stated.weights)


def cap_of(weights: Weighing | None) -> int:
    """The most that one row adds to a count: W units, or 1 row."""
    return 1 if weights is None else weights.cap


def planned_counts(workload: Workload, rows: Rows, plan: Weighed) -> PrivateCounts:
    """What a plan counts of the private rows: their number, or the sum of their weights.

    Raises PlanError where the plan weighs rows that carry no weights; `count` refuses the other way round.

    Privacy: replacing one person's at most k rows moves every count by at most `reach_of(plan)`, and the cells of a
    table by at most the root of two times that in L2.
    """
    if plan.weights is None:
        return count(workload, rows)
    if not isinstance(rows, WeighedRows):
        raise PlanError(WITHOUT_WEIGHTS)
    return weighed_count(workload, rows, cap=plan.weights.cap, total=plan.weights.total)


def counted_in(stated: Weighed) -> str:
    """What counts are counts of."""
    return "rows" if stated.weights is None else "units of weight"


def shares_of_what(*, weighed: bool) -> str:
    """What shares and errors are shares of."""
    return "the total weight" if weighed else "the rows"


def moved_by_one(stated: Weighed) -> str:
    """By how much one person may move a count, in words: "1 rows", or units of weight."""
    return f"{reach_of(stated)} {counted_in(stated)}"
