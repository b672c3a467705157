"""How rows make households: proposed from public tables, decided by the steward, kept beside a population's schema."""

from __future__ import annotations

from pmwpub.errors import SchemaError
from pmwpub.service.core import Service
from pmwpub.service.households.household_unit import check_unit
from pmwpub.service.households.same_households import bought_ids, refuse_other_households
from pmwpub.service.households.stored_rule import rule_document
from pmwpub.service.inputs import decisions, schema_editing, stored_tables
from pmwpub.service.inputs.study import Study
from pmwpub.tabular.files.text.inert_cells import inert
from pmwpub.tabular.households.household_schema import (
    AnyPerson,
    HouseholdRule,
    HouseholdSchema,
    is_household_schema,
)
from pmwpub.tabular.households.proposed_households import (
    ProposedHouseholds,
    proposed_households,
    suggested_ids,
    without_ids,
)
from pmwpub.tabular.schema.draft_record import Remedy
from pmwpub.tabular.schema.table_schema import Schema

__all__ = [
    "AnyPerson",
    "HouseholdRule",
    "HouseholdSchema",
    "ProposedHouseholds",
    "bought_ids",
    "is_household_schema",
    "proposed",
    "public_columns",
    "save_household_file",
    "save_rule",
    "suggested",
    "written_schema",
]


def public_columns(service: Service, current: Study) -> tuple[str, ...]:
    """The columns that all candidates have: an id of households stands in each of them."""
    tables = stored_tables.tables(service, current.population.name)
    return tuple(name for name in tables[0].header if all(name in one.header for one in tables)) if tables else ()


def suggested(service: Service, current: Study) -> tuple[str, ...]:
    """The columns of the candidates that may name households, the likeliest first; by public rows alone."""

    def found() -> tuple[str, ...]:
        return suggested_ids(stored_tables.tables(service, current.population.name))

    return service.cache(f"household-ids:{_tables(current)}", found)


def proposed(service: Service, current: Study, name: str) -> ProposedHouseholds:
    """What the candidates say of households by a column of ids.

    Raises SchemaError where there is no schema, or a candidate lacks a column.
    """
    persons = without_ids(_needed(current), name)

    def found() -> ProposedHouseholds:
        return proposed_households(stored_tables.tables(service, current.population.name), persons, name)

    return service.cache(f"household-columns:{_tables(current)}:{persons.sha256}:{name}", found)


def save_rule(service: Service, current: Study, rule: HouseholdRule) -> HouseholdSchema:
    """Make a rule the population's own; the column of ids is left out of what its schema encodes.

    Raises PlanError where the population protects other units, or bought something for households of other ids,
    SchemaError where rule and schema do not fit; nothing is stored then.
    """
    service.refuse_viewers(current.population.name)
    check_unit(current.population, rule.largest)
    schema = _needed(current)
    persons = without_ids(schema, rule.id)
    found = HouseholdSchema(persons, rule)
    refuse_other_households(service, current.population.name, found)
    remedy, beside = _left_out(service, current, schema, rule.id), [rule_document(rule)]
    if remedy is None:
        service.ledger.put_documents(current.population.name, beside)
    else:
        decisions.decide(service, current, remedy, beside=beside)
    return found


def _left_out(service: Service, current: Study, schema: Schema, name: str) -> Remedy | None:
    """The decision that the column of ids is not encoded, which a new draft follows; None where it is made, or the
    schema lacks the column."""
    own = next((one.name for one in schema.columns if inert(one.name) == inert(name)), None)
    if own is None:
        return None
    remedy = Remedy(own, "kind", "ignore")
    return None if remedy in decisions.decisions(service, current.population.name).remedies else remedy


def written_schema(current: Study) -> str:
    """The schema file of a population: with its household rule where that is said and fits, else the columns alone."""
    try:
        return current.household_schema().to_json()
    except SchemaError:
        return _needed(current).to_json()


def save_household_file(service: Service, current: Study, content: bytes) -> HouseholdSchema:
    """Make the schema of a file with the key household the population's own: its persons' columns and its rule.

    Raises PlanError as `save_rule` does, SchemaError for what is no such file; nothing is stored then.
    """
    service.refuse_viewers(current.population.name)
    found = HouseholdSchema.from_json(content)
    check_unit(current.population, found.largest)
    refuse_other_households(service, current.population.name, found)
    schema_editing.save(service, current, found.persons, beside=[rule_document(found.rule)])
    return found


def _needed(current: Study) -> Schema:
    if current.schema is None:
        raise SchemaError("Draft or load a schema first: how rows make households is said of its columns.")
    return current.schema


def _tables(current: Study) -> str:
    return ":".join(f"{one.sha256}{stored_tables.spelt(one.options)}" for one in current.candidates)
