"""Where a population's household rule stands in the store: beside its schema, as a public document of its own."""

from __future__ import annotations

from pmwpub.ledger import Population
from pmwpub.service.core import Service
from pmwpub.service.households.household_unit import protects_households
from pmwpub.tabular.households.household_schema import HouseholdRule

KIND, CURRENT = "household-rule", "current"


def rule_document(rule: HouseholdRule) -> tuple[str, str, bytes]:
    """The document that makes a rule the population's own: its kind, its key, its bytes."""
    return KIND, CURRENT, rule.model_dump_json().encode()


def stored_rule(service: Service, terms: Population) -> HouseholdRule | None:
    """How rows make households, as it is stored; the largest one is always that of the terms. None of persons."""
    if not protects_households(terms) or not service.ledger.documents(terms.name, KIND):
        return None
    found = HouseholdRule.model_validate_json(service.ledger.document(terms.name, KIND, CURRENT))
    return found.model_copy(update={"largest": terms.rows_per_person})
