"""What docs/results.md says of ranges and quantiles, from the CSV file that benchmarks/ranges.py wrote."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from statistics import fmean

from common import OUT

LABELS = {
    "unchanged": "unchanged",
    "pmw-pub": "PMW^Pub, T = 25",
    "pmw-pub+prefixes": "PMW^Pub, T = 25, prefixes in the workload",
    "table-fit": "table fit",
    "table-fit+coarse": "table fit, coarse tables",
    "table-fit+prefixes": "table fit, a vector of prefixes",
    "noisy table-fit": "noisy table of table fit",
    "noisy table-fit+coarse": "the same with coarse tables",
}
COLUMNS = {
    "adult": ("age", "hours-per-week", "capital-gain", "education-num"),
    "oh_2018": ("AGE", "EDUC", "INCTOT", "INCWAGE", "INCEARN", "POVERTY"),
}

Row = dict[str, str]


def lines() -> list[Row]:
    """The runs; none where they were not made."""
    path = OUT / "ranges.csv"
    if not path.is_file():
        return []
    with path.open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def mean_of(rows: Sequence[Row], measure: str, **wanted: str) -> float | None:
    """The mean of a measure over the runs of a method, of one column or of all; None where there are none."""
    own = [float(row[measure]) for row in rows if all(row[key] == value for key, value in wanted.items())]
    return fmean(own) if own else None


def ranges() -> str:
    """A table a pair and epsilon: of each method the errors, the mean over ordered columns and runs."""
    rows = lines()
    if not rows:
        return "*Not run on this machine yet.*"
    pairs = dict.fromkeys((row["private"], row["public"]) for row in rows)
    epsilons = sorted({row["epsilon"] for row in rows}, key=float)
    return "\n".join(_of_pair(rows, pair, epsilons) for pair in pairs)


def _of_pair(rows: Sequence[Row], pair: tuple[str, str], epsilons: Sequence[str]) -> str:
    own = [row for row in rows if (row["private"], row["public"]) == pair]
    runs = len({row["seed"] for row in own})
    name = f"{pair[0]} ← {pair[1]}".replace("_", " ")
    head = f"| {name}, {runs} runs | {' | '.join(f'ε = {float(e):g}' for e in epsilons)} |\n"
    body = "".join(
        f"| {label} | {' | '.join(_cell(own, method, epsilon) for epsilon in epsilons)} |\n"
        for method, label in LABELS.items()
        if any(row["method"] == method for row in own)
    )
    return f"{head}{'|---' * (len(epsilons) + 1)}|\n{body}"


def _cell(rows: Sequence[Row], method: str, epsilon: str) -> str:
    """The largest and the mean error of ranges, and the rank error of quartiles, in percent; then that of all pairs."""
    found = [
        mean_of(rows, measure, method=method, epsilon=epsilon)
        for measure in ("range_max", "range_mean", "rank", "variation")
    ]
    if any(one is None for one in found):
        return ""
    largest, mean, rank, pairs = (100 * one for one in found if one is not None)
    return f"{largest:.2f} / {mean:.3f} / {rank:.2f} ({pairs:.2f})"


def values() -> str:
    """The errors of quartiles and means by column, in the column's own unit, at the largest epsilon."""
    rows = lines()
    if not rows:
        return "*Not run on this machine yet.*"
    epsilon = max({row["epsilon"] for row in rows}, key=float)
    methods = [method for method in LABELS if any(row["method"] == method for row in rows)]
    head = f"| ε = {float(epsilon):g}: quartiles / mean | {' | '.join(LABELS[method] for method in methods)} |\n"
    body = ""
    for private, public in dict.fromkeys((row["private"], row["public"]) for row in rows):
        own = [row for row in rows if (row["private"], row["public"]) == (private, public)]
        for column in COLUMNS[private]:
            cells = []
            for method in methods:
                wanted = {"method": method, "epsilon": epsilon, "column": column}
                found = [mean_of(own, measure, **wanted) for measure in ("value", "mean_error")]
                cells.append(" / ".join("" if one is None else f"{one:.3g}" for one in found))
            body += f"| {private.replace('_', ' ')} ← {public.replace('_', ' ')}: {column} | {' | '.join(cells)} |\n"
    return f"{head}{'|---' * (len(methods) + 1)}|\n{body}"
