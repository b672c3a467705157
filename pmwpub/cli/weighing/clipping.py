"""The command `schema weights`."""

from __future__ import annotations

import argparse
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction

from pmwpub.cli.inputs import Json, read, refuse_private_rows
from pmwpub.errors import SchemaError
from pmwpub.service.inputs.known_tables import PUBLIC
from pmwpub.tabular.files.given_files import Files
from pmwpub.tabular.files.reading import TextTable
from pmwpub.tabular.schema.table_schema import Schema
from pmwpub.tabular.weights.clipping_cost import ClippingCost, clipping_costs, weights_in
from pmwpub.tabular.weights.proposed_weights import caps_of, proposed_weight
from pmwpub.tabular.weights.weight_column import WeightColumn, plain_decimal

WHICH = "Say which column weighs rows: --column NAME, or declare one in the schema (kind weight)."

WHY_NONE = (
    "Nine tenths of the public rows weigh at most a number that is no cap: a schema takes caps and units from 10^-12 "
    "to 10^15, and the unit that is proposed is up to a thousand times smaller than the cap. Multiply the weights of "
    "all tables by one power of ten."
)


def weights(parsed: argparse.Namespace) -> Json:
    """`schema weights`: what clipping at some caps costs on public tables, and which one they propose; free."""
    schema, files = Schema.from_json(read(parsed.schema)), Files(parsed.read, parsed.public)
    tables = {path: files.table(path) for path in parsed.public}
    refuse_private_rows(parsed.store, tables, PUBLIC, schema)
    column = _column(schema, parsed.column)
    numbers = _numbers(tables.values(), schema, column)
    caps = _given(parsed.cap)
    if not caps and column.cap is not None:
        caps = [Fraction(column.cap) * part for part in (Fraction(1, 2), Fraction(1), Fraction(2))]
    caps = caps or caps_of(numbers)
    found = {path: clipping_costs(table, schema, caps, of=column.name) for path, table in tables.items()}
    listed = [{"file": name, "caps": [_line(one) for one in costs]} for name, costs in found.items()]
    proposed = _proposed(column.name, proposed_weight(numbers))
    unproposed: Json = {"why": WHY_NONE} if proposed is None else {}
    return {"column": column.name, "files": listed, "proposed": proposed} | unproposed


def _column(schema: Schema, named: str | None) -> WeightColumn:
    """The column that is named, else the one by which the schema weighs rows, or could."""
    known = [column for column in schema.columns if isinstance(column, WeightColumn)]
    if named is not None:
        return next((one for one in known if one.name == named), WeightColumn(name=named, kind="weight"))
    weighing = schema.weight_column or schema.public_weights
    if weighing is not None:
        return weighing
    if len(known) != 1:
        raise SchemaError(WHICH)
    return known[0]


def _numbers(tables: Iterable[TextTable], schema: Schema, column: WeightColumn) -> Mapping[Fraction, int]:
    """The weights of all public tables together."""
    found: Counter[Fraction] = Counter()
    for table in tables:
        found.update(weights_in(table, schema, column.name))
    return dict(sorted(found.items()))


def _given(caps: Iterable[str]) -> list[Fraction]:
    try:
        return [Fraction(plain_decimal(cap)) for cap in caps]
    except ValueError as failure:
        raise SchemaError(f"A cap is a positive decimal number; {failure}.") from failure


def _proposed(column: str, text: str | None) -> Json | None:
    if text is None:
        return None
    cap, unit = text.split(":")
    return {"cap": cap, "unit": unit, "flag": f"--weight {shlex.quote(f'{column}={text}:all')}"}


def _line(cost: ClippingCost) -> Json:
    return {
        "cap": float(cost.cap),
        "weight_clipped": cost.clipped,
        "rows_above": cost.above,
        "largest_shift": cost.shift,
        "of_column": cost.column,
        "total": cost.total,
        "average_rows": cost.average,
    }
