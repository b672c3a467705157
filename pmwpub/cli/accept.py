"""The command `accept`."""

from __future__ import annotations

import argparse

from pmwpub.cli.inputs import Json, no_result, spent_json
from pmwpub.cli.purchasing import opened_service, private_table, reused, spent
from pmwpub.errors import PlanError
from pmwpub.ledger import DryLedger, Ledger
from pmwpub.plans import AcceptancePlan
from pmwpub.privacy.budget import ZCDP, as_fraction
from pmwpub.service import purchases
from pmwpub.service.accepting import acceptances
from pmwpub.service.accepting.acceptances import Acceptance
from pmwpub.service.bought.release_errors import named_release
from pmwpub.service.inputs import study_store
from pmwpub.service.purchases import AcceptancePurchase
from pmwpub.tabular.files.given_files import Files


def accept(parsed: argparse.Namespace) -> Json:
    """`accept`: buy noisy numbers of a stored release against the criteria of its plan, or say what they would cost."""
    if parsed.private is None and not parsed.dry_run:
        raise PlanError("Give the private table (--private P.csv), or --dry-run for the price.")
    with (DryLedger if parsed.dry_run else Ledger).open(parsed.store) as ledger:
        (service, own), name = opened_service(parsed, ledger), parsed.population
        release = named_release(parsed.release, parsed.draw)
        part = as_fraction(parsed.half_widths)
        plan = acceptances.acceptance_plan(service, name, release, part=part)
        if parsed.dry_run:
            current = study_store.study(service, name)
            purchases.refuse_closed(service, current, [AcceptancePurchase(plan)], repeat=parsed.repeat)
            rho = sum((one.rho for one in AcceptancePurchase(plan).charges(current)), ZCDP(0))
            return {
                "criteria": _planned(plan),
                "not_measurable": _not_measurable(plan),
                "price": spent_json(rho, current.balance),
            }
        private = private_table(service, name, Files(parsed.read, [parsed.private]), parsed)
        (outcome,) = purchases.buy(service, private, [AcceptancePurchase(plan)], repeat=parsed.repeat)
        found = acceptances.accepted(service, outcome.booking)
        if found.attempts is None:
            raise no_result(outcome)
        stated = {"release": release.plan_sha256, "draw": release.repeat, "remarks": list(found.remarks)}
        return _said(found) | stated | spent(ledger, name, own) | reused(outcome)


def _planned(plan: AcceptancePlan) -> list[Json]:
    return [{"words": one.words, "bar": float(one.bar)} for one in plan.criteria]


def _not_measurable(plan: AcceptancePlan) -> list[str]:
    return [one.words for one in plan.not_measurable]


def _said(found: Acceptance) -> Json:
    lines = [
        {
            "words": one.criterion.words,
            "bar": float(one.criterion.bar),
            "noisy": [float(value) for value in one.values],
            "half_width": float(one.half_width),
            "verdict": one.verdict,
        }
        for one in found.results
    ]
    tried = None if found.attempts is None else vars(found.attempts)
    said = {"passed": found.passed, "criteria": lines, "not_measurable": _not_measurable(found.plan)}
    said |= {"confidence": found.confidence, "attempts": tried}
    return said | {"words": list(found.words)}
