"""Under which reading options a refused file would read: something to ask about, never to act on."""

from __future__ import annotations

import csv
import io
from itertools import islice

from pmwpub.errors import FileRefused
from pmwpub.tabular.files.container import plain_text
from pmwpub.tabular.files.source import SAMPLE, Source, beginning
from pmwpub.tabular.files.text.encodings import UTF8_MARK, UTF16_MARKS, UTF32_MARKS, bad_byte, check, utf8
from pmwpub.tabular.files.text.first_lines import said_delimiter
from pmwpub.tabular.files.text.read_options import DELIMITERS, ReadOptions

_RECORDS = 100


def suggest(source: Source, tried: ReadOptions) -> ReadOptions | None:
    """Options under which the beginning of a file is a table, if they differ from those that were tried.

    An encoding is proposed for its mark, for the NULs of UTF-16, or as Windows-1252 where the bytes are neither UTF-8
    nor of the encoding that was tried; a delimiter, where it cuts the first records into equally many cells, and the
    header into the most.
    """
    try:
        encoding = _encoding(source, tried.encoding)
        if encoding is None:
            return None
        text = beginning(plain_text(source, encoding)(), SAMPLE + 1)
    except FileRefused:
        return None
    found = ReadOptions(
        encoding, said_delimiter(text) or _delimiter(text, tried.delimiter), tried.row_names, tried.no_header
    )
    return None if found == tried else found


def _encoding(source: Source, tried: str) -> str | None:
    marked = _marked(source)
    if marked is not None:
        return marked or None
    for encoding in (tried, "utf-8", "cp1252"):
        if _decodes(source, encoding):
            return encoding
    return None


def _marked(source: Source) -> str | None:
    """The encoding that a mark or the places of the NULs tell; "" for one that is not offered; None for no sign."""
    head = source.head()
    if head.startswith(UTF8_MARK):
        return "utf-8"
    if head.startswith(UTF32_MARKS):
        return ""
    if head.startswith(UTF16_MARKS):
        return "utf-16" if _decodes(source, "utf-16") else ""
    if not any(b"\x00" in chunk for chunk in source.chunks()):
        return None
    even, odd = head[0::2].count(0), head[1::2].count(0)
    guess = "utf-16-be" if even > odd else "utf-16-le"
    telling = min(even, odd) == 0 and 4 * max(even, odd) > len(head)
    return guess if telling and _decodes(source, guess) else ""


def _decodes(source: Source, encoding: str) -> bool:
    try:
        check(source, encoding)
    except FileRefused:
        return False
    if encoding == "utf-8" and bad_byte(source, encoding) is not None:
        return False
    return not any(b"\x00" in chunk for chunk in utf8(source, encoding))


def _delimiter(text: bytes, tried: str) -> str:
    sample = text[:SAMPLE].decode("utf-8", "ignore")
    widths = {mark: _width(sample, mark, whole=len(text) <= SAMPLE) for mark in (tried, *DELIMITERS)}
    best = max(widths, key=widths.__getitem__)
    return best if widths[best] > 1 else tried


def _width(sample: str, delimiter: str, *, whole: bool) -> int:
    """The number of cells that each of the first records has, or 0 if they differ or cannot be parsed."""
    try:
        records = list(
            islice(csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter, strict=True), _RECORDS + 1)
        )
    except csv.Error:
        return 0
    if not whole and len(records) <= _RECORDS:
        records = records[:-1]
    sizes = {len(record) for record in records if record}
    return sizes.pop() if len(sizes) == 1 else 0
