"""Schemas under which every private cell has a level, so that no release takes rows to lack one."""

from __future__ import annotations

import json
from pathlib import Path

from pmwpub.tabular.schema.table_schema import Schema


def complete(schema: Path) -> None:
    """Give every column of a drafted schema, which has none, a level for other cells.

    Without it a release by table fit takes rows to lack a level of a column where its noisy table sums to less than n
    by two deviations of that sum: of one column in forty-four, by noise alone. It then has no mean, and shares within
    the column are not covered.
    """
    schema.write_text(completed(Schema.from_json(schema.read_bytes())).to_json())


def completed(schema: Schema) -> Schema:
    """The same as `complete`, of a schema in memory."""
    body = json.loads(schema.to_json())
    for column in body["columns"]:
        column["other"] = True
    return Schema.from_json(json.dumps(body).encode())
