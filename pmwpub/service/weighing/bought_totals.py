"""The noisy totals of weights that a population bought, as plans take them."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from operator import itemgetter

from pmwpub.plans import WeightTotalPlan
from pmwpub.plans.weighing import WeightKind
from pmwpub.service.core import Service
from pmwpub.service.reading_back.stored_results import StoredTotal

WEIGHT_TOTAL = "weight-total"


def totals_of(service: Service, population: str) -> Mapping[WeightKind, tuple[tuple[int, str], ...]]:
    """The noisy totals of weights that were bought, and the plans that they are of: by kind, the narrowest noise first,
    and of alike ones the first that was bought.

    Privacy: post-processing; which total comes first follows from the plans alone.
    """
    found: dict[WeightKind, list[tuple[Fraction, int, str]]] = {}
    for booking in service.bought(population, WEIGHT_TOTAL):
        if booking.status == "done":
            plan = WeightTotalPlan.model_validate_json(booking.plan_json)
            body = service.cache(f"result:{booking.result}", partial(service.ledger.result, booking.id))
            one = plan.law.law.scale, StoredTotal.model_validate_json(body).total, booking.key.plan_sha256
            found.setdefault(plan.weighs_as, []).append(one)
    return {
        kind: tuple((total, sha256) for _, total, sha256 in sorted(totals, key=itemgetter(0)))
        for kind, totals in found.items()
    }
