"""The command `schema weights`."""

from __future__ import annotations

import argparse
from fractions import Fraction

from pmwpub.cli.inputs import Json, read, refuse_private_rows
from pmwpub.errors import SchemaError
from pmwpub.service.inputs.known_tables import PUBLIC
from pmwpub.tabular.files.given_files import Files
from pmwpub.tabular.schema.table_schema import Schema
from pmwpub.tabular.weights.clipping_cost import ClippingCost, clipping_costs
from pmwpub.tabular.weights.weight_column import plain_decimal


def weights(parsed: argparse.Namespace) -> Json:
    """`schema weights`: what clipping at the schema's cap, and at others, costs on public tables; free."""
    schema, files = Schema.from_json(read(parsed.schema)), Files(parsed.read, parsed.public)
    tables = {path: files.table(path) for path in parsed.public}
    refuse_private_rows(parsed.store, tables, PUBLIC, schema)
    try:
        caps = [Fraction(plain_decimal(cap)) for cap in parsed.cap]
    except ValueError as failure:
        raise SchemaError(f"A cap is a positive decimal number; {failure}.") from failure
    column = schema.weight_column or schema.public_weights
    if column is not None and column.cap is not None and not caps:
        caps = [Fraction(column.cap) * part for part in (Fraction(1, 2), Fraction(1), Fraction(2))]
    found = {path: clipping_costs(table, schema, caps) for path, table in tables.items()}
    return {"files": [{"file": name, "caps": [_line(one) for one in costs]} for name, costs in found.items()]}


def _line(cost: ClippingCost) -> Json:
    return {
        "cap": float(cost.cap),
        "weight_clipped": cost.clipped,
        "rows_above": cost.above,
        "largest_shift": cost.shift,
        "of_column": cost.column,
        "total": cost.total,
    }
