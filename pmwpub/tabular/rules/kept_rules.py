"""Rules that go from one schema to another, as far as they fit its columns."""

from __future__ import annotations

from collections.abc import Iterable

from pmwpub.errors import SchemaError
from pmwpub.tabular.rules.code_rules import compiled
from pmwpub.tabular.rules.rule_tree import EditRule
from pmwpub.tabular.schema.table_schema import Schema


def with_fitting(schema: Schema, rules: Iterable[EditRule]) -> Schema:
    """The schema with its own rules and those of some others that fit it."""
    fitting = [rule for rule in rules if rule not in schema.rules and _fits(schema, rule)]
    return schema.with_rules((*schema.rules, *fitting)) if fitting else schema


def _fits(schema: Schema, rule: EditRule) -> bool:
    try:
        compiled(rule, schema.encoded)
    except SchemaError:
        return False
    return True
