"""Whether a public table has more rows in common with the private one, in any order, than chance explains.

Single rows coincide by chance, and with few levels most of them do; what chance does not do is to give two tables the
same number of rows of each kind.

Let row x stand c_x times in one table, d_x times in the other, s_x = c_x + d_x. Of rows that are drawn independently,
each of the s_x falls to the first table with some probability of its own x; |c_x - d_x| is then stochastically least
where that is 1/2, and its mean there is E_s = 2h binom(2h, h) / 4^h with h = ceil(s/2), its second moment s. So for
D = sum_x |c_x - d_x| and independent x (Maurer 2003, a lower tail of sums of variables that are not negative)

    P(D <= sum_x E_s - t) <= exp(-t^2 / (2 sum_x s_x)).
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from pmwpub.records import Ints
from pmwpub.tabular.files.row_numbers import Words

_FALSE_ALARM = 1e-6
_EXACT = 1 << 13  # h up to which E_s is computed exactly; a bound from below beyond

Floats = npt.NDArray[np.float64]


class SharedRowTest:
    """The rows that one public table and the private one have in common, as multisets of coded rows.

    The private rows come some at a time; what is kept grows with the public table alone.

    Privacy: what is found depends on private rows and is for the steward only.
    """

    def __init__(self, public: Words) -> None:
        self._distinct, self._often = np.unique(public, return_counts=True)
        self._hits = np.zeros(len(self._distinct), dtype=np.int64)
        self._rows = 0

    def add(self, private: Words) -> None:
        """Take in the private table's next rows, by their numbers: uint64 (rows,)."""
        self._rows += len(private)
        if not len(self._distinct):
            return
        places = np.minimum(np.searchsorted(self._distinct, private), len(self._distinct) - 1)
        found = places[self._distinct[places] == private]
        self._hits += np.bincount(found, minlength=len(self._distinct))

    @property
    def shared(self) -> int:
        """The rows in common: sum_x min(c_x, d_x)."""
        return int(np.minimum(self._hits, self._often).sum())

    @property
    def equal(self) -> bool:
        """Whether the two tables have the same rows."""
        return self._rows == self._often.sum() and bool(np.all(self._hits == self._often))

    @property
    def same(self) -> bool:
        """Whether the two tables have the same rows, and chance hardly explains it."""
        return self.equal and telling(self._often)

    def unlikely(self, lone: float | None = None) -> int:
        """The rows in common if chance hardly explains them, or if they are all rows; else 0.

        lone  `surplus` of the whole private table; None where that is not known: then private rows that the public
              table lacks count as if they were all of one kind
        """
        if self.equal:
            return self.shared
        outside = self._rows - int(self._hits.sum())
        apart = -float(outside) if lone is None else lone - surplus(self._hits)
        both = self._hits + self._often
        excess = float(_mean_distance(both).sum() - np.abs(self._hits - self._often).sum()) + apart
        total = self._rows + int(self._often.sum())
        return self.shared if excess > math.sqrt(-2 * total * math.log(_FALSE_ALARM)) else 0


def surplus(often: Ints) -> float:
    """The sum_x (E_s - s) over rows that one table alone has.

    often  int64 (rows,)  how often it has each of them
    """
    return float((_mean_distance(often) - often).sum())


def surplus_of(rows: Words) -> float:
    """The `surplus` of a whole table, by its rows' numbers: uint64 (rows,)."""
    return surplus(np.unique(rows, return_counts=True)[1])


def telling(often: Ints) -> bool:
    """Whether another table hardly has the same rows by chance: prod_x binom(2c, c) / 4^c below 1e-6.

    often  how often each row stands
    """
    return bool(np.log(_central(often)).sum() < math.log(_FALSE_ALARM))


def _mean_distance(often: Ints) -> Floats:
    """E_s, for each s in `often`."""
    half = (often + 1) // 2
    return 2 * half * _central(half)


def _central(half: Ints) -> Floats:
    """binom(2h, h) / 4^h; beyond `_EXACT` its bound from below, 1 / sqrt(pi (h + 1/2)), which is 1e-5 off at most."""
    steps = np.arange(1, _EXACT + 1)
    known = np.cumprod(np.concatenate([[1.0], (2 * steps - 1) / (2 * steps)]))
    return np.where(half <= _EXACT, known[np.minimum(half, _EXACT)], 1 / np.sqrt(np.pi * (half + 0.5)))
