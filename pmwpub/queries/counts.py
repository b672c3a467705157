"""The private side of a workload: how many private rows satisfy each query."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pmwpub.errors import DomainError
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset, Ints


@dataclass(frozen=True, eq=False, repr=False)
class PrivateCounts:
    """Exact integer counts; its repr shows nothing.

    counts  int64 (Q,)  private rows that satisfy each query, 0..n
    n       the public number of private rows

    Privacy: replacing one person's at most k rows moves every count by at most k.
    """

    counts: Ints
    n: int

    def __post_init__(self) -> None:
        counts = np.array(self.counts, dtype=np.int64)
        if counts.ndim != 1 or self.n < 1 or (counts.size and (counts.min() < 0 or counts.max() > self.n)):
            raise DomainError("Private counts need one whole number between 0 and n for each query.")
        counts.flags.writeable = False
        object.__setattr__(self, "counts", counts)

    def __repr__(self) -> str:
        return "PrivateCounts(hidden)"


def count(workload: Workload, dataset: Dataset) -> PrivateCounts:
    """The counts c_q of every query; a row with "no level" on an attribute satisfies no query on it.

    Raises DomainError if the table's domain is not the workload's, or it has no row.
    """
    from pmwpub.queries.kernels import add_rows

    if dataset.domain != workload.domain:
        raise DomainError("The table and the workload were made with different schemas.")
    counts = np.zeros(workload.queries, dtype=np.int64)
    sizes = np.array(workload.domain.shape, dtype=np.int64)
    add_rows(dataset.columns, sizes, workload.positions, workload.strides, workload.arity, workload.offsets, counts)
    return PrivateCounts(counts, len(dataset))
