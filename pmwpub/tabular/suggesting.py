"""Under which reading options a refused file would read: something to ask about, never to act on."""

from __future__ import annotations

import csv
import io
from itertools import islice

from pmwpub.errors import FileRefused
from pmwpub.tabular.container import plain_text
from pmwpub.tabular.encodings import UTF8_MARK, UTF16_MARKS, UTF32_MARKS, utf8
from pmwpub.tabular.options import DELIMITERS, ReadOptions

_SAMPLE = 1 << 16
_RECORDS = 100


def suggest(content: bytes, tried: ReadOptions) -> ReadOptions | None:
    """Options under which the beginning of `content` is a table, if they differ from those that were tried.

    An encoding is proposed for its mark, for the NULs of UTF-16, or as Windows-1252 where the bytes are neither UTF-8
    nor of the encoding that was tried; a delimiter, where it cuts the first records into equally many cells, and the
    header into the most.
    """
    encoding = _encoding(content, tried.encoding)
    if encoding is None:
        return None
    try:
        text = plain_text(content, encoding)
    except FileRefused:
        return None
    found = ReadOptions(encoding, _delimiter(text, tried.delimiter))
    return None if found == tried else found


def _encoding(content: bytes, tried: str) -> str | None:
    marked = _marked(content)
    if marked is not None:
        return marked or None
    for encoding in (tried, "utf-8", "cp1252"):
        if _decodes(content, encoding):
            return encoding
    return None


def _marked(content: bytes) -> str | None:
    """The encoding that a mark or the places of the NULs tell; "" for one that is not offered; None for no sign."""
    if content.startswith(UTF8_MARK):
        return "utf-8"
    if content.startswith(UTF32_MARKS):
        return ""
    if content.startswith(UTF16_MARKS):
        return "utf-16" if _decodes(content, "utf-16") else ""
    if b"\x00" not in content:
        return None
    head = content[:_SAMPLE]
    even, odd = head[0::2].count(0), head[1::2].count(0)
    guess = "utf-16-be" if even > odd else "utf-16-le"
    telling = min(even, odd) == 0 and 4 * max(even, odd) > len(head)
    return guess if telling and _decodes(content, guess) else ""


def _decodes(content: bytes, encoding: str) -> bool:
    try:
        text = utf8(content, encoding)
        text.decode()
    except (FileRefused, UnicodeDecodeError):
        return False
    return b"\x00" not in text


def _delimiter(text: bytes, tried: str) -> str:
    sample = text[:_SAMPLE].decode("utf-8", "ignore")
    widths = {mark: _width(sample, mark, whole=len(text) <= _SAMPLE) for mark in (tried, *DELIMITERS)}
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
