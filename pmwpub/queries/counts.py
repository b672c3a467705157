"""The private side of a workload: how many private rows satisfy each query, block by block of rows.

Counts are sums over rows, so blocks may be counted in any order, by any number of threads or machines: the whole
numbers are the same.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from queue import SimpleQueue
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from pmwpub.domain import Domain
from pmwpub.errors import DomainError
from pmwpub.queries.cell_space import answered
from pmwpub.queries.workload import Workload
from pmwpub.records import Codes, Ints, loop_type

_BLOCK = 8_192  # rows whose planes fit a core's second-level cache
_CELLS_BY_PLANES = 256  # measured: a plane costs 0.11 ns a cell and 64 rows, a row's own cell 1.1 ns
_WORTH_THREADS = 200_000_000  # updates: about a quarter of a second
_MOST_THREADS = 4
_LINE = 8  # words of a cache line

WEIGHED = (
    "These rows carry survey weights, and this counts rows without them. Leave the cap out of the schema's column of "
    "weights to take the table without weights; or ask for a release, an assessment or an error, which weigh them."
)


class Rows(Protocol):
    """Private rows that can be gone through: a table in memory, or a file that is read anew each time.

    Privacy: private rows.
    """

    @property
    def domain(self) -> Domain: ...

    def __len__(self) -> int: ...

    def blocks(self) -> Iterator[Codes]:
        """(d, rows) C-contiguous codes, a block of rows at a time, all rows once."""
        ...


@runtime_checkable
class Counted(Rows, Protocol):
    """Private rows that are counted where they are."""

    def counted(self, workload: Workload) -> Ints:
        """int64 (Q,): the rows that satisfy each query; what `sum_blocks` makes of all blocks."""
        ...


@runtime_checkable
class WeighedRows(Protocol):
    """Private rows that carry weights; see `Rows`."""

    @property
    def domain(self) -> Domain: ...

    def __len__(self) -> int: ...

    def blocks(self) -> Iterator[Codes]: ...

    def weighed_blocks(self) -> Iterator[tuple[Codes, Ints]]:
        """(d, rows) codes, and int64 (rows,) whole weights, a block of rows at a time, all rows once."""
        ...


@dataclass(frozen=True, eq=False, repr=False)
class PrivateCounts:
    """Exact integer counts; its repr shows nothing.

    counts  int64 (Q,)  private rows that satisfy each query, 0..n; or the units that these rows weigh, 0..T
    n       the public number of private rows; or T, the public total in units (`weighed_counts`)

    Privacy: replacing one person's at most k rows moves every count by at most k, of weights by k W.
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


def count(workload: Workload, rows: Rows) -> PrivateCounts:
    """The counts c_q of every query; a row with "no level" on an attribute satisfies no query on it.

    Raises DomainError if the rows' domain is not the workload's, there is no row, or the rows carry weights, which are
    never left out of account (`weighed_counts` counts them); what reading the rows raises.
    """
    if rows.domain != workload.domain:
        raise DomainError("The table and the workload were made with different schemas.")
    if isinstance(rows, WeighedRows):
        raise DomainError(WEIGHED)
    if isinstance(rows, Counted):
        return PrivateCounts(rows.counted(workload), len(rows))
    threads = _threads() if len(rows) * len(workload.tables) > _WORTH_THREADS else 1
    return PrivateCounts(sum_blocks(workload, rows.blocks(), threads=threads), len(rows))


