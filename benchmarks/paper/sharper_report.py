"""What docs/results.md says of table fit, from the CSV files that benchmarks/sharper.py wrote."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Sequence
from statistics import fmean, stdev

from common import OUT

TABLE_FIT, UNCHANGED = "table-fit", "unchanged"
CENSUS_ORACLE = {
    ("oh_2012", 0.1): 0.1276, ("oh_2012", 0.25): 0.0790, ("oh_2012", 0.5): 0.0564, ("oh_2012", 1.0): 0.0328,
    ("il_2018", 0.1): 0.1096, ("il_2018", 0.25): 0.0614, ("il_2018", 0.5): 0.0464, ("il_2018", 1.0): 0.0284,
}  # fmt: skip
"""PMW^Pub's largest error at the T that was best on the truth, on these tables: docs/measured.md."""

Row = dict[str, str]


def rows_of(name: str) -> list[Row]:
    """The lines of one of the files; none where it was not made."""
    path = OUT / f"sharper_{name}.csv"
    if not path.is_file():
        return []
    with path.open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def adult_oracle() -> dict[tuple[str, float], float]:
    """The same on ADULT: of the runs of docs/results/adult.csv, the least mean over T."""
    runs: dict[tuple[str, float, str], list[float]] = {}
    with (OUT / "adult.csv").open(newline="", encoding="utf-8") as stream:
        for row in csv.DictReader(stream):
            if row["panel"] == "grid" and row["method"] == "pmw-pub":
                key = (row["candidate"], float(row["epsilon"]), row["rounds"])
                runs.setdefault(key, []).append(float(row["max_error"]))
    best: dict[tuple[str, float], float] = {}
    for (candidate, epsilon, _), errors in runs.items():
        best[candidate, epsilon] = min(fmean(errors), best.get((candidate, epsilon), 1.0))
    return best


def tables() -> str:
    """Largest errors, how many times PMW^Pub's, then the other errors."""
    rows = rows_of("tables")
    if not rows:
        return "*Not run on this machine yet.*"
    oracle = {**adult_oracle(), **CENSUS_ORACLE}

    def largest(own: Sequence[Row]) -> str:
        ratio = _mean(own, "max_error") / oracle[own[0]["public"], float(own[0]["epsilon"])]
        return f"{_spread(own, 'max_error', 4)} ({ratio:.2f})"

    parts = [_grid(rows, largest), "<details><summary>Mean, RMS, total variation, processor seconds</summary>\n"]
    for column, words, digits in (
        ("mean_error", "Mean error", 6), ("rms_error", "RMS error", 6),
        ("variation", "Mean over marginals of the total variation distance", 4),
    ):  # fmt: skip
        parts += [f"**{words}**\n", _grid(rows, lambda own, c=column, d=digits: _spread(own, c, d))]
    parts += ["**Processor seconds of a run**, noise and comparison with the truth included\n"]
    parts += [_grid(rows, lambda own: f"{_mean(own, 'processor'):.1f}"), "</details>\n"]
    return "\n".join(parts)


def _grid(rows: Iterable[Row], cell: Callable[[Sequence[Row]], str]) -> str:
    """One line a pair of tables, one column an epsilon, and the public table unchanged where errors are shown."""
    found: dict[tuple[str, str], dict[float, list[Row]]] = {}
    for row in rows:
        if row["method"] == TABLE_FIT:
            found.setdefault((row["private"], row["public"]), {}).setdefault(float(row["epsilon"]), []).append(row)
    epsilons = sorted({epsilon for own in found.values() for epsilon in own})
    head = f"| private ← public | {' | '.join(f'ε = {e:g}' for e in epsilons)} |\n" + "|---" * (len(epsilons) + 1)
    body = (f"| {a} ← {b} | {' | '.join(cell(own[e]) for e in epsilons)} |\n" for (a, b), own in found.items())
    return f"{head}|\n{''.join(body)}"


def _mean(rows: Sequence[Row], column: str) -> float:
    return fmean(float(row[column]) for row in rows)


def _spread(rows: Sequence[Row], column: str, digits: int) -> str:
    values = [float(row[column]) for row in rows]
    if len(values) == 1:
        return f"{values[0]:.{digits}f}"
    return f"{fmean(values):.{digits}f} ± {stdev(values) / len(values) ** 0.5:.{digits}f}"


def pairs() -> str:
    """The largest error over that of the public table unchanged."""
    rows = rows_of("pairs")
    if not rows:
        return "*Not run on this machine yet.*"
    start = {(row["private"], row["public"]): float(row["max_error"]) for row in rows if row["method"] == UNCHANGED}

    def ratio(own: Sequence[Row]) -> str:
        unchanged = start[own[0]["private"], own[0]["public"]]
        values = [float(row["max_error"]) / unchanged for row in own]
        error = f" ± {stdev(values) / len(values) ** 0.5:.2f}" if len(values) > 1 else ""
        return f"{fmean(values):.2f}{error}"

    return _grid(rows, ratio) + _over_all(rows, start)


