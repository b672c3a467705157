"""What a person should look at in a drafted column, though nothing was decided by it."""

from __future__ import annotations

from collections.abc import Iterator

from pmwpub.tabular.schema.column_types import AttributeColumn, CategoricalColumn
from pmwpub.tabular.schema.draft_record import Remark
from pmwpub.tabular.schema.missing_codes import text_of_number
from pmwpub.tabular.schema.proposing.column_cells import shown
from pmwpub.tabular.schema.proposing.evidence import Evidence
from pmwpub.tabular.schema.proposing.special_values import NumberCounts, looks_missing

UNSAID = frozenset({".", "-", "--", "n/a", "#n/a", "nan", "null", "none", "missing", "unknown", "refused"})
"""Texts, in lower case, that often stand for no value, and are levels unless a person says otherwise."""


def pointed_out(found: Evidence, column: AttributeColumn) -> Iterator[Remark]:
    """Levels that may be missing codes, and a missing token that may be a country."""
    if isinstance(column, CategoricalColumn):
        yield from _likely_codes(found, column)
    yield from _countries(found)


def _likely_codes(found: Evidence, column: CategoricalColumn) -> Iterator[Remark]:
    numbers = looks_missing(NumberCounts.of(found.numbers, found.often)) if not found.strays else ()
    likely = {text_of_number(number) for number in numbers}
    for level in column.levels:
        value = found.probe.value(found.probe.tidy(level))
        if level.strip().casefold() in UNSAID or (value is not None and text_of_number(value) in likely):
            words = f"{shown(level)} is a level. It looks like a code for a missing value; declare it one if it is."
            yield Remark(found.name, "missing code", words, (found.cells.remedy("missing", level),))


def _countries(found: Evidence) -> Iterator[Remark]:
    """A token NA among codes of two capital letters: missing, or Namibia?"""
    coded = found.counts and all(len(cell) == 2 and cell.isascii() and cell.isalpha() for cell in found.counts)
    for cell in found.blanks:
        if coded and cell.strip().upper() == "NA":
            words = (
                f"{shown(cell)} is taken as missing in {found.blanks[cell]:,} cells, beside codes of two letters: as "
                "a country it is Namibia. Declare it a level if it is."
            )
            yield Remark(found.name, "token", words, (found.cells.remedy("level", cell),))
