"""A draft whose suspicious columns are left out, each with its reason, before a budget can run into them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from pmwpub.errors import SchemaError
from pmwpub.progress import Progress, unwatched
from pmwpub.tabular.coding.written_cells import coder
from pmwpub.tabular.files.reading import TextTable
from pmwpub.tabular.nesting.declared_parents import derived_words, parent_name, with_parents
from pmwpub.tabular.review.column_counts import PublicColumn
from pmwpub.tabular.review.suspects import verdict_on
from pmwpub.tabular.review.verdict import Verdict
from pmwpub.tabular.schema.codebook import Codebook
from pmwpub.tabular.schema.column_types import AttributeColumn, Column, IgnoredColumn
from pmwpub.tabular.schema.draft_record import Draft, Left, NothingToEncode, Remark, Remedy
from pmwpub.tabular.schema.drafting import propose
from pmwpub.tabular.schema.proposing.column_cells import ColumnCells
from pmwpub.tabular.schema.proposing.one_column import proposed
from pmwpub.tabular.schema.proposing.recipe import MISSING_TOKENS, Recipe
from pmwpub.tabular.schema.table_schema import Schema


def public_columns(
    tables: Sequence[TextTable], labels: Sequence[str], missing: Sequence[str]
) -> Iterator[PublicColumn]:
    """Every column that any table has, in the first table's order, then the others'; one at a time, for each is large.

    labels  what the tables are called; by their place where there are none
    """
    for name in dict.fromkeys(name for table in tables for name in table.header):
        yield public_column(name, tables, labels, missing)


def public_column(
    name: str, tables: Sequence[TextTable], labels: Sequence[str], missing: Sequence[str]
) -> PublicColumn:
    """The column of that name, in the tables that have it."""
    labels = labels or [f"public table {place}" for place in range(1, len(tables) + 1)]
    return PublicColumn.of(name, tables, labels, missing)


def verdicts(schema: Schema, columns: Iterable[PublicColumn]) -> dict[str, Verdict]:
    """What is to be said of each suspicious column under a schema, the worst first."""
    encoded = {column.name: column for column in schema.encoded}
    found = []
    for column in columns:
        own = encoded.get(column.name)
        found.append(verdict_on(column, own, None if own is None else coder(schema, own)))
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
    remarked = _remarked(found, {name: column for name, column in encoded.items() if name not in gone})
    return replace(
        draft,
        schema=_ignoring(draft.schema, {one.column for one in out}),
        left_out=left,
        remarks=(*remarked, *(one for one in draft.remarks if one.column not in gone)),
        merged=tuple(one for one in draft.merged if one.column not in gone),
        why={name: why for name, why in draft.why.items() if name not in gone},
    )


def drafted(
    tables: Sequence[TextTable],
    recipe: Recipe | None = None,
    *,
    codebook: Codebook | None = None,
    remedies: Sequence[Remedy] = (),
    labels: Sequence[str] = (),
    keep: Collection[str] = (),
    progress: Progress = unwatched,
) -> Draft:
    """The draft that `propose` makes, without suspects; columns whose kind a person or a codebook says stay, and dates
    of which a person says the part.

    Raises as `propose` and `without_suspects` do.
    """
    chosen = {one.column for one in remedies if one.rule in ("kind", "part")}
    draft = propose(tables, recipe, codebook=codebook, remedies=remedies, progress=progress)
    if unkept := [way for one in draft.left_out if one.name in keep for way in one.remedies if _encodes(way)]:
        draft = propose(tables, recipe, codebook=codebook, remedies=[*remedies, *unkept[::-1]], progress=progress)
    named = {entry.name for entry in (() if codebook is None else codebook.entries) if entry.kind}
    return without_suspects(draft, tables, labels=labels, keep={*keep, *chosen, *named})


def _encodes(way: Remedy) -> bool:
    return way.rule == "kind" and way.value not in ("id", "weight", "ignore")


def as_it_stands(schema: Schema, proposed: Draft, tables: Sequence[TextTable], *, labels: Sequence[str] = ()) -> Draft:
    """What is to be said of a schema that a population has, beside what drafting says of the same public tables.

    proposed  what `propose` finds in them
    """
    found = verdicts(schema, public_columns(tables, labels, schema.missing_tokens))
    encoded = {column.name: column for column in schema.encoded}
    own = {one.name: one for one in proposed.left_out}
    as_drafted = {
        column.name
        for column in proposed.schema.encoded
        if column.name in encoded and encoded[column.name].alone == column
    }
    as_proposed = {column.name: column for column in proposed.schema.columns}
    ignored = {column.name: column for column in schema.columns if isinstance(column, IgnoredColumn)}
    left = []
    for name in [*(name for name in found if name in ignored), *(name for name in ignored if name not in found)]:
        column = as_proposed.get(name, ignored[name])
        one = own.get(name) or Left(name, "The schema leaves it out.", (_kept_as(column),))
        if name in found:
            ways = own[name].remedies if name in own else _ways_on(found[name], column, kept=False)
            one = Left(name, found[name].why, ways)
        left.append(one)
    shared = [one.name for one in schema.parents if any(one.name in table.header for table in tables)]
    left += [Left(one.name, derived_words(one.child)) for one in schema.parents if one.name in shared]
    named = {column.name for column in (*schema.columns, *schema.parents)}
    remarked = _remarked(found, encoded)
    return Draft(
        schema,
        (*left, *(one for one in proposed.left_out if one.name not in named)),
        (*remarked, *(one for one in proposed.remarks if one.column in as_drafted and not _declared(one, schema))),
        tuple(one for one in proposed.merged if one.column in as_drafted),
        {name: why for name, why in proposed.why.items() if name in as_drafted},
    )


def _declared(remark: Remark, schema: Schema) -> bool:
    """Whether a remark is of a parent that the schema has already."""
    above = {one.name for one in schema.parents}
    return remark.kind == "nested" and any(parent_name(way.value) in above for way in remark.remedies)


def decided(
    tables: Sequence[TextTable], remedies: Sequence[Remedy], missing_tokens: Sequence[str] = MISSING_TOKENS
) -> Column:
    """The column that a person's decisions about it make of public cells; SchemaError, with the reason, where none."""
    name = remedies[-1].column
    found = proposed(ColumnCells.of(name, tables, remedies), Recipe(missing_tokens=tuple(missing_tokens)))
    if found.left is not None:
        raise SchemaError(f"{name!r} stays left out: {found.left.why}")
    declared = [one.value for one in remedies if one.rule == "parent"]
    return with_parents(found.column, declared, tables, missing_tokens)