def sum_blocks(workload: Workload, blocks: Iterable[Codes], *, threads: int = 1) -> Ints:
    """int64 (Q,): the rows of all blocks that satisfy each query.

    blocks   (d, rows) C-contiguous codes of the workload's domain
    threads  that count while the caller's one reads on; with more than one, at most twice as many blocks wait
    """
    tally = Tally(workload)
    if threads == 1:
        counts = np.zeros(workload.cells, dtype=np.int64)
        for block in blocks:
            tally.add(block, counts)
        return answered(workload, counts)
    partial = [np.zeros(workload.cells, dtype=np.int64) for _ in range(threads)]
    free: SimpleQueue[Ints] = SimpleQueue()
    for counts in partial:
        free.put(counts)

    def add(block: Codes) -> None:
        counts = free.get()
        try:
            tally.add(block, counts)
        finally:
            free.put(counts)

    with ThreadPoolExecutor(threads) as pool:
        waiting: list[Future[None]] = []
        for block in blocks:
            waiting.append(pool.submit(add, block))
            if len(waiting) > 2 * threads:
                waiting.pop(0).result()
        for last in waiting:
            last.result()
    total: Ints = np.sum(partial, axis=0, dtype=np.int64)
    return answered(workload, total)


class Tally:
    """How the cells of each table of a workload are counted; shared by threads."""

    def __init__(self, workload: Workload) -> None:
        self._workload = workload
        self._sizes = np.array(workload.domain.shape, dtype=np.int64)
        self._codes = loop_type(workload.domain)

    def add(self, columns: Codes, counts: Ints) -> None:
        """Add the rows of one block to the int64 counts of all cells, in place.

        columns  (d, rows) C-contiguous codes
        """
        for begin in range(0, columns.shape[1], _BLOCK):
            self._add(np.require(columns[:, begin : begin + _BLOCK], self._codes, ["C", "W"]), counts)

    def _add(self, columns: Codes, counts: Ints) -> None:
        from pmwpub.queries.counting_kernels import add_cells, add_planes, fill_planes

        workload, chosen = self._workload, ~self._by_planes
        if self._planes > 1:
            planes = _aligned(self._planes, columns.shape[1])
            fill_planes(columns, self._sizes, self._starts, planes)
            add_planes(planes, *self._plane_tables, counts)
        if chosen.any():
            tables = (workload.positions[chosen], workload.strides[chosen], workload.arity[chosen])
            add_cells(columns, self._sizes, *tables, workload.cell_offsets[:-1][chosen], counts)

    @cached_property
    def _by_planes(self) -> npt.NDArray[np.bool_]:
        """bool (T,): the tables with few cells."""
        few = np.diff(self._workload.cell_offsets) <= _CELLS_BY_PLANES
        return few & (self._workload.arity <= 3)

    @cached_property
    def _starts(self) -> Ints:
        """int64 (d,): the first plane of each attribute that needs planes, else -1; plane 0 has every row."""
        used = np.zeros(len(self._sizes), dtype=bool)
        for table, by_planes in zip(self._workload.tables, self._by_planes, strict=True):
            used[list(table.attributes)] |= by_planes
        sizes = np.where(used, self._sizes, 0)
        return np.where(used, 1 + np.cumsum(sizes) - sizes, -1)

    @cached_property
    def _planes(self) -> int:
        return 1 + int(self._sizes[self._starts >= 0].sum())

    @cached_property
    def _plane_tables(self) -> tuple[Ints, Ints, Ints]:
        """firsts, levels and offsets, as `add_planes` takes them."""
        firsts = np.zeros((len(self._workload.tables), 3), dtype=np.int64)
        levels = np.ones_like(firsts)
        for w, table in enumerate(self._workload.tables):
            if self._by_planes[w]:
                attributes = list(table.attributes)
                firsts[w, 3 - len(attributes) :] = self._starts[attributes]
                levels[w, 3 - len(attributes) :] = self._sizes[attributes]
        chosen = self._by_planes
        return firsts[chosen], levels[chosen], self._workload.cell_offsets[:-1][chosen]


def _aligned(planes: int, rows: int) -> npt.NDArray[np.uint64]:
    """uint64 (planes, words) at the start of a cache line, each plane a whole number of lines."""
    words = -(-rows // (64 * _LINE)) * _LINE
    raw = np.empty(planes * words + _LINE, dtype=np.uint64)
    begin = (-raw.ctypes.data % (8 * _LINE)) // 8
    return raw[begin : begin + planes * words].reshape(planes, words)


def _threads() -> int:
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(_MOST_THREADS, available)
