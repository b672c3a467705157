"""What is counted of households: persons in the cells of person-level tables, households in those of their own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pmwpub.errors import DomainError
from pmwpub.queries.counts import count
from pmwpub.queries.workload import Workload
from pmwpub.records import Ints
from pmwpub.tabular.households.grouped_persons import Households


@dataclass(frozen=True)
class HouseholdTables:
    """Which tables are measured, from public facts.

    persons  of the persons' domain: a cell counts persons
    own      of the household-level domain: a cell counts households
    """

    persons: Workload
    own: Workload

    @property
    def cells(self) -> int:
        """Of all tables, those of the persons first."""
        return self.persons.queries + self.own.queries


@dataclass(frozen=True, eq=False, repr=False)
class HouseholdCounts:
    """Exact counts of private households; the repr shows nothing.

    persons  int64 (cells,): persons in each cell of the person-level tables, 0..n H
    own      int64 (cells,): households in each cell of the household-level tables, 0..n
    n        the public number of households
    largest  H

    Privacy: let h be replaced by h'. Of a person-level table h has a vector x of whole numbers, not negative, whose sum
    is at most H, for a person is in one cell or in none; so has h' a vector x'. A count moves by x'_q - x_q, which lies
    in [-H, H]. The table moves by |x' - x|^2 = |x|^2 + |x'|^2 - 2 x.x' <= (sum x)^2 + (sum x')^2 <= 2 H^2, and by that
    much where all H persons of h are in one cell and all H of h' in another: H sqrt 2 in L2, at any sizes 1..H.
    Of a household-level table h is in one cell or in none: a count moves by at most 1, the table by sqrt 2.
    """

    persons: Ints
    own: Ints
    n: int
    largest: int

    def __post_init__(self) -> None:
        for name, most in (("persons", self.n * self.largest), ("own", self.n)):
            counts = np.array(getattr(self, name), dtype=np.int64)
            if counts.ndim != 1 or self.n < 1 or (counts.size and (counts.min() < 0 or counts.max() > most)):
                raise DomainError("Counts of households are whole numbers, of at most H persons for each of n.")
            counts.flags.writeable = False
            object.__setattr__(self, name, counts)

    def __repr__(self) -> str:
        return "HouseholdCounts(hidden)"


def count_households(tables: HouseholdTables, households: Households) -> HouseholdCounts:
    """The counts of all cells. A person, or a household, without a level on an attribute is in no cell of its tables.

    Raises DomainError for households of another schema.
    """
    persons, own = count(tables.persons, households.persons), count(tables.own, households.own)
    return HouseholdCounts(persons.counts, own.counts, len(households), households.largest)
