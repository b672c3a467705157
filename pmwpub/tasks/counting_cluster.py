"""Private rows counted by a Dask cluster: each worker reads its parts of a Parquet table and sends whole numbers back.

The workers and the network are then as trusted as this machine. Of the rows nothing must be left behind or shown, so
workers that may write memory to disk, and a scheduler that serves pages, are refused. The workers need this package
and must see the files under the same paths. Start both with these settings in a .yaml file in ~/.config/dask:

    distributed:
      worker:
        memory: {target: false, spill: false, pause: false, terminate: false}
        profile: {enabled: false}
        http: {routes: []}
      scheduler: {http: {routes: []}}

    dask scheduler --no-dashboard        dask worker tcp://SCHEDULER:8786 --nthreads 1 --no-dashboard
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pmwpub.addresses import scheduler_address
from pmwpub.domain import Domain
from pmwpub.errors import FileRefused, JobFailed, PlanError
from pmwpub.jobs.dumps import no_core_dumps
from pmwpub.queries.counts import sum_blocks
from pmwpub.queries.workload import Workload
from pmwpub.records import Codes, Ints
from pmwpub.tabular.files.folders import parts_of
from pmwpub.tabular.files.reading import open_table
from pmwpub.tabular.files.row_numbers import Digest, Words
from pmwpub.tabular.private_pass import AnyRows, FileRows, coded_blocks
from pmwpub.tabular.schema.table_schema import Schema
from pmwpub.tabular.weights.row_weights import WeighedFile, WeighedTable

if TYPE_CHECKING:
    from distributed import Client, LocalCluster

CONNECT_SECONDS = 10
SETTINGS = {
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.terminate": False,
    "distributed.worker.profile.enabled": False,
    "distributed.worker.http.routes": [],
    "distributed.scheduler.http.routes": [],
}
"""The settings of a cluster that sees private rows: it writes nothing to disk, keeps no profile and serves no pages."""
_REMEDY = "the docstring of pmwpub.tasks.counting_cluster says how to start it"


@dataclass(frozen=True, eq=False)
class _PartToCount:
    """What a worker is told; its repr shows no path, for it may end in a worker's log."""

    path: Path = field(repr=False)
    schema: Schema = field(repr=False)
    workload: Workload = field(repr=False)


@dataclass(frozen=True, eq=False)
class _Counted:
    """What a worker sends back. Privacy: private; its repr shows nothing."""

    counts: Ints = field(repr=False)
    rows: int = field(repr=False)
    sums: Words = field(repr=False)


@dataclass(frozen=True, eq=False, repr=False)
class ClusterRows:
    """Private rows in the parts of a Parquet table, counted on the cluster whose scheduler listens at `address`.

    rows  as surveyed on this machine: the parts must hold exactly these

    Privacy: private rows, on the cluster's workers too.
    """

    rows: FileRows
    parts: tuple[Path, ...]
    address: str

    @property
    def domain(self) -> Domain:
        return self.rows.domain

    def __len__(self) -> int:
        return len(self.rows)

    def blocks(self) -> Iterator[Codes]:
        """The rows, read on this machine."""
        return self.rows.blocks()

    def counted(self, workload: Workload) -> Ints:
        """int64 (Q,): the same whole numbers as a count on this machine gives, whichever worker reads which part.

        Raises PlanError for a cluster that may leave rows behind, JobFailed where it does not answer or loses its
        workers, FileRefused where the parts hold other rows than were surveyed.
        """
        seen = Digest(self.rows.table.header)
        counts = np.zeros(workload.queries, dtype=np.int64)
        with _connected(self.address) as client:
            tasks = [_PartToCount(path, self.rows.schema, workload) for path in self.parts]
            for found in _results(client, tasks):
                counts += found.counts
                seen.add_sums(found.rows, found.sums)
        if seen.value != self.rows.digest:
            raise FileRefused("The private table changed after it was loaded and checked; load it again.")
        return counts


