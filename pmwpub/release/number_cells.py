"""Numbers for the numeric columns of a synthetic table: uniform inside the bins, or the public tables' own."""

from __future__ import annotations

import bisect
import itertools
import math
import random
from collections.abc import Callable, Mapping, Sequence

from pmwpub.errors import PlanError
from pmwpub.release.certificates.certificate_parts import Cells
from pmwpub.tabular.coding import written_cells
from pmwpub.tabular.coding.public_values import Pool, StoredValues
from pmwpub.tabular.schema.column_types import NumericColumn
from pmwpub.tabular.schema.table_schema import Schema

Draw = Callable[[Sequence[int], Sequence[int]], list[str]]
"""Of the next rows the codes in a column, and the atoms -> a text for each."""


def drawer(schema: Schema, position: int, seed: int, cells: Cells, values: StoredValues | None) -> Draw:
    """What draws the texts of a numeric column, from a public seed; other levels are written as the schema has them.

    cells  "numbers": whole numbers where all edges are whole, else as many decimals as a thousandth of the bin needs;
           "public-values": one of the numbers that public rows have there, as it is written there

    Raises PlanError for public values without any.
    """
    column = schema.encoded[position]
    if not isinstance(column, NumericColumn):
        raise PlanError(f"Numbers are drawn for numeric columns; {column.name!r} is none.")
    others = {code: schema.written(column, code) or "" for code in range(len(column.own_levels), column.attribute.size)}
    inside = _inside(column) if schema.version == 1 else _Readable(schema, column).text
    if cells == "numbers":
        generator = random.Random(f"{seed}:{position}")
        return lambda codes, atoms: [others[code] if code in others else inside(code, generator) for code in codes]
    if values is None:
        raise PlanError(NO_VALUES)
    drawn = _PublicDraw(position, values, inside, random.Random(f"{seed}:{position}:public values"))
    return lambda codes, atoms: [
        others[code] if code in others else drawn.text(code, atom) for code, atom in zip(codes, atoms, strict=True)
    ]


NO_VALUES = (
    "This release was made before public values were stored with one. Take labels, or numbers drawn inside the bins."
)


class _PublicDraw:
    """Draws from the numbers of an atom where they are stored, else of the bin; inside the bin where neither is."""

    def __init__(
        self,
        position: int,
        values: StoredValues,
        inside: Callable[[int, random.Random], str],
        generator: random.Random,
    ) -> None:
        self._bins = _by_place(values.bins, position)
        self._atoms = _by_place(values.atoms, position)
        self._inside, self._generator = inside, generator

    def text(self, code: int, atom: int) -> str:
        """A number for one row, each public record as likely as another."""
        found = self._atoms.get(atom) or self._bins.get(code)
        if found is None:
            return self._inside(code, self._generator)
        texts, sums = found
        return texts[bisect.bisect_right(sums, self._generator.randrange(sums[-1]))]


def _by_place(pools: Mapping[tuple[int, int], Pool], position: int) -> dict[int, tuple[list[str], list[int]]]:
    """Bin or atom -> its numbers in one fixed order, and the running sums of their records."""
    own = {place: sorted(pool.items()) for (at, place), pool in pools.items() if at == position}
    return {
        place: ([text for text, _ in pool], list(itertools.accumulate(often for _, often in pool)))
        for place, pool in own.items()
    }


REDRAWS = 100
"""So many numbers are drawn for one cell before the bin's label is written in their place."""


class _Readable:
    """Numbers inside the bins of a column, but those that it would read as something else, such as a missing code.

    Only schemas of version 2 are asked: what one of version 1 writes keeps its bytes. A number is drawn anew from the
    same generator until one reads as its bin, so that it is uniform among those that do; a bin in which none was found
    is written as its label, which reads as the bin.
    """

    def __init__(self, schema: Schema, column: NumericColumn) -> None:
        self._draw, self._labels = _inside(column), column.attribute.levels
        self._place, self._as_written = schema.placer(column), written_cells.coder(schema, column)
        self._dressed = column.dressed
        # A point would be read as the mark between thousands here, and not at all beside a sign.
        own = column.thousands == "." or column.prefix or column.suffix
        self._mark = column.decimal if own else "."

    def text(self, code: int, generator: random.Random) -> str:
        """A number for one row."""
        for _ in range(REDRAWS):
            text = self._dressed(self._draw(code, generator).replace(".", self._mark))
            if self._place(text) == code or int(self._as_written([text])[0]) == code:
                return text
        return self._labels[code]


def _inside(column: NumericColumn) -> Callable[[int, random.Random], str]:
    whole = all(float(edge).is_integer() for edge in column.edges)
    return lambda code, generator: (_whole if whole else _decimal)(column, code, generator)


def _whole(column: NumericColumn, code: int, generator: random.Random) -> str:
    """A whole number of [low, high), or of [low, high] in the last bin; any number where none lies between."""
    low, high = math.ceil(column.cuts[code]), int(column.edges[code + 1]) + (code == len(column.edges) - 2)
    if column.spike(code) is None and low >= high:
        return _decimal(column, code, generator)
    return str(generator.randrange(low, high) if column.spike(code) is None else int(column.edges[code]))


def _decimal(column: NumericColumn, code: int, generator: random.Random) -> str:
    """A number of [low, high), rounded where that does not leave the bin; of a spike its value.

    Where half the width is too small for a float, the low end is the one number of the bin.
    """
    low, high = column.cuts[code], column.edges[code + 1]
    if column.spike(code) is not None:
        return repr(column.edges[code])
    width = high / 2 - low / 2
    if width <= 0:
        return repr(low)
    place = generator.random()
    value = max(low, min(low * (1 - place) + high * place, math.nextafter(high, low)))
    short = round(value, max(0, 3 - math.floor(math.log10(width))))
    return repr(short if low <= short < high else value)
