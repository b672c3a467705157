"""Sizes that a crafted Parquet file claims are seen before anything is allocated for them."""

from __future__ import annotations

import io
import random
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmwpub.errors import FileRefused
from pmwpub.tabular.files.parquet_pages import AT_ONCE, ColumnChunk, check_pages, chunks, pages
from pmwpub.tabular.files.reading import read_table

MOST = 2**31 - 1


def parquet(columns: Any, **options: Any) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(pa.table(columns), buffer, **options)
    return buffer.getvalue()


def zigzag(value: int) -> bytes:
    """A number as Thrift's compact protocol writes it."""
    value, written = (value << 1) ^ (value >> 63), b""
    while value >= 128:
        written, value = written + bytes([value & 127 | 128]), value >> 7
    return written + bytes([value])


def skipped(content: bytes, place: int) -> int:
    """The place behind a number."""
    while content[place] >= 128:
        place += 1
    return place + 1


def sizes_replaced(content: bytes, first: int, unpacked: int) -> bytes:
    """The file with another unpacked size in the header at `first`; the page loses the bytes that the header gains."""
    at_unpacked = skipped(content, first + 1) + 1  # behind the type's and before the size's head
    at_stored = skipped(content, at_unpacked) + 1
    behind = skipped(content, at_stored)
    (page, *_) = pages(io.BytesIO(content), pq.ParquetFile(io.BytesIO(content)).metadata.row_group(0).column(0))
    gained = len(zigzag(unpacked)) - (at_stored - 1 - at_unpacked)
    head = content[first:at_unpacked] + zigzag(unpacked) + b"\x15" + zigzag(page.stored - gained)
    gained = len(head) - (behind - first)
    body = content[behind : first + page.length + page.stored - gained]
    return content[:first] + head + body + content[first + page.length + page.stored :]


@pytest.mark.parametrize("compression", ["gzip", "zstd", "snappy", "brotli", "lz4"])
def test_a_page_that_claims_two_gigabytes_is_refused_before_they_are_allocated(compression: str) -> None:
    honest = parquet({"a": ["xyz" * 50] * 2_000}, compression=compression, use_dictionary=False)
    bomb = sizes_replaced(honest, 4, MOST)
    assert len(bomb) == len(honest)
    assert len(read_table(honest)) == 2_000
    before = pa.default_memory_pool().max_memory()
    with pytest.raises(FileRefused, match="smaller pages"):
        read_table(bomb)
    assert pa.default_memory_pool().max_memory() - before < 10_000_000


def header(unpacked: int, stored: int, values: int) -> bytes:
    """The header of a data page, as the format describes it."""
    numbers = b"".join(b"\x15" + zigzag(number) for number in (0, unpacked, stored))
    return numbers + b"\x2c" + b"".join(b"\x15" + zigzag(number) for number in (values, 0, 3, 3)) + b"\x00\x00"


def chunk(place: int, size: int, values: int) -> ColumnChunk:
    return ColumnChunk(place, None, size, values)


def test_chunks_are_those_that_pyarrow_reads() -> None:
    content = parquet({"a": ["x", "y"] * 50, "b": [str(i) for i in range(100)]}, row_group_size=30)
    known = pq.ParquetFile(io.BytesIO(content)).metadata
    found = list(chunks(io.BytesIO(content)))
    assert [len(group) for group in found] == [2] * known.num_row_groups
    for place, group in enumerate(found):
        for number, one in enumerate(group):
            column = known.row_group(place).column(number)
            assert one.data_page_offset == column.data_page_offset
            assert one.dictionary_page_offset == column.dictionary_page_offset
            assert (one.total_compressed_size, one.num_values) == (column.total_compressed_size, column.num_values)


def test_no_damaged_footer_ends_the_process() -> None:
    """Among these are statistics that contradict themselves, at which pyarrow's own view of a column aborts."""
    honest = parquet({"a": ["x", "y", "z"] * 5, "b": ["1", "2", "3"] * 5})
    footer = len(honest) - 8 - int.from_bytes(honest[-8:-4], "little")
    for seed in range(600):
        draw, damaged = random.Random(seed), bytearray(honest)
        for _ in range(draw.choice((1, 1, 2, 3))):
            damaged[draw.randrange(footer, len(honest) - 8)] = draw.randrange(256)
        with suppress(FileRefused):
            read_table(bytes(damaged))


