"""Coverage of the 95 % intervals for what is made of cells: differences of two, shares within a column, means.

    python benchmarks/contrasts.py [--pairs adult sample census new] [--epsilons 0.1 0.25 1] [--seeds 5]
    python benchmarks/contrasts.py --table      the table of docs/intervals.md, of the lines that are there

Writes docs/results/contrasts.csv, a line a release, kind and order of marginal; a release that stands there is not made
again. Pairs, releases and seeded noise are those of benchmarks/intervals.py, with seeds of their own: the rule was
fixed before they were used. Counted are differences of two cells, and shares within a column of cells, of which each
has a released share of at least 1 %; some hundreds an order, drawn by a public seed. A mean is that of the levels'
numbers, for levels of any values have the same law, of columns of at least three levels.
"""

from __future__ import annotations

import argparse
import csv
import random
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from statistics import fmean

import intervals as cells
import numpy as np
import sharper

from pmwpub.mechanisms.table_fit.intervals.contrast_intervals import Contrast, ContrastIntervals
from pmwpub.mechanisms.table_fit.intervals.released_tables import marginal_of
from pmwpub.queries.counts import count
from pmwpub.queries.workload import Marginal, Workload
from pmwpub.records import Dataset, Distribution, Floats

OUT = Path(__file__).parents[1] / "docs" / "results" / "contrasts.csv"
FIRST_SEED = 4101
EPSILONS = (0.1, 0.25, 1.0)
MARGINALS, DIFFERENCES = 60, 6
KINDS = ("difference", "within", "mean")


@dataclass(frozen=True)
class Line:
    """Intervals of one release for numbers of one kind, made of marginals of one order.

    covered  of the numbers that have an interval, the share whose interval holds the private table's own
    without  the share of all numbers that have none
    width    the median width of the intervals
    direct   the share of intervals that are made of noisy cells
    numbers  how many numbers there are
    """

    private: str
    public: str
    epsilon: float
    rows_per_person: int
    seed: int
    kind: str
    order: int
    covered: float
    without: float
    width: float
    direct: float
    numbers: int


Found = tuple[float, float | None, float | None, bool]
"""The private table's own number, the ends of its interval, whether it is made of noisy cells."""


def _truth(private: Dataset, attributes: tuple[int, ...]) -> Floats:
    counted = count(Workload(private.domain, (Marginal(attributes),)), private).counts
    shares: Floats = counted.reshape([private.domain.shape[a] for a in attributes]) / len(private)
    return shares


def _of(truth: float, found: Contrast) -> Found:
    return truth, found.low, found.high, str(found.basis) == "noisy cell"


def differences(
    intervals: ContrastIntervals, private: Dataset, released: Distribution, attributes: tuple[int, ...]
) -> Iterator[Found]:
    """Some pairs of large cells of a marginal, drawn by a public seed."""
    truth, table = _truth(private, attributes), marginal_of(released, attributes)
    large = [tuple(map(int, cell)) for cell in np.argwhere(table >= cells.LARGE)]
    draws = random.Random(str(attributes))
    for _ in range(DIFFERENCES if len(large) > 1 else 0):
        first, second = draws.sample(large, 2)
        yield _of(float(truth[first] - truth[second]), intervals.difference(attributes, first, second))


def within(
    intervals: ContrastIntervals, private: Dataset, _: Distribution, attributes: tuple[int, ...]
) -> Iterator[Found]:
    """The large cells of a marginal as shares within its first column."""
    if len(attributes) == 1:
        return
    truth, found = _truth(private, attributes), intervals.within(attributes, attributes[:1])
    total = truth.sum(axis=tuple(range(1, truth.ndim)), keepdims=True)
    share = np.divide(truth, total, out=np.zeros_like(truth), where=total > 0)
    for cell in map(tuple, np.argwhere(marginal_of(_, attributes) >= cells.LARGE)):
        low, high = float(found.low[cell]), float(found.high[cell])
        yield (float(share[cell]), None, None, False) if np.isnan(low) else (float(share[cell]), low, high, False)


