"""What a person decided about single columns: kept beside a population's schema, taken back, and asked for again.

A decision holds until it is taken back: a schema that is drafted anew follows it, where the public cells of now allow
it. All of this is public.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import TypeAdapter

from pmwpub.errors import SchemaError
from pmwpub.service.core import Service
from pmwpub.service.inputs import stored_tables, study_store
from pmwpub.service.inputs.study import Study
from pmwpub.service.inputs.study_store import CURRENT
from pmwpub.tabular.nesting.declared_parents import parent_name
from pmwpub.tabular.review.without_suspects import decided, undecided
from pmwpub.tabular.schema.column_types import Column, IdColumn, IgnoredColumn
from pmwpub.tabular.schema.draft_record import Remedy, Rule
from pmwpub.tabular.schema.table_schema import Schema

DECISIONS = "schema-decisions"
_SEVERAL: tuple[Rule, ...] = ("missing", "level", "spike", "parent")
"""Rules by which several things may be decided about one column; of any other the last one counts."""
_ASIDE = ("ignore", "id", "weight")
_COLUMN: TypeAdapter[Column] = TypeAdapter(Column)


@dataclass(frozen=True)
class Decisions:
    """Decisions in the order in which they were taken.

    before  column -> how it stood before the first decision about it that still holds, as a schema file has it; of a
            column without an entry that is what a draft makes of it
    """

    remedies: tuple[Remedy, ...] = ()
    before: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def of(self, column: str) -> tuple[Remedy, ...]:
        """What was decided about one column."""
        return tuple(one for one in self.remedies if one.column == column)

    def with_one(self, new: Remedy) -> Decisions:
        """With another decision, in the place of those that it overrules."""
        kept = tuple(one for one in self.remedies if not _overrules(new, one))
        return Decisions((*kept, new), self.before)

    def without(self, old: Remedy) -> Decisions:
        """Without one; what stood before the column's first one is forgotten with its last."""
        left = tuple(one for one in self.remedies if one != old)
        names = {one.column for one in left}
        return Decisions(left, {name: column for name, column in self.before.items() if name in names})


@dataclass(frozen=True)
class Dropped:
    """A decision that no longer applies, and why."""

    remedy: Remedy
    why: str


def decisions(service: Service, population: str) -> Decisions:
    """What was decided so far, and not taken back."""
    if not service.ledger.documents(population, DECISIONS):
        return Decisions()
    body = json.loads(service.ledger.document(population, DECISIONS, CURRENT))
    return Decisions(tuple(Remedy(*one) for one in body["decisions"]), body["before"])


def decide(
    service: Service, current: Study, remedy: Remedy, *, beside: Sequence[tuple[str, str, bytes]] = ()
) -> Schema:
    """Make a person's decision about one column part of the population's schema; returns the schema, stored.

    beside  documents that are stored with it, or not at all

    Earlier decisions about the column go on. Raises SchemaError, with the reason, where the public cells do not allow
    it.
    """
    schema = _needed(current)
    if remedy.rule == "weight" and current.of_households:
        raise SchemaError("Releases of households take no weights: each household counts once.")
    known = decisions(service, current.population.name)
    found = known.with_one(remedy)
    column = _column(service, current, found.of(remedy.column), schema)
    stood = next((one for one in schema.columns if one.name == remedy.column), None)
    if stood is not None and not known.of(remedy.column):
        found = Decisions(found.remedies, {**known.before, stood.name: stood.model_dump(mode="json", by_alias=True)})
    changed = _with(schema, column)
    store(service, current.population.name, changed, found, beside=beside)
    return changed


def undo(service: Service, current: Study, remedy: Remedy) -> Schema:
    """Take a decision back: the column is as the others about it make it, or as it stood before there were any.

    Raises SchemaError where the public cells do not allow that; the decision then stays.
    """
    schema = _needed(current)
    known = decisions(service, current.population.name)
    found, name = known.without(remedy), remedy.column
    if found.of(name):
        column = _column(service, current, found.of(name), schema)
    elif name in known.before:
        column = _COLUMN.validate_json(json.dumps(known.before[name]))
    else:
        tables, labels = _public(service, current)
        column = undecided(tables, name, schema, labels=labels)
    changed = _with(schema, column)
    for above in _freed(schema, changed):
        tables, labels = _public(service, current)
        if all(above in table.header for table in tables):
            changed = _with(changed, undecided(tables, above, changed, labels=labels))
    store(service, current.population.name, changed, found)
    return changed


