"""The noisy totals of weights that a population bought, as plans take them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from pmwpub.plans import WeightTotalPlan
from pmwpub.plans.weighing import WeightKind
from pmwpub.service.core import Service
from pmwpub.service.reading_back.stored_results import StoredTotal

WEIGHT_TOTAL = "weight-total"


def totals_of(service: Service, population: str) -> Mapping[WeightKind, tuple[int, str]]:
    """The noisy totals of weights that were bought: the latest one of each kind, and the plan that it is of."""
    found: dict[WeightKind, tuple[int, str]] = {}
    for booking in service.bought(population, WEIGHT_TOTAL):
        if booking.status == "done":
            plan = WeightTotalPlan.model_validate_json(booking.plan_json)
            body = service.cache(f"result:{booking.result}", partial(service.ledger.result, booking.id))
            found[plan.weighs_as] = StoredTotal.model_validate_json(body).total, booking.key.plan_sha256
    return found
