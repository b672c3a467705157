"""The plan of a noisy total of weights."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from pmwpub.errors import PlanError
from pmwpub.mechanisms.weight_totals.total_noise import TotalNoise
from pmwpub.plan_inputs import Reading
from pmwpub.plans.question_plans import FrozenPlan
from pmwpub.plans.weighing import WeightKind
from pmwpub.privacy.budget import ZCDP
from pmwpub.tabular.weights.weight_column import MOST_TOTAL, MOST_UNITS


class WeightTotalPlan(FrozenPlan):
    """The noisy sum of all weights of a private table.

    column, unit, cap  of the schema's column of weights; the cap in units
    rho_units          the budget in units of 1e-15 of rho; the whole of it is charged

    Raises PlanError where n rows of the cap weigh more than shares can be taken of; BudgetError as `TotalNoise`.
    """

    kind: Literal["weight-total"] = "weight-total"
    n: int = Field(ge=1)
    rows_per_person: int = Field(ge=1)
    schema_sha256: str = Field(pattern="^[0-9a-f]{64}$")
    column: str
    unit: str
    cap: int = Field(ge=1, le=MOST_UNITS)
    rho_units: int = Field(ge=1)
    private_read_as: Reading = None

    @model_validator(mode="after")
    def _can_be_drawn(self) -> Self:
        if self.n * self.cap > MOST_TOTAL:
            raise PlanError(
                f"A total is at most {MOST_TOTAL:,} units of weight, and {self.n:,} rows may weigh {self.cap:,} each. "
                "Take a larger unit, or declare the total. Nothing was charged."
            )
        _ = self.law
        return self

    @property
    def budget(self) -> ZCDP:
        return ZCDP(self.rho_units)

    @property
    def law(self) -> TotalNoise:
        """The noise, of a total that one person moves by at most k W units."""
        return TotalNoise(self.n, self.cap, self.rows_per_person * self.cap, self.budget)

    @property
    def weighs_as(self) -> WeightKind:
        """By what rows are weighed."""
        return self.column, self.unit, self.cap
