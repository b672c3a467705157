"""What the sums of queries are bounded by: how the weights of a level changed, and of a range of levels in order.

Every query is satisfied by no atom outside each of its conditions. A condition is either one level of an attribute, or
"at most level j" of one whose prefixes the workload has; both are numbered here, so that a query of either kind names
as many *bounding levels* as it has attributes, and one loop bounds them all.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pmwpub.queries.threads import starts_of
from pmwpub.queries.workload import Workload
from pmwpub.records import Ints


@dataclass(frozen=True, eq=False)
class BoundingLevels:
    """The levels of all attributes, one attribute after the other, then the prefixes of each ordered attribute.

    starts    int64 (d + 1,)  where the levels of each attribute begin
    prefixes  (attribute, where its prefixes begin, how many there are), ascending
    """

    starts: Ints
    prefixes: tuple[tuple[int, int, int], ...]

    @classmethod
    def of(cls, workload: Workload) -> BoundingLevels:
        starts = starts_of(np.array(workload.domain.shape, dtype=np.int64))
        begin, found = int(starts[-1]), []
        for table in sorted({table.ordered: table for table in workload.prefixes}.values()):
            found.append((table.ordered, begin, table.prefixes(workload.domain)))
            begin += found[-1][2]
        return cls(starts, tuple(found))

    def __len__(self) -> int:
        return int(self.starts[-1]) + sum(length for _, _, length in self.prefixes)

    def last_starts(self, workload: Workload) -> Ints:
        """int64 (T,): where the bounding levels of each table's last attribute begin."""
        begins = {attribute: begin for attribute, begin, _ in self.prefixes}
        plain = [int(self.starts[table.attributes[-1]]) for table in workload.marginals]
        return np.array(plain + [begins[table.ordered] for table in workload.prefixes], dtype=np.int64)

    def extended(self, by_level: Ints) -> Ints:
        """int64 (len(self),): changes by level, and behind them those of all levels up to each one in order.

        by_level  int64 (levels,), not negative; each attribute's sum up to what all atoms changed, below 2^53
        """
        parts = [by_level]
        for attribute, _, length in self.prefixes:
            begin = int(self.starts[attribute])
            parts.append(np.cumsum(by_level[begin : begin + length]))
        return np.concatenate(parts) if self.prefixes else by_level
