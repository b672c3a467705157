"""The one way to buy: what can be bought, and every rule of spending.

A purchase is a plan, its charges, its work and its encoding. Page, command line and API ask and show; they call `buy`.
"""

from pmwpub.service.purchases.acceptance_purchase import AcceptancePurchase
from pmwpub.service.purchases.assessment_purchase import AssessmentPurchase
from pmwpub.service.purchases.buying import (
    FREE_TICK,
    TICK,
    UNDECIDED,
    asks,
    buy,
    doubts,
    price,
    refuse_closed,
    warnings_before,
)
from pmwpub.service.purchases.by_plan import purchase_of
from pmwpub.service.purchases.choice_purchase import BestPurchase
from pmwpub.service.purchases.error_purchase import ErrorPurchase
from pmwpub.service.purchases.misfit_purchase import (
    MisfitOffer,
    MisfitPurchase,
    in_points,
    misfit_offer,
    proposed_columns,
)
from pmwpub.service.purchases.offers import Offer, decided, offer, store
from pmwpub.service.purchases.protocol import Prepared, Purchase
from pmwpub.service.purchases.release_purchase import ReleasePurchase
from pmwpub.service.purchases.table_fit_purchase import TableFitPurchase

__all__ = [
    "FREE_TICK",
    "TICK",
    "UNDECIDED",
    "AcceptancePurchase",
    "AssessmentPurchase",
    "BestPurchase",
    "ErrorPurchase",
    "MisfitOffer",
    "MisfitPurchase",
    "Offer",
    "Prepared",
    "Purchase",
    "ReleasePurchase",
    "TableFitPurchase",
    "asks",
    "buy",
    "decided",
    "doubts",
    "in_points",
    "misfit_offer",
    "offer",
    "price",
    "proposed_columns",
    "purchase_of",
    "refuse_closed",
    "store",
    "warnings_before",
]