def spread(rows: AnyRows, source: bytes | Path, address: str) -> ClusterRows:
    """Surveyed rows of a Parquet file, or a folder of them, to be counted on a cluster once it is seen to be fit.

    Raises PlanError for rows that are in no such file, or a cluster that may leave rows behind; JobFailed where none
    answers.
    """
    if isinstance(rows, WeighedTable | WeighedFile):
        raise PlanError("A cluster counts rows, and does not weigh them: load the table without one.")
    if not isinstance(rows, FileRows) or not isinstance(source, Path) or rows.table.options is not None:
        raise PlanError("A cluster counts the rows of Parquet files that its workers can open; give such a path.")
    if rows.schema.rows_beyond is not None:
        raise PlanError(
            "Which rows of one ID count is decided over all parts of a table, so a cluster does not count them: load "
            "the table without one."
        )
    with _connected(address):
        return ClusterRows(rows, tuple(part.resolve() for part in parts_of(source)), address)


def count_part(part: _PartToCount) -> _Counted:
    """Count one part, in a worker. It is here that a worker which came later, or came back, is looked at too."""
    from distributed import get_worker

    if _may_spill(get_worker()):
        raise PlanError(f"A worker of the cluster may write its memory to disk; turn spilling off: {_REMEDY}.")
    no_core_dumps()
    table = open_table(part.path)
    seen = Digest(table.header)
    counts = sum_blocks(part.workload, coded_blocks(table, part.schema, seen))
    return _Counted(counts, seen.rows, seen.sums)


@contextlib.contextmanager
def local_cluster(workers: int) -> Iterator[LocalCluster]:
    """A cluster of so many processes of this machine that may see private rows: no dashboard, nothing on disk."""
    dask, distributed = _library()
    with (
        dask.config.set(SETTINGS),
        distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            memory_limit=0,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            scheduler_kwargs={"dashboard": False},
        ) as cluster,
    ):
        yield cluster


def _library() -> tuple[Any, Any]:
    try:
        import dask
        import distributed
    except ImportError as missing:
        raise PlanError("A Dask cluster needs the extra: pip install 'pmwpub[dask]'.") from missing
    return dask, distributed


@contextlib.contextmanager
def _connected(address: str) -> Iterator[Client]:
    _, distributed = _library()
    try:
        client = distributed.Client(scheduler_address(address), timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as failure:
        raise JobFailed(f"No Dask scheduler answers at {address}.") from failure
    try:
        _require_private(client)
        yield client
    finally:
        client.close()


def _require_private(client: Client) -> None:
    """Refuse a cluster that may write rows to disk, or that shows tasks and memory to whoever looks."""
    if client.run_on_scheduler(_serves_pages):
        raise PlanError(f"The cluster's scheduler serves a dashboard; private rows need one without: {_REMEDY}.")
    spilling = client.run(_may_spill)
    if not spilling:
        raise JobFailed("The Dask cluster has no workers.")
    if any(spilling.values()):
        raise PlanError(f"A worker of the cluster may write its memory to disk; turn spilling off: {_REMEDY}.")


def _serves_pages(dask_scheduler: Any) -> bool:
    """Whether a scheduler serves pages: the dashboard is an application of its own, other pages come with routes."""
    import dask

    routes = dask.config.get("distributed.scheduler.http.routes")
    return bool(routes or dask_scheduler.http_application.applications)


def _may_spill(dask_worker: Any) -> bool:
    return type(dask_worker.data) is not dict


def _results(client: Client, tasks: list[_PartToCount]) -> Iterator[_Counted]:
    """What the workers send, as it comes; another worker reads the parts of a lost one again."""
    _, distributed = _library()
    futures = client.map(count_part, tasks, pure=False, key="count private rows")
    try:
        for future in distributed.as_completed(futures, loop=client.loop):
            yield future.result()
            future.release()
    except (distributed.KilledWorker, distributed.comm.CommClosedError) as failure:
        raise JobFailed("The Dask cluster lost its workers before the counts were complete.") from failure
    finally:
        client.cancel(futures, force=True)
