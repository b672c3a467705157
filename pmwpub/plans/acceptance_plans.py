"""Plans of an acceptance: a stored release, the criteria that stood in its plan, and what is spent on them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from pmwpub.mechanisms.acceptance.acceptance_noise import AcceptanceNoise, SoldNumber
from pmwpub.plan_inputs import Reading
from pmwpub.plans.criteria import MOST_CRITERIA, MeanWithin, Measured
from pmwpub.plans.question_plans import FrozenPlan
from pmwpub.privacy.budget import ZCDP

Why = Literal["no rows", "too narrow", "too large", "too dear"]

REASONS: Mapping[Why, str] = MappingProxyType(
    {
        "no rows": "the release has no row with a number in it",
        "too narrow": "such a part of the released mean is less than a thousandth of a unit",
        "too large": "its numbers are too large to be summed; a larger unit was needed",
        "too dear": "noise as narrow as its bar costs more than was left of the budget once the release was paid for",
    }
)
"""Why a mean cannot be measured, in words."""


class NotMeasurable(BaseModel):
    """A criterion of a release's plan that no acceptance of it can measure: a mean, by what the release says of it.

    The other criteria are sold without it; together with it they are not all passed.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    criterion: MeanWithin
    why: Why

    @property
    def words(self) -> str:
        """What is not measured, and why, plain text."""
        return f"Not measurable: {self.criterion.words}: {REASONS[self.why]}."


class AcceptancePlan(FrozenPlan):
    """One acceptance of a stored release: noisy numbers of the private table, each held against a bar.

    release, release_repeat  the plan whose stored weights are held against the private table, and which of its draws
    criteria                 those of that plan, in its order, with what the release says of them
    not_measurable           those of that plan that cannot be measured; mostly none, and then not written
    rho_units                the budget of all together in units of 1e-15 of rho; what is charged is no more
    """

    LATER: ClassVar[frozenset[str]] = FrozenPlan.LATER | {"not_measurable"}

    kind: Literal["acceptance"] = "acceptance"
    n: int = Field(ge=1)
    rows_per_person: int = Field(ge=1)
    release: str = Field(pattern="^[0-9a-f]{64}$")
    release_repeat: int = Field(default=0, ge=0)
    criteria: tuple[Measured, ...] = Field(min_length=1, max_length=MOST_CRITERIA)
    rho_units: int = Field(ge=1)
    private_read_as: Reading = None
    not_measurable: tuple[NotMeasurable, ...] = ()

    @model_validator(mode="after")
    def _can_be_drawn(self) -> AcceptancePlan:
        _ = self.law
        return self

    @property
    def law(self) -> AcceptanceNoise:
        """The numbers that are sold, in the order of the criteria, and the noise of each."""
        return AcceptanceNoise(sold_numbers(self.criteria, self.n, self.rows_per_person), ZCDP(self.rho_units))

    @property
    def places(self) -> tuple[slice, ...]:
        """Of each criterion, where its numbers stand among all: one of most, two of a mean."""
        found, begin = [], 0
        for one in self.criteria:
            end = begin + len(one.numbers(self.n, self.rows_per_person))
            found.append(slice(begin, end))
            begin = end
        return tuple(found)

    @property
    def too_wide(self) -> tuple[Measured, ...]:
        """The criteria that could not be passed, whatever the private rows are: a half-width is above its bar."""
        law = self.law
        wide = [width > one.bar for width, one in zip(law.half_widths, law.numbers, strict=True)]
        return tuple(one for one, place in zip(self.criteria, self.places, strict=True) if any(wide[place]))


def sold_numbers(criteria: tuple[Measured, ...], n: int, rows_per_person: int) -> tuple[SoldNumber, ...]:
    """What is sold of all criteria, in order: one number each, and two of a mean."""
    return tuple(number for one in criteria for number in one.numbers(n, rows_per_person))
