"""The command `ledger acknowledge`."""

from __future__ import annotations

import argparse

from pmwpub.cli.inputs import Json
from pmwpub.cli.purchasing import opened_service, private_table
from pmwpub.ledger import Ledger
from pmwpub.service.inputs import study_store
from pmwpub.tabular.files.given_files import Files


def acknowledge(parsed: argparse.Namespace) -> Json:
    """`ledger acknowledge`: record the decision that a private table serves several populations.

    Raises PlanError in a shared service, before the table is read: nobody is answered there whether it does.
    """
    with Ledger.open(parsed.store) as ledger:
        (service, _), name = opened_service(parsed, ledger), parsed.population
        service.policy.refuse_unanswered()
        private = private_table(service, name, Files(parsed.read, [parsed.private]), parsed)
        others = () if private.verdict is None else private.verdict.populations
        study_store.acknowledge(service, private)
        return {"population": name, "acknowledged_with": list(others)}
