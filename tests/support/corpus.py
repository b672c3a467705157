"""The input corpus: one case a class of file, header or cell, and what becomes of it.

accept   the file is read and used
confirm  refused with a suggestion; accepted once the suggested options are confirmed
refuse   refused with a line where there is one, without a cell; nothing is charged, earlier work stays
map      a private cell that the schema's rule places; never an error, never a new level, n unchanged
"""

from __future__ import annotations

import gzip
import io
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import pyarrow as pa
import pyarrow.parquet as pq

from pmwpub.tabular.files.text.read_options import ReadOptions

CANARY = "canary7153"
NONE = "no level"
SCHEMA: dict[str, Any] = {
    "version": 1,
    "missing_tokens": ["", "NA"],
    "columns": [
        {"name": "sex", "kind": "categorical", "levels": ["F", "M"], "other": True},
        {"name": "age", "kind": "numeric", "edges": [0, 30, 60, 90], "outside": "clip", "missing": True},
        {"name": "job", "kind": "categorical", "levels": ["cook", "clerk"], "missing": True, "other": True},
    ],
}
HEAD = "sex,age,job\n"
ROWS = ["F,20,cook", "M,45,clerk", "F,70,", "M,33,cook"]
PLAIN = (HEAD + "\n".join(ROWS) + "\n").encode()


@dataclass(frozen=True)
class Case:
    """One class of the corpus as a file.

    options  what confirms it
    rows     of an accepted file
    fits     whether its header has the schema's columns; if not, it is refused under the schema only
    words    in the refusal
    """

    name: str
    content: bytes
    verdict: Literal["accept", "confirm", "refuse"]
    words: str = ""
    line: int | None = None
    options: ReadOptions | None = None
    rows: int = 4
    fits: bool = True
    ending: str = ".csv"


def case(name: str, text: str | bytes, verdict: Any = "accept", words: str = "", **more: Any) -> Case:
    """A case from text, with the canary in the place of {c}."""
    content = text if isinstance(text, bytes) else text.replace("{c}", CANARY).encode()
    return Case(name, content, verdict, words, **more)


def dialect(encoding: str, delimiter: str) -> bytes:
    """The plain table, with one job that is no ASCII, in another encoding and delimiter."""
    return PLAIN.decode().replace("cook", "köchin").replace(",", delimiter).encode(encoding)


