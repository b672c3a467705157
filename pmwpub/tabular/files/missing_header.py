"""Whether the first line of a public table is a row of data: a file without a header would lose it, and its names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from pmwpub.errors import FileRefused
from pmwpub.tabular.files.reading import TextTable
from pmwpub.tabular.files.text.inert_cells import PLAIN_NUMBER
from pmwpub.tabular.files.text.read_options import ReadOptions

_LEAST_SHARE = 0.05


def refuse_data_as_header(table: TextTable) -> None:
    """FileRefused where the header looks like a row of data; its suggestion reads that line as one.

    It does where each of its cells is at home in its column: a number above nothing but numbers, or a text that stands
    in at least a twentieth of the rows below, and twice where no cell is a number, for a header may be repeated.
    Numbers that rise by equal steps, such as years, are names.

    It is asked where no schema says yet what the columns are called, and of a reading that nobody confirmed.
    """
    header = table.header
    least = 1 if any(map(_is_number, header)) else 2
    below = [table.cells.coded(position).counts() for position in range(len(header))]
    at_home = all(_at_home(cell, counts, least) for cell, counts in zip(header, below, strict=True))
    used = table.options or ReadOptions()
    if at_home and not _rises_evenly(header):
        raise FileRefused(
            "This line looks like a row of data, not like names of columns: its cells are such as stand below it. Put "
            "a line of names above it, or confirm that there is none: columns are then called column_1, column_2 and "
            "so on. If these are the names, confirm the same with a header.",
            line=1,
            suggestion=replace(used, no_header=True),
        )


def _at_home(cell: str, below: Mapping[str, int], least: int) -> bool:
    """Whether a cell of the first line looks like those below it: cell -> how often."""
    if _is_number(cell):
        return all(_is_number(one) for one in below if one.strip())
    often = below.get(cell, 0)
    return often >= least and often >= _LEAST_SHARE * sum(below.values())


def _is_number(cell: str) -> bool:
    return PLAIN_NUMBER.fullmatch(cell.strip()) is not None


def _rises_evenly(header: Sequence[str]) -> bool:
    """Whether all cells, but maybe the first, are numbers in equal steps upwards; of two, the next whole number."""
    if len(header) < 2 or not all(map(_is_number, header[1:])):
        return False
    numbers = [float(cell) for cell in header if _is_number(cell)]
    steps = {after - before for before, after in pairwise(numbers)}
    return len(steps) == 1 and min(steps) > 0 and (len(numbers) > 2 or steps == {1.0})
