"""The page headers of a Parquet file, read before anything is decompressed: what they claim is what a reader allocates.

Pages stand one behind the other in each column chunk; each begins with a Thrift struct (compact protocol) of sizes:
https://github.com/apache/parquet-format. Nothing but numbers is looked at here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, Protocol

from pmwpub.errors import FileRefused

AT_ONCE = 1 << 29
"""The most bytes of memory for the largest pages of all columns together: a reader holds one page a column."""

_WINDOW = 1 << 12
_LONGEST_HEADER = 1 << 24  # as Arrow has it
_PADDING = 100  # so far Arrow reads on in the files of one old writer
_DEEPEST = 8
_ENTRY = 20  # bytes of an entry of a dictionary in memory, beside its text
_DELTA_ENCODINGS = (5, 6, 7)  # lengths of all values of the page are held at once

Fields = dict[int, Any]


class Seekable(Protocol):
    """An open file of any kind."""

    def seek(self, position: int, whence: int = 0) -> int: ...

    def read(self, nbytes: int) -> bytes: ...


class Page(NamedTuple):
    """What a page's header says: its own length, then the page's bytes stored and unpacked, and its values."""

    length: int
    stored: int
    unpacked: int
    values: int
    dictionary: bool
    delta: bool

    @property
    def memory(self) -> int:
        """The bytes that a reader sets aside for the page."""
        return self.unpacked + (_ENTRY * self.values if self.dictionary else 8 * self.values if self.delta else 0)


class ColumnChunk(NamedTuple):
    """Where a column's pages of one row group stand, and how many values they hold."""

    data_page_offset: int
    dictionary_page_offset: int | None
    total_compressed_size: int
    num_values: int


def chunks(opened: Seekable) -> Iterator[list[ColumnChunk]]:
    """The column chunks of each row group, from the file's footer; ValueError if damaged.

    They are read here because pyarrow's `RowGroupMetaData.column` ends the process where statistics contradict
    themselves.
    """
    end = opened.seek(0, 2)
    opened.seek(end - 8)
    length = int.from_bytes(opened.read(8)[:4], "little")
    opened.seek(max(0, end - 8 - length))
    try:
        footer, _ = _struct(opened.read(length), 0, _DEEPEST)
        for group in footer[4]:
            yield [_chunk(column[3]) for column in group[1]]
    except (LookupError, TypeError) as damage:
        raise ValueError("The footer of the Parquet table is damaged.") from damage


def _chunk(fields: Fields) -> ColumnChunk:
    found = ColumnChunk(fields[9], fields.get(11), fields[7], fields[5])
    if not all(isinstance(number, int) for number in found if number is not None) or None in (found[0], *found[2:]):
        raise ValueError("The footer of the Parquet table is damaged.")
    return found


def check_pages(opened: Seekable, groups: Iterable[Sequence[ColumnChunk]]) -> None:
    """Raise FileRefused unless the largest pages of the columns fit into memory together, ValueError where damaged.

    groups  the column chunks of each row group, as `chunks` gives them
    """
    largest: dict[int, int] = {}
    dictionaries: dict[int, int] = {}
    for group in groups:
        for place, chunk in enumerate(group):
            for page in pages(opened, chunk):
                kind = dictionaries if page.dictionary else largest
                kind[place] = max(kind.get(place, 0), page.memory)
                if sum(largest.values()) + sum(dictionaries.values()) > AT_ONCE:
                    raise FileRefused(
                        f"The pages of the Parquet table unpack to more than {AT_ONCE:,} bytes at once, the most that "
                        "is read. Write the table again with smaller pages, or export it as UTF-8 CSV."
                    )


def pages(opened: Seekable, chunk: ColumnChunk) -> Iterator[Page]:
    """The pages of a column chunk, as far as a reader goes; ValueError if damaged."""
    first = chunk.data_page_offset
    dictionary = chunk.dictionary_page_offset
    if dictionary is not None and 0 < dictionary < first:
        first = dictionary
    place, end, seen = first, first + chunk.total_compressed_size, 0
    while seen < chunk.num_values and place < end + _PADDING:
        page = _page(opened, place)
        if page is None and place >= end:
            return
        if page is None or min(page) < 0:
            raise ValueError("A page of the Parquet table has no proper header.")
        yield page
        place += page.length + page.stored
        seen += 0 if page.dictionary else page.values


def _page(opened: Seekable, place: int) -> Page | None:
    """The header at a place of the file; None where there is none."""
    size = _WINDOW
    while size <= _LONGEST_HEADER:
        opened.seek(place)
        window = opened.read(size)
        try:
            fields, length = _struct(window, 0, _DEEPEST)
        except IndexError:
            if len(window) < size:
                return None
            size *= 4
            continue
        except ValueError:
            return None
        return _read(fields, length)
    return None


def _read(fields: Fields, length: int) -> Page | None:
    """The page that a header describes; None where a field is of another type than it must be."""
    parts = [fields.get(number) for number in (5, 7, 8)]
    if not all(part is None or isinstance(part, dict) for part in parts):
        return None
    data, dictionary, second = parts
    encoding = second.get(4) if second else (data or {}).get(2)
    values = (dictionary or second or data or {}).get(1, 0)
    if not all(isinstance(number, int) for number in (fields.get(3), fields.get(2), values)):
        return None
    return Page(length, fields[3], fields[2], values, dictionary is not None, encoding in _DELTA_ENCODINGS)


def _struct(window: bytes, place: int, deepest: int) -> tuple[Fields, int]:
    """The whole numbers and structs of a struct by field number, and the place behind the struct.

    Raises IndexError where the window ends too soon, ValueError for what is no struct.
    """
    if deepest == 0:
        raise ValueError("nested too deeply")
    fields: Fields = {}
    number = 0
    while True:
        head = window[place]
        place += 1
        if head == 0:
            return fields, place
        step, kind = head >> 4, head & 15
        if step:
            number += step
        else:
            number, place = _whole(window, place)
        fields[number], place = _value(window, place, kind, deepest)


def _value(window: bytes, place: int, kind: int, deepest: int) -> tuple[Any, int]:
    if kind in (1, 2):  # a truth value, in the head itself
        return None, place
    if kind == 3:
        return None, place + 1
    if kind in (4, 5, 6):
        return _whole(window, place)
    if kind == 7:
        return None, place + 8
    if kind == 8:
        size, place = _varint(window, place)
        return None, _within(window, place + size)
    if kind in (9, 10):
        return _list(window, place, deepest)
    if kind == 12:
        return _struct(window, place, deepest - 1)
    raise ValueError("a kind of value that no page header has")


def _list(window: bytes, place: int, deepest: int) -> tuple[list[Any], int]:
    size, kind = window[place] >> 4, window[place] & 15
    place += 1
    if size == 15:
        size, place = _varint(window, place)
    found: list[Any] = []
    for _ in range(size):
        value, place = (None, _within(window, place + 1)) if kind in (1, 2) else _value(window, place, kind, deepest)
        found.append(value)
    return found, place


def _whole(window: bytes, place: int) -> tuple[int, int]:
    """The zigzag number at a place, and the place behind it."""
    value, place = _varint(window, place)
    return (value >> 1) ^ -(value & 1), place


def _varint(window: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while shift < 70:
        byte = window[place]
        place += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, place
        shift += 7
    raise ValueError("a number of more than ten bytes")


def _within(window: bytes, place: int) -> int:
    if place > len(window):
        raise IndexError(place)
    return place
