"""What docs/results.md says of releases of households, from the CSV file that benchmarks/households.py wrote."""

from __future__ import annotations

import csv
from statistics import fmean

from common import OUT

HOUSEHOLDS, FLAT, UNCHANGED = "households", "flat, k = H", "public unchanged"
OF_ROUNDS = "households, PMW^Pub, T = "
COLUMNS = {
    "persons_mean": "persons, mean",
    "persons_max": "persons, largest",
    "homes_mean": "homes, mean",
    "homes_max": "homes, largest",
    "structure": "ages of couples",
}


def lines() -> list[dict[str, str]]:
    """The runs; none where they were not made."""
    path = OUT / "households.csv"
    if not path.is_file():
        return []
    with path.open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def mean_of(rows: list[dict[str, str]], method: str, epsilon: float, column: str) -> float:
    """Over the seeds."""
    own = [float(row[column]) for row in rows if (row["method"], float(row["epsilon"])) == (method, epsilon)]
    return fmean(own)


def households() -> str:
    """A line for the public table, two for each epsilon, and those of PMW^Pub."""
    rows = lines()
    if not rows:
        return "*Not run on this machine yet.*"
    cells = dict.fromkeys((row["method"], float(row["epsilon"])) for row in rows)
    found = ["| release | ε | " + " | ".join(COLUMNS.values()) + " |", "|---" * (len(COLUMNS) + 2) + "|"]
    for method, epsilon in cells:
        numbers = [mean_of(rows, method, epsilon, column) for column in COLUMNS]
        said = ["none" if number != number else f"{number:.4f}" for number in numbers]
        found.append(f"| {method} | {epsilon:g} | ".replace("| 0 |", "| |") + " | ".join(said) + " |")
    return "\n".join(found)
