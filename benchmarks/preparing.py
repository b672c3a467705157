"""What Prepare waits for: reading and drafting 130 columns of 50,000 rows, and storing a public file of 100 MB.

    python benchmarks/preparing.py [--columns 130] [--rows 50000] [--megabytes 100]

Invented columns, by a fixed seed: codes, labels, whole numbers, amounts with cents, and person numbers. Printed are the
processor seconds of this process for each step, and the size of what is stored.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

import numpy as np

from pmwpub.jobs import InlineEngine
from pmwpub.ledger import Ledger, Population
from pmwpub.service import Service
from pmwpub.service.inputs import study_store
from pmwpub.tabular.files.reading import read_table
from pmwpub.tabular.review.column_review import review
from pmwpub.tabular.review.without_suspects import drafted

KINDS = 6


def table(columns: int, rows: int, seed: int) -> bytes:
    """A CSV of `columns` invented columns, the kinds by turns."""
    draw = np.random.default_rng(seed)
    made = [_column(place % KINDS, rows, draw) for place in range(columns)]
    names = ",".join(f"c{place}" for place in range(columns))
    lines = [",".join(cells) for cells in zip(*made, strict=True)]
    return "\n".join([names, *lines, ""]).encode()


def _column(kind: int, rows: int, draw: np.random.Generator) -> list[str]:
    if kind == 0:
        return [f"{code:02d}" for code in draw.integers(0, 12, rows)]
    if kind == 1:
        return np.array(["yes", "no", "unknown"])[draw.choice(3, rows, p=(0.5, 0.4, 0.1))].tolist()
    if kind == 2:
        return [str(number) for number in draw.integers(0, 98, rows)]
    if kind == 3:
        return [f"{amount:.2f}" for amount in draw.lognormal(10, 1, rows)]
    if kind == 4:
        return [str(number) for number in 100_000 + draw.permutation(rows)]
    return [str(int(number)) for number in draw.lognormal(9, 1.5, rows)]


@contextmanager
def step(name: str) -> Iterator[None]:
    """Print what it cost."""
    begin, wall = time.process_time(), time.perf_counter()
    yield
    print(f"{name:<28}{time.process_time() - begin:7.1f} s of one core, {time.perf_counter() - wall:.1f} s", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--columns", type=int, default=130)
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--megabytes", type=int, default=100)
    chosen = parser.parse_args()
    content = table(chosen.columns, chosen.rows, 1)
    print(f"{chosen.columns} columns x {chosen.rows:,} rows, {len(content) / 1e6:.0f} MB")
    with step("read"):
        read = read_table(content)
    with step("draft"):
        draft = drafted([read])
    with step("review"):
        review(draft, [read])
    del read, content
    many = table(20, chosen.megabytes * 9_000, 2)[: chosen.megabytes * 1_000_000]
    many = many[: many.rindex(b"\n") + 1]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ledger.sqlite"
        with Ledger.open(f"sqlite:///{path}") as ledger:
            service = Service(ledger, InlineEngine())
            ledger.register(Population("people", 10_000, 1, "one person", Fraction(1), Fraction(1, 10**8)))
            print(f"a public file of {len(many) / 1e6:.0f} MB")
            with step("read"):
                read = read_table(many)
            with step("store"):
                study_store.add_candidate(service, "people", "many.csv", read, attested=True)
        print(f"stored in {path.stat().st_size / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
