"""The text of a rule and its tree: each says the other, and what is no rule is refused with the place."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tabular.rules.people_schema import BODY, PLAIN, under

from pmwpub.errors import SchemaError
from pmwpub.tabular.rules.rule_parsing import MAX_TEXT, read_rule
from pmwpub.tabular.rules.rule_tree import (
    MAX_COMPARISONS,
    MAX_DEPTH,
    Comparison,
    EditRule,
    Expression,
    Implication,
    Junction,
    Membership,
    Negation,
)
from pmwpub.tabular.schema.table_schema import Schema

NAMES = st.text(min_size=1, max_size=8).map(str.strip).filter(lambda name: name.isprintable() and bool(name)) | (
    st.sampled_from(["age", "hours-per-week", "and", "In", "a`b", "1st", "größe", "is it", "not-so", "x.y"])
)
VALUES = st.text(max_size=6) | st.floats(allow_nan=False, allow_infinity=False)
COMPARISONS = st.builds(
    Comparison, op=st.sampled_from(["<", "<=", ">", ">=", "=", "!="]), column=NAMES, value=VALUES
) | st.builds(Membership, op=st.just("in"), column=NAMES, values=st.lists(VALUES, min_size=1, max_size=3).map(tuple))


def _larger(parts: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    several = st.lists(parts, min_size=2, max_size=3).map(tuple)
    return (
        st.builds(Negation, op=st.just("not"), rule=parts)
        | st.builds(Junction, op=st.sampled_from(["and", "or"]), rules=several)
        | st.builds(Implication, op=st.just("implies"), when=parts, then=parts)
    )


TREES = st.recursive(COMPARISONS, _larger, max_leaves=8).filter(lambda tree: tree.depth <= MAX_DEPTH)
REASONS = st.none() | st.text(min_size=1, max_size=20).map(str.strip).filter(lambda text: text.isprintable() and text)


@settings(max_examples=150, deadline=None)
@given(TREES, REASONS)
def test_a_text_parses_to_the_tree_that_it_was_printed_from(tree: Expression, reason: str | None) -> None:
    rule = EditRule(holds=tree, reason=reason)
    assert read_rule(rule.whole_text) == rule
    assert EditRule.model_validate_json(rule.model_dump_json()) == rule


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("a=1 and b=2 or c=3", "(a = 1 and b = 2) or c = 3"),
        ("a=1 or b=2 implies c=3 and d=4", "a = 1 or b = 2 implies c = 3 and d = 4"),
        ("not a=1 and b=2", "not (a = 1) and b = 2"),
        ("(a=1 implies b=2) implies c=3", "(a = 1 implies b = 2) implies c = 3"),
        ("a=1 AND Not b=2 -> c in (3)", "a = 1 and not (b = 2) implies c in (3)"),
        ('a ≤ 1.50 => b <> "x"  # why so', 'a <= 1.5 implies b != "x"'),
        ("`a b` == -0.5e1", "`a b` = -5"),
        ('a = "# no reason" # a reason', 'a = "# no reason"'),
    ],
)
def test_words_bind_as_documented(text: str, printed: str) -> None:
    assert read_rule(text).text == printed


def test_what_stands_behind_the_mark_is_the_reason() -> None:
    assert read_rule('a = "# none" #  by law ').reason == "by law"
    assert read_rule("a = 1 #").reason is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "at its end"),
        ("age", "at its end"),
        ("age < 20 and", "at its end"),
        ("age < 20 work = 3", r"at “work = 3” \(character 10\)"),
        ("a = 1 implies b = 2 implies c = 3", "at “implies c = 3”"),
        ("a <= b", "b stands where a number or a level is needed.*not with another column"),
        ("work = none", "none stands where.*double quotes"),
        ('a = "\\q"', "a backslash in it is written twice"),
        ("a = 1e999", "finite number"),
        ("__import__('os')", "cannot be read"),
        ("a = 1; b", "cannot be read"),
        ("(a = 1", "at its end"),
        (" and ".join(["a = 1"] * (MAX_COMPARISONS + 1)), "at most 64"),
        ("not " * (MAX_DEPTH + 1) + "a = 1", "at most 10 deep"),
        ("not " * 4_000 + "a = 1", "at most 10 deep"),
        ("a = " + "1" * MAX_TEXT, "at most 20,000 characters"),
    ],
)
def test_what_is_no_rule_is_refused_in_words(text: str, words: str) -> None:
    with pytest.raises(SchemaError, match=words):
        read_rule(text)


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ([{"holds": {"op": "eval", "column": "age"}}], "rules.0.holds"),
        ([{"holds": {"op": "=", "column": "age", "value": True}}], "rules.0.holds"),
        ([{"holds": {"op": "=", "column": "age", "value": 1, "more": 2}}], "more"),
        ([{"holds": {"op": "and", "rules": []}}], "at least 2"),
        ([{"holds": {"op": "=", "column": "work", "value": "none"}, "reason": "two\nlines"}], "one line"),
        ([{"text": 'work = "none"'}], "rules.0"),
    ],
)
def test_a_file_with_another_tree_is_refused(rules: list[object], words: str) -> None:
    with pytest.raises(SchemaError, match=words):
        Schema.from_json(json.dumps(BODY | {"rules": rules}))


def test_a_file_that_nests_without_end_is_refused_not_run() -> None:
    deep = '{"op": "not", "rule": ' * 50_000 + "1" + "}" * 50_000
    text = json.dumps(BODY)[:-1] + f', "rules": [{{"holds": {deep}}}]}}'
    with pytest.raises(SchemaError, match="recursion"):
        Schema.from_json(text)


def test_rules_stand_in_the_file_and_its_hash_and_read_back() -> None:
    schema = under('age < 20 implies work in ("none", "(missing)")  # by law', "gain = 0 or year >= 2005")
    body = json.loads(schema.to_json())
    assert body["rules"][0] == {
        "holds": {
            "op": "implies",
            "when": {"column": "age", "op": "<", "value": 20},
            "then": {"column": "work", "op": "in", "values": ["none", "(missing)"]},
        },
        "reason": "by law",
    }
    assert Schema.from_json(schema.to_json()) == schema
    assert Schema.from_json(schema.to_json()).sha256 == schema.sha256
    assert len({PLAIN.sha256, schema.sha256, under("gain = 0 or year >= 2005").sha256}) == 3


def test_a_schema_without_rules_keeps_its_bytes_and_hash() -> None:
    """The hashes are those of the version before there were rules."""
    assert "rules" not in json.loads(PLAIN.to_json())
    assert under("gain = 0 or year >= 2005").with_rules([]).to_json() == PLAIN.to_json()
    assert PLAIN.sha256 == "2881ca588e4946268f9ad8730e1e72ce010f18d83dbc0eb14d74386f8380b45a"
    first = {"version": 1, "columns": [{"name": "sex", "kind": "categorical", "levels": ["F", "M"]}]}
    assert (
        Schema.from_json(json.dumps(first)).sha256 == "7e4f21ac1cbfafb4223b011c26044c4a1d5b78b47ef9d1ba9aed7a8f1a112594"
    )
    with pytest.raises(SchemaError, match="version 1 has no rules"):
        Schema.from_json(json.dumps(first)).with_rules([read_rule('sex = "F"')])
