"""Rules over codes against an oracle that asks one row at a time what values its levels may stand for."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support.planting import plant
from tabular.rules.people_schema import PLAIN

from pmwpub.errors import SchemaError
from pmwpub.records import Codes
from pmwpub.tabular.rules import rule_truths
from pmwpub.tabular.rules.rule_tree import (
    Comparison,
    EditRule,
    Expression,
    Implication,
    Junction,
    Membership,
    Negation,
)
from pmwpub.tabular.schema.column_types import NumericColumn
from pmwpub.tabular.schema.table_schema import Schema

HIDDEN = ("(missing)", "(other)")
ORDERS = {"school": ("low", "middle", "high"), "year": ("1999", "2005", "2012")}
VALUES = {
    "age": [20.0, 40.0, "[0, 20)", "[40, 90]", "(missing)"],
    "work": ["none", "part", "full", "(missing)", "(other)"],
    "school": ["low", "middle", "high"],
    "gain": [0.0, 500.0, 1000.0, "(0, 500)"],
    "year": ["2012", "1999", "2005"],
}
OPERATORS = ["<", "<=", ">", ">=", "=", "!="]


def _numbers(name: str, level: str) -> list[float] | None:
    """Numbers of a bin, its ends among them as far as they belong to it; None of what is no bin."""
    column = next(one for one in PLAIN.encoded if one.name == name)
    if not isinstance(column, NumericColumn) or level in HIDDEN:
        return None
    if level[0] not in "([":
        return [float(level)]
    low, high = map(float, level[1:-1].split(","))
    first = low if level[0] == "[" else math.nextafter(low, math.inf)
    last = high if level[-1] == "]" else math.nextafter(high, -math.inf)
    return [first, (low + high) / 2, last]


def _compared(found: object, op: str, value: object) -> bool:
    return {
        "<": lambda: found < value,  # type: ignore[operator]
        "<=": lambda: found <= value,  # type: ignore[operator]
        ">": lambda: found > value,  # type: ignore[operator]
        ">=": lambda: found >= value,  # type: ignore[operator]
        "=": lambda: found == value,
        "!=": lambda: found != value,
    }[op]()


def _one(level: str | None, name: str, op: str, value: float | str) -> bool | None:
    """What a comparison says of a level, None for unknown."""
    if level is None:
        return None
    numbers = _numbers(name, level)
    if isinstance(value, float) and numbers is not None:
        (answer,) = {_compared(number, op, value) for number in numbers}  # all agree, or it is no rule
        return answer
    if level in HIDDEN and (isinstance(value, float) or (value != level and value not in HIDDEN)):
        return None
    if op in ("=", "!="):
        return _compared(level, op, value)
    return _compared(ORDERS[name].index(level), op, ORDERS[name].index(value))  # type: ignore[arg-type]


def _among(level: str | None, name: str, values: tuple[float | str, ...]) -> bool | None:
    if level is None:
        return None
    named = {str(int(value)) if isinstance(value, float) else value for value in values}
    if level in named:
        return True
    return None if level in HIDDEN and named - set(HIDDEN) else False


def _holds(tree: Expression, levels: dict[str, str | None]) -> bool | None:
    """Kleene's logic, one row at a time."""
    if isinstance(tree, Comparison):
        return _one(levels[tree.column], tree.column, tree.op, tree.value)
    if isinstance(tree, Membership):
        return _among(levels[tree.column], tree.column, tree.values)
    parts = [_holds(part, levels) for part in tree.parts]
    if isinstance(tree, Negation):
        return None if parts[0] is None else not parts[0]
    if isinstance(tree, Implication):
        parts[0], joined = None if parts[0] is None else not parts[0], "or"
    else:
        assert isinstance(tree, Junction)
        joined = tree.op
    decisive = joined == "or"
    return decisive if decisive in parts else None if None in parts else not decisive


@st.composite
def _comparisons(draw: st.DrawFn) -> Expression:
    name = draw(st.sampled_from(sorted(VALUES)))
    if draw(st.booleans()):
        spikes = [value for value in VALUES[name] if value not in (20.0, 40.0, 500.0)]
        values = draw(st.lists(st.sampled_from(spikes), min_size=1, max_size=3))
        return Membership(op="in", column=name, values=tuple(values))
    return Comparison(op=draw(st.sampled_from(OPERATORS)), column=name, value=draw(st.sampled_from(VALUES[name])))  # type: ignore[arg-type]


def _larger(parts: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    several = st.lists(parts, min_size=2, max_size=3).map(tuple)
    return (
        st.builds(Negation, op=st.just("not"), rule=parts)
        | st.builds(Junction, op=st.sampled_from(["and", "or"]), rules=several)
        | st.builds(Implication, op=st.just("implies"), when=parts, then=parts)
    )


TREES = st.recursive(_comparisons(), _larger, max_leaves=5)
EVERY = np.array(list(itertools.product(*(range(size + 1) for size in PLAIN.domain.shape))), dtype=np.uint8)
"""Every row there can be, cells without a level among them."""


def _levels(codes: Codes) -> dict[str, str | None]:
    return {
        one.name: None if code == one.size else one.levels[code]
        for one, code in zip(PLAIN.domain.attributes, codes.tolist(), strict=True)
    }


def _schema(tree: Expression) -> Schema:
    try:
        return PLAIN.with_rules([EditRule(holds=tree)])
    except SchemaError:  # what is no rule has a table of its own
        assume(False)
        raise


@settings(max_examples=60, deadline=None)
@given(TREES, st.integers(0, 2**32 - 1))
def test_the_rows_that_break_a_rule_are_those_of_the_oracle(tree: Expression, seed: int) -> None:
    rules = _schema(tree).row_rules
    assert rules is not None
    rows = EVERY[np.random.default_rng(seed).choice(len(EVERY), 300, replace=False)]
    assert rules.broken(rows).tolist() == [_holds(tree, _levels(row)) is False for row in rows]


def test_a_schema_breaks_where_any_of_its_rules_does() -> None:
    trees = [Comparison(op="!=", column="work", value="full"), Comparison(op="<", column="age", value=40.0)]
    rules = PLAIN.with_rules([EditRule(holds=tree) for tree in trees]).row_rules
    assert rules is not None
    either = [any(_holds(tree, _levels(row)) is False for tree in trees) for row in EVERY[::7]]
    assert rules.broken(EVERY[::7]).tolist() == either
    assert rules.positions == (0, 1)


@pytest.mark.fault("a level that hides a value taken for another one")
def test_a_level_that_hides_a_value_is_not_taken_for_another(monkeypatch: pytest.MonkeyPatch) -> None:
    tree = Comparison(op="=", column="work", value="none")
    plant(monkeypatch, rule_truths, "_among", "FALSE if min(named) >= values else UNKNOWN", "FALSE")
    rules = PLAIN.with_rules([EditRule(holds=tree)]).row_rules
    assert rules is not None
    assert rules.broken(EVERY).tolist() != [_holds(tree, _levels(row)) is False for row in EVERY]
