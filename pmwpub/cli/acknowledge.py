"""The command `ledger acknowledge`."""

from __future__ import annotations

import argparse

from pmwpub.cli.households.household_release import household_service, loaded_households
from pmwpub.cli.inputs import Json, read
from pmwpub.cli.purchasing import opened_service, private_table
from pmwpub.ledger import Ledger
from pmwpub.service import PrivateTable
from pmwpub.service.inputs import study_store
from pmwpub.tabular.files.given_files import Files
from pmwpub.tabular.households.household_schema import HouseholdSchema, is_household_schema


def acknowledge(parsed: argparse.Namespace) -> Json:
    """`ledger acknowledge`: record the decision that a private table serves several populations.

    Raises PlanError in a shared service, before the table is read: nobody is answered there whether it does.
    """
    with Ledger.open(parsed.store) as ledger:
        name, files, schema = parsed.population, Files(parsed.read, [parsed.private]), read(parsed.schema)
        private: PrivateTable
        if is_household_schema(schema):
            homes, (service, _) = HouseholdSchema.from_json(schema), household_service(parsed, ledger)
            service.policy.refuse_unanswered()
            study_store.save_schema(service, name, homes.persons)
            private = loaded_households(service, name, files, parsed.private, homes)
        else:
            service, _ = opened_service(parsed, ledger)
            service.policy.refuse_unanswered()
            private = private_table(service, name, files, parsed)
        others = () if private.verdict is None else private.verdict.populations
        study_store.acknowledge(service, private)
        return {"population": name, "acknowledged_with": list(others)}
