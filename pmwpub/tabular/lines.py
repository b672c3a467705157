"""The physical lines of a text, one at a time, in bounded memory: an endless line is cut off where it is refused."""

from __future__ import annotations

from collections.abc import Iterator

from pmwpub.errors import FileRefused
from pmwpub.tabular.files.source import FileLimits, open_text

_SPARE = 8  # bytes beyond the limit that are kept of a line, so that it is seen to pass it
_CONTINUES = range(0x80, 0xC0)  # bytes in the middle of a character


class Lines(Iterator[str]):
    """The lines of checked UTF-8, with their ends.

    Raises FileRefused for a line of more than `limits.line_bytes`, and for lines of more than `limits.record_chars`
    together between two calls of `begin_record`.
    """

    def __init__(self, text: Iterator[bytes], limits: FileLimits) -> None:
        self._text = open_text(capped(text, limits.line_bytes))
        self._limits = limits
        self._number = 0
        self._record = 0

    def begin_record(self) -> None:
        """Say that the lines to come belong to another row."""
        self._record = 0

    def __next__(self) -> str:
        line, limits = next(self._text), self._limits
        self._number += 1
        self._record += len(line)
        if 4 * len(line) > limits.line_bytes and len(line.encode()) > limits.line_bytes:
            raise FileRefused(
                f"The line has more than {limits.line_bytes:,} bytes; check that the file has line breaks.",
                line=self._number,
            )
        if self._record > limits.record_chars:
            raise FileRefused(
                f"The row that goes on here has more than {limits.record_chars:,} characters, the most that is read.",
                line=self._number,
            )
        return line


def capped(text: Iterator[bytes], line_bytes: int) -> Iterator[bytes]:
    """The text up to the first line of more than `line_bytes`, and of that line little more than so many bytes."""
    length = 0  # bytes of the line so far
    for chunk in text:
        begins = 0
        while begins < len(chunk):
            reach = begins + line_bytes + _SPARE - length
            last = max(chunk.rfind(b"\n", begins, reach), chunk.rfind(b"\r", begins, reach))
            if last >= 0:
                length, begins = 0, last + 1
            elif reach >= len(chunk):
                length, begins = length + len(chunk) - begins, len(chunk)
            else:
                yield chunk[: _between_characters(chunk, reach)]
                return
        yield chunk


def _between_characters(chunk: bytes, place: int) -> int:
    """The last place up to `place` at which a character begins."""
    while place and chunk[place] in _CONTINUES:
        place -= 1
    return place
