"""Maps of levels to parents as people have them: two columns of text, pasted or in a file."""

from __future__ import annotations

import csv
import io

from pmwpub.errors import SchemaError

MOST_LINES = 100_000
_DELIMITERS = ("\t", ";", ",")


def read_map(content: bytes | str) -> dict[str, str]:
    """level -> parent, of lines LEVEL,PARENT; a tab or semicolon may stand between them, white space beside counts not.

    Lines for what is no level do no harm, so a header may stand above. Raises SchemaError, naming the line, for
    another number of cells, a level with two parents, bytes that are no UTF-8, or more than 100,000 lines.
    """
    found: dict[str, str] = {}
    for number, cells in enumerate(_lines(_text(content)), start=1):
        if number > MOST_LINES:
            raise SchemaError(f"A map has at most {MOST_LINES:,} lines.")
        if not any(cells):
            continue
        if len(cells) != 2 or not all(cells):
            raise SchemaError(f"Line {number} of the map is not a level and its parent: two cells, none of them blank.")
        level, parent = cells
        if found.setdefault(level, parent) != parent:
            raise SchemaError(f"Line {number} of the map gives {level!r} another parent than an earlier line.")
    if not found:
        raise SchemaError("The map is empty; each line has a level and its parent.")
    return found


def _text(content: bytes | str) -> str:
    try:
        return content if isinstance(content, str) else content.decode("utf-8-sig")
    except UnicodeDecodeError as failure:
        raise SchemaError("The map is not UTF-8 text; save it again as UTF-8.") from failure


def _lines(text: str) -> list[list[str]]:
    first = next((line for line in text.splitlines() if line.strip()), "")
    delimiter = next((mark for mark in _DELIMITERS if mark in first), ",")
    try:
        rows = [*csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)]
    except csv.Error as failure:
        raise SchemaError("The map has a quote that nothing ends, or a cell that is too long.") from failure
    return [[cell.strip() for cell in row] for row in rows]
