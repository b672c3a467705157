"""From a table of persons to households: of a private table by a rule that no other household enters, of a public one
whole households alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pmwpub.errors import FileRefused, SchemaError
from pmwpub.records import Bools, Codes, Ints
from pmwpub.tabular.coding.encode import Encoder
from pmwpub.tabular.coding.kept_rows import KeptRows
from pmwpub.tabular.files.reading import TextTable
from pmwpub.tabular.files.row_numbers import words_of
from pmwpub.tabular.files.text.inert_cells import place_in, stands_in
from pmwpub.tabular.households.grouped_persons import Households, grouped
from pmwpub.tabular.households.household_schema import HouseholdSchema


@dataclass(frozen=True, eq=False, repr=False)
class PublicHouseholds:
    """The whole households of a public table, and what was left out; all public.

    incomplete  households with a person or a column of their own without a level
    oversized   households of more persons than H
    nobody      rows without a household id
    """

    households: Households
    incomplete: int
    oversized: int
    nobody: int

    @property
    def facts(self) -> dict[str, int]:
        """The numbers of what is used and what is left out, by the names that a certificate has for them."""
        return {
            "households": len(self.households),
            "persons": len(self.households.persons),
            "incomplete": self.incomplete,
            "oversized": self.oversized,
            "rows_without_id": self.nobody,
        }


def private_households(table: TextTable, schema: HouseholdSchema) -> Households:
    """The households of a private table.

    A household is all rows of one id. Of one with more than H rows, those of the H smallest keyed hashes of (id, the
    row's cells, its occurrence among the household's equal rows) are its persons, and the others satisfy no predicate
    (`coding.kept_rows`). Rows without an id (blank, or a missing token) are no household's and count nowhere.

    Raises SchemaError for a file that lacks a column, FileRefused for one without a household.

    Privacy: neighbours have all rows of one id replaced by those, fewer or more, of an id that no row has. What a
    household's persons and own levels are is a function of its own rows and the schema alone, so all other households
    are the same on both; and one household is replaced by one. The order of the file does not enter: numbers of
    households are by the order of their ids, and nothing but sums over households is taken of them.
    """
    codes, owners = coded_persons(table, schema, written=None)
    if not (owners >= 0).any():
        raise FileRefused("No row has a household id; check the column of ids.")
    kept = (owners >= 0) & _kept(table, schema, codes, owners)
    return grouped(schema, codes[kept], owners[kept])


def public_households(table: TextTable, schema: HouseholdSchema) -> PublicHouseholds:
    """The whole households of a public table: none of more than H persons, none with a cell without a level.

    Raises SchemaError for a file that lacks a column, FileRefused where no household is left.
    """
    codes, owners = coded_persons(table, schema, written=True)
    nobody = int((owners < 0).sum())
    codes, owners = codes[owners >= 0], owners[owners >= 0]
    if not len(owners):
        raise FileRefused("No row has a household id; check the column of ids.")
    sizes = np.bincount(owners)
    whole = np.bincount(owners, ~np.all(codes < np.asarray(schema.persons.domain.shape), axis=1)) == 0
    small = sizes <= schema.largest
    if not (small & whole).any():
        raise FileRefused("No household of the file is complete under the schema and small enough.")
    good = _numbered(codes, owners, small & whole, schema)
    agreeing = np.all(good.own.codes < np.asarray(schema.own_domain.shape), axis=1)
    if not agreeing.any():
        raise FileRefused("In each household of the file, persons differ in a column that is the household's.")
    incomplete = int((small & ~whole).sum() + (~agreeing).sum())
    return PublicHouseholds(good.chosen(np.flatnonzero(agreeing)), incomplete, int((~small).sum()), nobody)


def _numbered(codes: Codes, owners: Ints, taken: Bools, schema: HouseholdSchema) -> Households:
    """The households that are taken, numbered anew."""
    anew = np.cumsum(taken) - 1
    rows = taken[owners]
    return grouped(schema, codes[rows], anew[owners[rows]])


def coded_persons(table: TextTable, schema: HouseholdSchema, *, written: bool | None) -> tuple[Codes, Ints]:
    """(rows, d) codes, and int64 (rows,) the household of each row by the order of ids; -1 for nobody's."""
    check_household_header(table, schema)
    codes = Encoder(table.header, schema.persons, written=written).codes(table.cells).T
    coded = table.cells.coded(place_in(table.header, schema.rule.id))
    tokens = {"", *schema.persons.missing_tokens}
    ids = sorted(text for text in coded.counts() if text.strip() and text not in tokens)
    number = {text: place for place, text in enumerate(ids)}
    owner = np.array([number.get(text, -1) for text in coded.distinct], dtype=np.int64)
    return codes, owner[coded.places]


def check_household_header(table: TextTable, schema: HouseholdSchema) -> None:
    """Raise SchemaError unless the file has the persons' columns and the one of household ids."""
    schema.persons.check_header(table.header, with_id=False)
    if not stands_in(table.header, schema.rule.id):
        raise SchemaError(f"The file lacks the column of household ids, {schema.rule.id!r}.")


def _kept(table: TextTable, schema: HouseholdSchema, codes: Codes, owners: Ints) -> Bools:
    """bool (rows,): which rows stay, where a household has more than H."""
    coded = table.cells.coded(place_in(table.header, schema.rule.id))
    sizes = np.bincount(owners[owners >= 0])
    of_text = np.zeros(len(coded.distinct), dtype=np.int64)
    of_text[coded.places] = owners
    over = [
        text for text, owner in zip(coded.distinct, of_text.tolist(), strict=True) if _is_over(owner, sizes, schema)
    ]
    if not over:
        return np.ones(len(owners), dtype=bool)
    ids = frozenset(word.tobytes() for word in words_of([schema.id_column.tidy(text) for text in over], 2))
    limit = KeptRows.of(table.stream, schema.id_column, ids, schema.largest)
    marks = np.zeros((1, len(owners)), dtype=np.uint8)
    (marked,) = limit.limited(iter([(table.cells, marks)]), (1,))
    return np.asarray(marked[0] == 0)


def _is_over(owner: int, sizes: Ints, schema: HouseholdSchema) -> bool:
    return owner >= 0 and int(sizes[owner]) > schema.largest
