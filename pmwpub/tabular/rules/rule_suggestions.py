"""Suggested rules: levels of two columns that stand together in no public row, although many rows might have had them.

A suggestion is evidence, not a fact: a person confirms it, or does not. It comes from public rows alone.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from pmwpub.records import Floats, Ints, Support
from pmwpub.tabular.rules.rule_tree import Comparison, EditRule, Implication
from pmwpub.tabular.schema.table_schema import Schema

LEAST_EXPECTED = 20.0
"""Rows that would have both levels, were the columns independent in each table: by chance alone none has them with a
probability of about e^-20, two in a thousand million, so that a million pairs of levels bring up no false one."""

MOST = 50
"""Suggestions at once, the strongest."""

_MOST_CELLS = 1 << 22
"""Pairs of levels of two columns that are looked through; columns with more are left out."""


@dataclass(frozen=True)
class SuggestedRule:
    """Two levels that are never together.

    expected  public rows that would have both, were the two columns independent in each table
    """

    rule: EditRule
    expected: float


def suggested(
    supports: Sequence[Support], schema: Schema, *, least: float = LEAST_EXPECTED, most: int = MOST
) -> tuple[SuggestedRule, ...]:
    """Pairs of declared levels that no public row has, of which at least so many rows were expected; strongest first.

    supports  of the public tables under the schema, whose rows break none of its rules; pairs that a rule excludes
              already are left out
    """
    found: list[tuple[float, int, int, int, int]] = []
    for first, second in itertools.combinations(range(len(schema.encoded)), 2) if supports else ():
        apart = [one for one in _apart(supports, schema, (first, second), least) if not _excluded(schema, one)]
        found = sorted([*found, *apart], key=lambda one: (-one[0], one[1:]))[:most]
    return tuple(SuggestedRule(_as_rule(schema, one), one[0]) for one in found)


def _apart(
    supports: Sequence[Support], schema: Schema, pair: tuple[int, int], least: float
) -> Iterator[tuple[float, int, int, int, int]]:
    """(expected rows, the two columns, the two levels) of each pair of levels that is never together."""
    sizes = [len(schema.encoded[place].own_levels) for place in pair]
    ones = [[_counts(support, place, size) for place, size in zip(pair, sizes, strict=True)] for support in supports]
    often = [sum(own[side] for own in ones) for side in (0, 1)]
    kept = [np.flatnonzero(count >= least) for count in often]  # no pair is expected more often than either level
    if not all(map(len, kept)) or len(kept[0]) * len(kept[1]) > _MOST_CELLS:
        return
    expected: Floats = np.zeros((len(kept[0]), len(kept[1])))
    for support, (first, second) in zip(supports, ones, strict=True):
        expected += np.outer(first[kept[0]], second[kept[1]]) / support.rows
    expected[_together(supports, pair, kept)] = 0.0
    for at in np.argwhere(expected >= least).tolist():
        yield float(expected[at[0], at[1]]), *pair, int(kept[0][at[0]]), int(kept[1][at[1]])


def _counts(support: Support, place: int, levels: int) -> Floats:
    """float64 (levels,): the public rows of each declared level."""
    return np.bincount(support.columns[place], support.multiplicity, minlength=levels)[:levels].astype(np.float64)


def _together(supports: Sequence[Support], pair: tuple[int, int], kept: Sequence[Ints]) -> tuple[Ints, Ints]:
    """Which of the kept levels stand together in a public row."""
    present = np.zeros((len(kept[0]), len(kept[1])), dtype=np.bool_)
    for support in supports:
        places, inside = [], np.ones(len(support), dtype=np.bool_)
        for place, levels in zip(pair, kept, strict=True):
            at = np.searchsorted(levels, support.columns[place])
            places.append(np.minimum(at, len(levels) - 1))
            inside &= levels[places[-1]] == support.columns[place]
        present[places[0][inside], places[1][inside]] = True
    first, second = np.nonzero(present)
    return first, second


def _excluded(schema: Schema, found: tuple[float, int, int, int, int]) -> bool:
    """Whether the rules exclude the two levels already, whatever stands in other columns."""
    if schema.row_rules is None:
        return False
    row = np.array([schema.domain.shape], dtype=np.int64)  # a level nowhere, but in the two columns
    row[0, found[1]], row[0, found[2]] = found[3], found[4]
    return bool(schema.row_rules.broken(row)[0])  # type: ignore[arg-type]


def _as_rule(schema: Schema, found: tuple[float, int, int, int, int]) -> EditRule:
    _, first, second, low, high = found
    one, other = schema.encoded[first], schema.encoded[second]
    when = Comparison(op="=", column=one.name, value=one.attribute.levels[low])
    then = Comparison(op="!=", column=other.name, value=other.attribute.levels[high])
    return EditRule(holds=Implication(op="implies", when=when, then=then))
