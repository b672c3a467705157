"""A public column of numbers: missing codes, spikes and bins; or a level a number, where there are few."""

from __future__ import annotations

from collections.abc import Sequence

from pmwpub.errors import SchemaError
from pmwpub.numerals import read_float
from pmwpub.tabular.schema.column_types import MISSING, MissingCode, NumericColumn
from pmwpub.tabular.schema.draft_record import Remark
from pmwpub.tabular.schema.missing_codes import text_of_number
from pmwpub.tabular.schema.proposing.bins import with_spikes
from pmwpub.tabular.schema.proposing.column_cells import ColumnCells, Proposal, share
from pmwpub.tabular.schema.proposing.evidence import Evidence
from pmwpub.tabular.schema.proposing.special_values import NumberCounts, sentinels, spikes


def missing_rule(codes: Sequence[MissingCode], blank: str | None) -> bool | tuple[MissingCode, ...]:
    """What `missing` says: the codes, and among them the schema's tokens where a public cell is one of these.

    blank  such a cell, None where there is none
    """
    if not codes:
        return blank is not None
    if blank is None or any(code.label == MISSING for code in codes):
        return tuple(codes)
    return (MissingCode.of(blank, MISSING), *codes)


def binned(found: Evidence) -> Proposal:
    """A numeric column of the numbers that were found.

    Numbers that look like codes become missing codes, but for those that a person calls spikes.
    """
    cells, recipe = found.cells, found.recipe
    tally, declared = (
        NumberCounts.of(found.numbers, found.often),
        tuple(_number(text, cells) for text in cells.asked("spike")),
    )
    coded = tuple(value for value in sentinels(tally) if value not in declared)
    rest = tally.without(coded)
    standing = tuple(sorted({*declared, *spikes(rest, max(0, min(3, recipe.bins - 1 - len(declared))))}))
    own = [*found.codes, *(MissingCode.of(_written(value, found.probe)) for value in coded)]
    edges = with_spikes(rest.written_out(), standing, recipe.bins, recipe.binning)
    column = found.probe.changed(edges=edges, missing=missing_rule(own, found.blank))
    total = int(tally.often.sum())
    remarks = [_sentinel(cells, value, tally, total) for value in coded]
    remarks += [_spike(cells, value, tally, total) for value in standing if value not in declared]
    return Proposal(column, f"{len(tally.values):,} different numbers", remarks=tuple(remarks))


def _written(value: float, probe: NumericColumn) -> str:
    return probe.dressed(text_of_number(value).replace(".", probe.decimal))


def _number(text: str, cells: ColumnCells) -> float:
    try:
        return read_float(text)
    except ValueError as failure:
        raise SchemaError(
            f"A spike of column {cells.name!r} is a number with a point; something else came."
        ) from failure


def _times(value: float, tally: NumberCounts) -> int:
    return int(tally.often[tally.values == value].sum())


def _sentinel(cells: ColumnCells, value: float, tally: NumberCounts, total: int) -> Remark:
    text = text_of_number(value)
    words = (
        f"{text} stands in {share(_times(value, tally), total)} numbers, far from all others: taken as a code for a "
        "missing value, a level of its own. Declare it a spike if it is a measurement."
    )
    return Remark(cells.name, "sentinel", words, (cells.remedy("spike", text),))


def _spike(cells: ColumnCells, value: float, tally: NumberCounts, total: int) -> Remark:
    text = text_of_number(value)
    likely = set(text.strip("-")) <= {"9"} or value < 0
    words = f"{text} stands in {share(_times(value, tally), total)} numbers: it has a bin of its own." + (
        " It looks like a code for a missing value; declare it one if it is." if likely else ""
    )
    return Remark(cells.name, "spike", words, (cells.remedy("missing", text),) if likely else ())
