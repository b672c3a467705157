"""Small households, and their counts by loops over labels of their own."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Sequence
from functools import cache

import numpy as np
from hypothesis import strategies as st

from pmwpub.mechanisms.households.household_counts import HouseholdTables
from pmwpub.mechanisms.households.household_schedule import HouseholdSchedule, household_schedule, household_tables
from pmwpub.mechanisms.table_fit.fit_constants import DEFAULTS
from pmwpub.privacy.budget import ZCDP
from pmwpub.queries.workload import Workload
from pmwpub.tabular.households.grouped_persons import Households, grouped
from pmwpub.tabular.households.household_schema import HouseholdSchema

Person = tuple[int, int, int]
"""Codes of tenure (2 levels), age (3) and sex (2); the number of levels is no level."""
Home = tuple[Person, ...]

LEVELS = (("own", "rent"), ("child", "adult", "old"), ("f", "m"))
NAMES = ("tenure", "age", "sex")


@cache
def schema(largest: int) -> HouseholdSchema:
    columns = [
        {"name": name, "kind": "categorical", "levels": levels} for name, levels in zip(NAMES, LEVELS, strict=True)
    ]
    rule = {
        "id": "home",
        "largest": largest,
        "columns": ["tenure"],
        "any": [{"name": "has a child", "column": "age", "levels": ["child"]}],
    }
    return HouseholdSchema.from_json(
        json.dumps({"version": 2, "missing_tokens": [""], "household": rule, "columns": columns})
    )


def households(homes: Sequence[Home], largest: int) -> Households:
    owners = np.repeat(np.arange(len(homes)), [len(home) for home in homes])
    codes = np.array([person for home in homes for person in home], dtype=np.uint8)
    return grouped(schema(largest), codes, owners)


@cache
def tables(largest: int) -> HouseholdTables:
    own = schema(largest)
    return household_tables(Workload.all_kway(own.persons.domain, 2), Workload.all_kway(own.own_domain, 2))


def planned(public: Sequence[Home], largest: int, n: int, rho: ZCDP) -> HouseholdSchedule:
    return household_schedule(
        tables(largest),
        households(public, largest),
        rho,
        n=n,
        constants=DEFAULTS,
        own_constants=DEFAULTS,
    )


def vectors(home: Home, largest: int) -> tuple[list[list[int]], list[list[int]]]:
    """By hand: of each person-level table the persons of a household in each cell, of each household-level one whether
    it is there. A person, or a household, without a level of a column is in no cell of its tables."""
    own = [len(home) - 1, home[0][0] if len({p[0] for p in home}) == 1 else 2, int(any(p[1] == 0 for p in home))]
    persons = [_cells(list(home), [2, 3, 2], some) for some in _sets(3)]
    return persons, [_cells([own], [largest, 2, 2], some) for some in _sets(3)]


def _sets(number: int) -> list[tuple[int, ...]]:
    return [*((i,) for i in range(number)), *itertools.combinations(range(number), 2)]


def _cells(rows: Sequence[Sequence[int]], sizes: list[int], some: tuple[int, ...]) -> list[int]:
    found = Counter(tuple(row[i] for i in some) for row in rows)
    return [found[cell] for cell in itertools.product(*(range(sizes[i]) for i in some))]


def persons(*, no_level: bool = True) -> st.SearchStrategy[Person]:
    return st.tuples(*(st.integers(0, len(levels) - 1 + no_level) for levels in LEVELS))


def homes(largest: int, *, no_level: bool = True) -> st.SearchStrategy[Home]:
    return st.lists(persons(no_level=no_level), min_size=1, max_size=largest).map(tuple)
