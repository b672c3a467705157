"""T chosen on a public pair, against the T that only the truth could have told.

    python benchmarks/tuning.py [--state oh] [--workers 2] [--dask ADDRESS] [--marginals 0] [--runs 5] [--out FILE.csv]

Validation: OH-2015 plays the private table and OH-2012 the public one, as in Liu et al. (2021), who chose T on the pair
of earlier years. Test: OH-2018 is private, OH-2015 public. For each epsilon, the fewest rounds that do as well as the
best on the validation pair, by the mean of the largest error, are used on the test pair, and compared there with the
best T of the same grid (the oracle's). Both pairs are simulations with seeded noise on rows that may be looked at. All
3,654 3-way marginals, or a sample of them. Data: American Community Survey, from IPUMS USA, as given by the NIST
temporal map challenge (folder given by PMWPUB_DATA, else ../shared/data).
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from dataclasses import asdict, fields
from fractions import Fraction
from functools import partial
from pathlib import Path

from census import DATA
from sweep import progress, workers

from pmwpub.evaluation import (
    PMW_PUB,
    UNCHANGED,
    SimulatedError,
    Stage,
    Summary,
    Sweep,
    cores,
    fewest_rounds,
    simulate,
    summarise,
)
from pmwpub.queries.counts import count
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset, Support
from pmwpub.service.simulations.validated_settings import ROUNDS
from pmwpub.tabular.coding.encode import encode_public
from pmwpub.tabular.files.reading import read_table
from pmwpub.tabular.schema.table_schema import Schema

EPSILONS = (0.25, 0.5, 1.0)
PAIRS = {"validation": ("2015", "2012"), "test": ("2018", "2015")}
WITHIN = 1.1


def table(name: str, schema: Schema) -> Dataset:
    """One state and year."""
    return encode_public(read_table(DATA / f"{name}.csv.gz"), schema).dataset


def stage(private: str, public: str, schema: Schema, workload: Workload) -> Stage:
    """A pair as the shared input of its runs."""
    counts = count(workload, table(private, schema))
    return Stage(workload, counts, {public: Support.of(table(public, schema))}, Fraction(1, counts.n**2))


def means(found: list[SimulatedError], epsilon: float) -> dict[int, Summary]:
    """T -> the mean of the largest error, and its standard error."""
    lines = [line for line in found if line.method == PMW_PUB and line.epsilon == epsilon]
    return {line.rounds: line for line in summarise(lines)}


def report(validation: list[SimulatedError], test: list[SimulatedError]) -> bool:
    """A line for each epsilon; whether the tuned T is within a tenth of the oracle's everywhere."""
    good = True
    for epsilon in EPSILONS:
        chosen = means(validation, epsilon)
        tuned = fewest_rounds(chosen.values()).rounds
        there = means(test, epsilon)
        oracle = min(there, key=lambda rounds: there[rounds].mean)
        ratio = there[tuned].mean / there[oracle].mean
        good &= ratio <= WITHIN
        print(f"epsilon {epsilon:g}")
        for name, lines in (("validation", chosen), ("test", there)):
            said = "  ".join(f"T={t}: {line.mean:.4f} ± {line.standard_error:.4f}" for t, line in sorted(lines.items()))
            print(f"  {name:10} {said}")
        print(
            f"  tuned T = {tuned}, oracle's T = {oracle}: the tuned error is {ratio:.3f} times the oracle's", flush=True
        )
    return good


def main() -> None:
    """Tune, test, compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--state", choices=("oh", "il"), default="oh")
    parser.add_argument("--workers", type=int, default=cores())
    parser.add_argument("--dask", help="address of a Dask cluster's scheduler")
    parser.add_argument("--marginals", type=int, default=0, help="0: all")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--rounds", type=int, nargs="+", default=list(ROUNDS))
    parser.add_argument("--out", default="tuning.csv")
    parsed = parser.parse_args()
    schema = Schema.from_json((DATA / "schema.json").read_bytes())
    domain, sample = schema.domain, parsed.marginals
    workload = Workload.sampled(domain, 3, sample, 0) if sample else Workload.all_kway(domain, 3)
    sweep = Sweep(EPSILONS, tuple(parsed.rounds), parsed.runs, floors=False)
    print(f"{len(workload.marginals):,} 3-way marginals, Q = {workload.queries:,}; {parsed.runs} runs each", flush=True)
    found = {}
    for pair, years in PAIRS.items():
        private, public = (f"{parsed.state}_{year}" for year in years)
        began = time.perf_counter()
        watch = partial(progress, began)
        found[pair] = simulate(
            stage(private, public, schema, workload), sweep, workers=workers(parsed), progress=watch
        ).errors
        start = next(line.max_error for line in found[pair] if line.method == UNCHANGED)
        print(f"{pair}: {private} <- {public}, unchanged {start:.4f}; {time.perf_counter() - began:.0f} s", flush=True)
    with Path(parsed.out).open("w", newline="") as stream:
        writer = csv.DictWriter(stream, ["pair", *(field.name for field in fields(SimulatedError))])
        writer.writeheader()
        writer.writerows({"pair": pair, **asdict(line)} for pair, lines in found.items() for line in lines)
    good = report(found["validation"], found["test"])
    print(f"every tuned error within {WITHIN - 1:.0%} of the oracle's: {'yes' if good else 'NO'}")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
