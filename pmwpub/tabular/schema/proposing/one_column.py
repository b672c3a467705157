"""What to make of one public column: in which order its cells are looked at, and the reason where it is left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from pmwpub.domain import MAX_CHARACTERS, MAX_LEVELS
from pmwpub.errors import SchemaError
from pmwpub.tabular.schema.column_types import (
    WEIGHT,
    AttributeColumn,
    IdColumn,
    MissingCode,
    NumericColumn,
    WeightColumn,
)
from pmwpub.tabular.schema.draft_record import Rule
from pmwpub.tabular.schema.proposing import dates, texts
from pmwpub.tabular.schema.proposing.column_cells import ColumnCells, Proposal, left_out, shown
from pmwpub.tabular.schema.proposing.evidence import Evidence
from pmwpub.tabular.schema.proposing.numbers import binned, missing_rule
from pmwpub.tabular.schema.proposing.pointing_out import pointed_out
from pmwpub.tabular.schema.proposing.recipe import Recipe
from pmwpub.tabular.schema.proposing.written_otherwise import written_otherwise
from pmwpub.tabular.weights.proposed_weights import declared_weight, numbers_of, proposed_weight

FEW_NUMBERS = 20
"""Different numbers up to which each is a level."""
FEWEST_ROWS = 4
"""Values below which a column that does not change says nothing."""
_OF_NUMBERS: tuple[Rule, ...] = ("decimal", "thousands", "prefix", "suffix")
_KINDS = ("categorical", "ordered", "numeric", "date", "id", "weight", "ignore")


def proposed(cells: ColumnCells, recipe: Recipe, codes: Sequence[MissingCode] = ()) -> Proposal:
    """A column for the public cells.

    codes  missing codes that a codebook declares for it

    Raises SchemaError where what a person decided makes no sense.

    Privacy: for cells of public tables only.
    """
    if (declared := cells.last("weight")) is not None:
        return Proposal(declared_weight(cells.name, declared), "by decision")
    kind = cells.last("kind")
    if kind is not None and kind not in _KINDS:
        raise SchemaError(f"The kinds of column are {', '.join(_KINDS)}; {kind!r} came.")
    found = Evidence.of(cells, recipe, codes)
    if kind in ("id", "weight", "ignore"):
        return _aside(found, kind)
    if not found.counts:
        return left_out(cells.name, "No cell has a value.")
    if found.name == WEIGHT:
        return _called_weight(found)
    if kind is None and (why := _says_nothing(found)):
        return left_out(cells.name, why, cells.remedy("kind", "categorical"))
    return _with_missing(found, _of_kind(found, kind) if kind else _encoded(found))


def _aside(found: Evidence, kind: str) -> Proposal:
    name = found.name
    if kind == "ignore":
        return left_out(name, "It was left out by decision.", found.cells.remedy("kind", "categorical"))
    column = IdColumn(name=name, kind="id", same=("trim",)) if kind == "id" else WeightColumn(name=name, kind="weight")
    return Proposal(column, "by decision")


def _called_weight(found: Evidence) -> Proposal:
    """A column that may weigh rows, and be no attribute: a release calls its own weights so."""
    proposed_cap = None if found.strays else proposed_weight(numbers_of(found.name, found.counts))
    attribute = "As an attribute it needs another name: a release calls its own weights so."
    if proposed_cap is None:
        return left_out(found.name, f"No weights of rows. {attribute}")
    why = f"It may say how many people a row stands for; then rows count as that. {attribute}"
    return left_out(
        found.name, why, found.cells.remedy("weight", f"{proposed_cap}:all"), found.cells.remedy("kind", "weight")
    )


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
        return _dates_by_decision(found)
    return _levels(found, "by decision", kind=kind)


def _dates_by_decision(found: Evidence) -> Proposal:
    written = dates.writings(found)
    if len(written) != 1:
        raise SchemaError(
            f"Column {found.name!r} is no column of dates as they are read here: 2012-03-31, 31.3.2012 (dmy) or "
            "3/31/2012 (mdy), in one order."
        )
    return dates.dates(found, written[0])


def _encoded(found: Evidence) -> Proposal:
    """By what the cells look like."""
    if texts.are_digit_codes(found.counts):
        return _digit_codes(found)
    different = len(np.unique(found.numbers))
    if not found.strays:
        told = any(found.cells.asked(rule) for rule in _OF_NUMBERS)
        many = different > min(FEW_NUMBERS, found.recipe.max_levels)
        return _binned(found) if many or told else _levels(found, f"{different:,} different numbers")
    return written_otherwise(found, few=FEW_NUMBERS) or _levels(found, "texts")


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
