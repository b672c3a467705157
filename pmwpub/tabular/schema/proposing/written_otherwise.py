"""A public column that is no plain numbers: dates, numbers in another writing or in clothes, or with a few strays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from pmwpub.tabular.schema.proposing import clothed_numbers, dates
from pmwpub.tabular.schema.proposing.column_cells import Proposal, left_out, share, shown
from pmwpub.tabular.schema.proposing.evidence import Evidence

_FEW_STRAYS = 3


def written_otherwise(found: Evidence, *, few: int) -> Proposal | None:
    """What the column is, or why it is left out; None where its cells are texts.

    few  different cells up to which they are texts all the same, unless the tables write their numbers differently
    """
    looks: tuple[Callable[[Evidence], Proposal | None], ...] = (_as_differently_written,)
    if len(found.counts) > few:
        looks = (_as_dates, _as_foreign_numbers, _as_clothed_numbers)
    for look in looks:
        if (proposal := look(found)) is not None:
            return proposal
    if len(np.unique(found.numbers)) > few and len(found.strays) <= _FEW_STRAYS:
        return _strays(found, found.strays)
    return _odd_texts(found, looks)


def _odd_texts(found: Evidence, looks: Sequence[Callable[[Evidence], Proposal | None]]) -> Proposal | None:
    """Up to three texts without a digit among cells that else would be numbers in another writing, or dates."""
    odd = [cell for cell in found.counts if not any(map(str.isdigit, cell))]
    if not odd or len(odd) > _FEW_STRAYS:
        return None
    others = {cell: often for cell, often in found.counts.items() if cell not in odd}
    rest = replace(found, counts=others).read_by(found.probe)
    would_be = next((proposal for look in looks if (proposal := look(rest)) is not None), None)
    return None if would_be is None or would_be.left is not None else _strays(found, odd)


def _strays(found: Evidence, strays: Sequence[str]) -> Proposal:
    """Numbers, and up to three texts that are none."""
    listed, rows = ", ".join(f'"{cell}"' for cell in strays), sum(found.counts[cell] for cell in strays)
    what, then = ("number", "numeric") if strays is found.strays else ("such number or date", "read as the others are")
    why = (
        f"{share(rows, found.rows)} cells {'is' if rows == 1 else 'are'} no {what}: {listed}. "
        f"Declare it a missing code, and the column is {then}."
    )
    return left_out(found.name, why, *(found.cells.remedy("missing", cell) for cell in strays))


def _as_dates(found: Evidence) -> Proposal | None:
    written = dates.writings(found)
    if len(written) == 1:
        return dates.dates(found, written[0])
    if not written:
        return None
    why = "Dates that can be read with the day, the month or the year first; say which it is."
    return left_out(found.name, why, *(found.cells.remedy("order", one.order) for one in written))


def _as_differently_written(found: Evidence) -> Proposal | None:
    """Few numbers, in some tables with decimal commas and in others with points."""
    ways = clothed_numbers.readings(clothed_numbers.texts_of(found))
    return _as_foreign_numbers(found) if ways and ways[0].pointed else None


def _as_foreign_numbers(found: Evidence) -> Proposal | None:
    tables = clothed_numbers.texts_of(found)
    return _as_numbers(found, tables, clothed_numbers.readings(tables))


def _as_numbers(
    found: Evidence,
    tables: Sequence[Sequence[str]],
    ways: Sequence[clothed_numbers.Reading],
    worn: clothed_numbers.Clothes | None = None,
) -> Proposal | None:
    """Numeric by the one way to read all tables; left out where there are several, or one for each table."""
    if len(ways) > 1:
        return _asking(found, ways)
    if ways and (proposal := clothed_numbers.numeric(found, ways[0], worn)) is not None:
        return proposal
    if not ways and not clothed_numbers.written_unalike(tables):
        return None
    first, last = (shown(next(iter(table), "")) for table in (tables[0], tables[-1]))
    why = (
        f"The tables write its numbers differently ({first} in the first, {last} in the last), and no one rule reads "
        "all of them; write them alike, and the column is numeric."
    )
    return left_out(found.name, why, found.cells.remedy("kind", "ignore"))


def _asking(found: Evidence, ways: Sequence[clothed_numbers.Reading]) -> Proposal:
    """Numbers that may be read in several ways: which mark stands before decimals, which between thousands?"""
    mark = next(way.thousands for way in ways if way.thousands)
    seen = next((cell for cell in found.counts if mark in cell), found.strays[0])
    what = "comma" if mark == "," else "point" if mark == "." else "mark"
    where = "; the tables do not write them alike" if ways[0].pointed else ""
    why = f"Numbers such as {shown(seen)}, whose {what} may stand before decimals or thousands{where}; say which."
    return left_out(found.name, why, found.cells.remedy("decimal", ","), found.cells.remedy("thousands", mark))


def _as_clothed_numbers(found: Evidence) -> Proposal | None:
    """Numbers with a sign or a word beside them; what looks like a code, such as P001, stays a text."""
    worn = clothed_numbers.clothes(found)
    if worn is None or (not worn.known and (worn.prefix or worn.several or worn.dressed < worn.rows)):
        return None
    if worn.known and not worn.several and worn.dressed == worn.rows:
        ways = clothed_numbers.readings(worn.bare) or (clothed_numbers.Reading(".", None),)
        return _as_numbers(found, worn.bare, ways, worn)
    ways_in = [found.cells.remedy("prefix", worn.prefix), found.cells.remedy("suffix", worn.suffix)]
    usable = [] if worn.several else [way for way in ways_in if way.value]
    return left_out(found.name, clothed_numbers.why_left_out(found, worn), *usable)
