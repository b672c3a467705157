"""The command `schema draft`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from pmwpub.cli.drafting.household_draft import check_household_flags, is_household_id, with_households
from pmwpub.cli.drafting.rule_listing import rules_json, with_rules
from pmwpub.cli.inputs import Json, refuse_private_rows, store_files
from pmwpub.outputs import apart, writable, write_file
from pmwpub.service.inputs.known_tables import PUBLIC
from pmwpub.tabular.files.given_files import Files
from pmwpub.tabular.files.missing_header import refuse_data_as_header
from pmwpub.tabular.files.reading import TextTable
from pmwpub.tabular.nesting.declared_parents import with_map_read
from pmwpub.tabular.review.column_review import review
from pmwpub.tabular.review.expected_file import expected_file
from pmwpub.tabular.review.without_suspects import drafted
from pmwpub.tabular.schema.codebook import read_codebook
from pmwpub.tabular.schema.draft_record import RULES, Remedy
from pmwpub.tabular.schema.drafting import Recipe
from pmwpub.tabular.schema.table_schema import Schema


def draft_schema(parsed: argparse.Namespace) -> Json:
    """`schema draft`: levels and bins from public tables and a codebook, and the review of the columns."""
    out = Path(parsed.out)
    check_household_flags(parsed)
    apart([out], [*parsed.public, parsed.codebook, *store_files(parsed.store)])
    writable([out])
    files = Files(parsed.read, [*parsed.public, parsed.codebook])
    codebook = None
    if parsed.codebook is not None:
        with files.naming(parsed.codebook):
            codebook = read_codebook(Path(parsed.codebook), options=files.options(parsed.codebook))
    tables = [_table(files, path, named=codebook is not None) for path in parsed.public]
    refuse_private_rows(parsed.store, dict(zip(parsed.public, tables, strict=True)), PUBLIC)
    draft = drafted(
        tables,
        Recipe(parsed.bins, parsed.binning, parsed.max_levels),
        codebook=codebook,
        remedies=decisions(parsed),
        labels=_labels(parsed.public),
        keep=parsed.keep,
        progress=_progress,
    )
    schema = with_rules(draft.schema, parsed.rule)
    named = dict(zip(_labels(parsed.public), tables, strict=True))
    said = rules_json(schema, named, suggest=parsed.suggest_rules)
    written, grouped = with_households(parsed, schema, named)
    write_file(out, written.to_json().encode())
    schema = written if isinstance(written, Schema) else written.persons
    return {
        "schema": parsed.out,
        "schema_sha256": written.sha256,
        "attributes": len(schema.domain.attributes),
        "dimension": schema.domain.dimension,
        "ignored": [name for name in _aside(schema) if not is_household_id(name, parsed.household_id)],
        "private_file": list(expected_file(schema, parsed.household_id)),
        **_parents(schema),
        **grouped,
    } | (said | review(draft, tables).without(parsed.household_id).to_json())


def _aside(schema: Schema) -> list[str]:
    return [column.name for column in schema.columns if column.name not in schema.domain.names]


def _parents(schema: Schema) -> Json:
    """The attributes that follow from columns, where there are some."""
    listed = [{"name": one.name, "of": one.child, "levels": list(one.levels)} for one in schema.parents]
    return {"parents": listed} if listed else {}


def decisions(parsed: argparse.Namespace) -> list[Remedy]:
    """What the command's flags decide about single columns."""
    found = [Remedy(name, "kind", "ignore") for name in parsed.leave_out]
    found += [Remedy(name, "kind", "id") for name in parsed.id]
    found += [] if parsed.household_id is None else [Remedy(parsed.household_id, "kind", "ignore")]
    return found + [with_map_read(Remedy.read(rule, text)) for rule in RULES for text in getattr(parsed, rule)]


def _table(files: Files, path: str, *, named: bool) -> TextTable:
    """A public table; FileRefused where its header looks like data and neither a reading nor a codebook confirms it."""
    table = files.table(path)
    if files.options(path) is None and not named:
        with files.naming(path):
            refuse_data_as_header(table)
    return table


def _labels(paths: Sequence[str]) -> list[str]:
    """The files' names; their paths where two have one name."""
    names = [Path(path).name for path in paths]
    return names if len(set(names)) == len(names) else list(paths)


def _progress(done: int, total: int) -> None:
    """One line that grows, on a terminal."""
    if sys.stderr.isatty():
        print(f"\rcolumn {done + 1} of {total}", end="\n" if done + 1 >= total else "", file=sys.stderr, flush=True)
