"""What docs/results.md says of pools with learnt weights, from the CSV file that benchmarks/pools.py wrote."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from statistics import fmean, stdev

from common import OUT

POOL, SINGLE = "pool", "single "
METHODS = {"chosen": "single, choice bought for ρ/10", "merged": "all rows merged", POOL: "learnt weights"}
"""What stands beside each public table alone."""

Row = dict[str, str]
Cells = dict[str, list[Row]]


def rows() -> list[Row]:
    """The lines of the file; none where it was not made."""
    path = OUT / "pools.csv"
    if not path.is_file():
        return []
    with path.open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def by_cell() -> dict[tuple[str, float], Cells]:
    """(pool, epsilon) -> method -> runs, the public tables unchanged left out."""
    found: dict[tuple[str, float], Cells] = {}
    for row in rows():
        if not row["method"].startswith("unchanged"):
            cell = found.setdefault((row["pool"], float(row["epsilon"])), {})
            cell.setdefault(row["method"], []).append(row)
    return dict(sorted(found.items()))


def best_single(cell: Cells, column: str) -> str:
    """The public table of the least mean over the runs: an oracle's choice."""
    return min((method for method in cell if method.startswith(SINGLE)), key=lambda method: mean(cell[method], column))


def mean(own: Sequence[Row], column: str) -> float:
    return fmean(float(row[column]) for row in own)


def pools() -> str:
    """Largest errors by pool and epsilon, then mean and RMS errors."""
    cells = by_cell()
    if not cells:
        return "*Not run on this machine yet.*"
    parts = [_table(cells, "max_error", 4), _verdict(cells), "<details><summary>Mean and RMS error</summary>\n"]
    parts += ["**Mean error**\n", _table(cells, "mean_error", 6), "**RMS error**\n", _table(cells, "rms_error", 6)]
    return "\n".join([*parts, "</details>\n"])


def _verdict(cells: dict[tuple[str, float], Cells]) -> str:
    """In how many cells learnt weights are at or below what stands beside them, and the worst ratios."""
    sentences = []
    for column, words in (("max_error", "largest"), ("mean_error", "mean")):
        ratios = {
            place: mean(cell[POOL], column) / mean(cell[best_single(cell, column)], column)
            for place, cell in cells.items()
        }
        (pool, epsilon), worst = max(ratios.items(), key=lambda one: one[1])
        below = {
            other: [mean(cell[POOL], column) <= mean(cell[other], column) for cell in cells.values() if other in cell]
            for other in ("chosen", "merged")
        }
        sentences.append(
            f"In the {words} error learnt weights are at or below the oracle's single table in "
            f"{sum(ratio <= 1 for ratio in ratios.values())} of {len(ratios)} cells ({worst:.2f} times it at worst: "
            f"{pool} at ε = {epsilon:g}), at or below a bought choice in {sum(below['chosen'])} of "
            f"{len(below['chosen'])}, and at or below all rows merged in {sum(below['merged'])} of "
            f"{len(below['merged'])}."
        )
    return " ".join(sentences) + "\n"


def _table(cells: dict[tuple[str, float], Cells], column: str, digits: int) -> str:
    names = ("pool", "ε", "runs", "best single (an oracle's)", *METHODS.values(), "learnt over best single", "parts")
    head = f"| {' | '.join(names)} |\n{'|---' * len(names)}|\n"
    return head + "".join(_line(pool, epsilon, cell, column, digits) for (pool, epsilon), cell in cells.items())


def _line(pool: str, epsilon: float, cell: Cells, column: str, digits: int) -> str:
    best = best_single(cell, column)
    errors = [f"{_spread(cell[best], column, digits)} ({best.removeprefix(SINGLE)})"]
    errors += [_spread(cell[method], column, digits) if method in cell else "" for method in METHODS]
    ratio = mean(cell[POOL], column) / mean(cell[best], column)
    return f"| {pool} | {epsilon:g} | {len(cell[POOL])} | {' | '.join(errors)} | {ratio:.2f} | {_parts(cell)} |\n"


def _parts(cell: Cells) -> str:
    """What each public table contributed, in per cent, on average over the runs."""
    tables = [method.removeprefix(SINGLE) for method in cell if method.startswith(SINGLE)]
    runs = [[int(part) for part in row["parts"].split("/")] for row in cell[POOL]]
    return ", ".join(
        f"{name} {fmean(own) / 10:.0f} %" for name, own in zip(tables, zip(*runs, strict=True), strict=True)
    )


def _spread(own: Sequence[Row], column: str, digits: int) -> str:
    values = [float(row[column]) for row in own]
    error = f" ± {stdev(values) / len(values) ** 0.5:.{digits}f}" if len(values) > 1 else ""
    return f"{fmean(values):.{digits}f}{error}"
