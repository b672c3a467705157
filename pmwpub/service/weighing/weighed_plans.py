"""What may be bought under a schema that weighs rows: only what weighs them, by the schema's unit, cap and total."""

from __future__ import annotations

from pmwpub.errors import PlanError
from pmwpub.plans import (
    AssessmentPlan,
    BestPlan,
    ErrorPlan,
    MisfitPlan,
    ReleasePlan,
    TableFitPlan,
    WeightedPoolPlan,
    WeightTotalPlan,
)
from pmwpub.plans.question_plans import FrozenPlan
from pmwpub.service.inputs.study import Study

NOT_WEIGHED = (
    "The schema weighs rows by the column {column!r}, and this does not take weights through. Leave the cap out of "
    "that column to count rows without weights. Nothing was charged."
)

OTHER_WEIGHTS = "The plan weighs rows in another way than the schema and what was bought say now; plan again."

WITH_CRITERIA = (
    "The schema weighs rows, and what a release is accepted by is measured in rows: plan without criteria. Nothing was "
    "charged."
)

WIDE_TOTAL = (
    "At this price a noisy total would be off by up to {half_width:,} units of weight (95 %), and {n:,} rows of at "
    "most {cap:,} units weigh {most:,} at most: it would tell nothing. Take a larger epsilon. Nothing was charged."
)

WEIGHED = (AssessmentPlan, BestPlan, ErrorPlan, ReleasePlan, TableFitPlan, WeightedPoolPlan)
"""The plans whose mechanisms take k W for k, and T for n."""

OF_NO_TOTAL = (MisfitPlan, WeightTotalPlan)
"""Plans that take no share of a total: a look at the fit counts rows, at k; the other buys the total, at k W."""


def check_weights(current: Study, plan: FrozenPlan) -> None:
    """Raise PlanError unless a plan weighs rows as the schema does: never is a weight left out of account, nor one
    taken that the schema does not declare.

    The error of a release is of the release's own total, which may be any that was bought. A noisy total whose interval
    is wider than all that it could be is refused too.

    A function of public things alone: no file is refused for what its weights sum up to.
    """
    if isinstance(plan, WeightTotalPlan):
        _check_width(plan)
    column = None if current.schema is None else current.schema.weight_column
    if column is None or isinstance(plan, OF_NO_TOTAL):
        if plan.weights is not None:
            raise PlanError(OTHER_WEIGHTS)
        return
    if not isinstance(plan, WEIGHED):
        raise PlanError(NOT_WEIGHED.format(column=column.name))
    if getattr(plan, "criteria", ()):
        raise PlanError(WITH_CRITERIA)
    if plan.weights not in (current.weighings if isinstance(plan, ErrorPlan) else [current.weights]):
        raise PlanError(OTHER_WEIGHTS)


def _check_width(plan: WeightTotalPlan) -> None:
    half_width, most = plan.law.half_width, plan.n * plan.cap
    if half_width > most:
        raise PlanError(WIDE_TOTAL.format(half_width=half_width, n=plan.n, cap=plan.cap, most=most))
