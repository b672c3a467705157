"""The private table in one pass, never held as text: every check, its codes while they are few, what it is known by.

An upload and a file of any size go through the same code, so that they are counted and refused alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

import numpy as np

from pmwpub.domain import Domain
from pmwpub.errors import BudgetError, FileRefused, SchemaError
from pmwpub.progress import Progress, unwatched
from pmwpub.records import Codes, Dataset, Ints
from pmwpub.tabular.coding.encode import Encoded, Encoder
from pmwpub.tabular.coding.kept_arrays import KeptArrays
from pmwpub.tabular.coding.kept_rows import KeptRows
from pmwpub.tabular.coding.person_ids import Identities
from pmwpub.tabular.coding.rows_without_id import RowsWithoutId
from pmwpub.tabular.files.chunks import Chunk, TableStream
from pmwpub.tabular.files.reading import TextTable
from pmwpub.tabular.files.row_numbers import Digest, RowNumbers, Words
from pmwpub.tabular.files.text.first_lines import is_numbered
from pmwpub.tabular.files.text.read_options import ReadOptions
from pmwpub.tabular.overlap.copied_runs import RunSearch
from pmwpub.tabular.overlap.more_than_chance import SharedRowTest
from pmwpub.tabular.overlap.table_views import Views
from pmwpub.tabular.schema.table_schema import Schema
from pmwpub.tabular.weights.row_weights import WeighedFile, WeighedTable, WeightReader

KEPT = 1 << 28  # bytes of codes that stay in memory; rows beyond are read again when they are counted
_BEYOND = 1_000_000  # rows above twice as many as registered: no file is read further
TELL = "Told to you only."
WAY_OUT = (
    "Load the registered table, or correct n, which may change until the first charge: Change the terms on Protect, or "
    "pmwpub ledger amend --n."
)
CHANGED = "The private file changed after it was loaded and checked; load it again."


@dataclass(frozen=True, eq=False, repr=False)
class FileRows:
    """Private rows that stay in their file: each time they are gone through, they are read and encoded again.

    digest  what `Survey` found: a pass over other rows ends in FileRefused, so no unchecked row is ever counted
    limit   which rows stay of IDs that own more than one person may, where there are such and the schema keeps some

    Privacy: private rows; nothing of them is written anywhere.
    """

    table: TableStream
    schema: Schema
    n: int
    digest: bytes
    limit: KeptRows | None = None

    @property
    def domain(self) -> Domain:
        return self.schema.domain

    def __len__(self) -> int:
        return self.n

    def read_with_weights(self) -> Iterator[tuple[Codes, Ints]]:
        """Blocks as in `blocks`, each with the weights of its rows; SchemaError under a schema that weighs none."""
        seen, reader = Digest(self.table.header), WeightReader.of(self.table.header, self.schema)
        if reader is None or self.limit is not None:
            raise SchemaError("The schema weighs no rows.")
        for chunk, codes in coded_chunks(self.table, self.schema, seen):
            yield codes, reader.weights(chunk)
        if seen.value != self.digest:
            raise FileRefused(CHANGED)

    def blocks(self) -> Iterator[Codes]:
        """(d, rows) C-contiguous codes, in file order; FileRefused where the file changed since it was surveyed."""
        seen = Digest(self.table.header)
        blocks = coded_chunks(self.table, self.schema, seen)
        if self.limit is None:
            yield from (codes for _, codes in blocks)
        else:
            yield from self.limit.limited(blocks, self.domain.shape)
        if seen.value != self.digest:
            raise FileRefused(CHANGED)


AnyRows = Dataset | FileRows | WeighedTable | WeighedFile


@dataclass(frozen=True, eq=False, repr=False)
class Survey:
    """What one pass over a private table found.

    rows             its codes, or where to read them again
    digest           32 bytes, equal for tables of the same cells: `row_numbers.Digest`
    views            32 bytes each, equal for tables of the same rows as coded, and as spelt: `table_views.Views`
    numbers          uint64 (n,) of the rows by position, as `copied_runs.RunSearch` takes them; None of very many rows
    ignored          names of the file's columns that the schema does not name
    unplaced         column -> number of cells without a level
    n, exceeded      its number of rows; whether an ID owns more of them than one person may, and is refused for it

    Privacy: all of it is for the steward only; the repr shows nothing.
    """

    rows: AnyRows
    digest: bytes
    views: tuple[bytes, bytes]
    numbers: Words | None
    ignored: tuple[str, ...]
    unplaced: dict[str, int]
    n: int
    exceeded: bool
    id_name: str | None = field(default=None)

    def admitted(self, *, n: int, rows_per_person: int) -> AnyRows:
        """The rows, once they are as many as registered and no ID owns more than `rows_per_person` of them.

        Raises FileRefused otherwise; the words quote no cell, ID or count of one.
        """
        if self.n != n:
            least = "at least " if self.n > 2 * n + _BEYOND else ""
            raise FileRefused(
                f"The population is registered with n = {n:,} rows; the file has {least}{self.n:,}. {WAY_OUT} {TELL}"
            )
        if self.exceeded:
            rows = "row" if rows_per_person == 1 else "rows"
            raise FileRefused(
                f"At most {rows_per_person:,} {rows} may carry one ID in column {self.id_name!r}, and more do. "
                "Reduce the rows, register the population anew with more rows a person, or let the schema keep so many "
                f'of each ID ("beyond": "keep" in that column). {TELL}'
            )
        return self.rows


def survey(
    table: TableStream,
    schema: Schema,
    *,
    n: int,
    rows_per_person: int = 1,
    searches: Sequence[RunSearch] = (),
    likenesses: Sequence[SharedRowTest] = (),
    kept: int = KEPT,
    progress: Progress = unwatched,
) -> Survey:
    """Go through a private table once; no cell can raise, change the domain or change the number of rows.

    A cell that the schema does not know gets the column's rule (other, clip, or no level).

    n           the registered number of rows: it says how many IDs fit in memory at once
    searches    of public tables: each is shown the rows
    likenesses  to public tables: each is shown the coded rows
    kept        bytes of codes that may stay in memory
    progress    is told how many rows are read, and that n are to come: for the steward alone, whose file it is; what it
                raises ends the pass, of which nothing is kept

    A file with far more rows than registered is not read to its end. Where the schema keeps k rows of an ID with more
    of them, the file is gone through twice more: `kept_rows` has the rule, and why a count still moves by at most k,
    `rows_without_id` what becomes of rows that have none.

    Raises SchemaError when the file lacks a column of the schema (its id column included), BudgetError for n or k
    below 1, and what reading the table raises.
    """
    if n < 1 or rows_per_person < 1:
        raise BudgetError(f"n and the rows per person must be at least 1; {n} and {rows_per_person} came.")
    _check_header(table, schema)
    encoder, numbers, digest = Encoder(table.header, schema), RowNumbers(table.header), Digest(table.header)
    views = Views(table.header, schema)
    identities = Identities.of(table, schema, n, rows_per_person)
    codes, known, weights = KeptArrays(kept), KeptArrays(kept), KeptArrays(kept)
    weighing = WeightReader.of(table.header, schema)
    for chunk in ahead(table.chunks()):
        own = numbers.of(chunk)
        digest.add(own)
        for search in searches:
            search.add(own[2])
        identities.add(chunk)
        block = encoder.codes(chunk)
        coded = views.add(chunk, block)
        for likeness in likenesses:
            likeness.add(coded)
        codes.add(identities.nobody.cleared(chunk, block))
        if weighing is not None:
            weights.add(weighing.weights(chunk))
        known.add(own[2])
        progress(min(digest.rows, n), n)
        if digest.rows > 2 * n + _BEYOND:
            break
    over = _exceeding(identities, table) if digest.rows <= n else frozenset()
    few, limit = codes.whole(), _limit(table, schema, over, rows_per_person)
    read = FileRows(table, schema, digest.rows, digest.value, limit)
    if few is not None and limit is not None:
        few = np.concatenate([*read.blocks()], axis=1)
    whole = None if few is None else Dataset(schema.domain, few.T)
    return Survey(
        rows=(read if whole is None else whole) if weighing is None else _weighed(whole, weights.whole(), read),
        digest=digest.value,
        views=views.values,
        numbers=known.whole(),
        ignored=encoder.ignored,
        unplaced=encoder.unplaced,
        n=digest.rows,
        exceeded=bool(over) and limit is None,
        id_name=None if schema.id_column is None else schema.id_column.name,
    )


def _weighed(rows: Dataset | None, own: Ints | None, read: FileRows) -> WeighedTable | WeighedFile:
    """Rows that are never counted without their weights: in memory where both fit there, else read anew."""
    return WeighedFile(read) if rows is None or own is None else WeighedTable(rows, own)


def kept_rows(table: TableStream, schema: Schema, n: int, rows_per_person: int) -> KeptRows | None:
    """Which rows of a surveyed table stay, where the schema keeps k of an ID with more; None where all do.

    Privacy: private; see `coding.kept_rows`.
    """
    if schema.rows_beyond != "keep":
        return None
    identities = Identities.of(table, schema, n, rows_per_person)
    for chunk in table.chunks():
        identities.add(chunk)
    return _limit(table, schema, _exceeding(identities, table), rows_per_person)


def _exceeding(identities: Identities, table: TableStream) -> frozenset[bytes]:
    """The IDs that own more rows than one person may, after as many passes as they need."""
    parts = [identities.exceeding, *(part.exceeding_in(table) for part in identities.others())]
    return frozenset().union(*parts)


def _limit(table: TableStream, schema: Schema, over: frozenset[bytes], k: int) -> KeptRows | None:
    """Which rows stay, where some IDs own too many and the schema keeps k of them; a further pass."""
    column = schema.id_column
    if not over or column is None or schema.rows_beyond != "keep":
        return None
    return KeptRows.of(table, column, over, k)


def _check_header(table: TableStream, schema: Schema) -> None:
    """SchemaError for a header that lacks columns, once all rows below it are seen to be readable.

    Where the schema's columns are numbered, for its public files had no header, a FileRefused that proposes to read
    this one so too.
    """
    refusal: SchemaError | FileRefused
    try:
        schema.check_header(table.header, with_id=True)
        return
    except SchemaError as lacking:
        refusal = lacking
    used = table.options or ReadOptions()
    if not used.no_header and all(is_numbered(column.name) for column in schema.encoded):
        words = (
            "The schema's columns are numbered, as in files without a header. Confirm that this file has none either."
        )
        refusal = FileRefused(words, suggestion=replace(used, no_header=True))
    for _ in table.chunks():
        pass
    raise refusal


def encode_private(table: TextTable, schema: Schema, *, n: int, rows_per_person: int = 1) -> Encoded:
    """A private table of text in memory, encoded as `survey` does and checked as `Survey.admitted` does."""
    if schema.weight_column is not None:
        raise SchemaError("A table of codes has no weights; leave the cap of the schema's weights out.")
    found = survey(table.stream, schema, n=n, rows_per_person=rows_per_person, kept=1 << 62)
    rows = found.admitted(n=n, rows_per_person=rows_per_person)
    dataset = Dataset(schema.domain, np.concatenate([*rows.blocks()], axis=1).T)
    return Encoded(dataset, found.ignored, unplaced=found.unplaced)


def coded_blocks(table: TableStream, schema: Schema, seen: Digest) -> Iterator[Codes]:
    """(d, rows) C-contiguous codes of the rows, in file order; each block's rows are added to `seen` before it."""
    return (codes for _, codes in coded_chunks(table, schema, seen))


def coded_chunks(table: TableStream, schema: Schema, seen: Digest) -> Iterator[tuple[Chunk, Codes]]:
    """As `coded_blocks`, each with the chunk that it comes from."""
    encoder, numbers = Encoder(table.header, schema), RowNumbers(table.header)
    nobody = RowsWithoutId.of(table.header, schema)
    for chunk in ahead(table.chunks()):
        seen.add(numbers.of(chunk))
        yield chunk, nobody.cleared(chunk, encoder.codes(chunk))


def ahead(chunks: Iterator[Chunk]) -> Iterator[Chunk]:
    """The chunks, each read by a thread of its own while the one before is worked on."""
    with ThreadPoolExecutor(1) as reader:
        coming = reader.submit(next, chunks, None)
        while (chunk := coming.result()) is not None:
            coming = reader.submit(next, chunks, None)
            yield chunk
