"""A draft whose suspicious columns are left out, each with its reason, before a budget can run into them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from pmwpub.tabular.files.reading import TextTable
from pmwpub.tabular.review.column_counts import PublicColumn
from pmwpub.tabular.review.suspects import verdict_on
from pmwpub.tabular.review.verdict import Verdict
from pmwpub.tabular.schema.column_types import Column, IgnoredColumn
from pmwpub.tabular.schema.draft_record import Draft, Left, NothingToEncode, Remark, Remedy
from pmwpub.tabular.schema.table_schema import Schema


def public_columns(tables: Sequence[TextTable], labels: Sequence[str], missing: Sequence[str]) -> list[PublicColumn]:
    """Every column that any table has, in the first table's order, then the others'.

    labels  what the tables are called; by their place where there are none
    """
    labels = labels or [f"public table {place}" for place in range(1, len(tables) + 1)]
    names = dict.fromkeys(name for table in tables for name in table.header)
    return [PublicColumn.of(name, tables, labels, missing) for name in names]


def verdicts(schema: Schema, columns: Sequence[PublicColumn]) -> dict[str, Verdict]:
    """What is to be said of each suspicious column under a schema, the worst first."""
    encoded = {column.name: column for column in schema.encoded}
    found = []
    for column in columns:
        own = encoded.get(column.name)
        found.append(verdict_on(column, own, None if own is None else schema.placer(own)))
    worst_first = sorted((one for one in found if one is not None), key=lambda one: one.rank)
    return {one.column: one for one in worst_first}


def without_suspects(
    draft: Draft, tables: Sequence[TextTable], *, labels: Sequence[str] = (), keep: Collection[str] = ()
) -> Draft:
    """The draft without columns that name rows or tables, are constant or weights; other suspects are remarked on.

    labels  what the tables are called
    keep    columns that stay, whatever is suspected of them; so do constant ones where nothing else would be left

    Raises NothingToEncode where no attribute is left.

    Privacy: from public tables alone.
    """
    found = verdicts(draft.schema, public_columns(tables, labels, draft.schema.missing_tokens))
    encoded = {column.name: column for column in draft.schema.encoded}
    out = [one for one in found.values() if one.leaves_out and one.column in encoded and one.column not in keep]
    if len(out) == len(encoded):
        out = [one for one in out if one.kind != "constant"]
    left = _left_out(draft, found, {one.column for one in out})
    if len(out) == len(encoded):
        raise NothingToEncode(left)
    gone = {one.name for one in left}
    remarked = [
        Remark(one.column, one.kind, one.why, _ways_on(one, encoded[one.column], kept=True))
        for one in found.values()
        if one.column in encoded and one.column not in gone
    ]
    return replace(
        draft,
        schema=_ignoring(draft.schema, {one.column for one in out}),
        left_out=left,
        remarks=(*remarked, *(one for one in draft.remarks if one.column not in gone)),
        merged=tuple(one for one in draft.merged if one.column not in gone),
        why={name: why for name, why in draft.why.items() if name not in gone},
    )


def _ways_on(verdict: Verdict, column: Column, *, kept: bool) -> tuple[Remedy, ...]:
    """What a person may decide about a suspicious column otherwise than the draft: leave out, declare as IDs, keep."""
    ways = []
    if verdict.kind in ("names rows", "repeated id", "may name rows"):
        ways.append(Remedy(column.name, "kind", "id"))
    if kept:
        ways.append(Remedy(column.name, "kind", "ignore"))
    else:
        ways.append(Remedy(column.name, "kind", "categorical" if column.kind == "ignore" else column.kind))
    return tuple(ways if verdict.remedy == "declare id" else reversed(ways))


def _left_out(draft: Draft, found: Mapping[str, Verdict], out: Collection[str]) -> tuple[Left, ...]:
    """The columns that are left out: suspicious ones, the worst first, then those that the draft could not encode."""
    own = {one.name: one for one in draft.left_out}
    columns = {column.name: column for column in draft.schema.columns}
    left = []
    for one in found.values():
        if one.column in out:
            left.append(Left(one.column, one.why, _ways_on(one, columns[one.column], kept=False)))
        elif one.column in own and one.leaves_out:
            left.append(
                Left(one.column, one.why, own[one.column].remedies or _ways_on(one, columns[one.column], kept=False))
            )
    said = {one.name for one in left}
    return (*left, *(one for one in draft.left_out if one.name not in said))


def _ignoring(schema: Schema, names: Collection[str]) -> Schema:
    columns = [
        IgnoredColumn(name=column.name, kind="ignore") if column.name in names else column for column in schema.columns
    ]
    return Schema.of(columns, schema.missing_tokens, schema.version)
