"""The bytes of a file before anyone looks for cells: size, compression, encoding, quotes."""

from __future__ import annotations

import gzip
import io
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np

from pmwpub.errors import FileRefused

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
)
_MARKUP = (b"<!doctype", b"<html", b"<?xml")
_UTF8_BOM = b"\xef\xbb\xbf"
_CSV_REMEDY = "Export the table as UTF-8 CSV with commas and load that file."


@dataclass(frozen=True)
class Limits:
    """What one file may hold at most.

    bytes       size of the file, after decompression
    columns     cells of the header
    line_bytes  bytes of one physical line
    name_chars  characters of one column name
    """

    bytes: int = 200_000_000
    columns: int = 1_000
    line_bytes: int = 1_000_000
    name_chars: int = 1_000


def load(source: bytes | Path, limits: Limits) -> bytes:
    """The decompressed bytes of an upload or of a .csv or .csv.gz path.

    Only a path is ever decompressed. Raises FileRefused when the file cannot be read, or as soon as it passes
    `limits.bytes`, so that a small archive cannot fill the memory.
    """
    if not isinstance(source, Path):
        return _within(bytes(source), limits)
    try:
        if source.name.endswith(".csv.gz"):
            with gzip.open(source, "rb") as packed:
                return _bounded(packed, limits)
        if source.name.endswith(".csv"):
            with source.open("rb") as plain:
                return _bounded(plain, limits)
    except (gzip.BadGzipFile, zlib.error, EOFError) as broken:
        raise FileRefused("The .gz archive is damaged or cut off; compress the CSV again.") from broken
    except OSError as failure:
        raise FileRefused(f"The file cannot be opened ({failure.strerror}); check the path.") from failure
    raise FileRefused("A path must end in .csv or .csv.gz; another ending came. " + _CSV_REMEDY)


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


def check(content: bytes) -> None:
    """Refuse what is not UTF-8 comma-separated text, before it is parsed.

    Raises FileRefused for an empty file, another file type (by its first bytes), UTF-16 or UTF-32, a NUL byte, and a
    quote that neither opens nor closes a cell (RFC 4180 section 2).
    """
    _check_type(content)
    nul = content.find(b"\x00")
    if nul >= 0:
        raise FileRefused("A NUL byte; the file is binary or not UTF-8. " + _CSV_REMEDY, line=line_of(content, nul))
    _check_quotes(content)


def line_of(content: bytes, position: int) -> int:
    """The 1-based physical line that byte `position` lies on; CR, LF and CRLF each end one line."""
    before = content[:position]
    return 1 + before.count(b"\n") + before.count(b"\r") - before.count(b"\r\n")


def _check_type(content: bytes) -> None:
    if content.startswith((b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")):
        raise FileRefused("The file is UTF-16 or UTF-32, but UTF-8 is needed; save it again as UTF-8.")
    if content.startswith(b"PK\x03\x04"):
        kind = (
            "an Excel workbook (.xlsx)" if b"xl/" in content or b"[Content_Types].xml" in content else "a zip archive"
        )
        raise FileRefused(f"The file is {kind}, not CSV text. {_CSV_REMEDY}")
    for magic, kind in _MAGIC:
        if content.startswith(magic):
            raise FileRefused(f"The file is {kind}, not CSV text. {_CSV_REMEDY}")
    if content.startswith(b"PAR1") and content.endswith(b"PAR1"):
        raise FileRefused(f"The file is a Parquet table, not CSV text. {_CSV_REMEDY}")
    text = content.removeprefix(_UTF8_BOM)
    if text[:_CHUNK].lstrip()[:16].lower().startswith(_MARKUP):
        raise FileRefused(f"The file is an HTML or XML page, not CSV text. {_CSV_REMEDY}")
    if not text:
        raise FileRefused("The file is empty; a header and at least one row are needed.")


def _check_quotes(content: bytes) -> None:
    """Each odd quote must open a cell and each even one close it; a doubled quote closes and opens at once."""
    if b'"' not in content:
        return
    start = len(_UTF8_BOM) if content.startswith(_UTF8_BOM) else 0
    text = np.frombuffer(content, dtype=np.uint8)[start:]
    quotes = np.flatnonzero(text == ord('"'))
    edge = np.isin(np.arange(256), [ord(","), ord("\r"), ord("\n"), ord('"')])
    opening, closing = quotes[0::2], quotes[1::2]
    opens = (opening == 0) | edge[text[np.maximum(opening - 1, 0)]]
    closes = (closing == len(text) - 1) | edge[text[np.minimum(closing + 1, len(text) - 1)]]
    wrong = np.concatenate([opening[~opens], closing[~closes]])
    if len(wrong):
        raise FileRefused(
            "A quote stands inside a cell that is not quoted, text follows a closing quote, or an earlier quote "
            "was never closed; quote whole cells and double the quotes inside them.",
            line=line_of(content, start + int(wrong.min())),
        )
    if len(quotes) % 2:
        raise FileRefused(
            "A quote opens here and is never closed; close it, or check that the file is complete.",
            line=line_of(content, start + int(quotes[-1])),
        )


def not_utf8(content: bytes) -> FileRefused:
    """The refusal that names the line of the first byte that is not UTF-8."""
    line = None
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as failure:
        line = line_of(content, failure.start)
    return FileRefused(
        "A byte that is not UTF-8; the file has another or a mixed encoding. Save it again as UTF-8.", line=line
    )


def open_text(content: bytes) -> io.TextIOWrapper:
    """`content` as text lines with their line ends as they are, without its byte order mark."""
    return io.TextIOWrapper(io.BytesIO(content), encoding="utf-8-sig", newline="")
