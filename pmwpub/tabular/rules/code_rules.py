"""Rules over codes: which rows break one, in array arithmetic, and what a schema refuses as no rule.

A row breaks a rule where the rule is definitely false of it (`rule_truths`): with a cell of which nothing is known it
breaks it only if no value of that cell could keep it. Only public and released rows are ever held against rules.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pmwpub.errors import SchemaError
from pmwpub.records import Bools, Codes
from pmwpub.tabular.rules.rule_tree import Comparison, EditRule, Expression, Implication, Membership, Negation
from pmwpub.tabular.rules.rule_truths import FALSE, TRUE, truths
from pmwpub.tabular.schema.column_types import EncodedColumn

MAX_CASES = 1 << 16
"""Combinations of levels, alike ones counted once, over which it is seen whether a rule says anything."""

Truths = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class TruthOfLevels:
    """A comparison: of the attribute at a position, one byte a code, "no level" last."""

    position: int
    truth: bytes


@dataclass(frozen=True)
class OppositeTruth:
    """What a part is not."""

    part: CodeRule


@dataclass(frozen=True)
class JoinedTruth:
    """The least truth of some parts (all of them hold), or the greatest (any does)."""

    greatest: bool
    parts: tuple[CodeRule, ...]


CodeRule = TruthOfLevels | OppositeTruth | JoinedTruth


def compiled(rule: EditRule, columns: Sequence[EncodedColumn]) -> CodeRule:
    """A rule over the codes of a schema's attributes, in their order.

    Raises SchemaError for a column that is no attribute, a comparison that is not exact on levels, and a rule that
    every row, or no row, of its columns' levels keeps.
    """
    places = {column.name: (place, column) for place, column in enumerate(columns)}
    try:
        found = _of_node(rule.holds, places)
        _refuse_idle(found, {place: column.no_level for place, column in places.values()})
    except SchemaError as refusal:
        raise SchemaError(f"The rule “{rule.text}” is refused: {refusal}.") from refusal
    return found


def _of_node(node: Expression, places: Mapping[str, tuple[int, EncodedColumn]]) -> CodeRule:
    if isinstance(node, (Comparison, Membership)):
        if node.column not in places:
            raise SchemaError(_lacking(node.column, [column for _, column in places.values()]))
        place, column = places[node.column]
        return TruthOfLevels(place, truths(column, node))
    parts = tuple(_of_node(part, places) for part in node.parts)
    if isinstance(node, Negation):
        return OppositeTruth(parts[0])
    if isinstance(node, Implication):
        return JoinedTruth(True, (OppositeTruth(parts[0]), parts[1]))
    return JoinedTruth(node.op == "or", parts)


def _lacking(name: str, columns: Iterable[EncodedColumn]) -> str:
    """Why a rule may not name what is none of the columns, and of a parent what it may name in its place."""
    child = next((one.name for one in columns if any(rule.name == name for rule in one.parents)), None)
    if child is None:
        return f"the schema has no attribute {name!r}"
    return f"{name!r} follows from {child!r}, and rules are of columns that are read; name {child!r} in its place"


def _leaves(rule: CodeRule) -> Iterator[TruthOfLevels]:
    if isinstance(rule, TruthOfLevels):
        yield rule
    else:
        for part in (rule.part,) if isinstance(rule, OppositeTruth) else rule.parts:
            yield from _leaves(part)


def positions_of(rule: CodeRule) -> tuple[int, ...]:
    """The attributes that a rule is about, ascending."""
    return tuple(sorted({leaf.position for leaf in _leaves(rule)}))


def _refuse_idle(rule: CodeRule, levels: Mapping[int, int]) -> None:
    """SchemaError unless some rows of the rule's own columns break it, and some keep it.

    Levels that all its comparisons take for alike are tried once.

    levels  position -> how many levels the attribute has
    """
    own = positions_of(rule)
    told = {place: [leaf.truth for leaf in _leaves(rule) if leaf.position == place] for place in own}
    kinds = [
        list({tuple(truth[code] for truth in told[place]): code for code in range(levels[place])}.values())
        for place in own
    ]
    if math.prod(map(len, kinds)) > MAX_CASES:
        raise SchemaError("it has too many cases to see whether it says anything; say it in several rules")
    cases = np.array(list(itertools.product(*kinds)), dtype=np.int64)
    codes = np.zeros((len(cases), max(own) + 1), dtype=np.int64)
    codes[:, list(own)] = cases
    truth = _truth(rule, codes)
    if not np.any(truth == FALSE):
        raise SchemaError("every row of its columns' levels keeps it, so it says nothing")
    if not np.any(truth == TRUE):
        raise SchemaError("no row of its columns' levels keeps it, so no row could be released")


def _truth(rule: CodeRule, codes: Any) -> Truths:
    """uint8 (rows,), of codes (rows, d)."""
    if isinstance(rule, TruthOfLevels):
        return np.frombuffer(rule.truth, dtype=np.uint8)[codes[:, rule.position]]
    if isinstance(rule, OppositeTruth):
        return np.asarray(TRUE - _truth(rule.part, codes), dtype=np.uint8)
    found = _truth(rule.parts[0], codes)
    join = np.maximum if rule.greatest else np.minimum
    for part in rule.parts[1:]:
        found = join(found, _truth(part, codes))
    return found


@dataclass(frozen=True)
class RowRules:
    """The rules of a schema over codes: the structural zeros of its domain."""

    rules: tuple[CodeRule, ...]

    @classmethod
    def of(cls, rules: Iterable[EditRule], columns: Sequence[EncodedColumn]) -> RowRules | None:
        """None where there is no rule; SchemaError as `compiled`."""
        found = tuple(compiled(rule, columns) for rule in rules)
        return cls(found) if found else None

    @property
    def positions(self) -> tuple[int, ...]:
        """The attributes that any rule is about."""
        return tuple(sorted({place for rule in self.rules for place in positions_of(rule)}))

    def broken_by_rule(self, codes: Codes) -> Iterator[Bools]:
        """For each rule bool (rows,): which of the rows (rows, d) break it."""
        return (_truth(rule, codes) == FALSE for rule in self.rules)

    def broken(self, codes: Codes) -> Bools:
        """bool (rows,): which rows break a rule or more."""
        found = np.zeros(len(codes), dtype=np.bool_)
        for one in self.broken_by_rule(codes):
            found |= one
        return found
