"""How many single releases would cover less than .85 if the model of the intervals were right: it is asked itself.

    python benchmarks/single_releases.py [--pairs adult k3 ...] [--epsilons 0.1 0.25] [--releases 400]
    python benchmarks/single_releases.py --table      the table of docs/intervals.md, of the lines that are there

The cells of a release err together, so that even with intervals that cover 95 of 100 cells some releases are covered
less. For one simulated release a setting, strengths are drawn from what its noisy tables leave likely, and from each a
drift and noise on every cell, as for replicate weights: errors of releases that the model calls as likely as the one
that was made. Of each it is counted how many cells of at least 1 % its intervals hold, of all 1-way tables and of some
2-way tables, with what widens them and without. Writes docs/results/single_releases.csv, a line a setting and order.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from statistics import fmean

import intervals
import numpy as np
import sharper

from pmwpub.mechanisms.table_fit.intervals.believed_drift import BelievedDrift, likely_drift, released_tables
from pmwpub.mechanisms.table_fit.intervals.cell_intervals import Basis, CellIntervals
from pmwpub.mechanisms.table_fit.intervals.likely_drift import LikelyDrift
from pmwpub.mechanisms.table_fit.replicates.error_draws import ErrorDraws
from pmwpub.mechanisms.table_fit.replicates.support_cells import SupportCells
from pmwpub.records import Bools, Floats

OUT = Path(__file__).parents[1] / "docs" / "results" / "single_releases.csv"
FIRST_SEED = 6101
EPSILONS = (0.1, 0.25)
STRENGTHS = 20
"""So many strengths are drawn, and from each as many releases as make up the number wanted."""

TABLES = 40
FEW = 0.85


@dataclass(frozen=True)
class Line:
    """What a right model would show in one setting.

    releases  how many were drawn
    covered   of their cells, the mean share that the intervals hold; plain: of intervals that nothing widens
    few       the share of releases that cover less than .85; plain_few: of intervals that nothing widens
    wider     by what the variance of 1-way drift is multiplied
    """

    private: str
    public: str
    epsilon: float
    rows_per_person: int
    seed: int
    order: int
    releases: int
    covered: float
    few: float
    plain: float
    plain_few: float
    wider: float


def drawn_strengths(drift: BelievedDrift, likely: LikelyDrift, draws: int) -> list[BelievedDrift]:
    """Strengths at evenly spaced places of what is likely; each attribute's own stands to that of all as believed."""
    order = np.argsort(likely.ones, kind="stable")
    places = np.searchsorted(np.cumsum(likely.likely[order]), (np.arange(draws) + 0.5) / draws)
    mean = likely.means[0]
    return [
        BelievedDrift(tuple(one / mean / likely.ones[place] for one in drift.ones), 1.0 / float(likely.pairs[place]))
        for place in order[np.minimum(places, len(order) - 1)]
    ]


def held(found: CellIntervals, drawn: ErrorDraws, attributes: tuple[int, ...], errors: Floats) -> Bools:
    """bool (large cells, releases): which of a table's intervals hold the share that was drawn.

    errors  float64 (cells, releases): of the released shares; those of noisy cells are the noise's
    """
    release, one = found.release, found.of(attributes)
    half = np.maximum(one.high - one.shares, one.shares - one.low).ravel()
    own = release.cells_of(attributes)
    direct = (one.basis == Basis.NOISY).ravel()
    if own is not None:
        errors = np.where(direct[:, None], drawn._noise[own], errors)
    large = (one.released.ravel() >= intervals.LARGE) & ~np.isnan(half)
    inside: Bools = (np.abs(errors) <= half[:, None])[large]
    return inside


def covered_by(rules: Sequence[CellIntervals], strengths: Sequence[BelievedDrift], each: int, order: int) -> Floats:
    """float64 (rules, releases): of each drawn release, the share of cells that each rule's intervals hold."""
    release, shares = rules[0].release, []
    every = list(itertools.combinations(release.attributes, order))
    tables = every if order == 1 or len(every) <= TABLES else random.Random(0).sample(every, TABLES)
    for number, drift in enumerate(strengths):
        drawn, inside = ErrorDraws(release, drift, replicates=each, seed=f"single releases {number}"), []
        for one in tables:
            errors = drawn.of(SupportCells.of(release.released.support, one))
            inside.append([held(rule, drawn, one, errors) for rule in rules])
        shares.append([np.concatenate(of_rule).mean(axis=0) for of_rule in zip(*inside, strict=True)])
    return np.concatenate([np.array(one) for one in shares], axis=1)


def scored(name: tuple[str, str, int], tables: intervals.Tables, epsilon: float, seed: int, wanted: int) -> list[Line]:
    """A line an order."""
    found, plan, n, _ = intervals.simulated(tables, epsilon, name[2], seed)
    answers, drift = released_tables(found, plan, n), BelievedDrift.of(found, plan, n)
    likely = likely_drift(found, plan, answers, found.distribution.support.rows)
    strengths, lines = drawn_strengths(drift, likely, STRENGTHS), []
    rules = [CellIntervals(answers, one) for one in (drift, replace(drift, wider=(1.0, 1.0)))]
    for order in (1, 2):
        both = covered_by(rules, strengths, wanted // STRENGTHS, order)
        numbers = [round(float(np.mean(part)), 4) for shares in both for part in (shares, shares < FEW)]
        lines.append(Line(*name[:2], epsilon, name[2], seed, order, both.shape[1], *numbers, round(drift.wider[0], 3)))
    return lines


def table(lines: Sequence[dict[str, str]]) -> str:
    """A row a setting and order in Markdown, of those in which a right model shows releases of less than .85."""
    page = ["| private <- public | ε | columns | cover less than .85 | without what widens | wider |", "|---" * 6 + "|"]
    for one in lines:
        if max(float(one["few"]), float(one["plain_few"])) >= 0.005:
            k = f", k = {one['rows_per_person']}" if one["rows_per_person"] != "1" else ""
            name = f"{one['private']} <- {one['public']}{k}".replace("_", " ")
            shares = f"{float(one['few']):.1%} | {float(one['plain_few']):.1%}"
            page.append(f"| {name} | {one['epsilon']} | {one['order']} | {shares} | x {float(one['wider']):.2f} |")
    return "\n".join(page) + "\n"


def expected(lines: Sequence[dict[str, str]]) -> tuple[float, float]:
    """Of the settings together, the mean share of releases that cover less than .85; and where nothing widens."""
    few, plain = (fmean(float(one[part]) for one in lines) for part in ("few", "plain_few"))
    return few, plain


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--pairs", nargs="+", default=["adult", "k3", "sample", "census", "new", "lacking", "wide"])
    parser.add_argument("--epsilons", nargs="+", type=float, default=EPSILONS)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--first-seed", type=int, default=FIRST_SEED)
    parser.add_argument("--releases", type=int, default=400)
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--table", action="store_true")
    wanted = parser.parse_args()
    if wanted.table:
        with wanted.out.open(newline="", encoding="utf-8") as stream:
            lines = list(csv.DictReader(stream))
        print(table(lines), "{:.4f} {:.4f}".format(*expected(lines)), sep="")
        return
    for name, tables, epsilon, seed in intervals.to_do(wanted):
        for line in scored(name, tables, epsilon, seed, wanted.releases):
            sharper.add(wanted.out, [field.name for field in fields(Line)], asdict(line))
            print(asdict(line), flush=True)


if __name__ == "__main__":
    main()
