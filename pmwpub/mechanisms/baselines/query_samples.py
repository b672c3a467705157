"""Queries that a round of DualQuery sampled, and what a row satisfies of them; public once the sample is drawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pmwpub.queries.workload import Workload
from pmwpub.records import Ints


@dataclass(frozen=True)
class SignedQuery:
    """A query, or its negation."""

    query: int
    positive: bool


@dataclass(frozen=True, eq=False)
class Sample:
    """The sampled queries without repetition; a query and its negation cancel.

    codes   int64 (J, d)  the level that each query asks for, or -1 where it asks for none
    gains   int64 (J,)    times it was sampled minus times its negation was; never 0
    always  int           negations in the sample: what a row satisfies before any gain
    """

    codes: Ints
    gains: Ints
    always: int

    @classmethod
    def of(cls, workload: Workload, sample: Sequence[SignedQuery]) -> Sample:
        net: Counter[int] = Counter()
        for signed in sample:
            net[signed.query] += 1 if signed.positive else -1
        kept = sorted(query for query, gain in net.items() if gain)
        codes = np.full((len(kept), len(workload.domain.attributes)), -1, dtype=np.int64)
        for place, query in enumerate(kept):
            marginal, target = workload.query(query)
            codes[place, list(marginal.attributes)] = target
        gains = np.array([net[query] for query in kept], dtype=np.int64)
        return cls(codes, gains, sum(not signed.positive for signed in sample))

    def satisfied(self, row: Ints) -> int:
        """How many queries and negations of the sample a row satisfies."""
        holds = np.all((self.codes == row) | (self.codes < 0), axis=1)
        return self.always + int(self.gains[holds].sum())
