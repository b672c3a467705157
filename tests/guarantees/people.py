"""Two private tables that differ in one person's rows, a schema that maps some of their cells, and candidates."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from itertools import cycle, islice

import numpy as np

JOBS = ("cook", "clerk", "smith")

SCHEMA = json.dumps(
    {
        "version": 1,
        "missing_tokens": ["", "NA"],
        "columns": [
            {"name": "sex", "kind": "categorical", "levels": ["F", "M"]},
            {"name": "age", "kind": "numeric", "edges": [0, 20, 40, 60, 80], "outside": "none"},
            {"name": "job", "kind": "categorical", "levels": list(JOBS), "missing": True, "other": True},
            {"name": "person", "kind": "id"},
        ],
    }
)

KEEPING = SCHEMA.replace('"kind": "id"', '"kind": "id", "beyond": "keep"')
"""The same, where k rows stay of an ID with more."""

STRANGE = ("X,-5,pirate", "F,not a number,=1+1", "M,1e999,<b>admiral</b>")
"""Rows of one person in which the schema knows hardly a cell: without a level, outside, or `other`."""


def rows(count: int, seed: int, *, women: float = 0.5) -> list[str]:
    """Rows of sex, age and job that the schema knows."""
    draw = np.random.default_rng(seed)
    return [f"{'FM'[draw.random() > women]},{draw.integers(80)},{JOBS[draw.integers(3)]}" for _ in range(count)]


def public(count: int, seed: int, *, women: float = 0.5) -> bytes:
    """A candidate file."""
    return ("\n".join(["sex,age,job", *rows(count, seed, women=women)]) + "\n").encode()


@dataclass(frozen=True)
class Neighbours:
    """Two private files of n rows that differ in the k rows of one person, or under KEEPING in all rows of one ID.

    Privacy: what the tests of this folder compare must not tell them apart.
    """

    k: int
    ours: bytes = field(repr=False)
    theirs: bytes = field(repr=False)
    schema: str = SCHEMA

    @property
    def n(self) -> int:
        return self.ours.count(b"\n") - 1


def neighbours(k: int, *, n: int = 60, seed: int = 0) -> Neighbours:
    """Person p0 owns k rows, spread over the file; everybody else owns one."""
    ordinary = rows(n, seed)
    owned = [(place * (n - 1)) // max(1, k - 1) if k > 1 else n // 2 for place in range(k)]
    people = [f"p{place + 1}" for place in range(n)]
    changed = list(ordinary)
    for number, place in enumerate(owned):
        people[place] = "p0"
        changed[place] = STRANGE[number % len(STRANGE)]
    return Neighbours(k, _file(ordinary, people), _file(changed, people))


def neighbours_by_id(k: int, *, n: int = 60, seed: int = 0) -> Neighbours:
    """Under KEEPING: all 2k + 3 rows of p0 are replaced by as many of another; q has k + 2, three rows no ID."""
    ordinary, owned = rows(n, seed), 2 * k + 3
    people = ["p0"] * owned + ["q"] * (k + 2) + ["", "NA", ""] + [f"p{place}" for place in range(n)]
    changed = [*islice(cycle(STRANGE), owned - 1), ordinary[0], *ordinary[owned:]]
    others = ["another" if person == "p0" else person for person in people]
    return Neighbours(k, _file(ordinary, people[:n]), _file(changed, others[:n]), KEEPING)


def _file(lines: list[str], people: list[str]) -> bytes:
    body = [f"{line},{person}" for line, person in zip(lines, people, strict=True)]
    return ("\n".join(["sex,age,job,person", *body]) + "\n").encode()
