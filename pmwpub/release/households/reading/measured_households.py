"""The noisy tables of a release of households, as sums of cells that may be asked for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal

import numpy as np

from pmwpub.domain import Domain
from pmwpub.records import Floats
from pmwpub.release.households.household_bundle import HouseholdBundle
from pmwpub.release.households.reading.noisy_sums import NoisySum
from pmwpub.tabular.households.household_schema import SIZE

Counted = Literal["persons", "households"]
"""What a cell counts."""


@dataclass(frozen=True, eq=False)
class NoisyTable:
    """One table that was measured.

    counts    float64, an axis a column: noisy counts
    sigma     of each cell
    complete  n where every household stands in one cell, so that the true counts sum to n; else None
    """

    counts: Floats
    sigma: float
    complete: int | None

    def sum(self, factors: Floats) -> NoisySum:
        """The sum of the cells, each times its factor.

        Where the true counts sum to n, what the noisy ones lack of n is shared evenly among the cells first, which is
        least squares under a fact that is public: the factors' mean then has no noise.
        """
        value, spread = float(np.sum(self.counts * factors)), factors
        if self.complete is not None:
            mean = float(factors.mean())
            value, spread = value + mean * (self.complete - self.total), factors - mean
        return NoisySum(value, self.sigma * math.sqrt(float(np.sum(spread * spread))))

    def cell(self, place: Sequence[int]) -> NoisySum:
        """One cell."""
        value, cells = float(self.counts[tuple(place)]), self.counts.size
        if self.complete is None:
            return NoisySum(value, self.sigma)
        return NoisySum(value + (self.complete - self.total) / cells, self.sigma * math.sqrt(1.0 - 1.0 / cells))

    @cached_property
    def total(self) -> float:
        """Of the noisy counts."""
        return float(self.counts.sum())


class MeasuredHouseholds:
    """The noisy tables of one release of households.

    Privacy: a function of a release alone, which is public.
    """

    def __init__(self, bundle: HouseholdBundle) -> None:
        self._bundle = bundle

    def domain(self, of: Counted) -> Domain:
        """The columns whose levels persons have, or households."""
        return self._bundle.schema.persons.domain if of == "persons" else self._bundle.schema.own_domain

    def table(self, of: Counted, columns: Sequence[str]) -> NoisyTable | None:
        """The table of these columns, in the order of the domain; None where it was not measured."""
        return self._tables.get((of, tuple(columns)))

    @property
    def measured(self) -> tuple[tuple[Counted, tuple[str, ...]], ...]:
        """What was measured, in the order of tables.csv."""
        return tuple(self._tables)

    @cached_property
    def persons(self) -> NoisySum:
        """The number of persons who count: sizes times the households that have them."""
        sizes = self._tables[("households", (SIZE,))]
        return sizes.sum(np.arange(1, len(sizes.counts) + 1, dtype=np.float64))

    @property
    def hides_persons(self) -> bool:
        """Whether there may be no persons, by the noise alone: then no share of persons is known."""
        return self.persons.value <= self.persons.reach

    @property
    def difference_reach(self) -> float | None:
        """How far off a difference of two shares of persons in a column may be at most; None where it is hidden.

        Of cells a and b of one table a - b has noise of root 2 as much, and Fieller's interval of (a - b)/persons
        reaches the further the larger |a - b| is: so that of the largest and the smallest cell is a column's widest.
        """
        columns = [one for (of, names), one in self._tables.items() if (of, len(names)) == ("persons", 1)]
        reaches = []
        for table in columns:
            spread = NoisySum(float(np.ptp(table.counts)), table.sigma * math.sqrt(2.0))
            ends = spread.over(self.persons, -math.inf, math.inf)
            if ends is None:
                return None
            value = spread.value / self.persons.value
            reaches.append(max(value - ends[0], ends[1] - value))
        return max(reaches, default=None)

    @cached_property
    def _tables(self) -> dict[tuple[Counted, tuple[str, ...]], NoisyTable]:
        bundle, begin = self._bundle, {"persons": 0, "households": 0}
        noisy = {"persons": bundle.persons, "households": bundle.own}
        surely = {SIZE, *(one.name for one in bundle.schema.rule.any)}
        found: dict[tuple[Counted, tuple[str, ...]], NoisyTable] = {}
        for stated in bundle.certificate.tables:
            domain, first = self.domain(stated.of), begin[stated.of]
            shape = tuple(domain.attributes[domain.index(name)].size for name in stated.columns)
            begin[stated.of] = first + math.prod(shape)
            counts = noisy[stated.of][first : begin[stated.of]].astype(np.float64).reshape(shape)
            complete = bundle.certificate.n if stated.of == "households" and surely.issuperset(stated.columns) else None
            found[(stated.of, stated.columns)] = NoisyTable(counts, float(Fraction(stated.scale)), complete)
        return found
