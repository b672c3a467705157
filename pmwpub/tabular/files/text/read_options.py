"""How the text of a file is to be read: its encoding and its delimiter, as a value that a person confirms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from pmwpub.errors import FileRefused

ENCODINGS: Mapping[str, str] = MappingProxyType(
    {
        "utf-8": "UTF-8",
        "utf-16": "UTF-16 (Excel: Unicode text)",
        "utf-16-le": "UTF-16, little-endian, without a mark",
        "utf-16-be": "UTF-16, big-endian, without a mark",
        "cp1252": "Western European (Windows-1252; Excel: CSV)",
        "latin-1": "Western European (ISO 8859-1)",
        "iso8859-15": "Western European with the euro (ISO 8859-15)",
        "cp850": "Western European (DOS; Excel: CSV (MS-DOS))",
        "mac-roman": "Western European (Excel: CSV (Macintosh))",
        "cp1250": "Central European (Windows-1250)",
        "cp1251": "Cyrillic (Windows-1251)",
        "cp932": "Japanese (Windows-31J, Shift JIS)",
        "gb18030": "Chinese (GB 18030, GBK, GB 2312)",
    }
)
"""The encodings that are offered, those that Excel and statistics offices write: Python's name -> what people say."""

DELIMITERS: Mapping[str, str] = MappingProxyType(
    {",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a vertical bar"}
)
"""The delimiters that are offered: each one -> its name in a sentence."""

_ROW_NAMES, _NO_HEADER = "row-names", "no-header"
_MARKS = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|"}


@dataclass(frozen=True)
class ReadOptions:
    """The encoding and the delimiter of one file, once somebody confirmed them. Parquet files need neither.

    row_names  whether a first column without a name holds the names of rows; it is then called "row_names"
    no_header  whether the first line is a row of data; columns are then called column_1, column_2 and so on

    Raises FileRefused for an encoding or a delimiter that is not offered.
    """

    encoding: str = "utf-8"
    delimiter: str = ","
    row_names: bool = False
    no_header: bool = False

    def __post_init__(self) -> None:
        if self.encoding not in ENCODINGS:
            raise FileRefused(f"The encodings are {', '.join(ENCODINGS)}; another one was asked for.")
        if self.delimiter not in DELIMITERS:
            raise FileRefused("The delimiters are the comma, semicolon, tab and vertical bar; another was asked for.")

    @classmethod
    def parse(cls, text: str) -> ReadOptions:
        """From "cp1252", "semicolon" or "cp1252,semicolon"; FileRefused for anything else."""
        parts = [part.strip().lower() for part in text.split(",")]
        marks = [_MARKS[part] for part in parts if part in _MARKS]
        encodings = [part for part in parts if part in ENCODINGS]
        named, bare = parts.count(_ROW_NAMES), parts.count(_NO_HEADER)
        known = len(marks) + len(encodings) + named + bare
        if max(len(marks), len(encodings), named, bare, named + bare) > 1 or known != len(parts):
            raise FileRefused(
                f"How a file is read is said as ENCODING,DELIMITER: one of {', '.join(ENCODINGS)}; one of "
                f"{', '.join(_MARKS)}; and {_ROW_NAMES} where a first column without a name holds names of rows, or "
                f"{_NO_HEADER} where the first line is a row of data."
            )
        return cls((encodings or ["utf-8"])[0], (marks or [","])[0], row_names=bool(named), no_header=bool(bare))

    @property
    def spelt(self) -> str:
        """The options as `parse` reads them back: "cp1252,semicolon"."""
        mark = next(name for name, mark in _MARKS.items() if mark == self.delimiter)
        return f"{self.encoding},{mark}" + f",{_ROW_NAMES}" * self.row_names + f",{_NO_HEADER}" * self.no_header

    @property
    def words(self) -> str:
        """The options for people: "UTF-8 with a semicolon between cells"."""
        names = " and row names in the first column" * self.row_names + " and no header" * self.no_header
        return f"{ENCODINGS[self.encoding]} with {DELIMITERS[self.delimiter]} between cells{names}"
