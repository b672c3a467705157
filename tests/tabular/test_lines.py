"""A line or a row without end is refused while it streams in."""

from __future__ import annotations

import gzip
import itertools
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmwpub.errors import FileRefused
from pmwpub.tabular.files.reading import open_table
from pmwpub.tabular.files.source import FileLimits
from pmwpub.tabular.lines import Lines, capped

MEBIBYTE = 1 << 20


@pytest.fixture
def packed(tmp_path: Path) -> Callable[[bytes, bytes, int], Path]:
    """A small .csv.gz that unpacks to `head`, then so many MiB of `piece` over and over."""

    def made(head: bytes, piece: bytes, times: int) -> Path:
        member = gzip.compress((piece * MEBIBYTE)[: MEBIBYTE // len(piece) * len(piece)])
        (tmp_path / "bomb.csv.gz").write_bytes(gzip.compress(head) + member * times)
        return tmp_path / "bomb.csv.gz"

    return made


@pytest.mark.parametrize(
    ("head", "piece", "times", "words", "line"),
    [
        (b"a,b\n1,", b"\x20", 200, "1,000,000 bytes", 2),
        (b"a,", b"\x20", 200, "1,000,000 bytes", 1),
        (b"a,b\n1,2\n", "é".encode(), 200, "1,000,000 bytes", 3),
        (b"a,b\n", b'"\n",', 40, "16,000,000 characters", None),
        (b"", b'"\n",', 40, "16,000,000 characters", None),
    ],
    ids=["cell", "header", "letters", "row of line breaks", "header of line breaks"],
)
def test_what_unpacks_to_one_endless_line_or_row_is_refused_in_bounded_memory(
    packed: Callable[[bytes, bytes, int], Path], head: bytes, piece: bytes, times: int, words: str, line: int | None
) -> None:
    """Neither the text of the whole nor the list of its cells would fit into 100 MiB."""
    path = packed(head, piece, times)
    tracemalloc.start()
    try:
        with pytest.raises(FileRefused, match=words) as caught:
            for _ in open_table(path).chunks():
                pass
        assert tracemalloc.get_traced_memory()[1] < 100 * MEBIBYTE
    finally:
        tracemalloc.stop()
    assert line in (None, caught.value.line)


def lines_of(parts: list[bytes], limit: int) -> tuple[list[str], int | None]:
    """The lines that come, and the line of the refusal, if any."""
    found: list[str] = []
    reading = Lines(iter(parts), FileLimits(line_bytes=limit))
    try:
        found.extend(reading)
    except FileRefused as refused:
        return found, refused.line
    return found, None


@given(st.text("ab\n\ré€\U0001f600", max_size=60), st.lists(st.integers(0, 240), max_size=6), st.integers(1, 30))
def test_wherever_chunks_are_cut_the_same_line_is_refused(text: str, cuts: list[int], limit: int) -> None:
    content = text.encode()
    places = [0, *sorted(cuts), len(content)]
    parts = [content[low:high] for low, high in itertools.pairwise(places)]
    whole: list[str] = []
    expected: int | None = None
    for number, line in enumerate(_physical(text), start=1):
        if len(line.encode()) > limit:
            expected = number
            break
        whole.append(line)
    assert lines_of(parts, limit) == (whole, expected)


def _physical(text: str) -> Iterator[str]:
    """Lines with their ends: LF, CR, CRLF."""
    line = ""
    for position, character in enumerate(text):
        line += character
        if character == "\n" or (character == "\r" and text[position + 1 : position + 2] != "\n"):
            yield line
            line = ""
    if line:
        yield line


def test_of_an_endless_line_little_more_than_the_limit_is_passed_on() -> None:
    passed = b"".join(capped(iter([b"ab\n", b"x" * 50, b"x" * 50]), 20))
    assert passed.startswith(b"ab\nxxxx")
    assert 20 < len(passed) - 3 <= 30 + 50