def undecided(tables: Sequence[TextTable], name: str, schema: Schema, *, labels: Sequence[str] = ()) -> Column:
    """The column as a draft has it of which nothing is decided: left out where it is suspicious."""
    found = proposed(ColumnCells.of(name, tables), Recipe(missing_tokens=schema.missing_tokens))
    if not isinstance(found.column, AttributeColumn):
        return found.column
    alone = Schema.of([found.column], schema.missing_tokens, 2)
    verdict = verdicts(alone, [public_column(name, tables, labels, schema.missing_tokens)]).get(name)
    return IgnoredColumn(name=name, kind="ignore") if verdict is not None and verdict.leaves_out else found.column


def _remarked(found: Mapping[str, Verdict], encoded: Mapping[str, Column]) -> tuple[Remark, ...]:
    """What is suspected of columns that stay."""
    return tuple(
        Remark(one.column, one.kind, one.why, _ways_on(one, encoded[one.column], kept=True))
        for one in found.values()
        if one.column in encoded
    )


def _ways_on(verdict: Verdict, column: Column, *, kept: bool) -> tuple[Remedy, ...]:
    """What a person may decide about a suspicious column otherwise than the draft: leave out, declare as IDs, keep."""
    ways = []
    if verdict.kind in ("names rows", "repeated id", "may name rows"):
        ways.append(Remedy(column.name, "kind", "id"))
    if kept:
        ways.append(Remedy(column.name, "kind", "ignore"))
    else:
        ways.append(_kept_as(column))
    if verdict.weight is not None:
        ways.append(Remedy(column.name, "weight", f"{verdict.weight}:all"))
    return tuple(ways if verdict.remedy == "declare id" else reversed(ways))


def _kept_as(column: Column) -> Remedy:
    return Remedy(column.name, "kind", "categorical" if column.kind == "ignore" else column.kind)


def _left_out(draft: Draft, found: Mapping[str, Verdict], out: Collection[str]) -> tuple[Left, ...]:
    """The columns that are left out: suspicious ones, the worst first, then those that the draft could not encode."""
    own = {one.name: one for one in draft.left_out}
    columns = {column.name: column for column in draft.schema.columns}
    left = []
    for one in found.values():
        if one.column in out:
            left.append(Left(one.column, one.why, _ways_on(one, columns[one.column], kept=False)))
        elif one.column in own and one.column in columns and one.leaves_out:
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
