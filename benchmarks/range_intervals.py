"""Coverage of the 95 % intervals of ordered columns: shares of ranges and quantiles, by noise and by the model.

    python benchmarks/range_intervals.py [--pairs adult sample census] [--epsilons 0.1 0.25 1] [--seeds 5]
    python benchmarks/range_intervals.py --table      the table of docs/intervals.md, of the lines that are there

Writes docs/results/range_intervals.csv, a line a release and kind; a release that stands there is not made again.
Pairs, releases and noise are those of benchmarks/intervals.py, with seeds of their own: the rule was fixed before
they were used. Ranges are all that a column has, of the columns that stand in order; quantiles are the nine deciles.
"range by the model" is not offered: the released share with the error that the cells' model believes of such a sum.
"""

from __future__ import annotations

import argparse
import csv
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from statistics import fmean

import contrasts
import intervals as cells
import numpy as np
import sharper

from pmwpub.mechanisms.table_fit.intervals.believed_drift import BelievedDrift
from pmwpub.mechanisms.table_fit.intervals.cell_errors import errors_of_functionals, least_variance, scaled_beliefs
from pmwpub.mechanisms.table_fit.intervals.cell_intervals import DEVIATIONS, CellIntervals
from pmwpub.mechanisms.table_fit.intervals.range_intervals import RangeIntervals, quantile_in
from pmwpub.mechanisms.table_fit.intervals.released_tables import ReleasedTables, marginal_of
from pmwpub.records import Dataset, Floats

OUT = Path(__file__).parents[1] / "docs" / "results" / "range_intervals.csv"
FIRST_SEED = 5101
ORDERED = {
    "age", "hours-per-week", "capital-gain", "education-num", "AGE", "EDUC", "INCTOT", "INCWAGE", "INCEARN",
    "INCINVST", "POVERTY", "hours", "income", "education", "size",
}  # fmt: skip
"""Columns whose levels stand in order."""

KINDS = ("range", "range by the model", "quantile")
Found = tuple[bool, float, bool]
"""Whether the interval holds the private table's own number, its width, whether it is made of noisy cells."""


def _ranges(size: int) -> Iterator[range]:
    """All ranges of a column but the whole of it."""
    for first in range(size):
        for past in range(first + 1, size + 1):
            if past - first < size:
                yield range(first, past)


def by_noise(release: ReleasedTables, truth: Floats, attribute: int) -> Iterator[Found]:
    """The shares of all ranges, as they are answered."""
    found = RangeIntervals(release.released, release)
    for levels in _ranges(len(truth)):
        share = found.share(attribute, levels)
        if share.low is not None and share.high is not None:
            own = float(truth[levels.start : levels.stop].sum())
            yield share.low - 1e-12 <= own <= share.high + 1e-12, share.high - share.low, True


def by_model(release: ReleasedTables, drift: BelievedDrift, truth: Floats, attribute: int) -> Iterator[Found]:
    """The same by the released weights, with the errors that the model of single cells believes of their sums."""
    if attribute in release.choices.lacking:
        return
    table, cells_of = marginal_of(release.released, (attribute,)), release.cells_of((attribute,))
    size, excess = len(table), CellIntervals(release, drift).misfit.excess[0]
    covariance = np.diag(table) - np.outer(table, table)
    believed = scaled_beliefs(release, drift, (attribute,), covariance[None], size)
    noise, least = release.variances[cells_of][None], np.full((1, size), least_variance(release, 1))
    for levels in _ranges(size):
        target = np.zeros((1, size))
        target[0, levels.start : levels.stop] = 1.0
        error = float(errors_of_functionals(believed, target, list(range(size)), noise, least)[0])
        half = DEVIATIONS * math.sqrt(error + excess * len(levels))
        off = float(table[levels.start : levels.stop].sum() - truth[levels.start : levels.stop].sum())
        yield abs(off) <= half, 2 * half, False


def quantiles(release: ReleasedTables, truth: Floats, attribute: int) -> Iterator[Found]:
    """The bins of the nine deciles."""
    found = RangeIntervals(release.released, release)
    for tenth in range(1, 10):
        own, inside = quantile_in(truth, tenth / 10)
        bins = found.quantile(attribute, range(len(truth)), tenth / 10)
        if own is not None and bins.first is not None and bins.last is not None:
            held = bins.first <= own <= bins.last or (inside >= 1.0 and bins.first == own + 1)
            yield held, float(bins.last - bins.first + 1), True


def scored(name: tuple[str, str, int], tables: cells.Tables, epsilon: float, seed: int) -> list[contrasts.Line]:
    """A line a kind."""
    private = tables[0]
    release, believed, _ = cells.released(tables, epsilon, name[2], seed)
    drift, columns = believed(), [a for a, n in enumerate(private.domain.names) if n in ORDERED]
    lines = []
    for kind in KINDS:
        found: list[Found] = []
        for attribute in columns:
            truth = _shares(private, attribute)
            if kind == "quantile":
                found += quantiles(release, truth, attribute)
            elif kind == "range":
                found += by_noise(release, truth, attribute)
            else:
                found += by_model(release, drift, truth, attribute)
        held, widths = fmean(one[0] for one in found), float(np.median([one[1] for one in found]))
        numbers = (round(held, 4), 0.0, round(widths, 6), fmean(one[2] for one in found), len(found))
        lines.append(contrasts.Line(*name[:2], epsilon, name[2], seed, kind, 1, *numbers))
    return lines


def _shares(private: Dataset, attribute: int) -> Floats:
    codes = private.codes[:, attribute]
    size = private.domain.shape[attribute]
    shares: Floats = np.bincount(codes[codes < size], minlength=size) / len(private)
    return shares


def table(lines: Sequence[dict[str, str]]) -> str:
    """Coverage by pair, kind and epsilon in Markdown."""
    return contrasts.table(lines, KINDS)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--pairs", nargs="+", default=["adult", "sample", "census"])
    parser.add_argument("--epsilons", nargs="+", type=float, default=contrasts.EPSILONS)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--first-seed", type=int, default=FIRST_SEED)
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--table", action="store_true")
    wanted = parser.parse_args()
    if wanted.table:
        with wanted.out.open(newline="", encoding="utf-8") as stream:
            print(table(list(csv.DictReader(stream))), end="")
        return
    for name, tables, epsilon, seed in cells.to_do(wanted):
        for line in scored(name, tables, epsilon, seed):
            sharper.add(wanted.out, [field.name for field in fields(contrasts.Line)], asdict(line))
            print(asdict(line), flush=True)


if __name__ == "__main__":
    main()
