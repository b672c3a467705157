"""The bytes of a file before anyone looks for cells: size, compression, file type, encoding, quotes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from pmwpub.errors import FileRefused
from pmwpub.tabular.files.source import CSV_REMEDY, SAMPLE, Chunks, FileLimits, Source, beginning, line_in
from pmwpub.tabular.files.text import encodings
from pmwpub.tabular.files.text.encodings import UTF8_MARK
from pmwpub.tabular.files.text.read_options import ReadOptions

PARQUET = b"PAR1"
_FIRST_PAGE = PARQUET + b"\x15"  # behind the mark stands a page's header, which begins with its type
_MAGIC = (
    (b"\x1f\x8b", "a gzip archive"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive"),
    (b"\xfd7zXZ\x00", "an xz archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"Rar!\x1a\x07", "a rar archive"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Excel or Office file"),
    (b"\x89PNG\r\n", "an image"),
    (b"\xff\xd8\xff", "an image"),
    (b"%PDF-", "a PDF document"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"ARROW1\x00", "an Arrow (Feather) file"),
    (b"PARE", "an encrypted Parquet table"),
)
_MARKUP = (b"<!doctype", b"<html", b"<?xml")


def load(source: bytes | Path, limits: FileLimits) -> bytes:
    """The bytes of an upload, of a .csv or .parquet path, or of a .csv.gz path decompressed; see `Source`."""
    return Source(bytes(source) if not isinstance(source, Path) else source, limits).read()


def is_parquet(source: Source) -> bool:
    """Whether the bytes begin and end as a Parquet table does."""
    head = source.head()
    return head.startswith(PARQUET) and len(head) > len(PARQUET) and source.ends_with(PARQUET)


def text_of(source: Source, options: ReadOptions) -> Chunks:
    """Passes over the file's text as UTF-8 without a mark, once it may be delimited text.

    Raises FileRefused for an empty file, another file type (by its first bytes), another encoding, a NUL byte, and a
    quote that neither opens nor closes a cell (RFC 4180 section 2).
    """
    text = plain_text(source, options.encoding)
    _check_marks(text, options.delimiter)
    if options.encoding == "utf-8" and encodings.bad_byte(source, "utf-8") is not None:
        raise encodings.not_in(source, "utf-8")
    return text


def plain_text(source: Source, encoding: str) -> Chunks:
    """Passes over the file as UTF-8; FileRefused for an empty file, one of another kind, and another encoding."""
    _check_type(source)
    encodings.check(source, encoding)
    if beginning(encodings.utf8(source, encoding), SAMPLE).lstrip()[:16].lower().startswith(_MARKUP):
        raise FileRefused(f"The file is an HTML or XML page, not CSV text. {CSV_REMEDY}")
    return lambda: encodings.utf8(source, encoding)


def _check_type(source: Source) -> None:
    head = source.head()
    if not head.removeprefix(UTF8_MARK):
        raise FileRefused("The file is empty; a header and at least one row are needed.")
    if head.startswith(b"PK\x03\x04"):
        book = any(mark in chunk for chunk in source.chunks() for mark in (b"xl/", b"[Content_Types].xml"))
        kind = "an Excel workbook (.xlsx)" if book else "a zip archive"
        raise FileRefused(f"The file is {kind}, not CSV text. {CSV_REMEDY}")
    for magic, kind in _MAGIC:
        if head.startswith(magic):
            raise FileRefused(f"The file is {kind}, not CSV text. {CSV_REMEDY}")
    if head.startswith(_FIRST_PAGE):
        raise FileRefused(
            "The file begins as a Parquet table and does not end as one: it is cut off. Copy the whole file, or write "
            "the table again."
        )


def _check_marks(text: Chunks, delimiter: str) -> None:
    """Refuse a NUL, and a quote out of place: odd ones open a cell, even ones close it, a doubled one does both."""
    edge = np.isin(np.arange(256), [ord(delimiter), ord("\r"), ord("\n"), ord('"')])
    place, count, last = 0, 0, 0
    wrong: int | None = None
    for before, chunk, after in _with_neighbours(text()):
        nul = chunk.find(b"\x00")
        if nul >= 0:
            raise FileRefused(
                "A NUL byte; the file is binary or of another encoding. " + CSV_REMEDY,
                line=line_in(text(), place + nul),
            )
        if wrong is None and b'"' in chunk:
            quotes = np.flatnonzero(np.frombuffer(chunk, dtype=np.uint8) == ord('"'))
            misplaced = _misplaced(before, chunk, after, quotes, count, edge)
            wrong = None if misplaced is None else place + misplaced
            count, last = count + len(quotes), place + int(quotes[-1])
        place += len(chunk)
    if wrong is not None:
        raise FileRefused(
            "A quote stands inside a cell that is not quoted, text follows a closing quote, or an earlier quote "
            "was never closed; quote whole cells and double the quotes inside them.",
            line=line_in(text(), wrong),
        )
    if count % 2:
        raise FileRefused(
            "A quote opens here and is never closed; close it, or check that the file is complete.",
            line=line_in(text(), last),
        )


def _with_neighbours(chunks: Iterator[bytes]) -> Iterator[tuple[bytes, bytes, bytes]]:
    """Each chunk with the byte before it and the byte behind it, b"" at the ends of the text."""
    before = b""
    chunk = next(chunks, b"")
    for following in chunks:
        if following:
            yield before, chunk, following[:1]
            before, chunk = chunk[-1:], following
    yield before, chunk, b""


def _misplaced(
    before: bytes, chunk: bytes, after: bytes, quotes: np.ndarray, count: int, edge: np.ndarray
) -> int | None:
    """The first quote of a chunk that neither opens nor closes a cell; `count` quotes stand before the chunk.

    edge  bool (256,): the bytes beside which a cell's quotes may stand; the ends of the text are such places too
    """
    text = np.frombuffer((before or b"\n") + chunk + (after or b"\n"), dtype=np.uint8)
    opens = (np.arange(len(quotes)) + count) % 2 == 0
    beside = np.where(opens, text[quotes], text[quotes + 2])
    wrong = quotes[~edge[beside]]
    return int(wrong[0]) if len(wrong) else None