def _over_all(rows: Sequence[Row], start: dict[tuple[str, str], float]) -> str:
    """The last line of the grid: the mean of all pairs, and the worst pair."""
    ratios: dict[float, dict[tuple[str, str], list[float]]] = {}
    for row in rows:
        if row["method"] == TABLE_FIT:
            pair = row["private"], row["public"]
            own = ratios.setdefault(float(row["epsilon"]), {}).setdefault(pair, [])
            own.append(float(row["max_error"]) / start[pair])
    cells = []
    for epsilon in sorted(ratios):
        means = [fmean(own) for own in ratios[epsilon].values()]
        cells.append(f"{fmean(means):.2f}, at worst {max(means):.2f}")
    return f"| **all pairs** | {' | '.join(cells)} |\n"


def grown() -> str:
    """The largest error with rows that may be added over that without, by pair and epsilon, on the same noise."""
    rows = rows_of("grown")
    if not rows:
        return "*Not run on this machine yet.*"
    epsilons = sorted({float(row["epsilon"]) for row in rows})
    pairs = dict.fromkeys((row["private"], row["public"]) for row in rows)

    def cell(pair: tuple[str, str], epsilon: float) -> str:
        own = [row for row in rows if (row["private"], row["public"]) == pair and float(row["epsilon"]) == epsilon]
        return f"{_mean(own, 'grown_max'):.4f} ({_mean(own, 'grown_max') / _mean(own, 'plain_max'):.2f})" if own else ""

    head = f"| private ← public | {' | '.join(f'ε = {e:g}' for e in epsilons)} |\n" + "|---" * (len(epsilons) + 1)
    body = (f"| {a} ← {b} | {' | '.join(cell((a, b), e) for e in epsilons)} |\n" for a, b in pairs)
    return f"{head}|\n{''.join(body)}"


METHODS = {TABLE_FIT: "Table fit", "mbi-reweighted": "mbi's weights", "gaussian-answers": "Gaussian answers (no rows)"}


def public_peers() -> str:
    """Largest and mean errors of table fit, of mbi's weights on its noisy tables, and of Gaussian answers."""
    path = OUT / "public_peers.csv"
    if not path.is_file():
        return "*Not run on this machine yet.*"
    with path.open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    parts = []
    for column, words, digits in (("max_error", "Largest error", 4), ("mean_error", "Mean error", 6)):
        parts += [f"**{words}**\n", _by_method(rows, lambda own, c=column, d=digits: _spread(own, c, d))]
    return "\n".join(parts)


def _by_method(rows: Sequence[Row], cell: Callable[[Sequence[Row]], str]) -> str:
    epsilons = sorted({float(row["epsilon"]) for row in rows})
    keys = sorted({(row["candidate"], row["method"]) for row in rows})
    body = ""
    for candidate, method in keys:
        own = [row for row in rows if (row["candidate"], row["method"]) == (candidate, method)]
        at = [[row for row in own if float(row["epsilon"]) == epsilon] for epsilon in epsilons]
        name = f"{METHODS[method]}, {candidate}" if candidate else METHODS[method]
        body += f"| {name} | {' | '.join(cell(some) if some else '' for some in at)} |\n"
    return f"| | {' | '.join(f'ε = {e:g}' for e in epsilons)} |\n{'|---' * (len(epsilons) + 1)}|\n{body}"


def size() -> str:
    """At the paper's size by tilt and epsilon, then what grows with what."""
    rows = rows_of("size")
    if not rows:
        return "*Not run on this machine yet.*"
    keys = ("tilt", "attributes", "atoms", "marginals", "rows", "epsilon")
    found: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        found.setdefault(tuple(row[key] for key in keys), []).append(row)
    head = "| distance | attributes | atoms | marginals | private rows | ε | unchanged | largest error | mean error "
    head += "| s | MB |\n"
    body = ""
    for (tilt, attributes, atoms, marginals, private, epsilon), own in found.items():
        sizes = f"{tilt} | {attributes} | {int(atoms):,} | {int(marginals):,} | {int(private):,} | {epsilon}"
        errors = f"{_mean(own, 'start'):.4f} | {_spread(own, 'max_error', 4)} | {_spread(own, 'mean_error', 6)}"
        body += f"| {sizes} | {errors} | {_mean(own, 'processor'):.1f} | {_mean(own, 'megabytes'):.0f} |\n"
    return f"{head}{'|---' * 11}|\n{body}"
