"""Which rows stay of an ID that owns more than one person may: k of them, chosen from that ID's own rows alone.

The rule. Each row of such an ID has a keyed hash of (the ID, the row's cells, its occurrence among that ID's equal
rows); the rows of the k smallest hashes stay. The others keep their place in n and have a level nowhere, so that they
satisfy no predicate. Where a row stands in the file does not enter: other people's rows would move it there.

The key is fixed and public. A secret would protect nothing, for the bound below holds under every key; and one drawn
anew would let the rows of a person that take part change from load to load.

Privacy: neighbours have all rows of one ID replaced by as many of an ID that no row has; n and all other rows are the
same. Let K(r) be the rows that stay of an ID whose rows are r: by the rule a function of r alone, of min(k, |r|) rows.
The rows that are counted are the disjoint union of K(r) over the IDs, so two neighbours differ in K(r) against K(r'),
min(k, |r|) rows each. A count moves by at most k, the cells of one marginal by at most k √2 in L2 (k rows leave one
cell and enter another), as where one person's k rows are replaced and no rule is needed.

A row without an ID (`rows_without_id`: blank, or a missing token) is no ID's and never stays, by itself and whatever
others do. Where such rows are one person's, and replaced by as many of an ID that no row has, or the other way round,
K is empty on one side and has at most k rows on the other: a count moves by at most k, a marginal by at most k in L2.

IDs are told apart by 128 bits of BLAKE2b, rows by 256. How many rows an ID has is not protected: neighbours agree in
it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from pmwpub.records import Codes
from pmwpub.tabular.files.chunks import Chunk, TableStream
from pmwpub.tabular.files.row_numbers import Words, words_of
from pmwpub.tabular.files.text.inert_cells import place_in
from pmwpub.tabular.schema.column_types import IdColumn

KEY = b"pmwpub: which rows of one ID stay, 1"
"""Of the hash that orders one ID's rows; public, and never changed, so that the same rows stay from load to load."""

_LANES = 4  # words of 64 bits of a cell or a row


@dataclass(frozen=True, eq=False, repr=False)
class OwnedRows:
    """Finds in each chunk the rows of some IDs, and gives each a number by its ID and cells.

    ids  bytes of each ID's two words

    Privacy: private; the repr shows nothing.
    """

    column: IdColumn
    header: Sequence[str]
    ids: frozenset[bytes]

    def of(self, chunk: Chunk) -> tuple[npt.NDArray[np.intp], Words, list[bytes]]:
        """Of those rows: their places in the chunk, their IDs' words, uint64 (rows, 2), and their numbers."""
        coded = chunk.coded(place_in(self.header, self.column.name))
        words = words_of([self.column.tidy(text) for text in coded.distinct], 2)
        owned = np.fromiter((word.tobytes() in self.ids for word in words), bool, count=len(words))
        places = np.flatnonzero(owned[coded.places])
        own = words[coded.places[places]]
        cells = [own, *(self._cells(chunk, position, places) for position in self._by_name)]
        return places, own, [_hash(row.tobytes()) for row in np.concatenate(cells, axis=1)]

    @property
    def _by_name(self) -> list[int]:
        """Positions of the columns, by name: the order of columns in a file does not matter."""
        return sorted(range(len(self.header)), key=self.header.__getitem__)

    @staticmethod
    def _cells(chunk: Chunk, position: int, places: npt.NDArray[np.intp]) -> Words:
        coded = chunk.coded(position)
        return words_of(coded.distinct, _LANES)[coded.places[places]]


@dataclass(frozen=True, eq=False, repr=False)
class KeptRows:
    """How many copies of which rows stay, of the IDs that own more than k.

    copies  a row's number -> how many rows of that number stay, where some do

    Privacy: private; the repr shows nothing.
    """

    owned: OwnedRows
    copies: Mapping[bytes, int] = field(repr=False)

    @classmethod
    def of(cls, table: TableStream, column: IdColumn, ids: frozenset[bytes], k: int) -> KeptRows:
        """By a pass over the table; `ids` own more than k of its rows."""
        owned = OwnedRows(column, table.header, ids)
        owners: list[Words] = [np.empty((0, 2), dtype=np.uint64)]
        numbers: list[bytes] = []
        for chunk in table.chunks():
            _, own, found = owned.of(chunk)
            owners.append(own)
            numbers += found
        return cls(owned, _smallest(np.concatenate(owners), numbers, k))

    def limited(self, blocks: Iterator[tuple[Chunk, Codes]], no_level: Sequence[int]) -> Iterator[Codes]:
        """One pass over (chunk, its codes): the codes, with no level in the rows that do not stay.

        Of rows with one number it does not matter which stay, for their cells are equal.

        no_level  of each column
        """
        due = dict(self.copies)
        none = np.asarray(no_level)[:, None]
        for chunk, codes in blocks:
            places, _, numbers = self.owned.of(chunk)
            out = []
            for place, number in zip(places, numbers, strict=True):
                if due.get(number, 0):
                    due[number] -= 1
                else:
                    out.append(place)
            codes[:, out] = none
            yield codes


def _smallest(owners: Words, numbers: Sequence[bytes], k: int) -> dict[bytes, int]:
    """A row's number -> how many rows of that number are among their ID's k smallest keyed hashes; zeros left out."""
    seen: dict[bytes, int] = {}
    hashes = []
    for number in numbers:
        occurrence = seen[number] = seen.get(number, -1) + 1
        hashes.append(_hash(number + occurrence.to_bytes(8, "big")))
    words = np.frombuffer(b"".join(hashes), dtype=">u8").reshape(-1, _LANES)
    order = np.lexsort((*words.T[::-1], owners[:, 1], owners[:, 0]))
    sorted_owners = owners[order]
    begins = np.ones(len(order), dtype=bool)
    begins[1:] = np.any(sorted_owners[1:] != sorted_owners[:-1], axis=1)
    positions = np.arange(len(order))
    rank = positions - np.maximum.accumulate(np.where(begins, positions, 0))
    copies: dict[bytes, int] = {}
    for place in order[rank < k].tolist():
        copies[numbers[place]] = copies.get(numbers[place], 0) + 1
    return copies


def _hash(content: bytes) -> bytes:
    return hashlib.blake2b(content, key=KEY, digest_size=8 * _LANES).digest()
