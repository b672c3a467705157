"""Counts of a private table that is never held: 10^7 rows of 67 columns as Parquet, 4,096 3-way marginals.

    python benchmarks/large_tables.py [--rows 10000000] [--marginals 4096] [--parts 8] [--workers 2] [--csv-rows 0]
        [--baseline-rows 100000]

A table at the shape of the paper's reduced census domain (67 attributes, 287 levels) is written as a folder of Parquet
files, by a fixed seed, to a temporary folder that is removed at the end. Then, each in a fresh process:

    survey    one pass with every check: rows, IDs, fingerprint, what a search for shared runs needs
    count     one pass with the counts of all marginals, and the check that the rows are those of the survey
    dask      the same on local Dask workers; its integers must be equal
    baseline  numpy's bincount over each marginal's cells, on rows in memory, one thread

and its wall time, processor seconds and peak resident memory are printed; of Dask's workers, the largest peak.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from pmwpub.domain import Attribute, Domain
from pmwpub.queries.counts import count
from pmwpub.queries.workload import Workload
from pmwpub.tabular.files.folders import parts_of
from pmwpub.tabular.files.reading import open_table
from pmwpub.tabular.private_pass import FileRows, Survey, survey
from pmwpub.tabular.schema.column_types import CategoricalColumn
from pmwpub.tabular.schema.table_schema import Schema
from pmwpub.tasks.counting_cluster import ClusterRows, local_cluster

ATTRIBUTES, LEVELS, BLOCK = 67, 287, 250_000


def domain() -> Domain:
    """67 attributes with 287 levels in all."""
    sizes = np.full(ATTRIBUTES, 2)
    rng = np.random.default_rng(1)
    while sizes.sum() < LEVELS:
        sizes[rng.integers(ATTRIBUTES)] += 1
    return Domain(tuple(Attribute(f"a{j}", tuple(f"level {i}" for i in range(size))) for j, size in enumerate(sizes)))


def schema() -> Schema:
    """Its columns; one cell in a thousand of the first has no level."""
    attributes = domain().attributes
    return Schema.of([CategoricalColumn(name=one.name, kind="categorical", levels=one.levels) for one in attributes])


def block(rows: int, seed: int) -> pa.Table:
    """Rows of skewed, independent columns, as dictionary-encoded text."""
    rng = np.random.default_rng(seed)
    columns = {}
    for position, one in enumerate(domain().attributes):
        codes = np.minimum(rng.geometric(0.4, rows) - 1, one.size - 1).astype(np.int8)
        if position == 0:
            codes[rng.random(rows) < 0.001] = one.size
        columns[one.name] = pa.DictionaryArray.from_arrays(codes, [*one.levels, "unknown"])
    return pa.table(columns)


def write(folder: Path, rows: int, parts: int) -> None:
    """The table in so many Parquet files, a block of rows at a time."""
    for part in range(parts):
        begin, end = rows * part // parts, rows * (part + 1) // parts
        with pq.ParquetWriter(folder / f"part.{part}.parquet", block(1, 0).schema) as writer:
            for at in range(begin, end, BLOCK):
                writer.write_table(block(min(BLOCK, end - at), at))


def surveyed(table: Path, rows: int, *, kept: int = 0) -> Survey:
    return survey(open_table(table), schema(), n=rows, kept=kept)


def rows_of(table: Path, rows: int, digest: str) -> FileRows:
    return FileRows(open_table(table), schema(), rows, bytes.fromhex(digest))


def counted(table: Path, workload: Workload, rows: int, digest: str) -> dict[str, object]:
    """In this process."""
    counts = count(workload, rows_of(table, rows, digest)).counts
    return {"sha256": hashlib.sha256(counts.tobytes()).hexdigest(), "sum": int(counts.sum())}


def spread(table: Path, workload: Workload, rows: int, digest: str, workers: int) -> dict[str, object]:
    """On local Dask workers; their start is not timed."""
    with local_cluster(workers) as cluster:
        started = time.perf_counter()
        whole = ClusterRows(rows_of(table, rows, digest), parts_of(table), cluster.scheduler_address)
        counts = count(workload, whole).counts
        seconds = time.perf_counter() - started
        with cluster.get_client() as client:
            peaks = client.run(peak)
    return {
        "sha256": hashlib.sha256(counts.tobytes()).hexdigest(),
        "seconds": seconds,
        "worker megabytes": max(peaks.values()),
    }


def baseline(workload: Workload, rows: int) -> dict[str, object]:
    """One bincount a marginal, and what that would be for all rows."""
    table = block(rows, 0)
    codes = [column.combine_chunks().indices.to_numpy().astype(np.int64) for column in table.columns]
    sizes = workload.domain.shape
    started = time.perf_counter()
    for marginal in workload.marginals:
        a, b, c = marginal.attributes
        np.bincount((codes[a] * (sizes[b] + 1) + codes[b]) * (sizes[c] + 1) + codes[c])
    return {"nanoseconds a row and marginal": (time.perf_counter() - started) / rows / len(workload.marginals) * 1e9}


def peak() -> float:
    """The largest resident memory of this process so far, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def measured(stage: str, table: Path, *, rows: int, marginals: int, digest: str, workers: int) -> None:
    """One stage in this process; what it took, as JSON."""
    workload = Workload.sampled(domain(), 3, marginals, seed=0)
    started, cpu = time.perf_counter(), time.process_time()
    if stage == "survey":
        found: dict[str, object] = {"digest": surveyed(table, rows).digest.hex()}
    elif stage == "count":
        found = counted(table, workload, rows, digest)
    elif stage == "dask":
        found = spread(table, workload, rows, digest, workers)
    else:
        found = baseline(workload, rows)
    took = {"seconds": time.perf_counter() - started, "cpu": time.process_time() - cpu, "megabytes": peak()}
    print(json.dumps(took | found))


