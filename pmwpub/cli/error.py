"""The command `error`."""

from __future__ import annotations

import argparse

from pmwpub.cli.households.household_questions_commands import household_error
from pmwpub.cli.inputs import Json, no_result, read
from pmwpub.cli.purchasing import opened_service, private_table, reused, spent
from pmwpub.ledger import Ledger
from pmwpub.noisy_interval import NoisyInterval
from pmwpub.privacy.budget import as_fraction
from pmwpub.rounding import above
from pmwpub.service import purchases
from pmwpub.service.bought import release_errors
from pmwpub.service.purchases import ErrorPurchase
from pmwpub.tabular.files.given_files import Files
from pmwpub.tabular.households.household_schema import is_household_schema


def error(parsed: argparse.Namespace) -> Json:
    """`error`: buy the noisy largest error of a stored release on the private table."""
    if is_household_schema(read(parsed.schema)):
        return household_error(parsed)
    with Ledger.open(parsed.store) as ledger:
        (service, own), name = opened_service(parsed, ledger), parsed.population
        private = private_table(service, name, Files(parsed.read, [parsed.private]), parsed)
        release = release_errors.named_release(parsed.release, parsed.draw)
        plan = release_errors.error_plan(service, name, release, epsilon=parsed.epsilon)
        (outcome,) = purchases.buy(service, private, [ErrorPurchase(plan)], repeat=parsed.repeat)
        found = release_errors.measured(service, outcome.booking)
        if found.error is None:
            raise no_result(outcome)
        stated = {"release": release.plan_sha256, "draw": release.repeat, "remarks": list(found.remarks)}
        return _number("error", found.error) | stated | spent(ledger, name, own) | reused(outcome)


def _number(part: str, number: NoisyInterval) -> Json:
    ends = {f"{part}_low": number.low, f"{part}_high": number.high, "confidence": number.confidence}
    return {part: number.value} | ends | {"epsilon": above(as_fraction(number.epsilon))}
