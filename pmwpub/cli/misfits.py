"""The command `misfits`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from pmwpub.cli.inputs import Json, no_result, spent_json
from pmwpub.cli.purchasing import opened_service, private_table, reused, spent
from pmwpub.errors import PlanError
from pmwpub.ledger import DryLedger, Ledger
from pmwpub.rounding import above
from pmwpub.service import Study, purchases
from pmwpub.service.bought import misfit_shares
from pmwpub.service.bought.misfit_shares import MisfitShare
from pmwpub.service.inputs import reviewing, study_store
from pmwpub.service.inputs.reviewing import MisfitRisk
from pmwpub.service.purchases import MisfitPurchase
from pmwpub.tabular.files.given_files import Files


def misfits(parsed: argparse.Namespace) -> Json:
    """`misfits`: buy the noisy shares of private rows that the schema does not fit, or say what they would cost."""
    if parsed.private is None and not parsed.dry_run:
        raise PlanError("Give the private table (--private P.csv), or --dry-run for what is free.")
    with (DryLedger if parsed.dry_run else Ledger).open(parsed.store) as ledger:
        (service, own), name = opened_service(parsed, ledger), parsed.population
        current = study_store.study(service, name)
        risks = reviewing.risky(service, current)
        proposed = purchases.proposed_columns(current, [risk.column for risk in risks], parsed.half_width)
        columns = list(dict.fromkeys(parsed.column or proposed))
        if parsed.dry_run:
            if current.closed is not None:  # else what is not sold is priced too, and said to be
                plan = misfit_shares.misfit_plan(current, columns, half_width=parsed.half_width, rules=parsed.rules)
                purchases.refuse_closed(service, current, [MisfitPurchase(plan)], repeat=parsed.repeat)
            return _priced(current, columns, risks, parsed.half_width, rules=parsed.rules)
        private = private_table(service, name, Files(parsed.read, [parsed.private]), parsed)
        plan = misfit_shares.misfit_plan(current, columns, half_width=parsed.half_width, rules=parsed.rules)
        (outcome,) = purchases.buy(service, private, [MisfitPurchase(plan)], repeat=parsed.repeat, current=current)
        found = misfit_shares.fit_seen(service, outcome.booking)
        if found.overall is None:
            raise no_result(outcome)
        stated = {"half_width": found.half_width, "confidence": found.confidence, "remarks": list(found.remarks)}
        shares = {"columns": [_line(one) for one in found.columns], "any": _line(found.overall)}
        shares |= {"rules": _line(found.rules)} if found.rules is not None else {}
        words = {"words": list(found.words)}
        return shares | words | stated | spent(ledger, name, own) | reused(outcome)


def _line(share: MisfitShare) -> Json:
    named = {} if share.column is None else {"column": share.column}
    return named | {"share": share.value, "low": share.low, "high": share.high}


def _priced(
    current: Study, columns: Sequence[str], risks: Sequence[MisfitRisk], half_width: str, *, rules: bool
) -> Json:
    """What is asked for, at its price; or why it is not sold."""
    found = purchases.misfit_offer(current, columns, half_width, rules=rules)
    why = {risk.column: risk.why for risk in risks}
    return {
        "columns": [{"column": column, "why": why.get(column, "Named by the steward.")} for column in columns],
        "risky_too": [column for column in why if column not in columns],
        "half_width": float(found.half_width),
        "price": spent_json(found.rho, current.balance),
        "sold": not found.refusal,
        "refusal": found.refusal,
        "narrowest_half_width": None if found.narrowest is None else above(found.narrowest),
        "most_columns": found.columns,
    }
