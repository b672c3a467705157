"""OH-2018 from OH-2012 and from IL-2018, all 3,654 3-way marginals: max error by epsilon, the best T of a grid marked.

    python benchmarks/census_table.py [--seeds 5] [--public oh_2012 il_2018] [--rounds 5 10 25 50 100] [--workers 2]
        [--out census_table.csv]

"Oracle T" is the T of the grid that was best on the truth; nobody could pick it without looking. Each run draws
its own noise. Runs that stand in the file of --out are not repeated. Data: ACS rows from IPUMS USA, as given by the
NIST temporal map challenge (folder given by PMWPUB_DATA, else ../shared/data).
"""

from __future__ import annotations

import argparse
import csv
import math
import os
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from functools import cache
from pathlib import Path
from statistics import fmean, stdev

from pmwpub.evaluation import errors, errors_of
from pmwpub.mechanisms.pmw_pub.algorithm import Schedule, pmw_pub
from pmwpub.privacy.budget import ApproxDP, as_fraction, zcdp_of
from pmwpub.privacy.round_share import split
from pmwpub.queries.counts import PrivateCounts, count
from pmwpub.queries.incidence import PublicProblem
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset, Support
from pmwpub.tabular.coding.encode import encode_public
from pmwpub.tabular.files.reading import read_table
from pmwpub.tabular.schema.table_schema import Schema

DATA = Path(os.environ.get("PMWPUB_DATA", Path(__file__).parents[1].parent / "shared" / "data")) / "acs_il_oh"
EPSILONS = ("0.1", "0.25", "0.5", "1")
ROUNDS = (5, 10, 25, 50, 100)
REFERENCE = {
    ("oh_2012", "0.1"): 0.1256, ("oh_2012", "0.25"): 0.0775, ("oh_2012", "0.5"): 0.0532, ("oh_2012", "1"): 0.0318,
    ("il_2018", "0.1"): 0.1100, ("il_2018", "0.25"): 0.0632, ("il_2018", "0.5"): 0.0410, ("il_2018", "1"): 0.0267,
}  # fmt: skip
"""Max error at the oracle's T that the literature's own code reaches (exponential mechanism, last iterate, replay)."""

Run = tuple[str, str, int, int]


def table_of(name: str) -> Dataset:
    """A census table, coded."""
    return encode_public(read_table(DATA / f"{name}.csv.gz"), _schema()).dataset


@cache
def _schema() -> Schema:
    return Schema.from_json((DATA / "schema.json").read_bytes())


@cache
def _workload() -> Workload:
    return Workload.all_kway(_schema().domain, 3)


@cache
def _counts() -> PrivateCounts:
    return count(_workload(), table_of("oh_2018"))


@cache
def _problem(public: str) -> PublicProblem:
    return PublicProblem(_workload(), Support.of(table_of(public)))


def start_of(public: str) -> float:
    """The max error of the public table unchanged."""
    problem = _problem(public)
    return errors(_counts(), problem.start_sums, problem.support.rows).max_error


def run(asked: Run) -> float:
    """The max error of one run."""
    public, epsilon, rounds, seed = asked
    counts, problem = _counts(), _problem(public)
    share = split(zcdp_of(ApproxDP(as_fraction(epsilon), Fraction(1, counts.n**2))), rounds)
    release = pmw_pub(counts, problem, Schedule(rounds, share, replay_seed=seed))
    return errors_of(counts, problem, release.distribution).max_error


def finished(path: Path) -> dict[Run, float]:
    """The runs that stand in a file."""
    if not path.exists():
        return {}
    with path.open(newline="") as stream:
        return {
            (line["public"], line["epsilon"], int(line["rounds"]), int(line["seed"])): float(line["max_error"])
            for line in csv.DictReader(stream)
        }


def main() -> None:
    """Run what is missing, then print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--public", nargs="+", default=["oh_2012", "il_2018"])
    parser.add_argument("--rounds", type=int, nargs="+", default=list(ROUNDS))
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--out", type=Path, default=Path("census_table.csv"))
    asked = parser.parse_args()
    done = finished(asked.out)
    grid = [(p, e, t, s) for p in asked.public for t in asked.rounds for e in EPSILONS for s in range(asked.seeds)]
    missing = [one for one in grid if one not in done]
    fresh = not asked.out.exists()
    with asked.out.open("a", newline="") as stream, ProcessPoolExecutor(asked.workers) as pool:
        writer = csv.writer(stream)
        if fresh:
            writer.writerow(["public", "epsilon", "rounds", "seed", "max_error"])
        for one, error in zip(missing, pool.map(run, missing), strict=True):
            done[one] = error
            writer.writerow([*one, error])
            stream.flush()
    for public in asked.public:
        report(public, {one: error for one, error in done.items() if one in set(grid)})


def report(public: str, done: dict[Run, float]) -> None:
    """Print one public table's errors."""
    print(f"\nOH-2018 from {public}; unchanged {start_of(public):.4f}")
    for epsilon in EPSILONS:
        by_rounds: dict[int, list[float]] = defaultdict(list)
        for (name, eps, rounds, _), error in done.items():
            if (name, eps) == (public, epsilon):
                by_rounds[rounds].append(error)
        columns = "  ".join(f"T={t}: {fmean(values):.4f}±{spread(values):.4f}" for t, values in by_rounds.items())
        best = min(by_rounds, key=lambda t: fmean(by_rounds[t]))
        mean, bound = fmean(by_rounds[best]), 1.05 * REFERENCE[public, epsilon] + 2 * spread(by_rounds[best])
        verdict = "at or below" if mean <= bound else "ABOVE"
        print(f"  epsilon {epsilon}: {columns}")
        print(
            f"    oracle T = {best}: {mean:.4f}, {verdict} 1.05 x {REFERENCE[public, epsilon]} + 2 s.e. = {bound:.4f}"
        )


def spread(values: list[float]) -> float:
    """The standard error of the mean."""
    return stdev(values) / math.sqrt(len(values)) if len(values) > 1 else 0.0


if __name__ == "__main__":
    main()
