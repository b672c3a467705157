"""`schema draft --household-id`: a draft whose rows are persons of households, by public files alone."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from pmwpub.cli.inputs import Json
from pmwpub.errors import FileRefused, SchemaError
from pmwpub.tabular.files.reading import TextTable
from pmwpub.tabular.files.text.inert_cells import inert
from pmwpub.tabular.households.household_schema import MOST_PERSONS, HouseholdRule, HouseholdSchema
from pmwpub.tabular.households.proposed_households import any_persons, proposed_households, without_ids
from pmwpub.tabular.households.reading_households import public_households
from pmwpub.tabular.schema.table_schema import Schema

NEEDED = (
    "A schema of households needs --household-id COLUMN and --largest-household H; --household-column and --any-person "
    "go with them. No schema was written."
)


def check_household_flags(parsed: argparse.Namespace) -> None:
    """Raise SchemaError where flags of a household schema stand without the two that make one, or without a file."""
    both = parsed.household_id is not None and parsed.largest_household is not None
    some = [parsed.household_id, parsed.largest_household, *parsed.household_column, *parsed.any_person]
    if any(one is not None for one in some) and not both:
        raise SchemaError(NEEDED)
    if both and not 1 <= parsed.largest_household <= MOST_PERSONS:
        raise SchemaError(f"The largest household has 1 to {MOST_PERSONS} persons. No schema was written.")
    if both and not parsed.public:
        raise SchemaError("What a household is, is seen in public files; name one. No schema was written.")


def with_households(
    parsed: argparse.Namespace, schema: Schema, tables: Mapping[str, TextTable]
) -> tuple[HouseholdSchema | Schema, Json]:
    """The schema with its household rule, where one is asked for, and what the public tables say of it.

    tables  by the names that they are told apart by
    """
    if parsed.household_id is None:
        return schema, {}
    persons, name, largest = without_ids(schema, parsed.household_id), parsed.household_id, parsed.largest_household
    found = proposed_households([*tables.values()], persons, name)
    columns = tuple(dict.fromkeys(parsed.household_column)) or found.columns
    made = any_persons(persons, parsed.any_person)
    rule = HouseholdRule.checked(id=name, largest=largest, columns=columns, any=made)
    whole = HouseholdSchema(persons, rule)
    said = {
        "id": name,
        "largest": largest,
        "columns": list(columns),
        "any": [one.name for one in made],
        "sizes": {str(size): count for size, count in found.sizes.items()},
        "differing": {one: count for one, count in found.differing.items() if count},
        "public": {label: _usable(table, whole) for label, table in tables.items()},
    }
    return whole, {"household": said}


def is_household_id(name: str, household_id: str | None) -> bool:
    """Whether a column is the one that names households; names are compared as headers are."""
    return household_id is not None and inert(name) == inert(household_id)


def _usable(table: TextTable, schema: HouseholdSchema) -> Json:
    """How many households of a table a release can copy, and what is left out."""
    try:
        found = public_households(table, schema)
    except FileRefused as refusal:
        return {"households": 0, "problem": str(refusal)}
    return {**found.facts}
