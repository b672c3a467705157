"""Makes what lies in this folder: files that an earlier commit handed out, and the store that it bought them with.

Run once, with commit d59d89b46592 on PYTHONPATH, and with an empty folder to write into:

    python tests/release/before/make_before.py FOLDER

All of it is made through the command line of that commit. The rows are generated. A release is drawn anew each time, so
a second run makes another store and another release.

    b.csv, c.csv, w.csv         public tables; the last one is read as cp1252 with semicolons
    private.csv                 the private table
    schema.json                 drafted from the public tables
    ledger.sqlite3, .witness    the population "people": three assessments, a choice, three releases and an error
    out/, pool/, western/       the releases, as they were written for their readers
    printed.json                what each command printed
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
from pathlib import Path

import numpy as np

from pmwpub.cli import main

KNOWN = ["--population", "people", "--schema", "schema.json", "--private", "private.csv", "-k", "2"]
TABLES = ["--public", "b.csv", "--public", "c.csv"]
VARIANTS = ["--selection", "permute-and-flip", "--output", "average", "--start", "uniform", "--replay", "off"]
SAMPLED = ["--marginals", "2", "--seed", "5", "--rows", "40", "--row-seed", "7", "--cells", "numbers"]
WESTERN = ["--public", "w.csv", "--read", "w.csv=cp1252,semicolon", "--read", "private.csv=cp1252"]
COMMANDS = {
    "draft": ["schema", "draft", "b.csv", "c.csv", "--bins", "4", "-o", "schema.json"],
    "register": ["ledger", "register", "people", "--n", "250", "--epsilon", "4"],
    "assess": ["assess", *KNOWN, *TABLES, "--epsilon", "0.4"],
    "best": ["assess", *KNOWN, *TABLES, "--best", "--epsilon", "0.3"],
    "release": ["release", *KNOWN, "--public", "b.csv", "--epsilon", "1", "--rounds", "4", "--rows", "60", "-o", "out"],
    "pool": ["release", *KNOWN, *TABLES, *VARIANTS, *SAMPLED, "--epsilon", "0.5", "--rounds", "3", "-o", "pool"],
    "western": ["release", *KNOWN, *WESTERN, "--epsilon", "0.5", "--rounds", "3", "--rows", "50", "-o", "western"],
    "assess western": ["assess", *KNOWN, *WESTERN, "--epsilon", "0.1"],
    "error": ["error", *KNOWN[:-2], "--release", "out", "--epsilon", "0.5"],
    "check": ["certificate", "check", "out"],
    "check pool": ["certificate", "check", "pool"],
    "check western": ["certificate", "check", "western"],
    "show": ["ledger", "show", "people"],
}
"""A name for each command -> its arguments, in the order in which they ran."""


def people(rows: int, seed: int) -> str:
    """A CSV text of that many rows of sex, age and job."""
    rng = np.random.default_rng(seed)
    lines = [f"{'FM'[rng.integers(2)]},{rng.integers(90)},{'xyz'[rng.integers(3)]}" for _ in range(rows)]
    return "\n".join(["sex,age,job", *lines]) + "\n"


def printed(arguments: list[str]) -> object:
    """What a command printed; SystemExit where it was refused."""
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        status = main(["--store", "sqlite:///ledger.sqlite3", *arguments])
    if status:
        sys.exit(status)
    return json.loads(shown.getvalue())


if __name__ == "__main__":
    os.chdir(sys.argv[1])
    for name, rows, seed in (("b.csv", 120, 1), ("c.csv", 90, 2), ("private.csv", 250, 3)):
        Path(name).write_text(people(rows, seed), encoding="utf-8")
    western = people(100, 4).replace("job", "job,Straße", 1).replace(",", ";")
    Path("w.csv").write_text(western.replace("\n", ";\n").replace("Straße;", "Straße"), encoding="cp1252")
    said = {name: printed(arguments) for name, arguments in COMMANDS.items()}
    Path("printed.json").write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8")
