"""Parents as a person declares them, and the rules they make: `state:prefix:2`, `region:map:...`, `state:column`, or
`band:edges:0,18,65`.

All of this is public: levels come from public tables or a codebook, maps from a person.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import ValidationError

from pmwpub.errors import FileRefused, SchemaError
from pmwpub.numerals import read_float
from pmwpub.tabular.files.reading import TextTable
from pmwpub.tabular.nesting.bands import edges_with
from pmwpub.tabular.nesting.nested_columns import public_parents
from pmwpub.tabular.nesting.parent_rules import ParentRule
from pmwpub.tabular.nesting.parented_columns import ParentedColumn
from pmwpub.tabular.nesting.two_column_maps import read_map
from pmwpub.tabular.schema.column_types import CategoricalColumn, Column, NumericColumn
from pmwpub.tabular.schema.draft_record import Remedy
from pmwpub.tabular.schema.missing_codes import text_of_number
from pmwpub.tabular.schema.proposing.column_cells import ColumnCells
from pmwpub.tabular.schema.proposing.one_column import proposed
from pmwpub.tabular.schema.proposing.recipe import Recipe
from pmwpub.tabular.schema.table_schema import refusal

MOST_NAMED = 10
WAYS = "NAME:prefix:2, NAME:map:FILE, NAME:edges:0,18,65 or NAME:column"


def parent_name(value: str) -> str:
    """The name of the parent that a declaration is of; SchemaError for a text that is none."""
    name, _, way = value.partition(":")
    if not name or way.partition(":")[0] not in ("prefix", "map", "edges", "column"):
        raise SchemaError(f"A parent is declared as {WAYS}; something else came.")
    return name


def derived_words(child: str) -> str:
    """Why a column of a table is left out that has the name of a parent."""
    return f"It is a parent of {child!r}: it follows from that, and is never read."


def with_map_read(remedy: Remedy) -> Remedy:
    """The decision with the lines of its map in the place of a file's path: SchemaError or FileRefused where it has
    none."""
    name, _, way = remedy.value.partition(":")
    kind, _, path = way.partition(":")
    if remedy.rule != "parent" or kind != "map" or path.startswith("{"):
        return remedy
    try:
        content = Path(path).read_bytes()
    except OSError as failure:
        raise FileRefused(f"The map {path} cannot be read: {failure.strerror}.") from failure
    return Remedy(remedy.column, "parent", by_map(name, read_map(content)))


def by_map(name: str, pairs: Mapping[str, str]) -> str:
    """The declaration of a parent by a map."""
    return f"{name}:map:{json.dumps(dict(pairs), ensure_ascii=False)}"


def with_parents(
    column: Column, declared: Sequence[str], tables: Sequence[TextTable], missing_tokens: Sequence[str]
) -> Column:
    """The column with the parents that are declared, one after the other; bins get the edges of bands that they lack.

    Raises SchemaError for a column that is not encoded, or has no levels for what is declared, and for what no column
    may declare.
    """
    for value in declared:
        rule = _rule(column, value, tables, missing_tokens)
        others = tuple(one for one in getattr(column, "parents", ()) if one.name != rule.name)
        more = {"edges": edges_with(column.edges, rule.edges or ())} if isinstance(column, NumericColumn) else {}
        try:
            column = column.changed(parents=(*others, rule), **more)
        except ValidationError as failure:
            raise refusal(failure, head=f"The parent {rule.name!r} cannot be declared so") from failure
    return column


def _rule(column: Column, value: str, tables: Sequence[TextTable], missing_tokens: Sequence[str]) -> ParentRule:
    name, (way, _, rest) = parent_name(value), value.partition(":")[2].partition(":")
    numbers = isinstance(column, NumericColumn) and way == "prefix"
    texts = way != "column" or isinstance(column, CategoricalColumn)
    if not isinstance(column, ParentedColumn) or numbers or not texts:
        raise SchemaError(
            f"Column {column.name!r} has no levels of its own, so it has no such parent; --kind {column.name}="
            "categorical gives it levels, and numbers have bands: NAME:edges:0,18,65."
        )
    if way == "edges":
        return ParentRule(name=name, edges=_reaching(column, name, _edges(name, rest)))
    if way == "column" and isinstance(column, CategoricalColumn):
        above = proposed(ColumnCells.of(name, tables), Recipe(missing_tokens=tuple(missing_tokens))).column
        pairs = public_parents(tables, column, above, missing_tokens)
        return ParentRule(name=name, map=tuple(pairs.items()))
    if way == "map":
        return rule_by_map(column, name, _pairs(rest))
    if not (rest.isascii() and rest.isdigit() and 0 < int(rest) < 1_000):
        raise SchemaError(f"The parent {name!r} is the first how many characters? A whole number from 1 to 999.")
    return ParentRule(name=name, prefix=int(rest))


def _edges(name: str, text: str) -> tuple[float, ...]:
    try:
        found = tuple(map(read_float, text.replace(",", " ").split()))
    except ValueError as failure:
        raise SchemaError(f"The edges of the parent {name!r} are numbers with a point, such as 0,18,65.") from failure
    if len(found) < 2:
        raise SchemaError(f"The bands of the parent {name!r} have two edges at least, such as 0,18,65.")
    return found


def _reaching(column: ParentedColumn, name: str, edges: tuple[float, ...]) -> tuple[float, ...]:
    """The edges of bands, or SchemaError with the column's own ends where they leave levels out."""
    if column.line is not None:
        first, last = column.line.edges[0], column.line.edges[-1]
        if min(edges) > first or max(edges) < last:
            raise SchemaError(
                f"The bands of {name!r} go from {text_of_number(min(edges))} to {text_of_number(max(edges))}, but "
                f"{column.name!r} goes from {text_of_number(first)} to {text_of_number(last)}. Bands leave no level "
                f"out: the first edge is {text_of_number(first)} and the last one {text_of_number(last)}."
            )
    return edges


def _pairs(text: str) -> dict[str, str]:
    try:
        found = json.loads(text)
    except ValueError as failure:
        raise SchemaError("The map of a parent is no JSON object.") from failure
    if not isinstance(found, dict) or not all(isinstance(parent, str) for parent in found.values()):
        raise SchemaError("The map of a parent is a JSON object of texts.")
    return found


def rule_by_map(column: ParentedColumn, name: str, pairs: Mapping[str, str]) -> ParentRule:
    """A parent by a map of the column's levels or, where it has not all of these, of those of one of its parents.

    Levels are found in the map by the column's own rules; what the map says of other texts is left out. Raises
    SchemaError where it has neither, naming up to ten levels of the column that it lacks.
    """
    known = {column.tidy(level): parent for level, parent in pairs.items()}
    others = {one.name: one.levels for one in column.parent_columns if one.name != name}
    for of, levels in ((None, column.own_levels), *others.items()):
        if all(column.tidy(level) in known for level in levels):
            return ParentRule(name=name, of=of, map=tuple((level, known[column.tidy(level)]) for level in levels))
    lacking = [level for level in column.own_levels if column.tidy(level) not in known]
    named = ", ".join(map(repr, lacking[:MOST_NAMED]))
    more = f" and {len(lacking) - MOST_NAMED:,} more" if len(lacking) > MOST_NAMED else ""
    raise SchemaError(
        f"The map of {name!r} lacks {len(lacking):,} of the {len(column.own_levels):,} levels of {column.name!r}: "
        f"{named}{more}; each needs a parent."
    )
