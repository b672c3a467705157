"""Replicate weights against the intervals that they stand for: how many standard errors they reproduce, how fast.

    python benchmarks/replicates.py [--pairs adult census ...] [--epsilons 0.25 1] [--seeds 1] [--replicates 40]
    python benchmarks/replicates.py --table      the table of docs/intervals.md, of the lines that are there

Writes docs/results/replicates.csv, a line a release; one that stands there is not made again. Cells count whose
released share is at least 1 %, of all 1-way and 2-way tables. What is reproduced is summed up here anew, by bincount.
Everything is a simulation, as in benchmarks/intervals.py, with the same pairs.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import intervals
import numpy as np
import sharper

from pmwpub.mechanisms.table_fit.intervals.cell_intervals import DEVIATIONS, CellIntervals
from pmwpub.mechanisms.table_fit.replicates.replicate_weights import REPLICATES, replicate_weights
from pmwpub.records import Floats

OUT = Path(__file__).parents[1] / "docs" / "results" / "replicates.csv"
FIRST_SEED = 4101
EPSILONS = (0.25, 1.0)
KINDS = ("adult", "sample", "census")
NEAR = 0.15


@dataclass(frozen=True)
class Line:
    """Replicate weights of one release.

    cells         of a released share of at least 1 %, in 1-way and 2-way tables
    near          of these, the share whose standard error is within 15 % of the interval's
    median        of the replicates' standard errors over the intervals'; low and high are the 1st and 99th percentile
    least         the least weight over the released one
    marginals     1-way and 2-way tables
    seconds       of one core
    """

    private: str
    public: str
    epsilon: float
    rows_per_person: int
    seed: int
    replicates: int
    cells: int
    near: float
    median: float
    low: float
    high: float
    least: float
    atoms: int
    marginals: int
    seconds: float


def ratios(found: CellIntervals, made: Floats) -> Floats:
    """float64 (cells,): the standard error by survey software's formula over that of the interval, for large cells."""
    released, every = found.release.released, [np.zeros(0)]
    support, weights = released.support, released.weights
    for order in (1, 2):
        for attributes in itertools.combinations(found.release.attributes, order):
            shape = [support.domain.shape[a] for a in attributes]
            places = np.ravel_multi_index(support.codes[:, attributes].T.astype(np.int64), shape)
            share = np.bincount(places, weights, np.prod(shape))
            squares = [(np.bincount(places, one, np.prod(shape)) - share) ** 2 for one in made.T]
            one = found.of(attributes)
            half = np.maximum(one.high - one.shares, one.shares - one.low).ravel()
            large = (share >= intervals.LARGE) & (half > 0)
            every.append((np.sqrt(np.mean(squares, axis=0))[large]) / (half[large] / DEVIATIONS))
    return np.concatenate(every)


def scored(
    name: tuple[str, str, int], tables: intervals.Tables, epsilon: float, seed: int, replicates: int
) -> tuple[Line, Floats]:
    """The line of one release, and its ratios."""
    release, drift, _ = intervals.released(tables, epsilon, name[2], seed)
    found = CellIntervals(release, drift())
    began = time.process_time()
    made = replicate_weights(found, replicates=replicates).weights
    seconds = time.process_time() - began
    over, weights = ratios(found, made), release.released.weights
    low, median, high = np.percentile(over, [1, 50, 99])
    least = float((made.min(axis=1)[weights > 0] / weights[weights > 0]).min())
    count = len(release.attributes)
    line = Line(
        *name[:2], epsilon, name[2], seed, replicates, len(over), round(float(np.mean(np.abs(over - 1) <= NEAR)), 4),
        round(float(median), 4), round(float(low), 4), round(float(high), 4), round(least, 6), len(weights),
        count + count * (count - 1) // 2, round(seconds, 2),
    )  # fmt: skip
    return line, over


def table(lines: Sequence[dict[str, str]]) -> str:
    """A row a pair in Markdown: what share is near, by epsilon; the worst release of it, cells, seconds.

    lines  of the file
    """
    pairs = list(dict.fromkeys((one["private"], one["public"]) for one in lines))
    epsilons = sorted({float(one["epsilon"]) for one in lines})
    page = [
        f"| private <- public | {' | '.join(f'ε = {epsilon:g}' for epsilon in epsilons)} | cells | seconds |",
        "|---" * (len(epsilons) + 3) + "|",
    ]
    for private, public in pairs:
        own = [one for one in lines if (one["private"], one["public"]) == (private, public)]
        cells = [_cell([one for one in own if float(one["epsilon"]) == epsilon]) for epsilon in epsilons]
        sizes = sorted(int(one["cells"]) for one in own)
        seconds = max(float(one["seconds"]) for one in own)
        name = f"{private} <- {public}".replace("_", " ")
        page.append(f"| {name} | {' | '.join(cells)} | {sizes[0]:,} to {sizes[-1]:,} | {seconds:.1f} |")
    return "\n".join(page) + "\n"


def _cell(lines: Sequence[dict[str, str]]) -> str:
    if not lines:
        return ""
    worst = min(lines, key=lambda one: float(one["near"]))
    return f"{float(worst['near']):.3f} ({float(worst['low']):.2f} to {float(worst['high']):.2f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--pairs", nargs="+", default=list(KINDS))
    parser.add_argument("--epsilons", nargs="+", type=float, default=EPSILONS)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--replicates", type=int, default=REPLICATES)
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--table", action="store_true")
    wanted = parser.parse_args()
    lines = _lines(wanted.out)
    if wanted.table:
        print(table(lines), end="")
        return
    done = {tuple(row[part] for part in _KEY) for row in lines}
    for private, public, k, tables in intervals.pairs_of(wanted.pairs):
        for epsilon in wanted.epsilons:
            for seed in range(FIRST_SEED, FIRST_SEED + wanted.seeds):
                if (private, public, str(epsilon), str(k), str(seed), str(wanted.replicates)) not in done:
                    line, _ = scored((private, public, k), tables(seed), epsilon, seed, wanted.replicates)
                    sharper.add(wanted.out, [field.name for field in fields(Line)], asdict(line))
                    print(asdict(line), flush=True)


def _lines(path: Path) -> list[dict[str, str]]:
    if not path.is_file():
        return []
    with path.open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


_KEY = ("private", "public", "epsilon", "rows_per_person", "seed", "replicates")

if __name__ == "__main__":
    main()
