"""What public tables say of whose rows make a household: its column of ids, its own columns, how many persons it has.

All of it is proposed, to be put right by a person; private rows never enter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pmwpub.errors import SchemaError
from pmwpub.records import Bools, Codes, Ints
from pmwpub.tabular.files.reading import TextTable
from pmwpub.tabular.files.text.inert_cells import inert, place_in
from pmwpub.tabular.households.household_schema import MOST_PERSONS, AnyPerson, HouseholdRule, HouseholdSchema
from pmwpub.tabular.households.reading_households import coded_persons
from pmwpub.tabular.schema.column_types import IgnoredColumn
from pmwpub.tabular.schema.table_schema import Schema


@dataclass(frozen=True)
class ProposedHouseholds:
    """What the households of public tables are, under one column of ids.

    sizes      persons -> how many public households have so many
    several    how many have two persons or more
    differing  each encoded column -> in how many of these the persons differ
    columns    those that vary from household to household, and in none of these within it: proposed as the household's
    """

    sizes: Mapping[int, int]
    several: int
    differing: Mapping[str, int]
    columns: tuple[str, ...]

    def beyond(self, largest: int) -> int:
        """How many public households have more persons than that."""
        return sum(count for size, count in self.sizes.items() if size > largest)


def suggested_ids(tables: Sequence[TextTable]) -> tuple[str, ...]:
    """The columns of all tables that may name households, the likeliest first.

    Each text of such a column stands in one run of rows, some stand in several rows, and a run has 1 to MOST_PERSONS
    rows on average. The more different texts, the likelier.
    """
    if not tables:
        return ()
    shared = [name for name in tables[0].header if all(name in table.header for table in tables)]
    found = {name: sum(_households(table, name) for table in tables) for name in shared}
    named = [name for name, count in found.items() if count and all(_households(table, name) for table in tables)]
    return tuple(sorted(named, key=lambda name: -found[name]))


def _households(table: TextTable, name: str) -> int:
    """How many households the column names, if it may; else 0."""
    places = np.asarray(table.cells.coded(place_in(table.header, name)).places)
    different = len(np.unique(places))
    runs = 1 + int((places[1:] != places[:-1]).sum()) if len(places) else 0
    may = runs == different and 1 < different < len(places) <= different * MOST_PERSONS
    return different if may else 0


def without_ids(schema: Schema, name: str) -> Schema:
    """The schema with the column of household ids left out of what is encoded; SchemaError where no other is."""
    own = next((one for one in schema.columns if inert(one.name) == inert(name)), None)
    if own is None or isinstance(own, IgnoredColumn):
        return schema
    return schema.with_column(IgnoredColumn(name=own.name, kind="ignore"))


def proposed_households(tables: Sequence[TextTable], persons: Schema, name: str) -> ProposedHouseholds:
    """What public tables say of households by a column of ids, under the persons' schema.

    Raises SchemaError where a table lacks a column, or no row of any has an id.
    """
    schema = HouseholdSchema(persons, HouseholdRule(id=name, largest=MOST_PERSONS))
    names, sizes, several = persons.domain.names, Counter[int](), 0
    differing, varies = np.zeros(len(names), dtype=np.int64), np.zeros(len(names), dtype=bool)
    for table in tables:
        codes, owners = coded_persons(table, schema, written=True)
        codes, owners = codes[owners >= 0], owners[owners >= 0]
        if not len(owners):
            continue
        least, most, counted = _ranges(codes, owners)
        sizes.update(counted.tolist())
        several += int((counted > 1).sum())
        differing += (least != most).sum(axis=0)
        varies |= _varies(codes)
    if not sizes:
        raise SchemaError(f"No row of the public tables has a household id in {name!r}; check the column of ids.")
    counts = dict(zip(names, differing.tolist(), strict=True))
    own = tuple(one for one, moves in zip(names, varies.tolist(), strict=True) if moves and several and not counts[one])
    return ProposedHouseholds(dict(sorted(sizes.items())), several, counts, own)


def _varies(codes: Codes) -> Bools:
    """bool (d,): which columns have two different codes."""
    return np.asarray(codes.min(axis=0) != codes.max(axis=0))


def _ranges(codes: Codes, owners: Ints) -> tuple[Codes, Codes, Ints]:
    """Of each household: the least and the greatest code of each column, (N, d), and how many persons it has."""
    order, counted = np.argsort(owners, kind="stable"), np.bincount(owners)
    begins, sorted_codes = np.concatenate([[0], np.cumsum(counted)[:-1]]), codes[order]
    least, most = np.minimum.reduceat(sorted_codes, begins), np.maximum.reduceat(sorted_codes, begins)
    return least, most, counted


def any_persons(schema: Schema, texts: Sequence[str]) -> tuple[AnyPerson, ...]:
    """Household-level columns as a command writes them, NAME=COLUMN:LEVEL; one name again adds a level.

    Raises SchemaError for a text of another form, a column that is not encoded, or a name with two columns.
    """
    found: dict[str, tuple[str, list[str]]] = {}
    for text in texts:
        name, mark, rest = text.partition("=")
        columns = [one for one in schema.domain.names if rest.startswith(f"{one}:")]
        if not (name.strip() and mark and columns):
            raise SchemaError(
                f"Write a column of households as NAME=COLUMN:LEVEL with a column that the schema encodes, such as "
                f"'has a child=age:child'; {text[:60]!r} came."
            )
        column = max(columns, key=len)
        known = found.setdefault(name.strip(), (column, []))
        if known[0] != column:
            raise SchemaError(f"{name.strip()!r} is made of one column's levels; {known[0]!r} and {column!r} came.")
        known[1].append(rest[len(column) + 1 :])
    return tuple(AnyPerson(name=name, column=one, levels=tuple(levels)) for name, (one, levels) in found.items())
