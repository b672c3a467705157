"""The bytes of a file before anyone looks for cells: size, compression, file type, encoding, quotes."""

from __future__ import annotations

import gzip
import io
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np

from pmwpub.errors import FileRefused
from pmwpub.tabular.encodings import UTF8_MARK, line_of, utf8
from pmwpub.tabular.options import ReadOptions

PARQUET = b"PAR1"
_CHUNK = 1 << 20
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
_CSV_REMEDY = "Export the table as UTF-8 CSV with commas and load that file."


@dataclass(frozen=True)
class Limits:
    """What one file may hold at most.

    bytes       size of the file, after decompression
    columns     cells of the header
    cells       rows times columns
    line_bytes  bytes of one physical line
    name_chars  characters of one column name
    """

    bytes: int = 200_000_000
    columns: int = 1_000
    cells: int = 100_000_000
    line_bytes: int = 1_000_000
    name_chars: int = 1_000


def load(source: bytes | Path, limits: Limits) -> bytes:
    """The bytes of an upload, of a .csv or .parquet path, or of a .csv.gz path decompressed.

    Only a path is ever decompressed. Raises FileRefused when the file cannot be read, or as soon as it passes
    `limits.bytes`, so that a small archive cannot fill the memory.
    """
    if not isinstance(source, Path):
        return _within(bytes(source), limits)
    try:
        if source.name.endswith(".csv.gz"):
            with gzip.open(source, "rb") as packed:
                return _bounded(packed, limits)
        if source.name.endswith((".csv", ".parquet")):
            with source.open("rb") as plain:
                return _bounded(plain, limits)
    except (gzip.BadGzipFile, zlib.error, EOFError) as broken:
        raise FileRefused("The .gz archive is damaged or cut off; compress the CSV again.") from broken
    except OSError as failure:
        raise FileRefused(f"The file cannot be opened ({failure.strerror}); check the path.") from failure
    raise FileRefused("A path must end in .csv, .csv.gz or .parquet; another ending came. " + _CSV_REMEDY)


def _bounded(stream: BinaryIO | gzip.GzipFile, limits: Limits) -> bytes:
    parts: list[bytes] = []
    size = 0
    while size <= limits.bytes and (part := stream.read(_CHUNK)):
        parts.append(part)
        size += len(part)
    return _within(b"".join(parts), limits)


def _within(content: bytes, limits: Limits) -> bytes:
    if len(content) > limits.bytes:
        raise FileRefused(
            f"The file has more than {limits.bytes:,} bytes, the most that is read; split or thin it out."
        )
    return content


def is_parquet(content: bytes) -> bool:
    """Whether the bytes begin and end as a Parquet table does."""
    return content.startswith(PARQUET) and content.endswith(PARQUET) and len(content) > len(PARQUET)


def text_of(content: bytes, options: ReadOptions) -> bytes:
    """The file's text as UTF-8 without a mark, once it may be delimited text; of UTF-8 the bytes are not yet decoded.

    Raises FileRefused for an empty file, another file type (by its first bytes), another encoding, a NUL byte, and a
    quote that neither opens nor closes a cell (RFC 4180 section 2).
    """
    text = plain_text(content, options.encoding)
    nul = text.find(b"\x00")
    if nul >= 0:
        raise FileRefused(
            "A NUL byte; the file is binary or of another encoding. " + _CSV_REMEDY, line=line_of(text, nul)
        )
    _check_quotes(text, options.delimiter)
    return text


def plain_text(content: bytes, encoding: str) -> bytes:
    """The bytes as UTF-8; FileRefused for an empty file, one of another kind, and another encoding."""
    _check_type(content)
    text = utf8(content, encoding)
    if text[:_CHUNK].lstrip()[:16].lower().startswith(_MARKUP):
        raise FileRefused(f"The file is an HTML or XML page, not CSV text. {_CSV_REMEDY}")
    return text


def _check_type(content: bytes) -> None:
    if not content.removeprefix(UTF8_MARK):
        raise FileRefused("The file is empty; a header and at least one row are needed.")
    if content.startswith(b"PK\x03\x04"):
        kind = (
            "an Excel workbook (.xlsx)" if b"xl/" in content or b"[Content_Types].xml" in content else "a zip archive"
        )
        raise FileRefused(f"The file is {kind}, not CSV text. {_CSV_REMEDY}")
    for magic, kind in _MAGIC:
        if content.startswith(magic):
            raise FileRefused(f"The file is {kind}, not CSV text. {_CSV_REMEDY}")


def _check_quotes(content: bytes, delimiter: str) -> None:
    """Each odd quote must open a cell and each even one close it; a doubled quote closes and opens at once."""
    if b'"' not in content:
        return
    text = np.frombuffer(content, dtype=np.uint8)
    quotes = np.flatnonzero(text == ord('"'))
    edge = np.isin(np.arange(256), [ord(delimiter), ord("\r"), ord("\n"), ord('"')])
    opening, closing = quotes[0::2], quotes[1::2]
    opens = (opening == 0) | edge[text[np.maximum(opening - 1, 0)]]
    closes = (closing == len(text) - 1) | edge[text[np.minimum(closing + 1, len(text) - 1)]]
    wrong = np.concatenate([opening[~opens], closing[~closes]])
    if len(wrong):
        raise FileRefused(
            "A quote stands inside a cell that is not quoted, text follows a closing quote, or an earlier quote "
            "was never closed; quote whole cells and double the quotes inside them.",
            line=line_of(content, int(wrong.min())),
        )
    if len(quotes) % 2:
        raise FileRefused(
            "A quote opens here and is never closed; close it, or check that the file is complete.",
            line=line_of(content, int(quotes[-1])),
        )


def open_text(text: bytes) -> io.TextIOWrapper:
    """UTF-8 bytes as text lines with their line ends as they are."""
    return io.TextIOWrapper(io.BytesIO(text), encoding="utf-8", newline="")
