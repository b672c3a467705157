"""Drafting a schema from public tables and codebooks, and only from those."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from pydantic import ValidationError

from pmwpub.errors import SchemaError
from pmwpub.tabular.files.reading import TextTable
from pmwpub.tabular.nesting.declared_parents import derived_words, with_parents
from pmwpub.tabular.nesting.nested_columns import nesting_remarks
from pmwpub.tabular.schema.codebook import Codebook, CodebookEntry
from pmwpub.tabular.schema.codebook_columns import column_of
from pmwpub.tabular.schema.column_types import AttributeColumn, CategoricalColumn, NumericColumn
from pmwpub.tabular.schema.draft_record import Draft, Left, NothingToEncode, Remedy
from pmwpub.tabular.schema.equivalences import grouped
from pmwpub.tabular.schema.proposing.bins import Binning, with_spikes
from pmwpub.tabular.schema.proposing.column_cells import ColumnCells, Proposal, left_out, numbers_in
from pmwpub.tabular.schema.proposing.evidence import Evidence
from pmwpub.tabular.schema.proposing.one_column import proposed
from pmwpub.tabular.schema.proposing.recipe import MISSING_TOKENS, Recipe
from pmwpub.tabular.schema.proposing.special_values import NumberCounts, spikes
from pmwpub.tabular.schema.table_schema import Schema, refusal

__all__ = ["MISSING_TOKENS", "Binning", "Recipe", "draft", "edges", "levels", "propose"]


def draft(
    tables: Sequence[TextTable],
    *,
    bins: int = 10,
    binning: Binning = "rounded",
    max_levels: int = 60,
    missing_tokens: Sequence[str] = MISSING_TOKENS,
    codebook: Codebook | None = None,
) -> Schema:
    """The schema alone of what `propose` finds."""
    return propose(tables, Recipe(bins, binning, max_levels, tuple(missing_tokens)), codebook=codebook).schema


def propose(
    tables: Sequence[TextTable],
    recipe: Recipe | None = None,
    *,
    codebook: Codebook | None = None,
    remedies: Sequence[Remedy] = (),
    progress: Callable[[int, int], None] = lambda done, all: None,
) -> Draft:
    """A first schema of version 2 from public tables, a codebook or both, with what is to be looked over.

    The codebook's columns come first, then the others that all tables have. Texts that are one under the equivalences
    of `equivalences` are one level, up to `max_levels` of them; codes of digits that begin with noughts stay texts; up
    to 20 different numbers are levels, more get at most `bins` bins: of about equal count with round edges
    ("rounded"), of equal count as far as ties allow ("quantiles"), or of equal width ("width"), where values that many
    rows have get bins of their own, and codes for missing values levels of their own. What cannot be encoded as it
    stands is left out with a reason.

    remedies  what a person decided about single columns
    progress  is told how many columns are done, and of how many

    Raises SchemaError without tables and codebook, without a shared column, where a codebook leaves levels or edges to
    tables that lack them, or for a remedy of an unknown column; NothingToEncode where every column is left out.

    Privacy: for public tables only; levels, bins and codes must never come from private rows.
    """
    if not tables and codebook is None:
        raise SchemaError("A schema is drafted from at least one public table, or a codebook; none came.")
    recipe, shared, entries = recipe or Recipe(), _shared(tables), _entries(codebook)
    if codebook is None and not shared:
        raise SchemaError("The public tables share no column name; check their headers.")
    if codebook is not None and codebook.missing_tokens is not None:
        recipe = Recipe(recipe.bins, recipe.binning, recipe.max_levels, codebook.missing_tokens)
    names = [*entries, *(name for name in shared if name not in entries)]
    _check_names(remedies, names)
    found: list[Proposal] = []
    for name in names:
        progress(len(found), len(names))
        found.append(_one(ColumnCells.of(name, tables, remedies), entries.get(name), recipe))
    found = _nested(found, remedies, tables, recipe)
    return _pointing_out_nested(_drafted(found, recipe, _partial(tables, names)), tables)


def _nested(
    found: Sequence[Proposal], remedies: Sequence[Remedy], tables: Sequence[TextTable], recipe: Recipe
) -> list[Proposal]:
    """The proposals with the parents that a person declared; a column of the tables of such a name is left out."""
    columns = {one.column.name: one.column for one in found}
    for one in remedies:
        if one.rule == "parent":
            columns[one.column] = with_parents(columns[one.column], [one.value], tables, recipe.missing_tokens)
    above = {rule.name: name for name, column in columns.items() for rule in getattr(column, "parents", ())}
    return [
        left_out(name, derived_words(above[name])) if name in above else one.of(columns[name])
        for name, one in zip(columns, found, strict=True)
    ]


def _pointing_out_nested(draft: Draft, tables: Sequence[TextTable]) -> Draft:
    return replace(draft, remarks=(*draft.remarks, *nesting_remarks(draft.schema, tables)))


def _one(cells: ColumnCells, entry: CodebookEntry | None, recipe: Recipe) -> Proposal:
    """One column; what a person decided goes before the codebook, and this before the cells."""
    if entry is None or not entry.kind or cells.last("kind") is not None:
        return proposed(cells, recipe, () if entry is None else entry.codes)
    try:
        return column_of(entry, cells, recipe)
    except ValidationError as failure:
        raise refusal(failure, where="from the codebook") from failure


def _drafted(found: Sequence[Proposal], recipe: Recipe, partial: Sequence[Left]) -> Draft:
    left = (*(one.left for one in found if one.left is not None), *partial)
    above = {rule.name for one in found for rule in getattr(one.column, "parents", ())}
    if not any(isinstance(one.column, AttributeColumn) for one in found):
        raise NothingToEncode(left) if left else SchemaError("A schema needs at least one column that is encoded.")
    return Draft(
        schema=Schema.of([one.column for one in found if one.column.name not in above], recipe.missing_tokens, 2),
        left_out=left,
        remarks=tuple(remark for one in found for remark in one.remarks),
        merged=tuple(merged for one in found for merged in one.merged),
        why={one.column.name: one.why for one in found if one.left is None},
    )


def edges(tables: Sequence[TextTable], column: NumericColumn, recipe: Recipe) -> tuple[float, ...]:
    """Bin edges for a column from the public numbers that stand in it, as it reads them, its missing codes left out.

    Its own edges do not matter; values that many rows have get bins of their own. Raises SchemaError where there is no
    number.

    Privacy: for public tables only.
    """
    missing = column.missing_test(())
    counts = ColumnCells.of(column.name, tables).counts
    numbers, often, _ = numbers_in({c: n for c, n in counts.items() if missing(column.tidy(c)) is None}, column)
    if not len(numbers):
        raise SchemaError(
            f"Column {column.name!r} has no number in the public tables, so it has no bins; give its edges."
        )
    tally = NumberCounts.of(numbers, often)
    standing = spikes(tally, max(0, min(3, recipe.bins - 1)))
    return with_spikes(tally.written_out(), standing, recipe.bins, recipe.binning)


def levels(tables: Sequence[TextTable], column: CategoricalColumn, recipe: Recipe) -> tuple[str, ...]:
    """Every level that stands in the public tables, spellings that are one under the column's rules taken together.

    Its own levels do not matter. Raises SchemaError where there is none.

    Privacy: for public tables only.
    """
    cells = ColumnCells.of(column.name, tables)
    found = Evidence.of(cells, recipe, column.missing_codes, same=column.same)
    if not found.counts:
        raise SchemaError(f"Column {column.name!r} has no value in the public tables; give its levels.")
    return tuple(sorted(max(group, key=found.counts.__getitem__) for group in grouped(found.counts, column.tidy)))


def _entries(codebook: Codebook | None) -> dict[str, CodebookEntry]:
    return {} if codebook is None else {entry.name: entry for entry in codebook.entries}


def _shared(tables: Sequence[TextTable]) -> list[str]:
    return [name for name in tables[0].header if all(name in table.header for table in tables)] if tables else []


def _partial(tables: Sequence[TextTable], names: Iterable[str]) -> list[Left]:
    """The columns that only some tables have, which is why they are left out."""
    found = dict.fromkeys(name for table in tables for name in table.header)
    for name in names:
        found.pop(name, None)
    having = {name: sum(name in table.header for table in tables) for name in found}
    return [Left(name, f"Only {many} of {len(tables)} files have it.") for name, many in having.items()]


def _check_names(remedies: Sequence[Remedy], names: Sequence[str]) -> None:
    unknown = [remedy.column for remedy in remedies if remedy.column not in names]
    if unknown:
        raise SchemaError(f"Something was decided about column {unknown[0]!r}, which the public tables do not share.")
