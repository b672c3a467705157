"""Whom a purchase protects: all that a population buys means the same neighbours, or its charges would not add up."""

from __future__ import annotations

import json
from dataclasses import replace

from pmwpub.errors import PlanError
from pmwpub.ledger import Agreement, Charge
from pmwpub.plans import OF_HOUSEHOLDS
from pmwpub.service.inputs.study import Study
from pmwpub.service.purchases.protocol import Plan, Purchase

OTHER_NEIGHBOURS = (
    "What was bought for this population before protects {before}; this plan protects {now}. Their charges do not add "
    "up to one promise. Take the earlier schema, or register another population. Nothing was charged."
)

KEPT = "of all rows of one ID, k are counted"
"""What the ledger adds to the sensitivity of a charge whose neighbours differ in all rows of one ID."""


def same_neighbours(kept_ids: str | None) -> Agreement:
    """PlanError where another plan is for other neighbours."""

    def check(text: str) -> None:
        other = json.loads(text).get("kept_ids")
        if other != kept_ids:
            raise PlanError(OTHER_NEIGHBOURS.format(before=_protected(other), now=_protected(kept_ids)))

    if kept_ids is None:
        return Agreement(check, about=('"kept_ids":',))
    return Agreement(check, settled=f'"kept_ids":{json.dumps(kept_ids, ensure_ascii=False)}')


def largest_of(plan: Plan) -> int | None:
    """H of a plan that protects whole households; None of any other, which protects persons by their rows."""
    return plan.largest if isinstance(plan, OF_HOUSEHOLDS) else None


def _protected(kept_ids: str | None) -> str:
    if kept_ids is None:
        return "whoever owns at most k rows, and refuses tables with an ID of more"
    return (
        f"every ID in the column {_name_in(kept_ids)}, by that column's rules, and counts k rows of one that has more"
    )


def _name_in(kept_ids: str) -> str:
    return repr(json.loads(kept_ids)["name"])


def charges_of(one: Purchase, current: Study) -> tuple[Charge, ...]:
    """The charges, of which the ledger says where they protect every ID, and by which column."""
    charges, kept_ids = one.charges(current), one.plan.kept_ids
    if kept_ids is None:
        return charges
    words = f"{KEPT}, IDs of the column {_name_in(kept_ids)}"
    return tuple(replace(charge, sensitivity=f"{charge.sensitivity}; {words}") for charge in charges)