def test_the_largest_pages_of_all_columns_count_together() -> None:
    page = header(AT_ONCE // 8, 10, 5) + bytes(10)
    for columns, fits in ((8, True), (9, False)):
        group = [chunk(place * 2 * len(page), 2 * len(page), 10) for place in range(columns)]
        body = io.BytesIO(page * 2 * columns)
        if fits:
            check_pages(body, [group])
        else:
            with pytest.raises(FileRefused, match="at once"):
                check_pages(body, [group])


def test_a_page_behind_the_chunk_is_looked_at_where_a_reader_would_go_on() -> None:
    honest = header(100, 10, 5) + bytes(10)
    body = io.BytesIO(honest + header(MOST, 10, 5) + bytes(10))
    check_pages(body, [[chunk(0, len(honest), 5)]])
    with pytest.raises(FileRefused, match="at once"):
        check_pages(body, [[chunk(0, len(honest), 10)]])


@pytest.mark.parametrize(
    "body", [b"", b"\x00", header(-1, 10, 5), header(10, -1, 5), b"\x1c" * 99, b"\x15" + b"\xff" * 99]
)
def test_what_is_no_header_is_damage(body: bytes) -> None:
    with pytest.raises(ValueError, match="header"):
        check_pages(io.BytesIO(body), [[chunk(0, 1_000, 5)]])


def test_a_dictionary_that_claims_two_billion_entries_is_refused() -> None:
    honest = parquet({"a": [f"w{i % 7}" for i in range(900)]}, compression="none")
    (first, *_) = pages(io.BytesIO(honest), pq.ParquetFile(io.BytesIO(honest)).metadata.row_group(0).column(0))
    assert (first.dictionary, first.values) == (True, 7)
    place = honest.index(b"\x15\x0e", 4)  # the number of entries, 7 in zigzag, behind its head
    bomb = honest[:place] + b"\x15" + zigzag(MOST) + honest[place + 2 + 4 :]
    with pytest.raises(FileRefused):
        read_table(bomb)
    assert pa.default_memory_pool().max_memory() < 1 << 31


OPTIONS = [
    {}, {"compression": "none"}, {"compression": "zstd", "data_page_version": "2.0"}, {"use_dictionary": False},
    {"data_page_size": 200}, {"row_group_size": 7}, {"write_page_checksum": True}, {"write_statistics": False},
    {"use_dictionary": False, "column_encoding": {"s": "DELTA_LENGTH_BYTE_ARRAY", "i": "DELTA_BINARY_PACKED"}},
]  # fmt: skip


@given(
    st.lists(st.tuples(st.text(max_size=40), st.integers(-(2**63), 2**63 - 1)), min_size=1), st.sampled_from(OPTIONS)
)
def test_the_headers_add_up_to_what_the_footer_says(rows: list[tuple[str, int]], options: dict[str, Any]) -> None:
    content = parquet({"s": [text for text, _ in rows], "i": [number for _, number in rows]}, **options)
    metadata = pq.ParquetFile(io.BytesIO(content)).metadata
    for group in range(metadata.num_row_groups):
        for place in range(2):
            chunk = metadata.row_group(group).column(place)
            found = list(pages(io.BytesIO(content), chunk))
            assert sum(page.length + page.stored for page in found) == chunk.total_compressed_size
            assert sum(page.length + page.unpacked for page in found) == chunk.total_uncompressed_size
            assert sum(page.values for page in found if not page.dictionary) == chunk.num_values


def test_long_statistics_in_a_header_are_read_over() -> None:
    content = parquet({"a": ["x" * 60_000, "y" * 60_000]}, use_dictionary=False, data_page_version="1.0")
    (page,) = pages(io.BytesIO(content), pq.ParquetFile(io.BytesIO(content)).metadata.row_group(0).column(0))
    assert page.values == 2
    assert len(read_table(content)) == 2


@given(st.integers(4, 2_000), st.binary(min_size=1, max_size=12))
def test_headers_of_any_bytes_end_in_words(place: int, garbage: bytes) -> None:
    content = parquet({"a": [f"w{i % 7}" for i in range(900)], "b": list(range(900))}, compression="none")
    place = 4 + place % (len(content) - 8 - 4)
    crafted = content[:place] + garbage + content[place + len(garbage) :]
    if not crafted.endswith(b"PAR1"):
        return
    with suppress(FileRefused):
        read_table(crafted)


def test_a_path_is_looked_at_as_an_upload_is(tmp_path: Path) -> None:
    bomb = sizes_replaced(parquet({"a": ["xyz" * 50] * 2_000}, use_dictionary=False), 4, AT_ONCE + 1)
    path = tmp_path / "t.parquet"
    path.write_bytes(bomb)
    for source in (bomb, path):
        with pytest.raises(FileRefused, match="smaller pages"):
            read_table(source)


def test_a_plain_reader_does_allocate_what_a_page_claims() -> None:
    bomb = sizes_replaced(parquet({"a": ["xyz" * 50] * 2_000}, compression="gzip", use_dictionary=False), 4, 1 << 28)
    with pytest.raises(OSError, match="GZip"):
        pq.ParquetFile(io.BytesIO(bomb)).read()
    assert pa.default_memory_pool().max_memory() >= 1 << 28
