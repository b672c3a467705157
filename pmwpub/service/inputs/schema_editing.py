"""A schema on its way to be a population's own: read from a file, drafted, edited as rows, kept while it is unfinished.

A schema comes from public tables, from a codebook or from its editor, never from private rows: all of this is public.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import get_args

from pmwpub.progress import Progress, about_to_keep, unwatched
from pmwpub.service.core import Service
from pmwpub.service.inputs import decisions, reviewing, stored_tables, study_store
from pmwpub.service.inputs.decisions import Decisions, Dropped
from pmwpub.service.inputs.study import Study
from pmwpub.service.inputs.study_store import CURRENT
from pmwpub.tabular.files.text.read_options import ReadOptions
from pmwpub.tabular.nesting.declared_parents import by_map, with_parents
from pmwpub.tabular.nesting.two_column_maps import read_map
from pmwpub.tabular.rules.kept_rules import with_fitting
from pmwpub.tabular.schema.codebook import KINDS, read_codebook
from pmwpub.tabular.schema.column_types import CategoricalColumn, NumericColumn, text_of_number
from pmwpub.tabular.schema.draft_record import NothingToEncode, Remedy
from pmwpub.tabular.schema.drafting import Binning
from pmwpub.tabular.schema.editing import Row, column_of, rows_of, schema_of
from pmwpub.tabular.schema.table_schema import Schema
from pmwpub.tabular.written_numbers import MARKS as THOUSANDS_MARKS

__all__ = [
    "BINNINGS",
    "KINDS",
    "THOUSANDS_MARKS",
    "Binning",
    "NothingToEncode",
    "Row",
    "Schema",
    "bins_of",
    "by_map",
    "drafted",
    "drop",
    "keep",
    "levels_of",
    "parents_of",
    "read_map",
    "read_schema",
    "redrafted",
    "rows_of",
    "save",
    "schema_of",
    "unfinished",
    "with_parent",
    "without_parent",
]

DRAFT = "schema-draft"
BINNINGS: tuple[Binning, ...] = get_args(Binning)
"""Every way to choose the edges of a numeric column's bins."""


def read_schema(content: bytes) -> Schema:
    """The schema of a schema file; SchemaError for what is none."""
    return Schema.from_json(content)


def drafted(
    service: Service,
    population: str,
    *,
    book: bytes | None = None,
    options: ReadOptions | None = None,
    bins: int = 10,
    binning: Binning = "rounded",
    remedies: Sequence[Remedy] = (),
    progress: Progress = unwatched,
) -> Schema:
    """A schema drafted from the population's candidates, or from a codebook and the candidates; nothing is stored.

    book      the file of a codebook, read under `options`
    remedies  what a person decided about single columns

    Raises FileRefused for a codebook that cannot be read, and SchemaError where no schema comes of it.
    """
    codebook = None if book is None else read_codebook(book, options=options)
    return study_store.draft_schema(
        service, population, codebook=codebook, bins=bins, binning=binning, remedies=remedies, progress=progress
    )


def redrafted(
    service: Service,
    current: Study,
    *,
    book: bytes | None = None,
    options: ReadOptions | None = None,
    bins: int = 10,
    binning: Binning = "rounded",
    progress: Progress = unwatched,
) -> tuple[Schema, Decisions, tuple[Dropped, ...]]:
    """As `drafted`, and stored: what was decided about single columns is followed where it still applies; rules stay
    that still fit.

    Returns the schema, the decisions that it follows, and those that no longer apply. Raises as `drafted` does; the
    earlier schema then stays, with its decisions.
    """
    name = current.population.name
    kept, dropped = decisions.applying(service, current)
    schema = drafted(
        service, name, book=book, options=options, bins=bins, binning=binning, remedies=kept.remedies, progress=progress
    )
    schema = with_fitting(schema, () if current.schema is None else current.schema.rules)
    about_to_keep(progress)
    decisions.store(service, name, schema, kept)
    return schema, kept, dropped


def save(service: Service, current: Study, schema: Schema, *, beside: Sequence[tuple[str, str, bytes]] = ()) -> None:
    """Store a schema of a file or of the editor; decisions about columns that it has otherwise are forgotten.

    beside  documents that are stored with it, or not at all
    """
    name = current.population.name
    decisions.store(service, name, schema, decisions.settled(service, name, current.schema, schema), beside=beside)


def bins_of(service: Service, population: str, row: Row, *, bins: int, binning: Binning) -> list[str]:
    """Edges for the column of a row, as text, from the candidates, which are read by the column's own rules.

    The edges that the row has already do not matter. A categorical row gets none. Raises SchemaError for a row of
    any other kind, or that makes no column, and where no candidate has numbers in it.
    """
    column = column_of({"outside": "clip", **row}, (), values=["0", "1"], parents=[])
    if not isinstance(column, NumericColumn):
        return []
    found = reviewing.bin_edges(service, population, column, bins=bins, binning=binning)
    return [text_of_number(edge) for edge in found]


def levels_of(service: Service, population: str, row: Row, missing_tokens: Sequence[str]) -> list[str]:
    """Every level of a row's column that stands in the candidates, in order; SchemaError where none has that column.

    Spellings that are one by the row's rules are one level.
    """
    column = column_of({"kind": "categorical", **row}, missing_tokens, values=["-"], codes=[], parents=[])
    if not isinstance(column, CategoricalColumn):
        return []
    return list(reviewing.public_levels(service, population, column, missing_tokens))


def with_parent(service: Service, population: str, row: Row, missing_tokens: Sequence[str], declared: str) -> Row:
    """A row whose column has one more parent, or another one in the place of that of its name.

    declared  as `nesting.declared_parents` says: NAME:prefix:2, `by_map`, NAME:edges:0,18,65, or NAME:column, as the
              candidates have it. Bins get the edges of bands that they lack

    Raises SchemaError for a row that makes no column with levels, and for what no column may declare.
    """
    tables = stored_tables.tables(service, population) if declared.endswith(":column") else ()
    column = with_parents(column_of(row, missing_tokens), [declared], tables, missing_tokens)
    bins = {"values": [text_of_number(edge) for edge in column.edges]} if isinstance(column, NumericColumn) else {}
    return {**row, **bins, "parents": [rule.written for rule in getattr(column, "parents", ())]}


def parents_of(row: Row) -> dict[str, str]:
    """The names of a row's parents, and what each is in words."""
    found = {}
    for text in row.get("parents") or ():
        rule = json.loads(text)
        if "prefix" in rule:
            found[rule["name"]] = f"its first {rule['prefix']} characters"
        elif "edges" in rule:
            found[rule["name"]] = f"bands between {', '.join(text_of_number(float(edge)) for edge in rule['edges'])}"
        else:
            found[rule["name"]] = f"by a map of {len(rule['map']):,} levels of {rule.get('of', row.get('name'))}"
    return found


def without_parent(row: Row, name: str) -> Row:
    """A row without its parent of that name."""
    kept = [text for text in row.get("parents") or () if json.loads(text)["name"] != name]
    return {**row, "parents": kept}


def unfinished(service: Service, population: str) -> bytes | None:
    """The unfinished edit as it was kept last; None where there is none."""
    if not service.ledger.documents(population, DRAFT):
        return None
    return service.ledger.document(population, DRAFT, CURRENT)


def keep(service: Service, population: str, body: bytes) -> None:
    """Keep an unfinished edit in the place of an earlier one."""
    service.ledger.put_document(population, DRAFT, CURRENT, body)


def drop(service: Service, population: str) -> None:
    """Forget the unfinished edit: it was saved as the schema, or given up."""
    service.ledger.delete_documents(population, DRAFT)
