"""The rules of a population's schema: added by text, taken out, suggested by public rows, counted in these.

A rule comes from public facts; nothing here reads a private row, and none is ever held against a rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pmwpub.errors import SchemaError
from pmwpub.service.core import Service
from pmwpub.service.inputs import schema_editing, stored_tables
from pmwpub.service.inputs.study import Study
from pmwpub.tabular.rules.broken_rows import BrokenRows, broken_rows
from pmwpub.tabular.rules.rule_parsing import EXAMPLE, read_rule
from pmwpub.tabular.rules.rule_suggestions import MOST, SuggestedRule, suggested
from pmwpub.tabular.rules.rule_tree import EditRule
from pmwpub.tabular.schema.editing import rows_of, schema_of
from pmwpub.tabular.schema.table_schema import Schema

__all__ = [
    "EXAMPLE",
    "MOST",
    "EditRule",
    "RuleInForce",
    "SuggestedRule",
    "add",
    "in_force",
    "suggestions",
    "take_out",
    "which_rows",
]


@dataclass(frozen=True)
class RuleInForce:
    """A rule of the schema and how many public rows were left out because of it, in all candidates together."""

    rule: EditRule
    rows: int


def in_force(current: Study) -> tuple[RuleInForce, ...]:
    """The rules of the schema in its order; a row that breaks several counts with each."""
    rules = () if current.schema is None else current.schema.rules
    counts = [one.by_rule for one in current.usable]
    return tuple(RuleInForce(rule, sum(own[place] for own in counts)) for place, rule in enumerate(rules))


def add(service: Service, current: Study, text: str) -> Schema:
    """Make the rule that a text says part of the population's schema; returns the schema, stored.

    Raises SchemaError for a text that is no rule, one that does not fit the schema, and one that it has already; where
    every row of a candidate would be left out, the candidate is said not to fit, as under any schema.
    """
    rule, schema = read_rule(text), _needed(current)
    if any(own.holds == rule.holds for own in schema.rules):
        raise SchemaError("The schema has that rule already.")
    second = schema if schema.version == 2 else schema_of(rows_of(schema), schema.missing_tokens, 2)
    return _saved(service, current, second.with_rules((*schema.rules, rule)))


def take_out(service: Service, current: Study, rule: EditRule) -> Schema:
    """The population's schema without a rule, stored; the schema as it is where it has no such rule."""
    schema = _needed(current)
    return _saved(service, current, schema.with_rules([own for own in schema.rules if own != rule]))


def suggestions(service: Service, current: Study) -> tuple[SuggestedRule, ...]:
    """What public rows suggest under the schema of now, strongest first; empty without schema or candidates.

    Kept in the shared cache, for all of it is public.
    """
    schema, used = current.schema, current.usable
    if schema is None or not used:
        return ()
    supports = [one.support for one in used if one.support is not None]
    shas = ",".join(f"{one.sha256}{stored_tables.spelt(one.options)}" for one in used)
    return service.cache(f"suggested rules:{shas}:{schema.sha256}", lambda: suggested(supports, schema))


def which_rows(service: Service, current: Study) -> dict[str, Sequence[BrokenRows]]:
    """Candidate -> for each rule which of its rows break it; of candidates that fit the schema."""
    schema, name = current.schema, current.population.name
    if schema is None or not schema.rules:
        return {}
    return {one.name: broken_rows(stored_tables.table(service, name, one.sha256), schema) for one in current.usable}


def _needed(current: Study) -> Schema:
    if current.schema is None:
        raise SchemaError("A rule needs a schema; draft or load one first.")
    return current.schema


def _saved(service: Service, current: Study, schema: Schema) -> Schema:
    schema_editing.save(service, current, schema)
    return schema