def stage(name: str, table: Path, **options: object) -> dict[str, object]:
    """A stage in a fresh process."""
    arguments = [sys.executable, __file__, "--stage", name, "--table", str(table), "--options", json.dumps(options)]
    found = json.loads(subprocess.run(arguments, check=True, capture_output=True, text=True).stdout.splitlines()[-1])
    numbers = ", ".join(f"{key} {value:,.1f}" for key, value in found.items() if isinstance(value, float))
    print(f"{name:9} {numbers}", flush=True)
    return found


def main(parsed: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "private.parquet"
        table.mkdir()
        started = time.perf_counter()
        write(table, parsed.rows, parsed.parts)
        size = sum(part.stat().st_size for part in table.iterdir()) / 1e6
        print(f"{parsed.rows:,} rows in {parsed.parts} files, {size:,.0f} MB, {time.perf_counter() - started:.0f} s")
        same = {"rows": parsed.rows, "marginals": parsed.marginals, "workers": parsed.workers}
        digest = stage("survey", table, **same, digest="")["digest"]
        here = stage("count", table, **same, digest=digest)
        there = stage("dask", table, **same, digest=digest)
        if here["sha256"] != there["sha256"]:
            sys.exit("The workers' integers differ from those counted here.")
        print("equal integers here and on the workers")
        if parsed.csv_rows:
            plain = Path(folder) / "private.csv"
            options = pyarrow.csv.WriteOptions(quoting_style="none")
            pyarrow.csv.write_csv(block(parsed.csv_rows, 0), plain, options)
            same["rows"] = parsed.csv_rows
            print(f"CSV of {parsed.csv_rows:,} rows, {plain.stat().st_size / 1e6:,.0f} MB")
            stage("count", plain, **same, digest=stage("survey", plain, **same, digest="")["digest"])
        stage("baseline", table, **same | {"rows": parsed.baseline_rows}, digest="")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--marginals", type=int, default=4_096)
    parser.add_argument("--parts", type=int, default=8)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--csv-rows", type=int, default=0)
    parser.add_argument("--baseline-rows", type=int, default=100_000)
    parser.add_argument("--stage", help=argparse.SUPPRESS)
    parser.add_argument("--table", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--options", type=json.loads, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.stage:
        measured(given.stage, given.table, **given.options)
    else:
        main(given)
