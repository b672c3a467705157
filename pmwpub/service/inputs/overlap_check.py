"""What a private table shares with public ones, for the steward only: all its rows, a long run of them, or too many.

Rows are compared as text, a run of them in file order, and as the schema codes them, in any order: with each public
table, and with all of them together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from pmwpub.errors import FileRefused, SchemaError
from pmwpub.records import Dataset
from pmwpub.service.core import Service
from pmwpub.service.inputs import stored_tables
from pmwpub.service.inputs.shared_rows import Alike, Overlap
from pmwpub.service.inputs.study import Study
from pmwpub.service.private_table import PrivateTable
from pmwpub.tabular.coding.encode import Encoder
from pmwpub.tabular.files.reading import TextTable, open_table
from pmwpub.tabular.files.row_numbers import RowNumbers, Words
from pmwpub.tabular.files.text.read_options import ReadOptions
from pmwpub.tabular.overlap.copied_runs import RunSearch, row_numbers
from pmwpub.tabular.overlap.more_than_chance import SharedRowTest, surplus_of, telling
from pmwpub.tabular.overlap.table_views import CodedRows, viewed
from pmwpub.tabular.private_pass import Survey
from pmwpub.tabular.schema.table_schema import Schema
from pmwpub.tabular.weights.row_weights import WeighedTable

SAME = "This file has the rows of one of the public candidates; load the private table."


@dataclass(frozen=True, eq=False)
class Offered:
    """A public table that the private one is compared with.

    numbers  the numbers of its rows, as `RunSearch` takes them
    coded    the numbers of its coded rows, as `SharedRowTest` takes them; None where it does not fit the schema
    views    those of its views that another table hardly has by chance
    """

    sha256: str
    name: str
    numbers: Words = field(repr=False)
    coded: Words | None = field(repr=False)
    views: tuple[bytes, ...] = field(repr=False)

    @classmethod
    def of(cls, sha256: str, name: str, table: TextTable, schema: Schema | None) -> Offered:
        """A public table as it is compared: its cells, as text and under a schema."""
        numbers = row_numbers(table.stream)
        try:
            views, coded = ((), None) if schema is None else viewed(table.stream, schema)
        except SchemaError:
            views, coded = (), None
        few = coded is not None and not telling(np.unique(coded, return_counts=True)[1])
        return cls(sha256, name, numbers, coded, views[1:] if few else views)


class OverlapSearch:
    """Searches for the rows of public tables among private ones, which come some at a time."""

    def __init__(self, offered: Sequence[Offered]) -> None:
        self.offered = tuple(offered)
        self.runs = [RunSearch(one.numbers) for one in offered]
        coded = {one.sha256: one.coded for one in offered if one.coded is not None}
        groups = [(sha256,) for sha256 in coded] + ([tuple(coded)] if len(coded) > 1 else [])
        self._groups = groups
        self.likenesses = [SharedRowTest(np.concatenate([coded[sha256] for sha256 in group])) for group in groups]

    def show(self, private: PrivateTable, schema: Schema | None) -> None:
        """Show a loaded private table's rows to each search; very many rows are read again."""
        own = schema if schema is not None and schema.sha256 == private.schema_sha256 else None
        for numbers, coded in _numbers(private, own):
            for search in self.runs:
                search.add(numbers)
            if coded is not None:
                for likeness in self.likenesses:
                    likeness.add(coded)

    def same(self, views: tuple[bytes, ...]) -> bool:
        """Whether a public table, or all together, have the private table's rows, and not by chance.

        views  those of the private table
        """
        return bool(self._alone(views)) or any(likeness.same for likeness in self.likenesses)

    def found(
        self, lone: float | None, views: tuple[bytes, ...], same: frozenset[str] = frozenset()
    ) -> tuple[Overlap, ...]:
        """The public tables that have more rows of the private one than chance explains, each or all together.

        lone   see `SharedRowTest.unlikely`
        views  of the private table
        same   SHA-256 of the public tables that are known to have its very rows
        """
        kinds = dict.fromkeys(same | self._alone(views), Alike.SAME)
        whole = [group for group, likeness in zip(self._groups, self.likenesses, strict=True) if likeness.equal]
        kinds |= {"+".join(group): Alike.SAME for group in whole if not set(kinds) & set(group)}
        for one, search in zip(self.offered, self.runs, strict=True):
            if search.unlikely:
                kinds.setdefault(one.sha256, Alike.LINES)
        for group, likeness in zip(self._groups, self.likenesses, strict=True):
            if "+".join(group) not in kinds and not set(kinds) & set(group) and likeness.unlikely(lone):
                kinds["+".join(group)] = Alike.ROWS
        names = {one.sha256: one.name for one in self.offered}
        return tuple(
            Overlap(key, " and ".join(names[sha256] for sha256 in key.split("+")), alike)
            for key, alike in kinds.items()
        )

    def _alone(self, views: tuple[bytes, ...]) -> frozenset[str]:
        """The public tables that have one of these views."""
        return frozenset(one.sha256 for one in self.offered if any(view in views for view in one.views))