def means(
    intervals: ContrastIntervals, private: Dataset, _: Distribution, attributes: tuple[int, ...]
) -> Iterator[Found]:
    """The mean of the numbers of a column's levels, over the rows that have a level."""
    size = private.domain.shape[attributes[0]]
    if len(attributes) > 1 or size < 3:
        return
    truth = _truth(private, attributes)
    yield _of(
        float(truth @ np.arange(size) / truth.sum()), intervals.mean(attributes[0], [float(v) for v in range(size)])
    )


OF_KIND = {"difference": differences, "within": within, "mean": means}


def scored(name: tuple[str, str, int], tables: cells.Tables, epsilon: float, seed: int) -> list[Line]:
    """A line a kind and order."""
    private = tables[0]
    answers, drift, _ = cells.released(tables, epsilon, name[2], seed)
    intervals, lines = ContrastIntervals(answers, drift()), []
    for kind in KINDS:
        for order in (1, 2, 3):
            every = cells.marginals_of(private, order, MARGINALS)
            found = [one for a in every for one in OF_KIND[kind](intervals, private, answers.released, a)]
            covered = [(truth, low, high, direct) for truth, low, high, direct in found if low is not None]
            if not covered:
                continue
            held = fmean(
                low <= truth <= high for truth, low, high, _ in covered if high is not None and low is not None
            )
            width = float(
                np.median([high - low for _, low, high, _ in covered if high is not None and low is not None])
            )
            lines.append(
                Line(
                    *name[:2], epsilon, name[2], seed, kind, order, round(held, 4),
                    round(1 - len(covered) / len(found), 4), round(width, 6),
                    round(fmean(direct for *_, direct in covered), 4), len(found),
                )
            )  # fmt: skip
    return lines


def table(lines: Sequence[dict[str, str]], kinds: Sequence[str] = KINDS) -> str:
    """Coverage by pair, kind and epsilon in Markdown: of each order, the worst release, what is left out."""
    epsilons = sorted({float(one["epsilon"]) for one in lines})
    runs = sorted({(one["private"], one["public"], int(one["rows_per_person"])) for one in lines})
    page = [f"| private <- public | what | {' | '.join(f'ε = {epsilon:g}' for epsilon in epsilons)} |"]
    page.append("|---" * (len(epsilons) + 2) + "|")
    for private, public, k in runs:
        for kind in kinds:
            found = []
            for epsilon in epsilons:
                own = [one for one in lines if _is(one, (private, public, k), kind, epsilon)]
                found.append(_cell(own) if own else "")
            name = f"{private} <- {public}" + (f", k = {k}" if k > 1 else "")
            page.append(f"| {name.replace('_', ' ')} | {kind} | {' | '.join(found)} |")
    return "\n".join(page) + "\n"


def _is(line: dict[str, str], run: tuple[str, str, int], kind: str, epsilon: float) -> bool:
    own = (line["private"], line["public"], int(line["rows_per_person"]))
    return own == run and line["kind"] == kind and float(line["epsilon"]) == epsilon


def _cell(lines: Sequence[dict[str, str]]) -> str:
    covered = []
    for order in sorted({int(one["order"]) for one in lines}):
        covered.append(f"{fmean(float(one['covered']) for one in lines if int(one['order']) == order):.3f}")
    without = fmean(float(one["without"]) for one in lines)
    left = f"; {without:.0%} not covered" if without >= 0.005 else ""
    return f"{' / '.join(covered)} (worst {min(float(one['covered']) for one in lines):.2f}{left})"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--pairs", nargs="+", default=["adult", "sample", "census", "new"])
    parser.add_argument("--epsilons", nargs="+", type=float, default=EPSILONS)
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
            sharper.add(wanted.out, [field.name for field in fields(Line)], asdict(line))
            print(asdict(line), flush=True)


if __name__ == "__main__":
    main()
