"""The names in the header of a file: trimmed, composed, and refused where they could be mistaken."""

from __future__ import annotations

from collections.abc import Sequence

from pmwpub.errors import FileRefused
from pmwpub.tabular.files.container import FileLimits
from pmwpub.tabular.files.text import column_names


def check_header(cells: Sequence[str], line: int | None, limits: FileLimits) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The column names, and what was tidied in each; FileRefused for names that could be mistaken.

    Too many, empty, repeated, overlong and unprintable names are refused.
    """
    if len(cells) > limits.columns:
        raise FileRefused(f"{len(cells):,} columns came; at most {limits.columns:,} are read.", line=line)
    for position, cell in enumerate(cells, start=1):  # first, for normalising takes long where marks are heaped up
        if len(cell.strip()) > limits.name_chars:
            raise _overlong(len(cell.strip()), position, line, limits)
    header = tuple(column_names.normalise(cell) for cell in cells)
    seen: dict[str, int] = {}
    for position, name in enumerate(header, start=1):
        _check_name(name, position, line, limits)
        if name in seen:
            raise FileRefused(f"Columns {seen[name]} and {position} have the same name; names must differ.", line=line)
        seen[name] = position
    return header, tuple(
        f"Column {position}: the padding or the Unicode form of its name was normalised."
        for position, (cell, name) in enumerate(zip(cells, header, strict=True), start=1)
        if cell != name
    )


def _check_name(name: str, position: int, line: int | None, limits: FileLimits) -> None:
    if not name:
        raise FileRefused(f"Column {position} has no name; every column needs one.", line=line)
    if len(name) > limits.name_chars:  # composed anew, a name may be longer
        raise _overlong(len(name), position, line, limits)
    if column_names.has_unseen(name):
        raise FileRefused(
            f"The name of column {position} holds a zero-width or control character; type the name anew.", line=line
        )


def _overlong(characters: int, position: int, line: int | None, limits: FileLimits) -> FileRefused:
    return FileRefused(
        f"The name of column {position} has {characters:,} characters; at most {limits.name_chars:,} are read.",
        line=line,
    )
