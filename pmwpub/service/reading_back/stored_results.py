"""The stored bytes of purchases that are numbers: who reads one back, and who takes one in from elsewhere, asks here.

All raise ValidationError, a ValueError, for bytes that are none. What further keys a result has is passed over.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Self, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, FiniteFloat, model_validator

from pmwpub.errors import BudgetError
from pmwpub.noisy_interval import NoisyInterval
from pmwpub.numerals import as_fraction
from pmwpub.service.core import Outcome

Pool = tuple[str, ...]
Planned = TypeVar("Planned", bound=BaseModel)
Stored = TypeVar("Stored", bound=BaseModel)


def plan_and_result(outcome: Outcome, planned: type[Planned], stored: type[Stored]) -> tuple[Planned, Stored | None]:
    """The plan of a booking and what is stored of it, by the models of both; None where nothing is.

    ValueError for what is no such plan or result.
    """
    plan = planned.model_validate_json(outcome.booking.plan_json)
    return plan, None if outcome.result is None else stored.model_validate_json(outcome.result)


def _priced(text: str) -> str:
    try:
        priced = as_fraction(text) >= Fraction(0)
    except BudgetError as failure:
        raise ValueError("no number") from failure
    if not priced:
        raise ValueError("below 0")
    return text


class StoredNumbers(BaseModel):
    """What every stored result of numbers has in common."""

    model_config = ConfigDict(frozen=True, strict=True, defer_build=True)


class StoredInterval(StoredNumbers):
    """A noisy error as it is stored; see `NoisyInterval`."""

    model_config = ConfigDict(extra="forbid")

    value: FiniteFloat
    low: FiniteFloat
    high: FiniteFloat
    confidence: Annotated[float, Field(gt=0, lt=1)]
    epsilon: Annotated[str, AfterValidator(_priced)]

    @property
    def interval(self) -> NoisyInterval:
        """What it says."""
        return NoisyInterval(self.value, self.low, self.high, self.confidence, self.epsilon)


class StoredError(StoredNumbers):
    """A release's noisy error."""

    error: StoredInterval
    remarks: tuple[str, ...]


class StoredAssessment(StoredNumbers):
    """A candidate's noisy floor and start, each where it was bought."""

    floor: StoredInterval | None = None
    start: StoredInterval | None = None
    remarks: tuple[str, ...] = ()


class StoredChoice(StoredNumbers):
    """The candidate or pool that was chosen, by its tables."""

    candidate: Pool
    remarks: tuple[str, ...]


class StoredTotal(StoredNumbers):
    """A noisy total of weights and its half-width, in units."""

    total: int
    half_width: Annotated[int, Field(ge=0)]
    remarks: tuple[str, ...]


class StoredShare(StoredNumbers):
    """A noisy share of the rows, of a column where one is named."""

    model_config = ConfigDict(extra="forbid")

    column: str | None = None
    value: FiniteFloat
    low: FiniteFloat
    high: FiniteFloat


class StoredLook(StoredNumbers):
    """A look at the fit: the shares of its columns, that of all together last; of its rules beside."""

    misfits: Annotated[tuple[StoredShare, ...], Field(min_length=1)]
    confidence: Annotated[float, Field(gt=0, lt=1)]
    remarks: tuple[str, ...]
    rules: StoredShare | None = None

    @model_validator(mode="after")
    def _named(self) -> Self:
        if any(one.column is None for one in self.misfits[:-1]) or self.misfits[-1].column is not None:
            raise ValueError("a share without its column")
        return self
