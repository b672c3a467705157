"""Files of the ledger's history. No streamlit."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence

from pmwpub.tabular.coding.decode import inert

Row = Mapping[str, str | int | float]


def history_csv(rows: Sequence[Row]) -> bytes:
    """UTF-8 with LF; cells that a spreadsheet would run are made inert."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(rows[0] if rows else ["id"])
    writer.writerows([inert(str(cell)) for cell in row.values()] for row in rows)
    return text.getvalue().encode()


def history_json(rows: Sequence[Row]) -> bytes:
    """An indented list of objects."""
    return (json.dumps(rows, indent=1, ensure_ascii=False) + "\n").encode()


def columns(rows: Sequence[Row]) -> dict[str, list[str | int | float]]:
    """Column by column, the newest row first: what a table widget takes."""
    return {name: [row[name] for row in reversed(rows)] for name in (rows[0] if rows else {})}
