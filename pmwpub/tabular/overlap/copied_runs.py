"""Whether a public file may be a copy out of the private one: the longest run of rows that stand in both.

Single rows coincide by chance (41 % of the distinct ADULT rows of disjoint people do); long runs of them do not.

Privacy: what comes out depends on private rows and is for the steward only.
"""

from __future__ import annotations

import math

import numpy as np

from pmwpub.tabular.files.chunks import TableStream
from pmwpub.tabular.files.reading import TextTable
from pmwpub.tabular.files.row_numbers import RowNumbers, Words

LONGEST = 2_047  # rows to which a run is followed
_FALSE_ALARM = 1e-6
_BASE = np.uint64(0x9E3779B97F4A7C15)
_INVERSE = np.uint64(pow(int(_BASE), -1, 1 << 64))


def long_run(private: TextTable, public: TextTable) -> int:
    """The longest shared run if chance hardly explains it, else 0; see `RunSearch`."""
    search = RunSearch(row_numbers(public.stream))
    search.add(row_numbers(private.stream))
    return search.unlikely


def row_numbers(table: TableStream) -> Words:
    """uint64 (rows,): equal for rows of equal cells in equal positions, whatever the columns' names."""
    numbers = RowNumbers(table.header)
    return np.concatenate([numbers.of(chunk)[2] for chunk in table.chunks()])


class RunSearch:
    """The longest run of rows of one public table that stand in a row in the private one too, up to 2,047.

    The private rows come in file order, some at a time; what is kept grows with the public table alone. A run of L
    rows is known by its polynomial sum_t x_t b^t modulo 2^64.

    Privacy: what is found depends on private rows and is for the steward only.
    """

    def __init__(self, public: Words) -> None:
        self._public = public
        self._distinct, multiplicity = np.unique(public, return_counts=True)
        self._multiplicity = multiplicity.astype(np.float64)
        self._hits = np.zeros(len(self._distinct), dtype=np.int64)
        self._rows = 0
        self._last = public[:0]
        self._windows: tuple[int, Words] = (1, self._distinct)
        self.longest = 0

    def add(self, private: Words) -> None:
        """Take in the private table's next rows, by their numbers: uint64 (rows,)."""
        self._rows += len(private)
        if not len(self._distinct) or not len(private):
            return
        places = np.minimum(np.searchsorted(self._distinct, private), len(self._distinct) - 1)
        shared = self._distinct[places] == private
        self._hits += np.bincount(places[shared], minlength=len(self._distinct))
        rows = np.concatenate([self._last, private])
        self._follow(rows)
        self._last = rows[-(LONGEST - 1) :]

    @property
    def unlikely(self) -> int:
        """The longest run so far if chance hardly explains it, else 0.

        Rows drawn independently from the tables' own frequencies (p and q of row x, collision rate
        c = sum_x p_x q_x) share a run of L rows with probability at most n m c^L (union bound over places); it must
        be below 1e-6.
        """
        return self.longest if self.longest > self._chance() else 0

    def _chance(self) -> float:
        pairs = self._rows * len(self._public)
        collision = min(1.0, float(self._hits @ self._multiplicity) / max(1, pairs))
        if collision in (0.0, 1.0):
            return math.inf if collision else 0.0
        return max(1.0, math.log(pairs / _FALSE_ALARM) / -math.log(collision))

    def _follow(self, rows: Words) -> None:
        """Raise `longest` to what these rows share: doubled while it grows, then halved in between.

        A run of L rows holds one of L - 1, so the lengths that are shared have no gap.
        """
        if not self._shares(rows, self.longest + 1):
            return
        low, step = self.longest + 1, 1
        while low + step <= LONGEST and self._shares(rows, low + step):
            low, step = low + step, 2 * step
        high = min(low + step, LONGEST + 1)
        while low + 1 < high:
            middle = (low + high) // 2
            low, high = (middle, high) if self._shares(rows, middle) else (low, middle)
        self.longest = low

    def _shares(self, rows: Words, length: int) -> bool:
        if length > min(len(rows), len(self._public), LONGEST):
            return False
        if self._windows[0] != length:
            # With counts, for without them numpy loads its masked arrays to see whether these are some.
            distinct, _ = np.unique(_windows(self._public, length), return_counts=True)
            self._windows = (length, distinct)
        own, public = _windows(rows, length), self._windows[1]
        places = np.minimum(np.searchsorted(public, own), len(public) - 1)
        return bool(np.any(public[places] == own))


def _windows(rows: Words, length: int) -> Words:
    """The polynomials of all runs of `length` rows, in order: differences of prefix sums, shifted back to b^0."""
    if length == 1:
        return rows
    powers = _powers(_BASE, len(rows))
    sums = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(rows * powers, dtype=np.uint64)])
    return (sums[length:] - sums[:-length]) * _powers(_INVERSE, len(rows) - length + 1)


def _powers(base: np.uint64, count: int) -> Words:
    factors = np.full(count, base, dtype=np.uint64)
    factors[:1] = 1
    return np.multiply.accumulate(factors)
