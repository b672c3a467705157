"""From the bytes of a text file to UTF-8, strictly: a byte that does not belong is refused by its line."""

from __future__ import annotations

import codecs
import itertools
import re
import sys
from collections.abc import Iterator
from functools import cache

from pmwpub.errors import FileRefused
from pmwpub.tabular.files.source import Source, line_in
from pmwpub.tabular.files.text.read_options import ENCODINGS

UTF8_MARK = b"\xef\xbb\xbf"
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
UTF32_MARKS = (b"\xff\xfe\x00\x00", b"\x00\x00\xfe\xff")

# Encodings in which two bytes that happen to be a UTF-8 character of the same alphabet make no word: "Ã©" for "é".
_WESTERN = ("cp1252", "latin-1", "iso8859-15")
_WITHOUT_C1 = ("latin-1", "iso8859-15")
_C1 = re.compile(rb"[\x80-\x9f]")


def check(source: Source, encoding: str) -> None:
    """Go through the raw bytes for what betrays another encoding; of UTF-8 itself only the mark is looked at.

    Raises FileRefused for a mark of another encoding, a byte or unit that the encoding does not know, and, in the
    Western European ones, a control byte (0x80 to 0x9F, where the encoding has only controls) or a character in
    UTF-8, which both betray another or a mixed encoding.
    """
    _check_mark(source.head(), encoding)
    if encoding == "utf-8":
        return
    if encoding in _WESTERN:
        _check_western(source, encoding)
    if bad_byte(source, encoding) is not None:
        raise not_in(source, encoding)


def utf8(source: Source, encoding: str) -> Iterator[bytes]:
    """One pass over the text of a checked source as UTF-8 without a byte order mark; UTF-8 is not decoded."""
    chunks = source.chunks()
    if encoding != "utf-8":
        decoder = codecs.getincrementaldecoder(encoding)()
        texts = (decoder.decode(chunk) for chunk in chunks)
        chunks = (text.encode() for text in itertools.chain(texts, iter([decoder.decode(b"", True)])))
    return _without_mark(chunks)


def bad_byte(source: Source, encoding: str) -> int | None:
    """The place of the first byte that does not belong to the encoding, if there is one."""
    decoder = codecs.getincrementaldecoder(encoding)()
    fed = 0
    for chunk in itertools.chain(source.chunks(), [b""]):
        try:
            decoder.decode(chunk, not chunk)
        except UnicodeDecodeError as failure:
            return fed + len(chunk) - len(failure.object) + failure.start
        fed += len(chunk)
    return None


def not_in(source: Source, encoding: str) -> FileRefused:
    """The refusal that names the line of the first byte that is not of the encoding."""
    place = bad_byte(source, encoding)
    if place is None:
        return _refused(f"A byte that is not {ENCODINGS[encoding]}", None)
    decoder = codecs.getincrementaldecoder(encoding)("ignore")
    before = (decoder.decode(part).encode() for part in _until(source, place))
    return _refused(f"A byte that is not {ENCODINGS[encoding]}", line_in(before, sys.maxsize))


def _until(source: Source, place: int) -> Iterator[bytes]:
    for chunk in source.chunks():
        yield chunk[:place]
        place -= len(chunk)
        if place <= 0:
            break


def _without_mark(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """The chunks of a text in UTF-8 without its mark."""
    first = b""
    for chunk in chunks:
        first += chunk
        if len(first) >= len(UTF8_MARK):
            break
    yield first.removeprefix(UTF8_MARK)
    yield from chunks


def _refused(what: str, line: int | None) -> FileRefused:
    return FileRefused(f"{what}; the file has another or a mixed encoding. Save it again as UTF-8.", line=line)


def _check_mark(head: bytes, encoding: str) -> None:
    if head.startswith(UTF32_MARKS):
        raise FileRefused("The file is UTF-32 (or UTF-16 that begins with a NUL); save it again as UTF-8.")
    if head.startswith(UTF16_MARKS) and not encoding.startswith("utf-16"):
        raise FileRefused("The file is UTF-16; save it again as UTF-8.")
    if head.startswith(UTF8_MARK) and encoding != "utf-8":
        raise FileRefused("The file begins with the mark of UTF-8; read it as UTF-8.")
    if encoding == "utf-16" and not head.startswith(UTF16_MARKS):
        raise FileRefused("UTF-16 begins with a byte order mark, which the file lacks; choose another encoding.")


def _check_western(source: Source, encoding: str) -> None:
    control = _first(source, _C1) if encoding in _WITHOUT_C1 else None
    if control is not None:
        raise _refused(f"A control byte, which no {ENCODINGS[encoding]} text has", line_in(source.chunks(), control))
    foreign = _first(source, _in_utf8(encoding))
    if foreign is not None:
        raise _refused(f"A character in UTF-8, not in {ENCODINGS[encoding]}", line_in(source.chunks(), foreign))


def _first(source: Source, pattern: re.Pattern[bytes]) -> int | None:
    """The place of the first match of at most four bytes, also across chunks."""
    fed, last = 0, b""
    for chunk in source.chunks():
        found = pattern.search(last + chunk)
        if found:
            return fed - len(last) + found.start()
        fed += len(chunk)
        last = (last + chunk)[-3:]
    return None


@cache
def _in_utf8(encoding: str) -> re.Pattern[bytes]:
    """A pattern of an 8-bit encoding's characters beyond ASCII in UTF-8; one branch a leading part, for speed."""
    ends: dict[bytes, bytes] = {}
    for byte in range(0x80, 0x100):
        written = bytes([byte]).decode(encoding, "ignore").encode()
        if written:
            ends[written[:-1]] = ends.get(written[:-1], b"") + written[-1:]
    return re.compile(b"|".join(re.escape(begin) + b"[" + re.escape(last) + b"]" for begin, last in ends.items()))
