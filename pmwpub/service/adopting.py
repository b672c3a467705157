"""Adopting a schema and a workload that a program brings, rather than those that stand in the store.

Pages show what is the population's own and buy that. An API call or a command has a schema and a workload of its own:
they are made the population's own, and the purchase is of them or of nothing, whatever others choose meanwhile.
"""

from __future__ import annotations

from pmwpub.errors import PlanError
from pmwpub.plans import WorkloadChoice
from pmwpub.service.core import Service
from pmwpub.service.households.stored_rule import rule_document
from pmwpub.service.inputs import study_store
from pmwpub.service.inputs.study import Study
from pmwpub.tabular.households.household_schema import HouseholdRule
from pmwpub.tabular.schema.table_schema import Schema

CHANGED_MEANWHILE = (
    "Somebody else changed this population's schema or workload meanwhile. Nothing was charged; send the same again."
)


def adopt(
    service: Service, population: str, schema: Schema, choice: WorkloadChoice, rule: HouseholdRule | None = None
) -> None:
    """Make a schema and a workload the population's own, together; earlier results keep theirs.

    rule  how rows make households, of a population of them

    Raises WorkloadError or DomainError for a workload that does not fit, before anything is stored.
    """
    service.refuse_viewers(population)
    choice.build(schema.domain)
    own = ((study_store.SCHEMA, schema.to_json()), (study_store.WORKLOAD, choice.model_dump_json()))
    documents = [(kind, study_store.CURRENT, text.encode()) for kind, text in own]
    documents += [] if rule is None else [rule_document(rule)]
    service.ledger.put_documents(population, documents)


def adopted(service: Service, population: str, schema: Schema, choice: WorkloadChoice) -> Study:
    """The population's public state under that schema and workload; PlanError where others were chosen meanwhile."""
    service.ledger.forget()
    current = study_store.study(service, population)
    if current.schema is None or current.schema.sha256 != schema.sha256 or current.choice != choice:
        raise PlanError(CHANGED_MEANWHILE)
    return current
