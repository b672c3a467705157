"""The purchase that a plan is bought by."""

from __future__ import annotations

from pmwpub.plans import (
    AcceptancePlan,
    AssessmentPlan,
    BestPlan,
    ErrorPlan,
    HouseholdAssessmentPlan,
    HouseholdBestPlan,
    HouseholdErrorPlan,
    HouseholdPlan,
    HouseholdRoundPlan,
    MisfitPlan,
    ReleasePlan,
    TableFitPlan,
    WeightedPoolPlan,
    WeightTotalPlan,
)
from pmwpub.service.purchases.acceptance_purchase import AcceptancePurchase
from pmwpub.service.purchases.assessment_purchase import AssessmentPurchase
from pmwpub.service.purchases.choice_purchase import BestPurchase
from pmwpub.service.purchases.error_purchase import ErrorPurchase
from pmwpub.service.purchases.households.household_purchase import HouseholdPurchase
from pmwpub.service.purchases.households.household_questions_purchase import (
    HouseholdAssessmentPurchase,
    HouseholdBestPurchase,
    HouseholdErrorPurchase,
)
from pmwpub.service.purchases.households.household_round_purchase import HouseholdRoundPurchase
from pmwpub.service.purchases.misfit_purchase import MisfitPurchase
from pmwpub.service.purchases.protocol import Plan, Purchase
from pmwpub.service.purchases.release_purchase import ReleasePurchase
from pmwpub.service.purchases.table_fit_purchase import TableFitPurchase


def purchase_of(plan: Plan) -> Purchase:
    """The purchase of a plan of any kind."""
    match plan:
        case AcceptancePlan():
            return AcceptancePurchase(plan)
        case AssessmentPlan():
            return AssessmentPurchase(plan)
        case BestPlan():
            return BestPurchase(plan)
        case ErrorPlan():
            return ErrorPurchase(plan)
        case HouseholdAssessmentPlan():
            return HouseholdAssessmentPurchase(plan)
        case HouseholdBestPlan():
            return HouseholdBestPurchase(plan)
        case HouseholdErrorPlan():
            return HouseholdErrorPurchase(plan)
        case HouseholdPlan():
            return HouseholdPurchase(plan)
        case HouseholdRoundPlan():
            return HouseholdRoundPurchase(plan)
        case MisfitPlan():
            return MisfitPurchase(plan)
        case WeightTotalPlan():
            from pmwpub.service.weighing.total_purchase import TotalPurchase  # which needs this package itself

            return TotalPurchase(plan)
        case ReleasePlan():
            return ReleasePurchase(plan)
        case TableFitPlan() | WeightedPoolPlan():
            return TableFitPurchase(plan)
