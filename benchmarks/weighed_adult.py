"""Weighted ADULT (`fnlwgt`, clipped at W), from a tenth of its rows to the other nine: errors of weighted shares.

    python benchmarks/weighed_adult.py [--epsilons 0.1 0.25 1] [--seeds 5] [--rows 48842]

Prints the table of docs/results.md: releases by table fit, the public tenth unchanged, and a release that counts rows.
W is a quantile of the *public* tenth's weights, the unit a hundredth of it, the total what the public tenth's clipped
weights sum up to times the ratio of the two numbers of rows: all from the public tenth. Errors are those of the 2-way
marginals, against the private rows' weighted shares before any clipping. Seeded noise, for simulations only, at
delta = 1/n^2. `fnlwgt` was raked to population totals: here it stands for a design weight.
Data: UCI Machine Learning Repository, ADULT (folder given by PMWPUB_DATA, else ../shared/data).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from statistics import fmean

import adult
import numpy as np
import pandas as pd

from pmwpub.mechanisms.table_fit.fit_constants import FitConstants
from pmwpub.mechanisms.table_fit.intervals.released_tables import answers_of
from pmwpub.mechanisms.table_fit.measured_tables import measured_tables
from pmwpub.mechanisms.table_fit.table_fit import table_fit
from pmwpub.mechanisms.table_fit.table_schedule import schedule
from pmwpub.privacy.budget import ApproxDP, as_fraction, zcdp_of
from pmwpub.privacy.seeded_noise import SimulationNoise
from pmwpub.queries.counts import PrivateCounts, count
from pmwpub.queries.weighed_counts import weighed_count, weighed_sums
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset, Distribution, Floats, Ints, Support
from pmwpub.tabular.weights.row_weights import WeighedTable

QUANTILES = (0.25, 0.5, 0.75, 0.9, 0.99, 1.0)
UNITS = 100


@dataclass(frozen=True, eq=False)
class Split:
    """Private and public rows, and the weights of both as they stand in the file."""

    private: Dataset
    public: Dataset
    own: Ints
    theirs: Ints

    @classmethod
    def of(cls, table: Dataset, weights: Ints, seed: int) -> Split:
        order = np.random.default_rng(seed).permutation(len(table))
        few = len(table) // 10
        public, private = order[:few], order[few:]
        rows = (Dataset(table.domain, table.codes[chosen]) for chosen in (private, public))
        return cls(*rows, weights[private], weights[public])

    def truth(self, workload: Workload) -> Floats:
        """The weighted shares of the private rows, of all their weight."""
        whole = WeighedTable(self.private, self.own)
        return weighed_sums(workload, whole, int(self.own.max())) / int(self.own.sum())


@dataclass(frozen=True)
class Cap:
    """W as a quantile of public weights; None counts rows."""

    quantile: float | None

    def counts(self, split: Split, tables: Workload) -> tuple[PrivateCounts, int]:
        """What is measured, and by how much one person moves a count."""
        if self.quantile is None:
            return count(tables, split.private), 1
        unit = float(np.quantile(split.theirs, self.quantile)) / UNITS
        own, theirs = (np.minimum(np.floor(w / unit + 0.5), UNITS).astype(np.int64) for w in (split.own, split.theirs))
        total = round(int(theirs.sum()) * len(own) / len(theirs))
        return weighed_count(tables, WeighedTable(split.private, own), cap=UNITS, total=total), UNITS

    def clipped(self, split: Split) -> float:
        """The share of the public weight that lies above W."""
        if self.quantile is None:
            return 0.0
        return 1 - float(np.minimum(split.theirs, np.quantile(split.theirs, self.quantile)).sum() / split.theirs.sum())


def released(split: Split, cap: Cap, epsilon: float, seed: int) -> Distribution:
    """One simulated release."""
    n, support = len(split.private), Support.of(split.public)
    tables, delta = measured_tables(Workload.all_kway(split.private.domain, 2)), Fraction(1, n * n)
    budget, (counts, reach) = zcdp_of(ApproxDP(as_fraction(epsilon), delta)), cap.counts(split, tables)
    constants = FitConstants.advised(tables, budget, n=counts.n, delta=delta, rows_per_person=reach)
    plan = schedule(
        tables, support, budget, rows_per_person=reach, complete=reach == 1, constants=constants, cap=reach
    )  # fmt: skip
    return table_fit(counts, support, plan, noise=SimulationNoise(f"weighed {cap} {epsilon} {seed}")).distribution


def lines(table: Dataset, weights: Ints, epsilons: list[float], seeds: int) -> Iterator[str]:
    """The rows of the table."""
    workload, splits = Workload.all_kway(table.domain, 2), [Split.of(table, weights, seed) for seed in range(seeds)]
    truths = [split.truth(workload) for split in splits]

    def errors(made: list[Distribution]) -> str:
        gaps = [np.abs(answers_of(one, workload) - truth) for one, truth in zip(made, truths, strict=True)]
        return f"{fmean(float(gap.max()) for gap in gaps):.4f} / {1000 * fmean(float(gap.mean()) for gap in gaps):.3f}"

    unchanged = errors([Distribution.empirical(Support.of(split.public)) for split in splits])
    yield f"| public tenth unchanged | | {' | '.join([unchanged] * len(epsilons))} |"
    for quantile in (None, *QUANTILES):
        cap = Cap(quantile)
        name = "rows counted, without weights" if quantile is None else f"W = {quantile:.0%} of public weights"
        found = [errors([released(s, cap, e, seed) for seed, s in enumerate(splits)]) for e in epsilons]
        share = "" if quantile is None else f"{fmean(map(cap.clipped, splits)):.1%}"
        yield f"| {name} | {share} | {' | '.join(found)} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--epsilons", type=float, nargs="+", default=[0.1, 0.25, 1.0])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--rows", type=int, default=1_000_000, help="of ADULT, the first ones")
    wanted = parser.parse_args()
    schema = adult.Schema.from_json((adult.DATA / "schema.json").read_bytes())
    table = adult.encode_public(adult.read_table(adult.DATA / "adult.csv.gz"), schema).dataset
    weights = pd.read_csv(adult.DATA / "adult.csv.gz", usecols=["fnlwgt"])["fnlwgt"].to_numpy(np.int64)
    if len(weights) != len(table):
        raise SystemExit("Each row of ADULT has a level everywhere under its schema; some were left out.")
    table, weights = Dataset(table.domain, table.codes[: wanted.rows]), weights[: wanted.rows]
    print(f"| largest error / mean error x 1000 | clipped | {' | '.join(f'ε = {e:g}' for e in wanted.epsilons)} |")
    print("|---|---|" + "---|" * len(wanted.epsilons))
    for line in lines(table, weights, wanted.epsilons, wanted.seeds):
        print(line, flush=True)


if __name__ == "__main__":
    main()
