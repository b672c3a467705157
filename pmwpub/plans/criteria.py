"""Criteria by which a finished release is accepted: what of it is held against which bar; all public.

They stand in the plan of the release before it is bought. What the release and the schema say of them once it is
stored, such as a released mean, stands in the plan of the acceptance: a `Measured` criterion.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, field_validator, model_validator

from pmwpub.errors import PlanError
from pmwpub.mechanisms.acceptance.acceptance_noise import SoldNumber
from pmwpub.mechanisms.acceptance.acceptance_steps import STEPS_PER_ROW
from pmwpub.mechanisms.acceptance.mean_sums import STEPS_PER_UNIT, MeanSums
from pmwpub.numerals import as_fraction
from pmwpub.plan_inputs import MOST_ATTRIBUTES
from pmwpub.rounding import near, up
from pmwpub.strict_json import read_strictly

MOST_CRITERIA = 50

NUMBERS = ("within", "low", "high", "unit")
"""Keys whose values are numbers; a plan has them as text, exact."""

MOST_UNITS = 10**15
"""The largest end, in units, that numbers of a mean are clipped to: floats hold it."""

MOST_DECIMALS = 100
"""Ends and units lie within 10 to this power, and its inverse: floats hold them with room to spare."""


class _Bar(BaseModel):
    """What every criterion has: how far off the release may be, as a fraction of one; kept reduced, such as 1/50."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    within: str

    @field_validator("within")
    @classmethod
    def _one_text_for_one_bar(cls, text: str) -> str:
        bar = as_fraction(text)
        if not 0 < bar < 1:
            raise PlanError("A bar lies strictly between 0 and 1: 0.02 is two points, or two percent of a mean.")
        return str(bar)

    @property
    def bar(self) -> Fraction:
        """`within`, exact."""
        return as_fraction(self.within)

    @property
    def step(self) -> str:
        """What its numbers are counted in, in words."""
        return f"1/{STEPS_PER_ROW} row"

    def steps(self, n: int) -> Fraction:
        """How many of its numbers' steps are the whole: for shares of rows 64 n."""
        return Fraction(STEPS_PER_ROW * n)

    def _hundredths(self) -> str:
        return up(100 * self.bar, 3)  # never a narrower bar than the one that was passed

    def _points(self) -> str:
        points = self._hundredths()
        return f"{points} point{'' if points == '1' else 's'}"

    def _share(self, n: int, rows_per_person: int, rounding: int) -> tuple[SoldNumber, ...]:
        """A share of rows in steps: it moves by at most k rows."""
        bar = int(self.bar * STEPS_PER_ROW * n)
        return (SoldNumber(STEPS_PER_ROW * rows_per_person, bar, rounding, STEPS_PER_ROW * n + rounding),)


