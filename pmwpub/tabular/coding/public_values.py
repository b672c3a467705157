"""The public tables' own numbers, by bin and by atom: what the cells of a synthetic table are drawn from.

Everything here is public. A number is kept as the table writes it, so that its decimals and its spikes stay. It is
drawn from the rows of its own atom where these are at least `LEAST` records, and else from all public rows of its bin:
most atoms are one record, and a draw within one would copy a person's row.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from pmwpub.errors import FileRefused
from pmwpub.records import Codes, Ints, Support
from pmwpub.tabular.coding.encode import Encoder
from pmwpub.tabular.files.reading import TextTable
from pmwpub.tabular.files.text.inert_cells import before_inert, inert, place_in
from pmwpub.tabular.schema.column_types import NumericColumn
from pmwpub.tabular.schema.table_schema import Schema
from pmwpub.tabular.weights.row_weights import WeightReader

LEAST = 10
"""Records of an atom from which on its own numbers are drawn; docs/measured.md compares others."""

HEADER = ("column", "level", "row", "value", "records")

Pool = Counter[str]
"""A number as it is written -> how many public records have it."""


@dataclass(frozen=True)
class PublicValues:
    """Pools of numbers, of the numeric columns by their position among the encoded ones.

    bins   (position, code of the bin) -> its numbers in all public rows
    atoms  (position, atom) -> its numbers, of atoms with at least `least` records; an atom is the bytes of its codes
    """

    bins: Mapping[tuple[int, int], Pool] = field(repr=False)
    atoms: Mapping[tuple[int, bytes], Pool] = field(repr=False)

    @classmethod
    def of(cls, tables: Sequence[TextTable], schema: Schema, *, least: int = LEAST) -> PublicValues:
        """The numbers of the rows that have a level everywhere and break no rule, of all tables together; of weighed
        ones those of rows that weigh something, each alike."""
        read = [_Rows.of(table, schema) for table in tables]
        often: Counter[bytes] = Counter()
        for rows in read:
            often.update(dict(zip(rows.atoms, rows.records.tolist(), strict=True)))
        bins: dict[tuple[int, int], Pool] = {}
        atoms: dict[tuple[int, bytes], Pool] = {}
        for rows in read:
            large = np.fromiter((often[atom] >= least for atom in rows.atoms), np.bool_, len(rows.atoms))
            for position, (places, texts) in rows.columns.items():
                codes = rows.codes[:, position].astype(np.int64)
                known = codes < len(schema.encoded[position].own_levels)
                for code, text, records in _pairs(codes[known], places[known], texts):
                    bins.setdefault((position, code), Counter())[text] += records
                own = known & large[rows.place]
                for atom, text, records in _pairs(rows.place[own], places[own], texts):
                    atoms.setdefault((position, rows.atoms[atom]), Counter())[text] += records
        return cls(bins, atoms)

    def to_csv(self, schema: Schema, support: Support) -> bytes:
        """One line a number of a pool: its column and bin, the line of weights.csv of its atom or nothing, how often.

        Lines of weights.csv are counted from 1, below its header.
        """
        lines = {row.tobytes(): place for place, row in enumerate(support.codes, start=1)}
        written = io.StringIO()
        writer = csv.writer(written, lineterminator="\n")
        writer.writerow(HEADER)
        for (position, code), pool in sorted(self.bins.items()):
            writer.writerows(_lines(schema, position, code, "", pool))
        owned = [(position, lines[key], key) for position, key in self.atoms if key in lines]
        for position, line, key in sorted(owned):
            code = int(support.codes[line - 1, position])
            writer.writerows(_lines(schema, position, code, str(line), self.atoms[position, key]))
        return written.getvalue().encode()


@dataclass(frozen=True)
class StoredValues:
    """The pools as a release has them: an atom is its place in weights.csv, from 0."""

    bins: Mapping[tuple[int, int], Pool] = field(repr=False)
    atoms: Mapping[tuple[int, int], Pool] = field(repr=False)

    @classmethod
    def from_csv(cls, content: bytes, schema: Schema) -> StoredValues:
        """What `to_csv` wrote; FileRefused for anything else."""
        names = {inert(column.name): position for position, column in enumerate(schema.encoded)}
        bins: dict[tuple[int, int], Pool] = {}
        atoms: dict[tuple[int, int], Pool] = {}
        try:
            header, *rows = csv.reader(io.StringIO(content.decode(), newline=""), strict=True)
            for name, level, line, value, records in rows:
                position = names[name]
                code = schema.encoded[position].labels[level]
                pools, key = (atoms, int(line) - 1) if line else (bins, code)
                pools.setdefault((position, key), Counter())[before_inert(value)] += int(records)
        except (ValueError, KeyError, csv.Error) as failure:
            raise FileRefused("This is no table of public values of this schema.") from failure
        if tuple(header) != HEADER:
            raise FileRefused(f"A table of public values has the columns {', '.join(HEADER)}.")
        return cls(bins, atoms)


@dataclass(frozen=True, eq=False)
class _Rows:
    """The rows of one table that have a level everywhere, break no rule and weigh something where rows are weighed.

    codes    (rows, d)
    atoms    the bytes of each distinct row's codes, and how many records it has
    place    int64 (rows,): the atom of each row
    columns  of the numeric columns, by position: the place of each row's text, and the texts
    """

    codes: Codes
    atoms: tuple[bytes, ...]
    records: Ints
    place: Ints
    columns: Mapping[int, tuple[Ints, list[str]]]

    @classmethod
    def of(cls, table: TextTable, schema: Schema) -> _Rows:
        codes = Encoder(table.header, schema, written=True).codes(table.cells).T
        whole = np.all(codes < np.asarray(schema.domain.shape), axis=1)
        if schema.row_rules is not None:
            whole &= ~schema.row_rules.broken(codes)
        weighing = WeightReader.of_public(table.header, schema)
        if weighing is not None:
            whole &= weighing.weights(table.cells) > 0
        keep = np.flatnonzero(whole)
        kept = np.ascontiguousarray(codes[keep])
        whole = kept.view(np.dtype((np.void, kept.dtype.itemsize * kept.shape[1])))[:, 0]
        distinct, place, records = np.unique(whole, return_inverse=True, return_counts=True)
        columns = {}
        for position, column in enumerate(schema.encoded):
            if isinstance(column, NumericColumn):
                coded = table.cells.coded(place_in(table.header, column.name))
                as_it_stands = str.strip if column.prefix or column.suffix else column.tidy
                columns[position] = coded.places[keep].astype(np.int64), list(map(as_it_stands, coded.distinct))
        return cls(kept, tuple(row.tobytes() for row in distinct), records, place.astype(np.int64), columns)


def _pairs(groups: Ints, places: Ints, texts: Sequence[str]) -> Iterator[tuple[int, str, int]]:
    """Each (group, text) that occurs, and how often."""
    found, often = np.unique(groups * len(texts) + places, return_counts=True)
    for key, records in zip(found.tolist(), often.tolist(), strict=True):
        group, place = divmod(key, len(texts))
        yield group, texts[place], records


def _lines(schema: Schema, position: int, code: int, line: str, pool: Pool) -> Iterator[tuple[str, str, str, str, int]]:
    column = schema.encoded[position]
    texts = sorted(pool)
    name, level = inert(column.name), column.attribute.levels[code]
    return ((name, level, line, inert(text), pool[text]) for text in texts)
