"""A Dask cluster as a place to work. The only module that imports distributed (extra `dask`).

Workers need this package installed, and should run one thread each (`dask worker --nthreads 1`): there is a task for
each thread. It is for public data and simulations only: what a cluster's memory, spills and
dashboards hold is not in our hands.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, CancelledError
from contextlib import contextmanager
from dataclasses import dataclass

from pmwpub.addresses import scheduler_address
from pmwpub.errors import JobFailed, PlanError
from pmwpub.evaluation.runs import Stage
from pmwpub.evaluation.workers import ReadyWorkers

CONNECT_SECONDS = 10


@dataclass(frozen=True)
class DaskCluster:
    """The cluster whose scheduler listens at `address`, such as tcp://10.0.0.7:8786."""

    address: str

    @contextmanager
    def open(self, shared: object) -> Iterator[ReadyWorkers]:
        """Connect, and send the shared input to every worker once.

        Raises PlanError for private counts or without the extra, JobFailed where no scheduler or worker answers.
        """
        if isinstance(shared, Stage) and shared.private:
            raise PlanError("Private counts stay on this machine; a cluster simulates on public tables only.")
        try:
            from distributed import Client, KilledWorker
            from distributed.comm import CommClosedError
        except ImportError as missing:
            raise PlanError("A Dask cluster needs the extra: pip install 'pmwpub[dask]'.") from missing
        try:
            client = Client(scheduler_address(self.address), timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError) as failure:
            raise JobFailed(f"No Dask scheduler answers at {self.address}.") from failure
        try:
            width = sum(client.nthreads().values())
            if not width:
                raise JobFailed(f"The Dask cluster at {self.address} has no workers.")
            everywhere = client.scatter(shared, broadcast=True, hash=False)
            lost = (BrokenExecutor, CancelledError, KilledWorker, CommClosedError)
            yield ReadyWorkers(client.get_executor(pure=False), everywhere, width, lost)
        finally:
            client.close()