class CellWithin(_Bar):
    """The share of rows in one cell: abs(q(D) - q(A)) is at most the bar.

    levels  (column, level) of the cell, ascending by column
    """

    kind: Literal["cell"] = "cell"
    levels: tuple[tuple[str, str], ...] = Field(min_length=1, max_length=MOST_ATTRIBUTES)

    @field_validator("levels")
    @classmethod
    def _one_order_of_levels(cls, levels: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
        if len(dict(levels)) != len(levels):
            raise PlanError("A cell has one level of each of its columns.")
        return tuple(sorted(levels))

    @property
    def columns(self) -> tuple[str, ...]:
        """Of the cell's marginal, ascending."""
        return tuple(column for column, _ in self.levels)

    @property
    def words(self) -> str:
        """What is promised where it is passed, plain text."""
        return (
            f"the share of {', '.join(f'{column} = {level}' for column, level in self.levels)} within {self._points()}"
        )

    def numbers(self, n: int, rows_per_person: int) -> tuple[SoldNumber, ...]:
        """The number that is sold, in steps of 1/64 row; rounding the released cell takes half a step, and a hair."""
        return self._share(n, rows_per_person, rounding=1)


class MarginalWithin(_Bar):
    """The total variation distance of one marginal is at most the bar; rows without a level count as a further cell.

    columns  ascending
    """

    kind: Literal["marginal"] = "marginal"
    columns: tuple[str, ...] = Field(min_length=1, max_length=MOST_ATTRIBUTES)

    @field_validator("columns")
    @classmethod
    def _one_order_of_columns(cls, columns: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(sorted(set(columns)))

    @property
    def words(self) -> str:
        """As of a cell."""
        return f"the marginal of {', '.join(self.columns)} within {self._points()} in total variation"


class MarginalOfRelease(MarginalWithin):
    """The same once the release is there.

    cells  how many the schema gives the marginal: each is rounded by half a step
    """

    cells: int = Field(ge=1)

    def numbers(self, n: int, rows_per_person: int) -> tuple[SoldNumber, ...]:
        """The number that is sold, in steps of 1/64 row; rounding m cells takes m/2 steps, and a hair."""
        return self._share(n, rows_per_person, rounding=self.cells)


class LargestWithin(_Bar):
    """The largest error over all queries of the release's workload is at most the bar."""

    kind: Literal["largest"] = "largest"

    @property
    def columns(self) -> tuple[str, ...]:
        """None: it is about all of the workload's."""
        return ()

    @property
    def words(self) -> str:
        """As of a cell."""
        return f"the largest error over the workload within {self._points()}"

    def numbers(self, n: int, rows_per_person: int) -> tuple[SoldNumber, ...]:
        """As of a cell."""
        return self._share(n, rows_per_person, rounding=1)


class MeanWithin(_Bar):
    """The mean of a numeric column, over the rows that have a number, lies within a part of the released mean.

    low, high  ends that numbers are clipped to, in the column's own numbers: whole multiples of the unit
    unit       the smallest difference that counts, such as 100; numbers are rounded to whole units
    """

    kind: Literal["mean"] = "mean"
    column: str
    low: str
    high: str
    unit: str = "1"

    @field_validator("low", "high", "unit")
    @classmethod
    def _one_text_for_one_number(cls, text: str) -> str:
        return str(as_fraction(text))

    @model_validator(mode="after")
    def _in_whole_units(self) -> MeanWithin:
        unit, low, high = map(as_fraction, (self.unit, self.low, self.high))
        if unit <= 0 or low >= high:
            raise PlanError("Numbers of a mean are clipped to two ends, the lower one first, and have a positive unit.")
        if max(abs(low), abs(high)) > 10**MOST_DECIMALS or unit < Fraction(1, 10**MOST_DECIMALS):
            raise PlanError("The ends of a mean, or its unit, are too large or too small to be written down.")
        if (low / unit).denominator > 1 or (high / unit).denominator > 1:
            raise PlanError("The ends that numbers of a mean are clipped to are whole multiples of its unit.")
        if max(abs(low), abs(high)) > MOST_UNITS * unit:
            raise PlanError("The ends of a mean are too many units apart; take a larger unit.")
        return self

    @property
    def columns(self) -> tuple[str, ...]:
        """The one that it is about."""
        return (self.column,)

    @property
    def ends(self) -> tuple[int, int]:
        """`low` and `high` in units."""
        low, high = (int(as_fraction(end) / as_fraction(self.unit)) for end in (self.low, self.high))
        return low, high

    @property
    def words(self) -> str:
        """As of a cell."""
        low, high = (near(as_fraction(end), 6) if "/" in end else end for end in (self.low, self.high))
        return f"the mean of {self.column}, clipped to {low} to {high}, within {self._hundredths()} %"


class MeanOfRelease(MeanWithin):
    """The same once the release is there.

    mean  the released one, in the column's own numbers: of its bins' middles, clipped alike
    rows  the rows with a number that the release has of n
    """

    mean: str
    rows: int = Field(ge=1)

    @field_validator("mean")
    @classmethod
    def _one_text_for_one_mean(cls, text: str) -> str:
        return str(as_fraction(text))

    @property
    def sums(self) -> MeanSums:
        """The two sums that the mean is held by."""
        return MeanSums(*self.ends, as_fraction(self.mean) / as_fraction(self.unit), self.bar, self.rows)

    @property
    def step(self) -> str:
        """As of a cell: a thousandth of a unit."""
        return f"{near(as_fraction(self.unit) / STEPS_PER_UNIT, 6)} of {self.column}"

    def steps(self, n: int) -> Fraction:
        """How many steps are the whole: the sum of as many numbers, each the released mean in size."""
        return STEPS_PER_UNIT * self.rows * abs(self.sums.released)

    def numbers(self, n: int, rows_per_person: int) -> tuple[SoldNumber, ...]:
        """The two numbers that are sold, in thousandths of a unit."""
        return self.sums.numbers(n, rows_per_person)


Criterion = Annotated[CellWithin | MarginalWithin | LargestWithin | MeanWithin, Field(discriminator="kind")]
"""One criterion as it stands in the plan of a release, by its kind."""

Measured = Annotated[CellWithin | MarginalOfRelease | LargestWithin | MeanOfRelease, Field(discriminator="kind")]
"""One criterion of a stored release, by its kind: which numbers are sold follows from it, n and k."""

_CRITERIA: TypeAdapter[tuple[Criterion, ...]] = TypeAdapter(tuple[Criterion, ...], config=ConfigDict(defer_build=True))


def in_order(criteria: Iterable[Criterion]) -> tuple[Criterion, ...]:
    """Criteria in one order, each once."""
    return tuple(sorted(set(criteria), key=lambda one: (one.kind, one.model_dump_json())))


def criteria_of(given: object) -> tuple[Criterion, ...]:
    """Criteria from JSON text, or from values as JSON has them: a list of objects such as
    {"kind": "largest", "within": "0.05"}; a number stands for the decimal that it prints as, and the levels of a cell
    are an object of column and level, or pairs of them.

    Raises PlanError in words for what is none.
    """
    try:
        values = (
            read_strictly(given.encode() if isinstance(given, str) else given)
            if isinstance(given, str | bytes)
            else given
        )
        read = _CRITERIA.validate_python([*map(_as_kept, values)] if isinstance(values, list | tuple) else values)
    except ValidationError as failure:
        first = failure.errors()[0]
        place = " ".join(str(part) for part in first["loc"])
        raise PlanError(
            'Criteria are a list of objects such as {"kind": "marginal", "columns": ["age", "sex"], "within": "0.02"}; '
            f"kinds are cell, marginal, largest and mean. At {place or 'the top'}: {first['msg']}."
        ) from None
    except ValueError as failure:
        raise PlanError(f"The criteria are no JSON that can be read in one way: {failure}.") from None
    if len(read) > MOST_CRITERIA:
        raise PlanError(f"A release is held against at most {MOST_CRITERIA} criteria; {len(read):,} came.")
    return in_order(read)


def _as_kept(given: object) -> object:
    """One criterion as plans have it, where its numbers may be numbers, and its levels an object of column -> level."""
    if not isinstance(given, Mapping):
        return given
    kept = {name: _number_text(value) if name in NUMBERS else value for name, value in given.items()}
    levels = kept.get("levels")
    return kept | ({"levels": tuple(levels.items())} if isinstance(levels, Mapping) else {})


def _number_text(value: object) -> object:
    return str(as_fraction(value)) if isinstance(value, int | float) and not isinstance(value, bool) else value
