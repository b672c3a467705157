"""Public columns that nest: every level of one has one level of another in all public rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from pmwpub.errors import SchemaError
from pmwpub.records import Ints
from pmwpub.tabular.coding.written_cells import coder
from pmwpub.tabular.files.reading import TextTable
from pmwpub.tabular.schema.column_types import CategoricalColumn, Column
from pmwpub.tabular.schema.draft_record import Remark, Remedy
from pmwpub.tabular.schema.table_schema import Schema

ROWS_A_LEVEL = 10
"""So many public rows a level must a column have on average; with fewer, columns nest by chance."""

MOST_REMARKS = 3
"""Of one column."""

_FIRST = 2_000
"""Rows that are looked at first: most pairs of columns are seen there not to nest."""


def public_parents(
    tables: Sequence[TextTable], child: CategoricalColumn, parent: Column, missing_tokens: Sequence[str]
) -> dict[str, str]:
    """The level of `parent` that each level of `child` has in the public rows.

    Raises SchemaError where a level has none or several, or the parent is a column without levels of its own.

    Privacy: for public tables only.
    """
    if not isinstance(parent, CategoricalColumn):
        raise SchemaError(f"Column {parent.name!r} has no levels of its own, so it is no parent of {child.name!r}.")
    if not all({child.name, parent.name} <= set(table.header) for table in tables) or not tables:
        raise SchemaError(f"The public tables do not share the columns {child.name!r} and {parent.name!r}.")
    schema = Schema.of([child, parent], missing_tokens, 2)
    found = _above(
        [_codes(table, schema, child) for table in tables], [_codes(table, schema, parent) for table in tables], child
    )
    if found is None or found.max(initial=0) >= len(parent.levels):
        raise SchemaError(
            f"Column {parent.name!r} does not follow from {child.name!r}: in the public rows a level of that has "
            "several of its levels, or none."
        )
    if (unseen := np.flatnonzero(found < 0)).size:
        level = child.levels[int(unseen[0])]
        raise SchemaError(f"No public row has the level {level!r} of {child.name!r}, so its parent is not known.")
    return {level: parent.levels[code] for level, code in zip(child.levels, found.tolist(), strict=True)}


def nesting_remarks(schema: Schema, tables: Sequence[TextTable]) -> tuple[Remark, ...]:
    """What is pointed out of columns of a draft that nest, with the decision that makes one a parent of the other.

    Privacy: for public tables only.
    """
    return tuple(_remark(child, parent) for child, parent in _nested(schema, tables))


def _remark(child: CategoricalColumn, parent: CategoricalColumn) -> Remark:
    words = (
        f"In all public rows each of its {len(child.levels):,} levels has one level of {parent.name!r}. Where that is "
        f"so by definition, declare {parent.name!r} its parent: it is then derived, and no release contradicts it."
    )
    return Remark(child.name, "nested", words, (Remedy(child.name, "parent", f"{parent.name}:column"),))


def _nested(schema: Schema, tables: Sequence[TextTable]) -> Iterator[tuple[CategoricalColumn, CategoricalColumn]]:
    rows = sum(len(table.cells) for table in tables)
    columns = [one for one in schema.encoded if isinstance(one, CategoricalColumn) and len(one.levels) > 1]
    first = {one.name: [_codes(table, schema, one, _FIRST) for table in tables] for one in columns}
    whole: dict[str, list[Ints]] = {}
    for child in columns:
        if rows < ROWS_A_LEVEL * len(child.levels):
            continue
        smaller = [one for one in columns if len(one.levels) < len(child.levels) and ":" not in one.name]
        told = 0
        for parent in sorted(smaller, key=lambda one: -len(one.levels)):
            if told == MOST_REMARKS or _above(first[child.name], first[parent.name], child) is None:
                continue
            for one in (child, parent):
                if one.name not in whole:
                    whole[one.name] = [_codes(table, schema, one) for table in tables]
            found = _above(whole[child.name], whole[parent.name], child)
            if found is not None and found.min() >= 0 and found.max() < len(parent.levels) and _branches(found):
                told += 1
                yield child, parent


def _branches(found: Ints) -> bool:
    """Whether there are several parents."""
    return bool(found.min() < found.max())


def _above(children: Sequence[Ints], parents: Sequence[Ints], child: CategoricalColumn) -> Ints | None:
    """int64 (levels of the child,): the one code of the parent that its rows have, -1 without rows; None for several.

    Rows that have none of the child's own levels are left aside.
    """
    found: Ints = np.full(len(child.levels), -1, dtype=np.int64)
    pairs = []
    for below, above in zip(children, parents, strict=True):
        own = below < len(found)
        pairs.append((below[own], above[own]))
        found[below[own]] = above[own]
    return found if all(np.array_equal(found[below], above) for below, above in pairs) else None


def _codes(table: TextTable, schema: Schema, column: CategoricalColumn, most: int | None = None) -> Ints:
    """int64 (rows,): the codes of a column in the first rows, or all."""
    coded = table.column(column.name)
    return coder(schema, column)(coded.distinct)[coded.places[:most]]
