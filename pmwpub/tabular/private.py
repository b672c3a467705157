"""The private table in one pass, never held as text: every check, its codes while they are few, what it is known by.

An upload and a file of any size go through the same code, so that they are counted and refused alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np

from pmwpub.domain import Domain
from pmwpub.errors import BudgetError, FileRefused, SchemaError
from pmwpub.records import Codes, Dataset, code_type
from pmwpub.tabular.chunks import Chunk, TableStream
from pmwpub.tabular.encode import Encoded, Encoder
from pmwpub.tabular.identities import Identities
from pmwpub.tabular.overlap import RunSearch
from pmwpub.tabular.reading import TextTable
from pmwpub.tabular.sameness import Digest, RowNumbers, Words
from pmwpub.tabular.schema import Schema

KEPT = 1 << 28  # bytes of codes that stay in memory; rows beyond are read again when they are counted
TELL = "Tell the steward only."


@dataclass(frozen=True, eq=False, repr=False)
class FileRows:
    """Private rows that stay in their file: each time they are gone through, they are read and encoded again.

    digest  what `Survey` found: a pass over other rows ends in FileRefused, so no unchecked row is ever counted

    Privacy: private rows; nothing of them is written anywhere.
    """

    table: TableStream
    schema: Schema
    n: int
    digest: bytes

    @property
    def domain(self) -> Domain:
        return self.schema.domain

    def __len__(self) -> int:
        return self.n

    def blocks(self) -> Iterator[Codes]:
        """(d, rows) C-contiguous codes, in file order; FileRefused where the file changed since it was surveyed."""
        seen = Digest(self.table.header)
        yield from coded_blocks(self.table, self.schema, seen)
        if seen.value != self.digest:
            raise FileRefused("The private file changed after it was loaded and checked; load it again.")


@dataclass(frozen=True, eq=False, repr=False)
class Survey:
    """What one pass over a private table found.

    rows             its codes, or where to read them again
    digest           32 bytes, equal for tables of the same cells: `sameness.Digest`
    numbers          uint64 (n,) of the rows by position, as `overlap.RunSearch` takes them; None of very many rows
    ignored          names of the file's columns that the schema does not name
    unplaced         column -> number of cells without a level
    n, exceeded      its number of rows; whether an ID owns more of them than one person may

    Privacy: all of it is for the steward only; the repr shows nothing.
    """

    rows: Dataset | FileRows
    digest: bytes
    numbers: Words | None
    ignored: tuple[str, ...]
    unplaced: dict[str, int]
    n: int
    exceeded: bool
    id_name: str | None = field(default=None)

    def admitted(self, *, n: int, rows_per_person: int) -> Dataset | FileRows:
        """The rows, once they are as many as registered and no ID owns more than `rows_per_person` of them.

        Raises FileRefused otherwise; the words quote no cell, ID or count of one.
        """
        if self.n != n:
            raise FileRefused(
                f"The population is registered with n = {n:,} rows; the file has {self.n:,}. "
                f"Load the registered table, or register it as it is. {TELL}"
            )
        if self.exceeded:
            raise FileRefused(
                f"At most {rows_per_person:,} rows may carry one ID in column {self.id_name!r}, and more do. "
                f"Reduce the rows, or register the population anew with more rows a person. {TELL}"
            )
        return self.rows


def survey(
    table: TableStream,
    schema: Schema,
    *,
    n: int,
    rows_per_person: int = 1,
    searches: Sequence[RunSearch] = (),
    kept: int = KEPT,
) -> Survey:
    """Go through a private table once; no cell can raise, change the domain or change the number of rows.

    A cell that the schema does not know gets the column's rule (other, clip, or no level).

    n         the registered number of rows: it says how many IDs fit in memory at once
    searches  of public tables: each is shown the rows
    kept      bytes of codes that may stay in memory

    Raises SchemaError when the file lacks a column of the schema (its id column included), BudgetError for n or k
    below 1, and what reading the table raises.
    """
    if n < 1 or rows_per_person < 1:
        raise BudgetError(f"n and the rows per person must be at least 1; {n} and {rows_per_person} came.")
    _check_header(table, schema)
    encoder, numbers, digest = Encoder(table.header, schema), RowNumbers(table.header), Digest(table.header)
    identities = Identities.of(table.header, schema.id_column, n, rows_per_person)
    blocks: list[Codes] = []
    known: list[Words] = []
    rows, cell = 0, len(schema.encoded) * code_type(schema.domain).itemsize
    for chunk in ahead(table.chunks()):
        own = numbers.of(chunk)
        digest.add(own)
        for search in searches:
            search.add(own[2])
        identities.add(chunk)
        blocks.append(encoder.codes(chunk))
        known.append(own[2])
        rows += len(chunk)
        if rows * cell > kept:
            blocks.clear()
        if rows * own.itemsize > kept:
            known.clear()
    exceeded = identities.exceeded or any(part.exceeded_in(table) for part in identities.others())
    found: Dataset | FileRows = FileRows(table, schema, rows, digest.value)
    if rows * cell <= kept:
        found = Dataset(schema.domain, np.concatenate(blocks, axis=1).T)
    kept_numbers = np.concatenate(known) if rows * own.itemsize <= kept else None
    name = None if schema.id_column is None else schema.id_column.name
    return Survey(found, digest.value, kept_numbers, encoder.ignored, encoder.unplaced, rows, exceeded, name)


def _check_header(table: TableStream, schema: Schema) -> None:
    """SchemaError for a header that lacks columns, once all rows below it are seen to be readable."""
    try:
        schema.check_header(table.header, with_id=True)
        return
    except SchemaError as lacking:
        refusal = lacking
    for _ in table.chunks():
        pass
    raise refusal


def encode_private(table: TextTable, schema: Schema, *, n: int, rows_per_person: int = 1) -> Encoded:
    """A private table of text in memory, encoded as `survey` does and checked as `Survey.admitted` does."""
    found = survey(table.stream, schema, n=n, rows_per_person=rows_per_person, kept=1 << 62)
    rows = found.admitted(n=n, rows_per_person=rows_per_person)
    return Encoded(Dataset(schema.domain, np.concatenate([*rows.blocks()], axis=1).T), found.ignored, 0, found.unplaced)


def coded_blocks(table: TableStream, schema: Schema, seen: Digest) -> Iterator[Codes]:
    """(d, rows) C-contiguous codes of the rows, in file order; each block's rows are added to `seen` before it."""
    encoder, numbers = Encoder(table.header, schema), RowNumbers(table.header)
    for chunk in ahead(table.chunks()):
        seen.add(numbers.of(chunk))
        yield encoder.codes(chunk)


def ahead(chunks: Iterator[Chunk]) -> Iterator[Chunk]:
    """The chunks, each read by a thread of its own while the one before is worked on."""
    with ThreadPoolExecutor(1) as reader:
        coming = reader.submit(next, chunks, None)
        while (chunk := coming.result()) is not None:
            coming = reader.submit(next, chunks, None)
            yield chunk
