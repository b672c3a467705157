"""Households as coded persons and household-level codes: one household behind the other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pmwpub.errors import DomainError
from pmwpub.records import Codes, Dataset, Ints, code_type
from pmwpub.tabular.households.household_schema import HouseholdSchema


@dataclass(frozen=True, eq=False, repr=False)
class Households:
    """N households and their persons.

    persons  coded rows, those of one household side by side
    starts   int64 (N + 1,): household h owns the rows starts[h] .. starts[h + 1] - 1, 1 to `largest` of them
    own      the household-level codes, one row a household
    largest  H, the most persons of one household

    Raises DomainError where these do not belong together. The repr shows nothing.

    Privacy: of a private table, all of it is private, the number of persons too; the number of households is public.
    """

    persons: Dataset
    starts: Ints
    own: Dataset
    largest: int

    def __post_init__(self) -> None:
        starts = np.array(self.starts, dtype=np.int64)
        starts.flags.writeable = False
        object.__setattr__(self, "starts", starts)
        sizes = np.diff(starts)
        if len(starts) < 2 or starts[0] != 0 or starts[-1] != len(self.persons) or len(self.own) != len(sizes):
            raise DomainError("Households need one row of their own each, and all persons once.")
        if sizes.min() < 1 or sizes.max() > self.largest:
            raise DomainError("A household has between one person and the most that one may have.")

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __repr__(self) -> str:
        return "Households(hidden)"

    @property
    def owners(self) -> Ints:
        """int64 (persons,): the household of each person."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    def chosen(self, places: Ints) -> Households:
        """Some of the households, in that order; one may stand several times."""
        sizes = np.diff(self.starts)[places]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        rows = np.repeat(self.starts[places] - starts[:-1], sizes) + np.arange(starts[-1])
        persons = Dataset(self.persons.domain, self.persons.codes[rows])
        return Households(persons, starts, Dataset(self.own.domain, self.own.codes[places]), self.largest)


def grouped(schema: HouseholdSchema, codes: Codes, owners: Ints) -> Households:
    """Households of coded persons, each of whom counts.

    codes   (rows, d) of the persons' domain
    owners  int64 (rows,): a number for each household; from 0 on, none left out, each with at most H rows

    The household's own levels are functions of its own persons alone, whatever their order: its size; the level of a
    column of the household where all its persons agree, and none where they differ; and whether any person has one of
    some levels.
    """
    order = np.argsort(owners, kind="stable")
    persons = codes[order]
    starts = np.concatenate([[0], np.cumsum(np.bincount(owners))]).astype(np.int64)
    own = _own_codes(schema, persons, starts)
    return Households(Dataset(schema.persons.domain, persons), starts, Dataset(schema.own_domain, own), schema.largest)


def _own_codes(schema: HouseholdSchema, persons: Codes, starts: Ints) -> Codes:
    """(N, e)."""
    shape, begins = schema.persons.domain.shape, starts[:-1]
    found = [np.diff(starts) - 1]
    for position in schema.positions:
        column = persons[:, position].astype(np.int64)
        least, most = np.minimum.reduceat(column, begins), np.maximum.reduceat(column, begins)
        found.append(np.where(least == most, least, shape[position]))
    for position, counted in schema.any_codes:
        has = np.isin(persons[:, position], sorted(counted)).astype(np.int64)
        found.append(np.maximum.reduceat(has, begins))
    return np.stack(found, axis=1).astype(code_type(schema.own_domain))


def merged(households: Households) -> tuple[Households, Ints]:
    """The different households, and how often each stands: int64.

    Two are equal that have the same persons, in any order, and the same levels of their own. They come in the order of
    their codes, which says nothing of a file.
    """
    texts: dict[bytes, list[int]] = {}
    for place, (begin, end) in enumerate(zip(households.starts[:-1], households.starts[1:], strict=True)):
        rows = households.persons.codes[begin:end]
        rows = rows[np.lexsort(rows.T[::-1])].astype(">u4")
        texts.setdefault(households.own.codes[place].astype(">u4").tobytes() + rows.tobytes(), []).append(place)
    ordered = [texts[text] for text in sorted(texts)]
    first = households.chosen(np.array([places[0] for places in ordered], dtype=np.int64))
    return _persons_in_order(first), np.array([len(places) for places in ordered], dtype=np.int64)


def _persons_in_order(households: Households) -> Households:
    """The same households, the persons of each in the order of their codes."""
    codes = households.persons.codes
    order = np.lexsort((*codes.T[::-1], households.owners))
    persons = Dataset(households.persons.domain, codes[order])
    return Households(persons, households.starts, households.own, households.largest)
