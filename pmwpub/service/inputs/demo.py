"""The demo: a bundled sample under a fresh population, ready to assess."""

from __future__ import annotations

import secrets
from fractions import Fraction

from pmwpub.ledger import Population
from pmwpub.service.core import Service
from pmwpub.service.households import household_rules
from pmwpub.service.households.household_loading import load_household_file
from pmwpub.service.inputs import study_store
from pmwpub.service.inputs.bundled_sample import HOMES, STATES, SURVEY, DemoSample, sample_file
from pmwpub.service.private_table import PrivateTable
from pmwpub.tabular.files.reading import read_table
from pmwpub.tabular.households.household_schema import HouseholdSchema, is_household_schema
from pmwpub.tabular.schema.table_schema import Schema

__all__ = ["CHOICE", "EPSILON", "HOMES", "STATES", "SURVEY", "open_demo", "reload_demo"]

EPSILON = Fraction(2)
CHOICE = STATES.choice


def open_demo(service: Service, sample: DemoSample = STATES) -> tuple[str, PrivateTable]:
    """Register a fresh demo population, store its public parts, and load state A; returns its name and the table."""
    service.refuse_viewers(None)
    n, schema = _number(sample), sample_file(sample.schema)
    name = f"{sample.name}-{secrets.token_hex(4)}"
    service.ledger.register(Population(name, n, sample.largest, sample.unit, EPSILON, Fraction(1, n * n)))
    service.ledger.mark(name, "demo", sample.note)
    if is_household_schema(schema):
        household_rules.save_household_file(service, study_store.study(service, name), schema)
    else:
        study_store.save_schema(service, name, Schema.from_json(schema))
    for candidate in sample.candidates:
        study_store.add_candidate(service, name, candidate, sample_file(candidate), attested=True)
    study_store.choose_workload(service, name, sample.choice)
    return name, reload_demo(service, name)


def reload_demo(service: Service, name: str) -> PrivateTable:
    """Load state A again for a demo population whose session lost it."""
    current = study_store.study(service, name)
    load = load_household_file if current.of_households else study_store.load_private
    return load(service, name, sample_file(current.sample.private))


def _number(sample: DemoSample) -> int:
    """The n of a population: rows, or households."""
    table, schema = read_table(sample_file(sample.private)), sample_file(sample.schema)
    if not is_household_schema(schema):
        return len(table)
    return len(table.column(HouseholdSchema.from_json(schema).rule.id).counts())
