"""The bytes of a file, gone through as often as needed: an upload in memory, or a path that is opened for each pass."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from pmwpub.domain import MAX_CHARACTERS
from pmwpub.errors import FileRefused

CHUNK = 1 << 20
SAMPLE = 1 << 16
CSV_REMEDY = "Export the table as UTF-8 CSV with commas and load that file."

Chunks = Callable[[], Iterator[bytes]]
"""A function that begins a pass over some bytes, each time anew."""


@dataclass(frozen=True)
class FileLimits:
    """What one file may hold at most.

    bytes       size of the file, after decompression
    columns     cells of the header
    cells       rows times columns
    line_bytes  bytes of one physical line
    record_chars  characters of the lines of one row: quoted cells may have line breaks
    name_chars  characters of one column name
    """

    bytes: int = 200_000_000
    columns: int = 1_000
    cells: int = 100_000_000
    line_bytes: int = 1_000_000
    record_chars: int = 16_000_000
    name_chars: int = MAX_CHARACTERS


STREAMED = FileLimits(bytes=1 << 50, cells=1 << 50)
"""The limits of a table that is never held whole: as many rows as there are, each within the usual limits."""


@dataclass(frozen=True, eq=False)
class Source:
    """A file's bytes in passes. Only a path ending in .csv.gz is ever decompressed.

    Raises FileRefused, from any pass, when the file cannot be opened, is a damaged archive, or passes `limits.bytes`.
    """

    where: bytes | Path = field(repr=False)
    limits: FileLimits

    def __post_init__(self) -> None:
        if isinstance(self.where, Path) and not self.where.name.endswith((".csv", ".csv.gz", ".parquet")):
            raise FileRefused("A path must end in .csv, .csv.gz or .parquet; another ending came. " + CSV_REMEDY)

    @property
    def packed(self) -> bool:
        return isinstance(self.where, Path) and self.where.name.endswith(".csv.gz")

    @contextmanager
    def open(self) -> Iterator[BinaryIO | gzip.GzipFile]:
        """Lend the bytes as a file; what goes wrong on the way is a FileRefused."""
        try:
            if not isinstance(self.where, Path):
                yield io.BytesIO(self.where)
            elif self.packed:
                with gzip.open(self.where, "rb") as unpacked:
                    yield unpacked
            else:
                with self.where.open("rb") as plain:
                    yield plain
        except (gzip.BadGzipFile, zlib.error, EOFError) as broken:
            raise FileRefused("The .gz archive is damaged or cut off; compress the CSV again.") from broken
        except OSError as failure:
            raise FileRefused(f"The file cannot be opened ({failure.strerror}); check the path.") from failure

    def chunks(self) -> Iterator[bytes]:
        """All bytes, a mebibyte at a time but for the last chunk, whatever the file gives at once."""
        size = 0
        with self.open() as stream:
            while chunk := _full(stream):
                size += len(chunk)
                if size > self.limits.bytes:
                    raise FileRefused(
                        f"The file has more than {self.limits.bytes:,} bytes, the most that is read; "
                        "split or thin it out."
                    )
                yield chunk

    def head(self) -> bytes:
        """The first bytes, up to `SAMPLE`; b"" of an empty file."""
        return beginning(self.chunks(), SAMPLE)

    def ends_with(self, mark: bytes) -> bool:
        """Whether the last bytes of an unpacked file are `mark`."""
        with self.open() as stream:
            size = stream.seek(0, io.SEEK_END)
            stream.seek(max(0, size - len(mark)))
            return stream.read() == mark

    def read(self) -> bytes:
        """All bytes at once, within the limits: a small archive cannot fill the memory."""
        return b"".join(self.chunks())


def _full(stream: BinaryIO | gzip.GzipFile) -> bytes:
    parts = []
    missing = CHUNK
    while missing and (part := stream.read(missing)):
        parts.append(part)
        missing -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def beginning(chunks: Iterator[bytes], size: int) -> bytes:
    """The first `size` bytes, or all of fewer."""
    found = b""
    for chunk in chunks:
        found += chunk
        if len(found) >= size:
            break
    return found[:size]


def line_in(chunks: Iterable[bytes], position: int) -> int:
    """The 1-based physical line that byte `position` lies on; CR, LF and CRLF each end one line."""
    line, last = 1, b""
    for chunk in chunks:
        part = chunk[:position]
        line += part.count(b"\n") + part.count(b"\r") - (last + part).count(b"\r\n")
        position -= len(part)
        last = part[-1:] or last
        if position <= 0:
            break
    return line


class _Raw(io.RawIOBase):
    """Chunks of bytes as a file that can be read."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        if not self._rest:
            self._rest = memoryview(next(filter(None, self._chunks), b""))
        size = min(len(buffer), len(self._rest))
        buffer[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size


def open_text(chunks: Iterator[bytes]) -> io.TextIOWrapper:
    """Chunks of UTF-8 as text lines with their line ends as they are."""
    return io.TextIOWrapper(io.BufferedReader(_Raw(chunks), 1 << 16), encoding="utf-8", newline="")  # type: ignore[type-var]