def packed(kind: str) -> bytes:
    """A zip archive with the plain table in it, or a workbook."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        if kind == "xlsx":
            archive.writestr("[Content_Types].xml", "<Types/>")
            archive.writestr("xl/workbook.xml", "<workbook/>")
        else:
            archive.writestr("t.csv", PLAIN)
    return buffer.getvalue()


def parquet(columns: Mapping[str, Any] | None = None) -> bytes:
    """A Parquet table; by default the plain one, with numbers as numbers and nulls."""
    plain = {"sex": list("FMFM"), "age": [20, 45, 70, 33], "job": ["cook", "clerk", None, "cook"]}
    buffer = io.BytesIO()
    pq.write_table(pa.table(dict(columns or plain)), buffer)
    return buffer.getvalue()


BODY = "\n".join(ROWS) + "\n"
REFUSE = "refuse"

CONTAINER = (
    case("UTF-8", HEAD + "F,20,köchin\nM,45,{c}\nF,1,\nM,2,cook\n"),
    case("byte order mark", b"\xef\xbb\xbf" + PLAIN),
    case("UTF-16", dialect("utf-16", ","), "confirm", "UTF-16", options=ReadOptions("utf-16")),
    case("cp1252", dialect("cp1252", ","), "confirm", "not UTF-8", line=2, options=ReadOptions("cp1252")),
    case("mixed encodings", "é,b\n".encode() + f"{CANARY},é\n".encode("cp1252"), REFUSE, "mixed", line=2),
    case("bad byte", PLAIN + b"F,1,\xff\xfe\x81\n", REFUSE, "not UTF-8", line=6),
    case("NUL", HEAD + "F,20,cook\nM,{c}\x00,clerk\n", REFUSE, "NUL", line=3),
    case("empty", b"", REFUSE, "empty"),
    case("blank lines only", "\n\r\n\n", REFUSE, "only empty lines"),
    case("header only", HEAD, REFUSE, "no row"),
    case("one row", HEAD + "F,20,cook\n", rows=1),
    case("xlsx named csv", packed("xlsx"), REFUSE, "Excel"),
    case("gz upload", gzip.compress(PLAIN), REFUSE, "gzip"),
    case("zip upload", packed("zip"), REFUSE, "zip"),
    case("zstd upload", b"\x28\xb5\x2f\xfd\x04\x00" + PLAIN, REFUSE, "zstd"),
    case("binary", b"\x7fELF\x02\x01\x01\x00" + PLAIN, REFUSE, "NUL", line=1),
    case("HTML page", "<!DOCTYPE html><html>{c}</html>", REFUSE, "HTML"),
    case("gz by path", gzip.compress(PLAIN), ending=".csv.gz"),
    case("too large while streaming", gzip.compress(PLAIN * 4_300_000, 1), REFUSE, "200,000,000", ending=".csv.gz"),
    case("a million rows", HEAD + BODY * 250_000, rows=1_000_000),
    case("too many columns", ",".join(f"c{j}" for j in range(1_001)) + "\n{c}\n", REFUSE, "1,001 columns", line=1),
    case("a 1 MB line", HEAD + "F,20," + "x" * 1_000_000 + "\n", REFUSE, "1,000,000 bytes", line=2),
    case("CR", PLAIN.replace(b"\n", b"\r")),
    case("CRLF", PLAIN.replace(b"\n", b"\r\n")),
    case("mixed line ends", PLAIN.replace(b"\n", b"\r\n", 2).replace(b"\nM,33", b"\rM,33")),
    case("no final newline", PLAIN.rstrip()),
    case("truncated upload", PLAIN[:-7], REFUSE, "cut-off", line=5),
    case("Parquet", parquet(), ending=".parquet"),
    case("Parquet with lists", parquet({"sex": [["F"]]}), REFUSE, "Flatten", ending=".parquet"),
    case("damaged Parquet", parquet()[:-40] + b"PAR1", REFUSE, "damaged", ending=".parquet"),
    case("cut-off Parquet", parquet()[:-40], REFUSE, "cut off", ending=".parquet"),
)

SYNTAX = (
    case("semicolon", PLAIN.replace(b",", b";"), "confirm", "semicolon", line=1, options=ReadOptions(delimiter=";")),
    case("tab", PLAIN.replace(b",", b"\t"), "confirm", "a tab", line=1, options=ReadOptions(delimiter="\t")),
    case("pipe", PLAIN.replace(b",", b"|"), "confirm", "bar", line=1, options=ReadOptions(delimiter="|")),
    case("quoted comma", HEAD + '"F",20,"cook, {c}"\nM,45,clerk\nF,1,\nM,2,cook\n'),
    case("quoted newline", HEAD + '"F",20,"cook\n{c}"\nM,45,clerk\nF,1,\nM,2,cook\n'),
    case("unclosed quote", HEAD + 'F,20,"{c}\nM,45,clerk\n', REFUSE, "never closed", line=2),
    case("stray quote", HEAD + 'F,20,co{c}"ok\n', REFUSE, "quote", line=2),
    case("backslash escapes", HEAD + 'F,20,"co\\"ok{c}"\n', REFUSE, "quote", line=2),
    case("short row", HEAD + "F,20,cook\nM,{c}\n", REFUSE, "2 cells", line=3),
    case("long row", HEAD + "F,20,cook\nM,45,clerk,{c}\n", REFUSE, "4 cells", line=3),
    case("trailing delimiter", HEAD + "F,20,{c},\n", REFUSE, "trailing comma", line=2),
    case("title lines", "Table 7: {c}\n" + PLAIN.decode(), REFUSE, "title line", line=2),
    case("blank lines", "\n" + PLAIN.decode().replace("\nM", "\n\n\r\nM")),
    case("header repeated", PLAIN + HEAD.encode(), rows=5),
)

EXTRA = "\n".join(f"{row},{i}" for i, row in enumerate(ROWS)) + "\n"


def extra(name: str) -> str:
    """The plain table with one more column of that name."""
    return HEAD.rstrip() + f",{name}\n" + EXTRA


HEADER = (
    case("duplicates", "sex,age,sex\nF,20,{c}\n", REFUSE, "Columns 1 and 3", line=1),
    case("empty name", "sex,,job\nF,20,{c}\n", REFUSE, "Column 2 has no name", line=1),
    case("none", BODY.replace("cook", CANARY), REFUSE, "lacks columns", rows=3, fits=False),
    case("padding", PLAIN.replace(b"age", b" age ")),
    case("other case", PLAIN.replace(b"age", b"Age"), REFUSE, "spelt differently", fits=False),
    case("missing column", PLAIN.replace(b"age", b"years"), REFUSE, "'age'", fits=False),
    case("extra column", extra("note")),
    case("other order", "job,sex,age\ncook,F,20\nclerk,M,45\n,F,70\ncook,M,33\n"),
    case("HTML", extra("<script>alert(1)</script>")),
    case("formula", extra("=1+1")),
    case("emoji", extra("😀")),
    case("right-to-left", extra("שם")),
    case("zero-width", extra("a\u200b"), REFUSE, "zero-width", line=1),
    case("10,000 characters", extra("x" * 10_000), REFUSE, "10,000 characters", line=1),
    case("__proto__", extra("__proto__")),
    case("SQL words", extra("'; DROP TABLE charges; --")),
)

LEVELS = {"name": "x", "kind": "categorical", "levels": ["a", "007", "True"]}
BINS = {"name": "x", "kind": "numeric", "edges": [0, 10, 2000], "outside": "clip"}
LOW, HIGH = "[0, 10)", "[10, 2000]"


@dataclass(frozen=True)
class Cell:
    """A class of private cell: the column's rule and the level that the cell gets."""

    name: str
    cell: str
    level: str
    column: Mapping[str, Any] = field(default_factory=lambda: BINS)