def _freed(earlier: Schema, later: Schema) -> list[str]:
    """The names of parents that there are no more."""
    taken = {one.name for one in (*later.columns, *later.parents)}
    return [one.name for one in earlier.parents if one.name not in taken]


def applying(service: Service, current: Study) -> tuple[Decisions, tuple[Dropped, ...]]:
    """The decisions that the public tables of now allow, for a draft, and those that they do not."""
    tables, _ = _public(service, current)
    shared = set(tables[0].header).intersection(*(table.header for table in tables[1:])) if tables else set()
    kept, dropped = Decisions(), []
    for remedy in decisions(service, current.population.name).remedies:
        why = "" if remedy.column in shared else "the public tables do not share that column"
        try:
            if not why and not _is_aside(remedy):
                decided(tables, kept.with_one(remedy).of(remedy.column))
        except SchemaError as refusal:
            why = str(refusal)
        if why:
            dropped.append(Dropped(remedy, why))
        else:
            kept = kept.with_one(remedy)
    return kept, tuple(dropped)


def store(
    service: Service,
    population: str,
    schema: Schema,
    found: Decisions,
    *,
    beside: Sequence[tuple[str, str, bytes]] = (),
) -> None:
    """Make a schema the population's own and store the decisions that it follows, together: nobody sees one alone.

    beside  further documents that are stored with them
    """
    service.refuse_viewers(population)
    own = [(study_store.SCHEMA, CURRENT, schema.to_json().encode()), *beside]
    if found != decisions(service, population):
        decided = [[one.column, one.rule, one.value] for one in found.remedies]
        body = {"decisions": decided, "before": dict(found.before)}
        own.append((DECISIONS, CURRENT, json.dumps(body).encode()))
    service.ledger.put_documents(population, own)


def settled(service: Service, population: str, earlier: Schema | None, schema: Schema) -> Decisions:
    """The decisions so far, without those about columns that a schema of a file or of the editor has otherwise."""
    known = decisions(service, population)
    stood = {column.name: column for column in (() if earlier is None else earlier.columns)}
    same = {column.name for column in schema.columns if stood.get(column.name) == column}
    return Decisions(
        tuple(one for one in known.remedies if one.column in same),
        {name: column for name, column in known.before.items() if name in same},
    )


def _needed(current: Study) -> Schema:
    if current.schema is None:
        raise SchemaError("A decision about a column needs a schema; draft one first.")
    return current.schema


def _public(service: Service, current: Study) -> tuple[Sequence[Any], list[str]]:
    """The candidates' tables, and their names."""
    name = current.population.name
    return stored_tables.tables(service, name), stored_tables.names(service, name)


def _column(service: Service, current: Study, remedies: Sequence[Remedy], schema: Schema) -> Column:
    """What decisions about one column make of it."""
    aside = [one for one in remedies if one.rule == "kind" and one.value in ("ignore", "id")]
    if aside and aside[-1].value == "ignore":
        return IgnoredColumn(name=aside[-1].column, kind="ignore")
    if aside:
        return IdColumn(name=aside[-1].column, kind="id")
    return decided(stored_tables.tables(service, current.population.name), remedies, schema.missing_tokens)


def _is_aside(remedy: Remedy) -> bool:
    return remedy.rule == "weight" or (remedy.rule == "kind" and remedy.value in _ASIDE)


def _overrules(new: Remedy, old: Remedy) -> bool:
    if new.column != old.column:
        return False
    if old.rule == new.rule == "parent":
        return parent_name(old.value) == parent_name(new.value)
    if old.rule in _SEVERAL:
        return new.rule in _SEVERAL and new.value == old.value
    weighed = new.rule == "weight" and old.rule == "kind"
    return new.rule == old.rule or _is_aside(old) or weighed


def _with(schema: Schema, column: Column) -> Schema:
    """The schema with the column; of version 2 where version 1 cannot say what it says.

    A column of the name of one of its parents is no longer one of the schema: it follows from this one.
    """
    above = {rule.name for rule in getattr(column, "parents", ())}
    kept = tuple(one for one in schema.columns if one.name not in above or one.name == column.name)
    if len(kept) < len(schema.columns):
        schema = Schema.of(kept, schema.missing_tokens, 2)
    try:
        return schema.with_column(column)
    except SchemaError:
        if schema.version == 2:
            raise
        return Schema.of(schema.columns, schema.missing_tokens, 2).with_column(column)
