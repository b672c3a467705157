"""Hypothesis strategies for files as they come: well-formed ones in every dialect, damaged ones, and noise."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import strategies as st

from pmwpub.tabular.files.text.read_options import DELIMITERS, ENCODINGS, ReadOptions

NUMBERS = ["0", "-1", "007", "1e999", "-inf", "NaN", "9223372036854775808", "1,5", "1.234,5", "$5", "5 %", "1/2/2020"]
WORDS = ["", "NA", "?", "null", "(missing)", "(other)", "True", "yes", " a ", "A", "=1+1", "<b>x</b>", "'", '"', "a;b"]
UNUSUAL = ["é", "\u202eabc", "\u200b", "\ufeff", "😀", "\x00", "\x1f", "\u2028", "\x85", "a\nb", "\r", "\\", "|", "\t"]
CELLS = (
    st.sampled_from(NUMBERS + WORDS + UNUSUAL) | st.text(max_size=8) | st.integers().map(str) | st.floats().map(repr)
)
NAMES = st.sampled_from(["a", "b", "c", " a", "A", "weight", "__proto__", "", "é", "e\u0301", "=x"]) | st.text(
    max_size=4
)
OPTIONS = st.builds(ReadOptions, st.sampled_from(list(ENCODINGS)), st.sampled_from(list(DELIMITERS)))


@dataclass(frozen=True)
class File:
    """Bytes, and how they are to be read."""

    content: bytes
    options: ReadOptions | None


@st.composite
def written(draw: st.DrawFn) -> File:
    """A table as some program would write it, read as it was written or in another way."""
    width = draw(st.integers(1, 4))
    usual = st.just([f"c{j}" for j in range(width)])
    names = draw(st.one_of(usual, usual, usual, st.lists(NAMES, min_size=width, max_size=width)))
    row = st.lists(CELLS, min_size=width, max_size=width)
    rows = draw(st.one_of(*[st.lists(row, min_size=1, max_size=8)] * 3, st.lists(st.lists(CELLS, max_size=5))))
    options = draw(OPTIONS)
    text = io.StringIO()
    quoting = draw(st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]))
    ending = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    csv.writer(text, delimiter=options.delimiter, quoting=quoting, lineterminator=ending).writerows([names, *rows])
    content = text.getvalue().encode(options.encoding, "ignore")
    return File(content, draw(st.one_of(*[st.just(options)] * 4, st.none(), OPTIONS)))


@st.composite
def damaged(draw: st.DrawFn, base: st.SearchStrategy[File]) -> File:
    """A file with bytes changed, left out, put in, doubled or cut off."""
    file = draw(base)
    content = bytearray(file.content)
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(content)))
        until = draw(st.integers(at, min(len(content), at + 20)))
        piece = draw(st.sampled_from([b'"', b",", b"\n", b"\r", b"\x00", b"\xff", b"\xc3", b"\xef\xbb\xbf", b"PAR1"]))
        content[at:until] = draw(
            st.sampled_from([b"", piece, bytes(content[at:until]) * 2]) | st.binary(min_size=1, max_size=4)
        )
    return File(bytes(content), file.options)


NOISE = st.builds(
    File,
    st.builds(
        bytes.__add__,
        st.sampled_from([b"", b"a,b\n", b"\xef\xbb\xbf", b"\xff\xfe", b'a\n"', b"PAR1", b"a;b\n1;2\n", b"PK\x03\x04"]),
        st.binary(max_size=80),
    ),
    st.none() | OPTIONS,
)

TYPES = st.sampled_from(
    [
        pa.int8(), pa.int64(), pa.uint64(), pa.float16(), pa.float32(), pa.float64(), pa.bool_(), pa.string(),
        pa.large_string(), pa.date32(), pa.date64(), pa.timestamp("s"), pa.timestamp("ns"), pa.timestamp("us", "UTC"),
        pa.timestamp("ms", "Asia/Tokyo"), pa.time32("ms"), pa.time64("us"), pa.decimal128(12, 3), pa.null(),
        pa.binary(), pa.list_(pa.int32()), pa.struct([("x", pa.int32())]), pa.duration("s"),
        pa.dictionary(pa.int8(), pa.string()), pa.dictionary(pa.int32(), pa.int64()),
    ]
)  # fmt: skip


@st.composite
def parquet(draw: st.DrawFn) -> File:
    """A Parquet table of a few columns of any type."""
    rows = draw(st.integers(0, 6))
    columns = {}
    for name in draw(st.lists(NAMES, min_size=1, max_size=3, unique=True)):
        columns[name] = _array(draw, draw(TYPES), rows)
    packed = io.BytesIO()
    pq.write_table(
        pa.table(columns),
        packed,
        compression=draw(st.sampled_from(["none", "snappy", "gzip", "zstd"])),
        row_group_size=draw(st.integers(1, 4)),
        use_dictionary=draw(st.booleans()),
    )
    return File(packed.getvalue(), draw(st.none() | OPTIONS))


def _array(draw: st.DrawFn, kind: pa.DataType, rows: int) -> pa.Array:
    """An array from whatever integers, floats or texts its type takes; nulls where it takes none."""
    for source in (CELLS, st.floats(-60_000, 60_000), st.integers(-100, 100), st.integers(), st.booleans()):
        values = draw(st.lists(st.none() | source, min_size=rows, max_size=rows))
        try:
            return pa.array(values, type=kind)
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            continue
    return pa.nulls(rows, kind) if not pa.types.is_nested(kind) else pa.array([None] * rows, kind)


FILES = st.one_of(written(), written(), damaged(written()), NOISE, parquet(), damaged(parquet()))
