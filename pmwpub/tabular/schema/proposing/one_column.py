"""What to make of one public column: in which order its cells are looked at, and the reason where it is left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast, get_args

import numpy as np

from pmwpub.domain import MAX_CHARACTERS, MAX_LEVELS
from pmwpub.errors import SchemaError
from pmwpub.tabular.schema.column_types import (
    WEIGHT,
    AttributeColumn,
    IdColumn,
    IgnoredColumn,
    MissingCode,
    NumericColumn,
    WeightColumn,
)
from pmwpub.tabular.schema.date_parts import DateOrder, DatePart
from pmwpub.tabular.schema.draft_record import Left, Remedy
from pmwpub.tabular.schema.proposing import texts
from pmwpub.tabular.schema.proposing.column_cells import ColumnCells, Proposal, share, shown
from pmwpub.tabular.schema.proposing.evidence import Evidence
from pmwpub.tabular.schema.proposing.numbers import binned, missing_rule
from pmwpub.tabular.schema.proposing.pointing_out import pointed_out
from pmwpub.tabular.schema.proposing.recipe import Recipe

FEW_NUMBERS = 20
"""Different numbers up to which each is a level."""
FEWEST_ROWS = 4
"""Values below which a column that does not change says nothing."""
_FEW_STRAYS = 3
_KINDS = ("categorical", "ordered", "numeric", "date", "id", "weight", "ignore")


def proposed(cells: ColumnCells, recipe: Recipe, codes: Sequence[MissingCode] = ()) -> Proposal:
    """A column for the public cells.

    codes  missing codes that a codebook declares for it

    Raises SchemaError where what a person decided makes no sense.

    Privacy: for cells of public tables only.
    """
    kind = cells.last("kind")
    if kind is not None and kind not in _KINDS:
        raise SchemaError(f"The kinds of column are {', '.join(_KINDS)}; {kind!r} came.")
    found = Evidence.of(cells, recipe, codes)
    if kind in ("id", "weight", "ignore"):
        return _aside(found, kind)
    if not found.counts:
        return left_out(cells.name, "No cell has a value.")
    if found.name == WEIGHT:
        return left_out(cells.name, "The name is reserved for the weights of a release; rename the column to keep it.")
    if kind is None and (why := _says_nothing(found)):
        return left_out(cells.name, why, cells.remedy("kind", "categorical"))
    return _with_missing(found, _of_kind(found, kind) if kind else _encoded(found))


def left_out(name: str, why: str, *remedies: Remedy) -> Proposal:
    """A column that is left out, with its reason."""
    return Proposal(IgnoredColumn(name=name, kind="ignore"), left=Left(name, why, remedies))


def _aside(found: Evidence, kind: str) -> Proposal:
    name = found.name
    if kind == "ignore":
        return left_out(name, "It was left out by decision.", found.cells.remedy("kind", "categorical"))
    column = IdColumn(name=name, kind="id", same=("trim",)) if kind == "id" else WeightColumn(name=name, kind="weight")
    return Proposal(column, "by decision")


def _says_nothing(found: Evidence) -> str:
    """Why a column with one value in every file says nothing; "" for any other."""
    if found.blanks or found.rows < FEWEST_ROWS:
        return ""
    seen = [_first_values(found, table) for table in found.cells.tables]
    if any(len(one) != 1 for one in seen):
        return ""
    if len(set().union(*seen)) == 1:
        return f"Every row has the same value ({shown(next(iter(found.counts)))}); there is nothing to learn from it."
    first, last = (shown(next(iter(table))) for table in (found.cells.tables[0], found.cells.tables[-1]))
    return f"Each file has one value ({first} in the first, {last} in the last): it says which file a row is from."


def _first_values(found: Evidence, table: Mapping[str, int]) -> set[object]:
    """The values that stand in one file, or two of them."""
    seen: set[object] = set()
    for cell in table:
        if cell in found.counts:
            numeric = not found.strays
            seen.add(found.probe.value(found.probe.tidy(cell)) if numeric else found.same_as(cell))
        if len(seen) > 1:
            break
    return seen


def _with_missing(found: Evidence, proposal: Proposal) -> Proposal:
    """The proposal with its missing levels, and what else is pointed out."""
    column = proposal.column
    if not isinstance(column, AttributeColumn):
        return proposal
    if not isinstance(column, NumericColumn):
        column = column.changed(missing=missing_rule(found.codes, found.blank))
        if level := _spelt_as_missing(column):
            why = f"Its level {shown(level)} is spelt as the name of its cells without a value; keep spellings apart."
            return left_out(found.name, why, found.cells.remedy("same", "none"))
    return proposal.of(column).also(*pointed_out(found, column))


def _spelt_as_missing(column: AttributeColumn) -> str | None:
    """A level that the column would read for the name of one of its missing levels; None without one."""
    names = {column.tidy(name) for name in column.missing_levels}
    return next((level for level in column.own_levels if column.tidy(level) in names), None)


def _of_kind(found: Evidence, kind: str) -> Proposal:
    """As a person decided."""
    if kind == "numeric":
        if not len(found.numbers):
            raise SchemaError(f"Column {found.name!r} has no number in the public tables, so it has no bins.")
        return _binned(found)
    if kind == "date":
        return _dates(found, _order(found) or _no_date(found))
    return _levels(found, "by decision", kind=kind)


def _no_date(found: Evidence) -> DateOrder:
    raise SchemaError(
        f"Column {found.name!r} is no column of dates as they are read here: 2012-03-31, 31.3.2012 (dmy) or "
        "3/31/2012 (mdy), with four digits for the year and in one order."
    )


def _order(found: Evidence) -> DateOrder | None:
    """The order in which all cells are dates, where there is one or a person says which."""
    asked = found.cells.last("order")
    if asked is not None and asked not in get_args(DateOrder):
        raise SchemaError(f"Dates are written {', '.join(get_args(DateOrder))}; {asked!r} came.")
    orders = texts.date_orders(found.counts)
    if asked is not None:
        return cast("DateOrder", asked) if asked in orders else None
    return orders[0] if len(orders) == 1 else None


def _dates(found: Evidence, order: DateOrder) -> Proposal:
    part = found.cells.last("part")
    if part is not None and part not in get_args(DatePart):
        raise SchemaError(f"A date has the parts {', '.join(get_args(DatePart))}; {part!r} came.")
    return texts.dates(found.cells, found.counts, order, cast("DatePart | None", part))


def _encoded(found: Evidence) -> Proposal:
    """By what the cells look like."""
    if texts.are_digit_codes(found.counts):
        return _digit_codes(found)
    different = len(np.unique(found.numbers))
    if not found.strays:
        return (
            _binned(found)
            if different > min(FEW_NUMBERS, found.recipe.max_levels)
            else _levels(found, f"{different:,} different numbers")
        )
    if len(found.counts) > FEW_NUMBERS:
        if different > FEW_NUMBERS and len(found.strays) <= _FEW_STRAYS:
            return _stray(found)
        for look in (_as_dates, _as_foreign_numbers, _as_signed_numbers):
            if (proposal := look(found)) is not None:
                return proposal
    return _levels(found, "texts")


def _binned(found: Evidence) -> Proposal:
    names_rows = len(found.numbers) == found.rows > 1_000 and bool(np.all(found.numbers == np.floor(found.numbers)))
    if names_rows and found.cells.last("kind") is None:
        why = f"All {found.rows:,} values are whole numbers, and no two are equal: it names the row."
        return left_out(found.name, why, found.cells.remedy("kind", "id"), found.cells.remedy("kind", "numeric"))
    return binned(found)


def _digit_codes(found: Evidence) -> Proposal:
    many = len(found.counts)
    if many > found.recipe.max_levels:
        why = (
            f"Codes of digits that begin with noughts ({many:,} different ones, such as "
            f"{shown(next(iter(found.counts)))}), more than the {found.recipe.max_levels:,} levels that a column gets; "
            "as numbers they would lose the noughts. Shorten the codes, or take all of them as levels."
        )
        return left_out(found.name, why, found.cells.remedy("kind", "categorical"))
    return _levels(found, "codes of digits")


def _stray(found: Evidence) -> Proposal:
    listed = ", ".join(f'"{cell}"' for cell in found.strays)
    why = (
        f"{share(found.stray_rows, found.rows)} cells {'is' if found.stray_rows == 1 else 'are'} no number: {listed}. "
        "Declare it a missing code, and the column is numeric."
    )
    return left_out(found.name, why, *(found.cells.remedy("missing", cell) for cell in found.strays))


def _as_dates(found: Evidence) -> Proposal | None:
    order = _order(found)
    if order is not None:
        return _dates(found, order)
    orders = texts.date_orders(found.counts)
    if not orders:
        return None
    why = "Dates that can be read with the day or the month first; say which it is."
    return left_out(found.name, why, *(found.cells.remedy("order", order) for order in orders))


def _as_foreign_numbers(found: Evidence) -> Proposal | None:
    marks = texts.written_elsewhere(found.counts)
    if not marks:
        return None
    if len(marks) > 1:
        why = (
            f"Numbers such as {shown(found.strays[0])}, whose comma may stand before decimals or thousands; say which."
        )
        return left_out(found.name, why, found.cells.remedy("decimal", ","), found.cells.remedy("thousands", ","))
    return texts.foreign(found, *marks[0])


def _as_signed_numbers(found: Evidence) -> Proposal | None:
    sign = texts.affix_of(found.counts)
    if sign is None:
        return None
    why = f'Every cell carries "{sign}" beside its number; take the sign out of the file, and the column is numeric.'
    return left_out(found.name, why)


def _levels(found: Evidence, why: str, *, kind: str = "categorical") -> Proposal:
    """A level a value, unless they are too many or too long."""
    if any(len(cell) > MAX_CHARACTERS for cell in found.counts):
        return left_out(found.name, f"Texts of more than {MAX_CHARACTERS:,} characters; shorten them to keep it.")
    levels = texts.Levels.of(found)
    most = MAX_LEVELS if found.cells.last("kind") else found.recipe.max_levels
    if len(levels.counts) > most:
        return _too_many(found, len(levels.counts), most)
    return levels.proposal(found, why, kind)


def _too_many(found: Evidence, many: int, most: int) -> Proposal:
    each = ", a different one in each row" if many == found.rows else ""
    why = f"{many:,} different texts{each}, more than the {most:,} levels that a column gets."
    if many > MAX_LEVELS:
        return left_out(found.name, f"{why} Group them into fewer.")
    return left_out(found.name, f"{why} Group them, or take all as levels.", found.cells.remedy("kind", "categorical"))
