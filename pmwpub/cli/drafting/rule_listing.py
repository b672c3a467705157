"""Rules at `schema draft`: those given, the public rows that break them, and those that public rows suggest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pmwpub.cli.inputs import Json
from pmwpub.records import Support
from pmwpub.tabular.coding.encode import encode_public
from pmwpub.tabular.files.reading import TextTable
from pmwpub.tabular.rules.broken_rows import BrokenRows, broken_rows
from pmwpub.tabular.rules.rule_parsing import read_rule
from pmwpub.tabular.rules.rule_suggestions import SuggestedRule, suggested
from pmwpub.tabular.schema.table_schema import Schema


def with_rules(schema: Schema, texts: Sequence[str]) -> Schema:
    """The schema with its own rules and those of some texts; SchemaError where one is no rule, or does not fit."""
    given = [read_rule(text) for text in texts]
    return schema.with_rules((*schema.rules, *given)) if given else schema


def rules_json(schema: Schema, tables: Mapping[str, TextTable], *, suggest: bool) -> Json:
    """What is said of rules; nothing where there are none and none are asked for.

    Raises FileRefused where rules leave no row of a public table.
    """
    if not (schema.rules or suggest):
        return {}
    supports = [Support.of(encode_public(table, schema).dataset) for table in tables.values()]
    broken = {name: broken_rows(table, schema) for name, table in tables.items()}
    rules = [
        {"rule": rule.text, "reason": rule.reason, "public_rows_left_out": _left_out(broken, place)}
        for place, rule in enumerate(schema.rules)
    ]
    found: Json = {"rules": rules}
    return found | {"suggested_rules": [_suggestion(one) for one in suggested(supports, schema)]} if suggest else found


def _left_out(broken: Mapping[str, Sequence[BrokenRows]], place: int) -> list[Json]:
    """Files in which rows break a rule, how many do, and the numbers of the first of them, below the header."""
    return [
        {"file": name, "rows": rules[place].rows, "first": list(rules[place].first)}
        for name, rules in broken.items()
        if rules[place].rows
    ]


def _suggestion(one: SuggestedRule) -> Json:
    return {"rule": one.rule.text, "expected_rows": round(one.expected, 1)}
