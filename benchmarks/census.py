"""OH-2018 by the command line: assess three candidates, release with one of them, error from weights.csv.

    python benchmarks/census.py [--runs 5] [--public il_2018 oh_2012] [--epsilon 1] [--rounds 25]

Every run is a full release over all 3,654 3-way marginals, charged to a throwaway ledger; its error is computed
here from the weights.csv that it wrote. Data: ACS rows from IPUMS USA, as given by the NIST temporal map challenge
(folder given by PMWPUB_DATA, else ../shared/data).
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import fmean, stdev

from pmwpub.evaluation import errors_of
from pmwpub.queries.counts import count
from pmwpub.queries.incidence import PublicProblem
from pmwpub.queries.workload import Workload
from pmwpub.tabular.coding.decode import read_weights
from pmwpub.tabular.coding.encode import encode_public
from pmwpub.tabular.files.reading import read_table
from pmwpub.tabular.schema.table_schema import Schema

DATA = Path(os.environ.get("PMWPUB_DATA", Path(__file__).parents[1].parent / "shared" / "data")) / "acs_il_oh"
CANDIDATES = ("oh_2012", "il_2018", "oh_2015")


def pmwpub(store: Path, *arguments: str) -> dict[str, object]:
    """One command, its JSON."""
    command = [sys.executable, "-m", "pmwpub.cli", "--store", f"sqlite:///{store}", *arguments]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main() -> None:
    """Assess, release, and compare with the truth."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--public", nargs="+", default=["oh_2012", "il_2018"])
    parser.add_argument("--epsilon", default="1")
    parser.add_argument("--rounds", default="25")
    parsed = parser.parse_args()
    schema = Schema.from_json((DATA / "schema.json").read_bytes())
    workload = Workload.all_kway(schema.domain, 3)
    private = encode_public(read_table(DATA / "oh_2018.csv.gz"), schema).dataset
    counts = count(workload, private)
    common = ["--population", "OH", "--schema", str(DATA / "schema.json"), "--private", str(DATA / "oh_2018.csv.gz")]
    print(f"OH-2018, n = {counts.n:,}; {len(workload.marginals):,} 3-way marginals, Q = {workload.queries:,}")
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder, "ledger.db")
        pmwpub(store, "ledger", "register", "OH", "--n", str(counts.n), "--epsilon", "20")
        public = [part for name in CANDIDATES for part in ("--public", str(DATA / f"{name}.csv.gz"))]
        began = time.perf_counter()
        found = pmwpub(store, "assess", *common, *public, "--epsilon", "0.05", "--fast")
        print(f"assess --fast at epsilon 0.05 each: {time.perf_counter() - began:.1f} s")
        for line in found["assessments"]:  # type: ignore[attr-defined]
            print(
                "  {candidate}: floor {floor:.4f} [{floor_low:.4f}, {floor_high:.4f}], start {start:.4f}".format(**line)
            )
        for name in parsed.public:
            maxima, seconds = [], []
            for run in range(parsed.runs):
                out = Path(folder, f"{name}-{run}")
                began = time.perf_counter()
                pmwpub(
                    store, "release", *common, "--public", str(DATA / f"{name}.csv.gz"), "--epsilon", parsed.epsilon,
                    "--rounds", parsed.rounds, "--repeat", str(run), "-o", str(out),
                )  # fmt: skip
                seconds.append(time.perf_counter() - began)
                distribution = read_weights((out / "weights.csv").read_bytes(), schema)
                maxima.append(errors_of(counts, PublicProblem(workload, distribution.support), distribution).max_error)
            error = stdev(maxima) / math.sqrt(len(maxima)) if len(maxima) > 1 else float("nan")
            print(
                f"release with {name}, epsilon {parsed.epsilon}, T = {parsed.rounds}: max error "
                f"{fmean(maxima):.4f} ± {error:.4f} over {len(maxima)} runs "
                f"({', '.join(f'{value:.4f}' for value in maxima)}); {fmean(seconds):.1f} s a command",
                flush=True,
            )


if __name__ == "__main__":
    main()