def comparison(service: Service, current: Study) -> OverlapSearch:
    """A search among a population's candidates; what is public of it is kept in the shared cache."""
    name, schema = current.population.name, current.schema
    under = "" if schema is None else schema.sha256

    def offered(sha256: str, called: str, read: str) -> Offered:
        key = f"offered:{sha256}{read}:{under}:{called}"
        return service.cache(
            key, lambda: Offered.of(sha256, called, stored_tables.table(service, name, sha256), schema)
        )

    return OverlapSearch(
        [offered(one.sha256, one.name, stored_tables.spelt(one.options)) for one in current.candidates]
    )


def in_force(current: Study) -> frozenset[tuple[str, ReadOptions | None]]:
    """The candidates of a population now, by SHA-256 and how each is read."""
    return frozenset((one.sha256, one.options) for one in current.candidates)


def candidates_of(service: Service, current: Study, digest: bytes) -> frozenset[str]:
    """SHA-256 of the candidates whose rows are those of a table of that digest, cell by cell."""
    name = current.population.name

    def rows(sha256: str, read: str) -> bytes:
        return service.cache(f"rows:{sha256}{read}", lambda: stored_tables.table(service, name, sha256).same_rows())

    return frozenset(
        one.sha256 for one in current.candidates if rows(one.sha256, stored_tables.spelt(one.options)) == digest
    )


def found(
    service: Service, current: Study, compared: OverlapSearch, digest: bytes, views: tuple[bytes, ...], rows: object
) -> tuple[Overlap, ...]:
    """What a private table, whose rows were shown to `compared`, shares with the candidates.

    digest, views  those of the private table
    rows           its coded rows, where they are in memory
    """
    return compared.found(lone(rows), views, candidates_of(service, current, digest))


def refuse_candidate(service: Service, current: Study, surveyed: Survey, compared: OverlapSearch) -> None:
    """Raise FileRefused where a private table has the rows of a candidate, or of all candidates together."""
    if candidates_of(service, current, surveyed.digest) or compared.same(surveyed.views):
        raise FileRefused(SAME)


def in_files(private: PrivateTable, files: Mapping[str, TextTable], schema: Schema | None) -> tuple[Overlap, ...]:
    """What the private table shares with public ones by file name, each or all together, before any is stored."""
    compared = OverlapSearch(
        [Offered.of(table.sha256, Path(name).name, table, schema) for name, table in files.items()]
    )
    compared.show(private, schema)
    same = frozenset(table.sha256 for table in files.values() if table.same_rows() == private.rows)
    return compared.found(lone(private.dataset), private.views, same)


def seen_alike(private: PrivateTable, table: TextTable, schema: Schema | None) -> tuple[bool, tuple[bytes, ...]]:
    """Whether an offered table has the rows of a loaded private one in another guise, and not by chance; its views.

    schema  the schema of today; where the private table was loaded under another one, nothing is compared
    """
    if schema is None or schema.sha256 != private.schema_sha256:
        return False, ()
    offered = Offered.of("", "", table, schema)
    compared = OverlapSearch([offered])
    compared.show(private, schema)
    return compared.same(private.views), offered.views


def lone(rows: object) -> float | None:
    """The `surplus` of private rows that are in memory; None for rows that are not."""
    rows = _without_weights(rows)
    if not isinstance(rows, Dataset):
        return None
    numbers = CodedRows(rows.domain)
    return surplus_of(np.concatenate([numbers.of(block) for block in rows.blocks()]))


def _without_weights(rows: object) -> object:
    """Rows as they are compared: what one weighs is no part of it."""
    return rows.rows if isinstance(rows, WeighedTable) else rows


def _numbers(private: PrivateTable, schema: Schema | None) -> Iterator[tuple[Words, Words | None]]:
    """The numbers of the private rows as text, and as coded under the schema that they were loaded under."""
    rows = _without_weights(private.dataset)
    if private.numbers is not None and isinstance(rows, Dataset):
        coded = CodedRows(rows.domain)
        blocks = [coded.of(block) for block in rows.blocks()] if schema is not None else []
        yield private.numbers, np.concatenate(blocks) if blocks else None
        return
    table = open_table(private.source, options=private.options)
    numbers = RowNumbers(table.header)
    encoder = None if schema is None else (Encoder(table.header, schema), CodedRows(schema.domain))
    for chunk in table.chunks():
        yield numbers.of(chunk)[2], None if encoder is None else encoder[1].of(encoder[0].codes(chunk))
