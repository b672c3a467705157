"""The command `weight-total`."""

from __future__ import annotations

import argparse

from pmwpub.cli.inputs import Json, no_result, spent_json
from pmwpub.cli.purchasing import opened_service, private_table, reused, spent
from pmwpub.errors import PlanError
from pmwpub.ledger import DryLedger, Ledger
from pmwpub.service import purchases
from pmwpub.service.inputs import study_store
from pmwpub.service.weighing import total_purchase
from pmwpub.service.weighing.total_purchase import TotalPurchase
from pmwpub.service.weighing.weighed_plans import check_weights
from pmwpub.tabular.files.given_files import Files


def weight_total(parsed: argparse.Namespace) -> Json:
    """`weight-total`: buy the noisy sum of the private weights, or say what it would cost and be off by."""
    if parsed.private is None and not parsed.dry_run:
        raise PlanError("Give the private table (--private P.csv), or --dry-run for what is free.")
    with (DryLedger if parsed.dry_run else Ledger).open(parsed.store) as ledger:
        (service, own), name = opened_service(parsed, ledger), parsed.population
        current = study_store.study(service, name)
        plan = total_purchase.total_plan(service, current, epsilon=parsed.epsilon)
        stated: Json = {"column": plan.column, "unit": plan.unit, "cap": plan.cap}
        if parsed.dry_run:
            purchases.refuse_closed(service, current, [TotalPurchase(plan)], repeat=parsed.repeat)
            check_weights(current, plan)
            return stated | {"half_width": plan.law.half_width, "price": spent_json(plan.budget, current.balance)}
        private = private_table(service, name, Files(parsed.read, [parsed.private]), parsed)
        (outcome,) = purchases.buy(service, private, [TotalPurchase(plan)], repeat=parsed.repeat, current=current)
        found = total_purchase.bought_total(service, outcome.booking)
        if found.total is None:
            raise no_result(outcome)
        drawn: Json = {"total": found.total, "half_width": found.half_width, "confidence": 0.95}
        drawn |= {"remarks": list(found.remarks), "plan_sha256": plan.sha256}
        return stated | drawn | spent(ledger, name, own) | reused(outcome)
