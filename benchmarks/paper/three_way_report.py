"""What docs/results.md says of tables of three columns, from the CSV file that benchmarks/three_way.py wrote."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from statistics import fmean, stdev

from common import OUT

from pmwpub.service.simulations.engine_advice import PAYS

PLAIN, THREE = "table-fit", "table-fit-three-way"

Row = dict[str, str]
Pair = tuple[Row, Row]
"""A run without 3-way tables, and the run with them of the same seed."""


def pairs() -> dict[tuple[str, float], list[Pair]]:
    """(case, epsilon) -> pairs of runs, in the order of the file; none where it was not made."""
    path = OUT / "three_way.csv"
    if not path.is_file():
        return {}
    with path.open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    threes = {_key(row): row for row in rows if row["method"] == THREE}
    found: dict[tuple[str, float], list[Pair]] = {}
    for row in rows:
        if row["method"] == PLAIN and _key(row) in threes:
            found.setdefault((row["case"], float(row["epsilon"])), []).append((row, threes[_key(row)]))
    return found


def _key(row: Row) -> tuple[str, str, str]:
    return row["case"], row["epsilon"], row["seed"]


def ratio(own: Sequence[Pair], column: str = "max_error") -> tuple[float, float]:
    """The geometric mean of the error with 3-way tables over that without, and its standard error."""
    return _mean([math.log(float(three[column]) / float(plain[column])) for plain, three in own])


def told(own: Sequence[Pair]) -> tuple[float, float]:
    """The same where they are taken as often as the program advises them, by a public table in the private one's place:
    else the ratio is one."""
    logs = [math.log(float(three["max_error"]) / float(plain["max_error"])) for plain, three in own]
    return _mean([log if taken(pair) else 0.0 for log, pair in zip(logs, own, strict=True)])


def taken(pair: Pair) -> bool:
    """Whether the program would advise 3-way tables: they did clearly better where a public table played the private
    one."""
    return float(pair[1]["expected"]) < PAYS * float(pair[0]["expected"])


def _mean(logs: Sequence[float]) -> tuple[float, float]:
    return math.exp(fmean(logs)), stdev(logs) / math.sqrt(len(logs)) if len(logs) > 1 else 0.0


def three_way() -> str:
    """A line a case: with 3-way tables over without, how often they are taken, and what that comes to."""
    cells = pairs()
    if not cells:
        return "*Not run on this machine yet.*"
    epsilons = sorted({epsilon for _, epsilon in cells})
    head = f"| private ← public | runs | {' | '.join(f'ε = {e:g}' for e in epsilons)} |\n"
    body = ""
    for case in dict.fromkeys(case for case, _ in cells):
        own = [cells.get((case, epsilon), []) for epsilon in epsilons]
        body += f"| {case.replace('<-', ' ← ')} | {max(map(len, own))} | {' | '.join(map(_cell, own))} |\n"
    return f"{head}{'|---' * (len(epsilons) + 2)}|\n{body}"


def _cell(own: Sequence[Pair]) -> str:
    if not own:
        return ""
    largest, error = ratio(own)
    spread = f" ± {error:.2f}" if len(own) > 1 else ""
    return f"{largest:.2f}{spread} ({ratio(own, 'mean_error')[0]:.2f}); {sum(map(taken, own))}: {told(own)[0]:.2f}"
