"""The review of columns where whole households are protected: the ids are in use, and nothing is weighed."""

from __future__ import annotations

from dataclasses import replace

from pmwpub.service import Study
from pmwpub.service.inputs.reviewing import Review, ReviewedColumn

IN_USE = "household id, in use"
ID = ReviewedColumn("", IN_USE, "Rows with one text in it are one household.")
NO_WEIGHTS = (
    "It may say how many people a row stands for. A population of households takes no weights: each household counts "
    "as one. The column is left out."
)


def for_households(found: Review, study: Study) -> Review:
    """The same review in the words of a population of households; unchanged of any other population."""
    return Review(tuple(_told(one, study) for one in found.columns)) if study.of_households else found


def _told(row: ReviewedColumn, study: Study) -> ReviewedColumn:
    if study.household is not None and row.name == study.household.id:
        return replace(ID, name=row.name)
    if row.encoded or not _may_weigh(row):
        return row
    remedies = tuple(one for one in row.remedies if "weight" not in (one.rule, one.value))
    return replace(row, why=NO_WEIGHTS, remarks=(), remedies=remedies)


def _may_weigh(row: ReviewedColumn) -> bool:
    """Whether the review takes a column for weights."""
    named = {row.kind, *(one.kind for one in row.remarks)}
    named |= {part for one in row.remedies for part in (one.rule, one.value)}
    return "weight" in named
