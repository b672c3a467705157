"""Whom a purchase protects: all that a population buys means the same neighbours, or its charges would not add up."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from pmwpub.errors import PlanError
from pmwpub.ledger import Agreement, Charge
from pmwpub.plans import OF_HOUSEHOLDS, AssessmentPlan, BestPlan
from pmwpub.service.choosing.floor_part import same_part
from pmwpub.service.core import Service
from pmwpub.service.households.same_households import same_households
from pmwpub.service.inputs.study import Study
from pmwpub.service.private_table import PrivateTable
from pmwpub.service.purchases.protocol import Plan, Purchase
from pmwpub.tabular.households.household_schema import HouseholdRule

OTHER_NEIGHBOURS = (
    "What was bought for this population before protects {before}; this plan protects {now}. Their charges do not add "
    "up to one promise. Take the earlier schema, or register another population. Nothing was charged."
)

KEPT = "of all rows of one ID, k are counted"
"""What the ledger adds to the sensitivity of a charge whose neighbours differ in all rows of one ID."""


def agreements(service: Service, private: PrivateTable, current: Study, plans: Sequence[Purchase]) -> list[Agreement]:
    """What plans that are bought and all of their population must agree on.

    They mean the same neighbours, for zCDP adds up for one relation alone: the same IDs of persons where k rows of each
    are kept, the same households where these are the unit. And floors over a part of a workload are over one part, or
    they could not be ranked. Whether that is so is asked in the transaction of the charge.
    """
    kept = dict.fromkeys(one.plan.kept_ids for one in plans)
    floors = [one.plan for one in plans if isinstance(one.plan, AssessmentPlan | BestPlan)]
    parts = [same_part(plan) for plan in floors if plan.setting == "part"]
    return [*map(same_neighbours, kept), *same_households(service, current, private.household_rule), *parts]


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


def charges_of(one: Purchase, current: Study, rule: HouseholdRule | None) -> tuple[Charge, ...]:
    """The charges, of which the ledger says where they protect every ID or household, and by which column.

    rule  how the loaded table's rows were grouped; None of persons
    """
    charges, kept_ids = one.charges(current), one.plan.kept_ids
    if kept_ids is not None:
        words = f"{KEPT}, IDs of the column {_name_in(kept_ids)}"
    elif rule is not None and isinstance(one.plan, OF_HOUSEHOLDS):
        words = f"households by the ids of the column {rule.id!r}"
    else:
        return charges
    return tuple(replace(charge, sensitivity=f"{charge.sensitivity}; {words}") for charge in charges)
