"""Columns as a codebook declares them; what it leaves open comes from the public cells."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from pydantic import TypeAdapter

from pmwpub.errors import SchemaError
from pmwpub.numerals import read_float
from pmwpub.tabular.nesting.bands import edges_with
from pmwpub.tabular.schema.codebook import NUMBERS, CodebookEntry
from pmwpub.tabular.schema.column_types import (
    CategoricalColumn,
    Column,
    DateColumn,
    MissingCode,
    NumericColumn,
)
from pmwpub.tabular.schema.draft_record import Left, Merged, Remark
from pmwpub.tabular.schema.equivalences import RULES, Equivalence, alike, telling_apart
from pmwpub.tabular.schema.proposing.column_cells import ColumnCells, Proposal
from pmwpub.tabular.schema.proposing.dates import Writing, dates
from pmwpub.tabular.schema.proposing.evidence import Evidence
from pmwpub.tabular.schema.proposing.numbers import binned, missing_rule
from pmwpub.tabular.schema.proposing.recipe import Recipe
from pmwpub.tabular.schema.proposing.texts import Levels, are_digit_codes, spelling_remark

BOOK = "from the codebook"
_ASIDE: Mapping[str, tuple[str, ...]] = {"id": ("beyond",), "ignore": (), "weight": NUMBERS}
"""The kinds that are not encoded, with the rules that each takes."""


def column_of(entry: CodebookEntry, cells: ColumnCells, recipe: Recipe) -> Proposal:
    """The column of an entry that says its kind.

    Raises SchemaError for levels or edges that neither it nor the tables give, pydantic's ValidationError for what no
    column may be.
    """
    if entry.kind in _ASIDE:
        return _aside(entry)
    found = Evidence.of(cells, recipe, entry.codes, same=_rules_of(entry))
    body: dict[str, Any] = {"name": entry.name, "kind": entry.kind, "same": found.same}
    body |= {key: value for key, value in entry.rules.items() if key not in ("strip", "casefold", *NUMBERS)}
    body["missing"] = _missing(entry, found)
    if entry.parents:
        body["parents"] = entry.parents
    if entry.kind == "numeric":
        return _numeric(entry, found, body)
    if entry.kind == "date":
        return _date(entry, found, body)
    return _categorical(entry, found, body)


def _aside(entry: CodebookEntry) -> Proposal:
    """A column that is not encoded."""
    same = entry.same if entry.same is not None else ("trim",) if entry.kind == "id" else ()
    same = tuple(dict.fromkeys([*same, *_forced(entry)]))
    body: dict[str, object] = {"name": entry.name, "kind": entry.kind, "same": same}
    body |= {key: entry.rules[key] for key in _ASIDE[entry.kind] if key in entry.rules}
    column: Column = TypeAdapter[Column](Column).validate_python(body)
    left = Left(entry.name, "The codebook leaves it out.") if entry.kind == "ignore" else None
    return Proposal(column, BOOK, left)


def _forced(entry: CodebookEntry) -> list[Equivalence]:
    """What version 1 called strip and casefold."""
    names: list[tuple[str, Equivalence]] = [("strip", "trim"), ("casefold", "casefold")]
    return [rule for name, rule in names if entry.rules.get(name)]


def _rules_of(entry: CodebookEntry) -> tuple[Equivalence, ...]:
    """What the entry says; else as many rules as leave its levels different, and the noughts of codes of digits."""
    if entry.same is not None:
        kept = cast("tuple[Equivalence, ...]", entry.same)
    elif entry.kind in ("categorical", "ordered"):
        offered = [rule for rule in RULES if rule != "number" or not are_digit_codes(dict.fromkeys(entry.values, 1))]
        kept = telling_apart(entry.values, offered)
    else:
        kept = RULES
    return tuple(rule for rule in RULES if rule in {*kept, *_forced(entry)})


def _missing(entry: CodebookEntry, found: Evidence) -> bool | tuple[MissingCode, ...]:
    """The codes; and a level for the schema's tokens where the entry wants one."""
    blank = found.blank if found.blank is not None else next(iter(found.recipe.missing_tokens), "")
    return missing_rule(found.codes, blank if entry.rules.get("missing") else None)


def _categorical(entry: CodebookEntry, found: Evidence, body: dict[str, Any]) -> Proposal:
    if not entry.values:
        return _from_tables(entry, found, body)
    column = CategoricalColumn.model_validate(body | {"levels": entry.values})
    levels = {column.tidy(level): level for level in reversed(column.levels)}
    others: dict[str, list[str]] = {}
    for cell in found.counts:
        level = levels.get(column.tidy(cell), cell)
        if level != cell:
            others.setdefault(level, []).append(cell)
    merged = tuple(Merged(entry.name, level, tuple(cells)) for level, cells in others.items())
    off = [rule for rule in RULES if rule not in column.same and len(alike(entry.values, [rule])) < len(entry.values)]
    remarks = spelling_remark(found.cells, merged)
    if off and entry.same is None:
        words = f"Declared levels differ by no more than {', '.join(off)}: that difference counts in this column."
        remarks = (*remarks, Remark(entry.name, "apart", words))
    return Proposal(column, BOOK, remarks=remarks, merged=merged)


def _from_tables(entry: CodebookEntry, found: Evidence, body: dict[str, Any]) -> Proposal:
    if not found.counts:
        raise SchemaError(f"Column {entry.name!r} of the codebook has no levels, and the public tables have none.")
    proposal = Levels.of(found).proposal(found, BOOK, entry.kind)
    same = {"same": proposal.column.same}
    levels = {"levels": getattr(proposal.column, "levels", ())}
    return proposal.of(CategoricalColumn.model_validate(body | levels | same))


def _numeric(entry: CodebookEntry, found: Evidence, body: dict[str, Any]) -> Proposal:
    body = {"outside": "clip"} | body
    if entry.values:
        edges = tuple(_edge(entry.name, value) for value in entry.values)
        return Proposal(NumericColumn.model_validate(body | {"edges": edges}), BOOK)
    probe = NumericColumn.model_validate(body | {"edges": (0.0, 1.0), "missing": False, "parents": ()})
    read = found.read_by(probe)
    if not len(read.numbers):
        raise SchemaError(
            f"Column {entry.name!r} has no number in the public tables, so it has no bins; give its edges."
        )
    proposal = binned(read)
    changed: dict[str, Any] = {} if found.codes else {"missing": _missing(entry, read)}
    if entry.parents and isinstance(proposal.column, NumericColumn):
        bands = [edge for rule in entry.parents for edge in rule.edges or ()]
        changed |= {"parents": entry.parents, "edges": edges_with(proposal.column.edges, sorted({*bands}))}
    return proposal.of(proposal.column.changed(**changed)) if changed else proposal


def _edge(name: str, text: str) -> float:
    try:
        return read_float(text)
    except ValueError as failure:
        raise SchemaError(f"The edges of column {name!r} of the codebook are finite numbers with a point.") from failure


def _date(entry: CodebookEntry, found: Evidence, body: dict[str, Any]) -> Proposal:
    body = {"part": "year", "order": "ymd"} | body
    if entry.values or body["part"] != "year":
        return Proposal(DateColumn.model_validate(body | {"levels": entry.values}), BOOK)
    proposal = dates(found, Writing(body["order"], body.get("pivot")), "year")
    return proposal.of(DateColumn.model_validate(body | {"levels": getattr(proposal.column, "levels", ())}))
