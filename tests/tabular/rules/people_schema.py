"""A schema of every kind of column, small enough that its rules are worked out by hand."""

from __future__ import annotations

import json

import numpy as np

from pmwpub.records import Codes, code_type
from pmwpub.tabular.rules.rule_parsing import read_rule
from pmwpub.tabular.schema.table_schema import Schema

BODY = {
    "version": 2,
    "missing_tokens": ["", "NA"],
    "columns": [
        {"name": "age", "kind": "numeric", "edges": [0, 20, 40, 90], "outside": "clip", "same": [], "missing": True},
        {
            "name": "work",
            "kind": "categorical",
            "levels": ["none", "part", "full"],
            "same": ["trim", "casefold"],
            "missing": True,
            "other": True,
        },
        {"name": "school", "kind": "ordered", "levels": ["low", "middle", "high"], "same": []},
        {"name": "gain", "kind": "numeric", "edges": [0, 0, 500, 1000, 1000], "outside": "none", "same": []},
        {"name": "year", "kind": "date", "part": "year", "levels": ["2012", "1999", "2005"], "same": []},
    ],
}
PLAIN = Schema.from_json(json.dumps(BODY))


def under(*texts: str) -> Schema:
    """The schema with the rules of some texts."""
    return PLAIN.with_rules([read_rule(text) for text in texts])


def row(**levels: str) -> Codes:
    """One row of codes: the named levels, and no level elsewhere."""
    places = {one.name: (place, one.levels.index) for place, one in enumerate(PLAIN.domain.attributes)}
    codes = np.array([PLAIN.domain.shape], dtype=code_type(PLAIN.domain))
    for name, level in levels.items():
        place, code = places[name]
        codes[0, place] = code(level)
    return codes


def breaks(text: str, **levels: str) -> bool:
    """Whether a row breaks the rule of a text."""
    rules = under(text).row_rules
    assert rules is not None
    return bool(rules.broken(row(**levels))[0])
