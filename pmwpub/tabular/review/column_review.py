"""The review of columns, one row each, before anything has a price: what the page shows and `schema draft` prints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pmwpub.tabular.coding.written_cells import coder
from pmwpub.tabular.files.reading import TextTable
from pmwpub.tabular.files.text.inert_cells import inert
from pmwpub.tabular.review.column_counts import PublicColumn
from pmwpub.tabular.review.suspects import level_shares
from pmwpub.tabular.review.verdict import SUSPICIONS
from pmwpub.tabular.review.without_suspects import public_column
from pmwpub.tabular.schema.column_types import Column, EncodedColumn, WeightColumn
from pmwpub.tabular.schema.draft_record import Draft, Remark, Remedy

LEFT_OUT = "left out"


@dataclass(frozen=True)
class ReviewedColumn:
    """One row of the review.

    kind      as the schema has it; "left out" where it is not encoded
    why       of an encoded column why it has this kind; of another why it is left out
    levels    the levels or bins in order, the missing ones last; empty where it is not encoded
    shares    of each level among the public rows, each table counting alike; sums to one
    merged    the spellings that are taken as one, as "kept = other, other"
    remarks   what a person should know, the most pressing first
    remedies  what a person may decide, the advised first
    missing   those of the levels that stand for no value
    """

    name: str
    kind: str
    why: str = ""
    levels: tuple[str, ...] = ()
    shares: tuple[float, ...] = ()
    merged: tuple[str, ...] = ()
    remarks: tuple[Remark, ...] = ()
    remedies: tuple[Remedy, ...] = ()
    missing: tuple[str, ...] = ()

    @property
    def bars(self) -> tuple[float, ...]:
        """The shares beside the largest of them, for a small picture."""
        most = max(self.shares, default=0.0)
        return tuple(share / most if most else 0.0 for share in self.shares)

    @property
    def encoded(self) -> bool:
        """Whether the column is an attribute."""
        return bool(self.levels)

    @property
    def suspicious(self) -> bool:
        """Whether it is kept although it may name rows or tables, or stand for weights."""
        return any(one.kind in SUSPICIONS for one in self.remarks)


@dataclass(frozen=True)
class Review:
    """All columns of the public tables: suspicious ones first, then left out ones, then those with remarks."""

    columns: tuple[ReviewedColumn, ...]

    @property
    def left_out(self) -> tuple[ReviewedColumn, ...]:
        """The columns that are no attributes."""
        return tuple(one for one in self.columns if not one.encoded)

    def without(self, household_id: str | None) -> Review:
        """The review without the column of household ids: it is read, and nothing is to be decided about it."""
        if household_id is None:
            return self
        return Review(tuple(one for one in self.columns if inert(one.name) != inert(household_id)))

    def to_json(self) -> dict[str, Any]:
        """columns [{name, kind, levels | bins, why}], left_out [{name, why}], remarks [{column, kind, text}], merged.

        Left out columns and remarks have `remedies`, the flags of `schema draft` that would decide otherwise.
        """
        kept = [one for one in self.columns if one.encoded]
        return {
            "columns": [
                {"name": one.name, "kind": one.kind, "bins" if one.kind == "numeric" else "levels": list(one.levels)}
                | {"why": one.why, "merged": list(one.merged)}
                for one in kept
            ],
            "left_out": [{"name": one.name, "why": one.why} | _flags(one.remedies) for one in self.left_out],
            "remarks": [
                {"column": remark.column, "kind": remark.kind, "text": remark.text} | _flags(remark.remedies)
                for one in kept
                for remark in one.remarks
            ],
        }


def _flags(remedies: Sequence[Remedy]) -> dict[str, list[str]]:
    return {"remedies": [one.flag for one in remedies]}


def review(draft: Draft, tables: Sequence[TextTable]) -> Review:
    """The rows of a draft from which suspicious columns were taken, with pictures of the public tables.

    Privacy: from public tables alone.
    """
    tokens = draft.schema.missing_tokens
    rows = [_encoded(draft, column, public_column(column.name, tables, (), tokens)) for column in draft.schema.encoded]
    rows += [ReviewedColumn(one.name, LEFT_OUT, one.why, remedies=one.remedies) for one in draft.left_out]
    said = {row.name for row in rows}
    rows += [
        ReviewedColumn(column.name, column.kind, _aside(column))
        for column in draft.schema.columns
        if column.name not in said
    ]
    return Review(tuple(sorted(rows, key=_pressing)))


def _aside(column: Column) -> str:
    """Of a column that the schema declares and does not encode."""
    if isinstance(column, WeightColumn):
        whose = {"all": "Private and public rows", "public": "Public rows"}.get(column.weighs or "", "Private rows")
        return f"{whose} count as this, at most {column.cap} each." if column.cap else "Left aside: it has no cap yet."
    return "The schema declares it so; it is not encoded."


def _pressing(row: ReviewedColumn) -> int:
    return 0 if row.suspicious else 1 if not row.encoded else 2 if row.remarks else 3


def _encoded(draft: Draft, column: EncodedColumn, seen: PublicColumn) -> ReviewedColumn:
    codes = coder(draft.schema, column)
    levels = column.attribute.levels
    found = [level_shares(table, column, codes) for table in seen.tables]
    remarks = tuple(one for one in draft.remarks if one.column == column.name)
    above = [one.name for one in draft.schema.parents if one.child == column.name]
    why = [draft.why.get(column.name, ""), f"parents: {', '.join(above)}" if above else ""]
    return ReviewedColumn(
        column.name,
        column.kind,
        "; ".join(filter(None, why)),
        levels,
        _pooled(found, levels),
        tuple(f"{one.kept} = {', '.join(one.others)}" for one in draft.merged if one.column == column.name),
        remarks,
        tuple(dict.fromkeys(remedy for one in remarks for remedy in one.remedies)),
        column.missing_levels,
    )


def _pooled(found: Sequence[Mapping[str, float]], levels: Sequence[str]) -> tuple[float, ...]:
    filled = [shares for shares in found if shares]
    if not filled:
        return (0.0,) * len(levels)
    return tuple(float(np.mean([shares.get(level, 0.0) for shares in filled])) for level in levels)
