"""Parts of a private table counted on a Dask cluster: the same numbers, and no cluster that leaves rows behind."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pmwpub.errors import FileRefused, JobFailed, PlanError
from pmwpub.queries.counts import count
from pmwpub.queries.workload import Workload
from pmwpub.tabular.files.folders import parts_of
from pmwpub.tabular.files.reading import open_table
from pmwpub.tabular.private_pass import FileRows, survey
from pmwpub.tabular.schema.table_schema import Schema
from pmwpub.tasks.counting_cluster import ClusterRows, local_cluster

distributed = pytest.importorskip("distributed")

ROWS, PARTS = 3_000, 3
SCHEMA = Schema.from_json(
    b'{"version": 1, "columns": [{"name": "a", "kind": "categorical", "levels": ["x", "y", "z"]},'
    b'{"name": "b", "kind": "numeric", "edges": [0, 5, 10], "outside": "none"},'
    b'{"name": "c", "kind": "categorical", "levels": ["0", "1"], "other": true}]}'
)


def written(folder: Path, seed: int) -> Path:
    """A table in parts, with cells that the schema does not know."""
    rng = np.random.default_rng(seed)
    for part in range(PARTS):
        columns = {
            "c": rng.choice(["0", "1", "2"], ROWS // PARTS),
            "a": rng.choice(["x", "y", "z", "?"], ROWS // PARTS),
            "b": rng.integers(-2, 14, ROWS // PARTS),
        }
        pq.write_table(pa.table(columns), folder / f"part.{part}.parquet")
    return folder


def surveyed(folder: Path) -> FileRows:
    rows = survey(open_table(folder), SCHEMA, n=ROWS, kept=0).admitted(n=ROWS, rows_per_person=1)
    assert isinstance(rows, FileRows)
    return rows


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with local_cluster(2) as cluster:
        yield cluster.scheduler_address


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return written(tmp_path, 1)


def test_a_cluster_counts_the_same_whole_numbers(address: str, folder: Path) -> None:
    rows = surveyed(folder)
    spread = ClusterRows(rows, parts_of(folder), address)
    workload = Workload.all_kway(SCHEMA.domain, 2)
    assert np.array_equal(count(workload, spread).counts, count(workload, rows).counts)


def test_parts_that_changed_since_they_were_checked_are_refused_without_a_trace(
    address: str, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    spread = ClusterRows(surveyed(folder), parts_of(folder), address)
    written(folder, 2)
    with caplog.at_level(logging.DEBUG), pytest.raises(FileRefused, match="changed"):
        spread.counted(Workload.all_kway(SCHEMA.domain, 2))
    assert str(folder) not in caplog.text


def test_a_cluster_that_may_spill_or_shows_pages_is_refused(folder: Path) -> None:
    import dask

    rows, workload = surveyed(folder), Workload.all_kway(SCHEMA.domain, 1)
    options = {
        "n_workers": 1,
        "processes": False,
        "dashboard_address": "127.0.0.1:0",
        "host": "127.0.0.1",
        "protocol": "tcp",
    }
    with (
        dask.config.set({"distributed.scheduler.http.routes": ["distributed.http.scheduler.info"]}),
        distributed.LocalCluster(**options) as cluster,
        pytest.raises(PlanError, match="dashboard"),
    ):
        ClusterRows(rows, parts_of(folder), cluster.scheduler_address).counted(workload)
    with (
        dask.config.set({"distributed.scheduler.http.routes": [], "distributed.worker.memory.spill": 0.7}),
        distributed.LocalCluster(memory_limit="1GB", scheduler_kwargs={"dashboard": False}, **options) as cluster,
        pytest.raises(PlanError, match="disk"),
    ):
        ClusterRows(rows, parts_of(folder), cluster.scheduler_address).counted(workload)


def test_no_scheduler_is_said_so(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pmwpub.tasks.counting_cluster.CONNECT_SECONDS", 0.2)
    rows = ClusterRows(surveyed(folder), parts_of(folder), "tcp://127.0.0.1:9")
    with pytest.raises(JobFailed, match="No Dask scheduler"):
        rows.counted(Workload.all_kway(SCHEMA.domain, 1))