MAPPED = (
    Cell("mixed types", "a", NONE),
    Cell("mixed types, with other", "a", "(other)", BINS | {"other": True}),
    Cell("integers beyond 2^63", str(2**63), HIGH),
    Cell("leading zeros", "007", "007", LEVELS),
    Cell("leading zeros gone", "7", NONE, LEVELS),
    Cell("locale decimals", "9,5", LOW, BINS | {"decimal": ","}),
    Cell("locale decimals, not declared", "9,5", NONE),
    Cell("thousands", "1.500,5", HIGH, BINS | {"decimal": ",", "thousands": "."}),
    Cell("currency", "$5", "(other)", BINS | {"other": True}),
    Cell("ambiguous dates", "1/2/2020", NONE),
    Cell("NaN", "NaN", "(other)", BINS | {"other": True, "missing": True}),
    Cell("NA", "NA", "(missing)", BINS | {"other": True, "missing": True}),
    Cell("null, not declared", "null", NONE, LEVELS | {"missing": True}),
    Cell("blank", "", "(missing)", LEVELS | {"missing": True}),
    Cell("blank, without a missing level", "", NONE, LEVELS),
    Cell("inf", "inf", HIGH),
    Cell("1e999", "1e999", HIGH),
    Cell("boolean variants", "true", NONE, LEVELS),
    Cell("boolean variants, casefold", "TRUE", "True", LEVELS | {"casefold": True}),
    Cell("white space", " a ", NONE, LEVELS),
    Cell("white space, strip", " a ", "a", LEVELS | {"strip": True}),
    Cell("case, casefold", "A", "a", LEVELS | {"casefold": True}),
    Cell("unseen category", "zzz", NONE, LEVELS),
    Cell("unseen category, with other", "zzz", "(other)", LEVELS | {"other": True}),
    Cell("outside the bins, clip", "-5", LOW),
    Cell("outside the bins, other", "-5", "(other)", BINS | {"outside": "other", "other": True}),
    Cell("outside the bins, none", "-5", NONE, BINS | {"outside": "none", "other": True}),
    Cell("formula cell", "=1+1", NONE, LEVELS),
    Cell("HTML cell", "<img src=x onerror=alert(1)>", "(other)", LEVELS | {"other": True}),
    Cell("a reserved name", "(missing)", NONE, LEVELS | {"missing": True}),
)
