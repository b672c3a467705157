"""A table that plays a private one whose rows are weighed: each row counts as the units of weight that it has.

To a mechanism it is a table of T units of which one person may own k W (docs/privacy.md, section 11), and to a sweep as
well: T stands for n, and k W for k.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from pmwpub.errors import DomainError, PlanError
from pmwpub.queries.counts import PrivateCounts
from pmwpub.queries.incidence import PublicProblem
from pmwpub.queries.workload import Workload
from pmwpub.records import Codes, Dataset, Ints, Support

WEIGHTLESS = "No row of the table that plays the private one weighs anything; check its column of weights."


@dataclass(frozen=True)
class TruthWeights:
    """How the truth of a sweep is weighed.

    cap     W, the most that one row weighs, in units
    people  n, how many rows it has: its counts are of T units
    """

    cap: int
    people: int


@dataclass(frozen=True, eq=False, repr=False)
class WeighedTruth:
    """Rows that may be looked at, by the distinct ones and what all of one kind weigh together.

    heavy   the distinct rows that weigh something; their multiplicities are sums of weights, in units
    people  n, how many rows there are, those without weight among them
    cap     W, in units
    total   T, in units. Where it is not the rows' own sum S, a count stands for its share of them: T c/S, rounded. So
            the table is one whose weights sum up to T, and what a declared total is off by is in no simulated error

    Raises DomainError for rows that weigh more than n rows of W can.
    """

    heavy: Support = field(repr=False)
    people: int
    cap: int
    total: int

    def __post_init__(self) -> None:
        if self.heavy.rows > self.people * self.cap or self.total < 1:
            raise DomainError("A row weighs more than the cap.")

    @classmethod
    def of(cls, rows: Dataset, own: Ints, cap: int, *, total: int | None = None) -> WeighedTruth:
        """A table as it is; `own` int64 (rows,) in units. Without a total the weights' own sum is taken."""
        return cls.repeated(rows, own, np.ones(len(rows), dtype=np.int64), cap, total=total)

    @classmethod
    def repeated(cls, rows: Dataset, own: Ints, repeats: Ints, cap: int, *, total: int | None = None) -> WeighedTruth:
        """The rows of a table, row i `repeats[i]` times; PlanError where they weigh nothing."""
        if len(own) and not 0 <= int(own.min()) <= int(own.max()) <= cap:
            raise DomainError("A row weighs more than the cap, or less than nothing.")
        units = own * repeats
        if not (some := units > 0).any():
            raise PlanError(WEIGHTLESS)
        heavy = Support.merged(rows.domain, rows.codes[some], units[some])
        return cls(heavy, int(repeats.sum()), cap, heavy.rows if total is None else total)

    @classmethod
    def drawn(cls, rows: Dataset, own: Ints, people: int, seed: int, cap: int, total: int | None) -> WeighedTruth:
        """`people` rows drawn with replacement, each with its weight: it then errs as a private table does.

        As `resampled`: how often each distinct row of one weight is drawn is multinomial, and is drawn at once.
        """
        order = np.lexsort((own, *rows.codes.T[::-1]))
        codes, weights = rows.codes[order], own[order]
        first = np.ones(len(order), dtype=bool)
        first[1:] = (codes[1:] != codes[:-1]).any(axis=1) | (weights[1:] != weights[:-1])
        begins = np.flatnonzero(first)
        often = np.diff(np.append(begins, len(order)))
        drawn = np.random.Generator(np.random.PCG64(seed)).multinomial(people, often / len(order))
        distinct = Dataset(rows.domain, codes[begins])
        return cls.repeated(distinct, weights[begins], drawn.astype(np.int64), cap, total=total)

    @property
    def weights(self) -> TruthWeights:
        """How it is weighed."""
        return TruthWeights(self.cap, self.people)

    @property
    def codes(self) -> Codes:
        """(m, d): the distinct rows."""
        return self.heavy.codes

    @property
    def repeats(self) -> Ints:
        """int64 (m,): what all rows of one kind weigh together, in units."""
        return self.heavy.multiplicity

    def counts(self, workload: Workload) -> PrivateCounts:
        """What each query counts, in units of T."""
        sums = PublicProblem(workload, self.heavy).start_sums
        if self.total != self.heavy.rows:  # below 10^12 each, so that products are exact to far less than a unit
            sums = np.floor(sums * float(self.total) / self.heavy.rows + 0.5).astype(np.int64)
        return PrivateCounts(np.minimum(sums, self.total), self.total)
