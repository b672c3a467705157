"""Makes the store of version 1 that migrations are tested on. Run once, with the code of version 1 on PYTHONPATH:

    python tests/ledger/stores/make_version_1.py tests/ledger/stores

It writes version-1.sqlite3, its witness, and version-1.json: the same rows, for PostgreSQL. The rows are generated. A
release is drawn anew each time, so a second run makes another store.
"""

from __future__ import annotations

import base64
import json
import sqlite3
import sys
from pathlib import Path

import numpy as np
import pandas as pd

import pmwpub
from pmwpub.ledger import Charge, Ledger, PlanKey, Population
from pmwpub.privacy.budget import ZCDP


def people(rows: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame({"sex": rng.choice(["F", "M"], rows), "job": rng.choice(["x", "y", "z"], rows)})


def buy(ledger: Ledger) -> None:
    """A finished assessment and a finished release, with their documents."""
    ledger.register(Population("people", 300, 1, "one person", "3", "1e-5"))  # type: ignore[arg-type]
    public = {"b": people(150, 1), "c": people(120, 2)}
    schema = pmwpub.draft_schema(list(public.values()))
    project = pmwpub.Project(ledger, "people", schema=schema, public=public, workload=pmwpub.WorkloadChoice(k=2))
    project.assess(people(300, 3), epsilon="0.5")
    project.release(people(300, 3), "b", epsilon="1", rounds=3)


def decide(ledger: Ledger) -> None:
    """Names that look alike, amended terms, a voided and an unfinished booking, a repeat, marks, a shared table."""
    for name, k in (("Ohio", 1), ("ohio", 2)):
        ledger.register(Population(name, 1000, k, "one resident", "1", "1e-6"))  # type: ignore[arg-type]
    ledger.amend("Ohio", n=1001)
    ledger.mark("Ohio", "private numbers seen", "the exact errors, opened after charge 0")
    table = ledger.recognise("Ohio", b"generated rows", [b"as coded", b"as spelt"]).table
    charges = [
        Charge("floor", "lazy Laplace", "1/n", "0.01", ZCDP(3 * 10**12)),
        Charge("start", "x", "1", "2", ZCDP(7)),
    ]
    done = ledger.book("Ohio", PlanKey("a" * 64), '{"kind":"other"}', charges, table=table)
    ledger.finish(done.id, bytes(range(256)))
    again = ledger.book("Ohio", PlanKey("a" * 64, 1), '{"kind":"other"}', charges, table=table)
    ledger.void(again.id)
    ledger.book("Ohio", PlanKey("b" * 64), '{"kind":"unfinished"}', charges[1:], table=table)
    ledger.amend("Ohio", epsilon="0.75")
    ledger.acknowledge("ohio", b"generated rows", [b"as coded", b"as spelt"])
    shared = ledger.book("ohio", PlanKey("c" * 64), '{"kind":"other"}', charges[1:], table=table)
    ledger.finish(shared.id, b"")
    ledger.put_document("ohio", "schema", "first", b"{}")
    ledger.put_document("ohio", "schema", "first", b'{"later": true}')


def dumped(store: Path) -> dict[str, list[dict[str, object]]]:
    """Every row of every table; bytes as {"base64": text}."""
    with sqlite3.connect(store) as connection:
        connection.row_factory = sqlite3.Row
        names = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
        tables = [row["name"] for row in connection.execute(names)]
        rows = {table: connection.execute(f"SELECT * FROM {table} ORDER BY rowid") for table in tables}  # noqa: S608
        return {
            table: [{key: _plain(value) for key, value in zip(row.keys(), row, strict=True)} for row in found]
            for table, found in rows.items()
        }


def _plain(value: object) -> object:
    return {"base64": base64.b64encode(value).decode()} if isinstance(value, bytes) else value


def main(folder: Path) -> None:
    store = folder / "version-1.sqlite3"
    with Ledger.open(f"sqlite:///{store}") as ledger:
        buy(ledger)
        decide(ledger)
    (folder / "version-1.json").write_text(json.dumps(dumped(store), indent=0) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
