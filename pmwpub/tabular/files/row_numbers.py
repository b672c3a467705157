"""Whether two tables have the same rows, and which rows two tables share: numbers for cells and rows, in one pass.

Each text has 192 bits of BLAKE2b. A row's number is the sum, over its columns, of its cells' bits times an odd
multiplier of the column, modulo 2^64: two lanes by column name (so that the order of columns does not matter), one by
column position. Different rows have equal numbers only if 64 random bits a lane happen to agree.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from pmwpub.tabular.files.chunks import Chunk, Coded, TableStream

Words = npt.NDArray[np.uint64]


def words_of(texts: Sequence[str], lanes: int = 3) -> Words:
    """uint64 (texts, lanes): the bits of each text, in the order of its BLAKE2b digest."""
    digests = (hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8 * lanes) for text in texts)
    return np.frombuffer(b"".join(digest.digest() for digest in digests), dtype="<u8").reshape(-1, lanes)


class RowNumbers:
    """The numbers of rows below one header.

    Privacy: a row's number tells whether it equals a guessed row; it is as private as the row.
    """

    def __init__(self, header: Sequence[str]) -> None:
        names = words_of([f"name {name}" for name in header], 2)
        places = words_of([f"column {position}" for position in range(len(header))], 1)
        self._multipliers = np.concatenate([names, places], axis=1) | np.uint64(1)

    def of(self, chunk: Chunk) -> Words:
        """uint64 (3, rows): two lanes by column names, then one by column positions."""
        return self.of_columns([chunk.coded(position) for position in range(len(self._multipliers))], len(chunk))

    def of_columns(self, columns: Sequence[Coded], rows: int) -> Words:
        """uint64 (3, rows): as `of`, from the columns in header order."""
        numbers = np.zeros((3, rows), dtype=np.uint64)
        for column, multipliers in zip(columns, self._multipliers, strict=True):
            lanes = np.ascontiguousarray((words_of(column.distinct) * multipliers).T)
            for lane in range(3):
                numbers[lane] += lanes[lane].take(column.places)
        return numbers


class Digest:
    """One number for all rows of a table, in any order: the sum of each row's number, mixed, modulo 2^64, twice.

    It tells tables apart by chance only, not against someone who makes a table to measure; a store keeps nothing but
    its HMAC.

    Privacy: it is as private as the table.
    """

    def __init__(self, header: Sequence[str]) -> None:
        self._names = sorted(header)
        self.rows = 0
        self.sums = np.zeros(2, dtype=np.uint64)

    def add(self, numbers: Words) -> None:
        """Add rows by their numbers, uint64 (3, rows) as `RowNumbers` gives them."""
        self.add_sums(numbers.shape[1], sums_of(numbers))

    def add_sums(self, rows: int, sums: Words) -> None:
        """Add rows that were summed elsewhere: how many, and their `sums_of`."""
        self.rows += rows
        self.sums = self.sums + sums

    @property
    def value(self) -> bytes:
        """32 bytes, equal for equal rows under equal column names."""
        content = [*self._names, str(self.rows), *map(str, self.sums.tolist())]
        return hashlib.blake2b("\x1f".join(content).encode("utf-8", "surrogatepass"), digest_size=32).digest()


def sums_of(numbers: Words) -> Words:
    """uint64 (2,): the sums of the rows' mixed numbers; a mixed number depends on both lanes by names."""
    one = mixed(numbers[0] + (numbers[1] >> np.uint64(32)))
    two = mixed(numbers[1] ^ one)
    return np.array([one.sum(dtype=np.uint64), two.sum(dtype=np.uint64)])


def mixed(numbers: Words) -> Words:
    """uint64, shaped as given: splitmix64's finaliser, by which each bit of a number moves half the result's bits."""
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return numbers ^ (numbers >> np.uint64(31))


def same_rows(table: TableStream) -> bytes:
    """32 bytes, equal for tables of the same cells, whatever their line ends, quotes, encoding, or order.

    Privacy: as private as the table.
    """
    numbers, digest = RowNumbers(table.header), Digest(table.header)
    for chunk in table.chunks():
        digest.add(numbers.of(chunk))
    return digest.value
