"""From the bytes of a text file to UTF-8, strictly: a byte that does not belong is refused by its line."""

from __future__ import annotations

import re
from contextlib import suppress
from functools import cache

from pmwpub.errors import FileRefused
from pmwpub.tabular.options import ENCODINGS

UTF8_MARK = b"\xef\xbb\xbf"
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
UTF32_MARKS = (b"\xff\xfe\x00\x00", b"\x00\x00\xfe\xff")
_ONE_MARK = "\ufeff".encode()

# Encodings in which two bytes that happen to be a UTF-8 character of the same alphabet make no word: "Ã©" for "é".
_WESTERN = ("cp1252", "latin-1", "iso8859-15")
_WITHOUT_C1 = ("latin-1", "iso8859-15")
_C1 = re.compile(rb"[\x80-\x9f]")


def utf8(content: bytes, encoding: str) -> bytes:
    """The text of `content` as UTF-8 without a byte order mark; of UTF-8 itself only the mark is looked at.

    Raises FileRefused for a mark of another encoding, a byte or unit that the encoding does not know, and, in the
    Western European ones, a control byte (0x80 to 0x9F, where the encoding has only controls) or a character in
    UTF-8, which both betray another or a mixed encoding.
    """
    _check_mark(content, encoding)
    if encoding == "utf-8":
        return content.removeprefix(UTF8_MARK)
    if encoding in _WESTERN:
        _check_western(content, encoding)
    with suppress(UnicodeDecodeError):  # its message would quote a byte of a cell, even as a mere context
        return content.decode(encoding).encode().removeprefix(_ONE_MARK)
    raise not_in(content, encoding)


def line_of(content: bytes, position: int) -> int:
    """The 1-based physical line that byte `position` lies on; CR, LF and CRLF each end one line."""
    before = content[:position]
    return 1 + before.count(b"\n") + before.count(b"\r") - before.count(b"\r\n")


def not_in(content: bytes, encoding: str) -> FileRefused:
    """The refusal that names the line of the first byte that is not of the encoding."""
    line = None
    try:
        content.decode(encoding)
    except UnicodeDecodeError as failure:
        before = content[: failure.start].decode(encoding, "ignore").encode()
        line = line_of(before, len(before))
    return _refused(f"A byte that is not {ENCODINGS[encoding]}", line)


def _refused(what: str, line: int | None) -> FileRefused:
    return FileRefused(f"{what}; the file has another or a mixed encoding. Save it again as UTF-8.", line=line)


def _check_mark(content: bytes, encoding: str) -> None:
    if content.startswith(UTF32_MARKS):
        raise FileRefused("The file is UTF-32 (or UTF-16 that begins with a NUL); save it again as UTF-8.")
    if content.startswith(UTF16_MARKS) and not encoding.startswith("utf-16"):
        raise FileRefused("The file is UTF-16; save it again as UTF-8.")
    if content.startswith(UTF8_MARK) and encoding != "utf-8":
        raise FileRefused("The file begins with the mark of UTF-8; read it as UTF-8.")
    if encoding == "utf-16" and not content.startswith(UTF16_MARKS):
        raise FileRefused("UTF-16 begins with a byte order mark, which the file lacks; choose another encoding.")


def _check_western(content: bytes, encoding: str) -> None:
    control = _C1.search(content) if encoding in _WITHOUT_C1 else None
    if control:
        raise _refused(f"A control byte, which no {ENCODINGS[encoding]} text has", line_of(content, control.start()))
    foreign = _in_utf8(encoding).search(content)
    if foreign:
        raise _refused(f"A character in UTF-8, not in {ENCODINGS[encoding]}", line_of(content, foreign.start()))


@cache
def _in_utf8(encoding: str) -> re.Pattern[bytes]:
    """The characters of an 8-bit encoding beyond ASCII as UTF-8 writes them; one branch a leading part, for speed."""
    ends: dict[bytes, bytes] = {}
    for byte in range(0x80, 0x100):
        written = bytes([byte]).decode(encoding, "ignore").encode()
        if written:
            ends[written[:-1]] = ends.get(written[:-1], b"") + written[-1:]
    return re.compile(b"|".join(re.escape(begin) + b"[" + re.escape(last) + b"]" for begin, last in ends.items()))
