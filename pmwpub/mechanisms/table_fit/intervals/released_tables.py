"""What a release by table fit publishes of its tables: noisy cells, their noise, and the weights' answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pmwpub.errors import PlanError
from pmwpub.mechanisms.table_fit.coarse_tables import CoarseSchedule
from pmwpub.mechanisms.table_fit.fit_constants import FitConstants
from pmwpub.mechanisms.table_fit.one_way_estimates import OneWayEstimates, one_way_estimates
from pmwpub.mechanisms.table_fit.table_fit import FitChoices
from pmwpub.queries.incidence import PublicProblem, quantise
from pmwpub.queries.workload import Marginal, Workload
from pmwpub.records import Distribution, Floats, Ints


@dataclass(frozen=True, eq=False)
class ReleasedTables:
    """A release by table fit as its files tell of it. Nothing in it is private.

    tables      that were measured: 1-way tables, then 2-way tables
    deviations  float64 (tables,): sigma of the noise on a cell of each, as a share of n rows
    noisy       int64 (cells,): noisy counts, as published
    released    the weights that were published
    n           private rows
    complete    whether every private cell takes a level, by the schema
    coarse, noisy_coarse
                coarse tables of ordered columns, and int64 their noisy counts; None where none were measured

    Raises PlanError where these do not belong together.
    """

    tables: Workload
    deviations: Floats
    noisy: Ints
    released: Distribution
    choices: FitChoices
    constants: FitConstants
    n: int
    complete: bool = False
    coarse: CoarseSchedule | None = None
    noisy_coarse: Ints | None = None

    def __post_init__(self) -> None:
        if self.noisy.shape != (self.tables.queries,) or self.deviations.shape != (len(self.tables.marginals),):
            raise PlanError("The noisy tables and their noise are those of other tables.")
        if self.released.support.domain != self.tables.domain:
            raise PlanError("The released weights belong to another schema.")

    @property
    def attributes(self) -> tuple[int, ...]:
        """The positions in the domain of the attributes that were measured, ascending."""
        return tuple(table.attributes[0] for table in self.tables.marginals if len(table.attributes) == 1)

    @cached_property
    def estimates(self) -> OneWayEstimates:
        """The 1-way tables' shares by all noisy tables, and their deviations."""
        return one_way_estimates(self.tables, self.deviations, self.noisy, self.n, self.choices.lacking)

    @cached_property
    def measured(self) -> Floats:
        """float64 (cells,): each cell's noisy share: the 1-way estimates, then the noisy 2-way tables."""
        shares: Floats = self.noisy / self.n
        shares[: len(self.estimates.shares)] = self.estimates.shares
        return shares

    @cached_property
    def variances(self) -> Floats:
        """float64 (cells,): of the noise on `measured`."""
        deviations = np.repeat(self.deviations, np.diff(self.tables.offsets))
        deviations[: len(self.estimates.deviations)] = self.estimates.deviations
        return deviations**2

    @cached_property
    def answers(self) -> Floats:
        """float64 (cells,): what the released weights answer to these tables."""
        return answers_of(self.released, self.tables)

    @property
    def one_way_cells(self) -> int:
        """How many of the cells are those of 1-way tables; they come first."""
        return len(self.estimates.shares)

    def cells_of(self, attributes: Sequence[int]) -> slice | None:
        """The cells of one table, by ascending positions in the domain; None where it was not measured."""
        place = self._places.get(tuple(attributes))
        if place is None:
            return None
        return slice(int(self.tables.offsets[place]), int(self.tables.offsets[place + 1]))

    @cached_property
    def _places(self) -> dict[tuple[int, ...], int]:
        return {table.attributes: i for i, table in enumerate(self.tables.marginals)}


def answers_of(distribution: Distribution, tables: Workload) -> Floats:
    """float64 (Q,): shares of a distribution's mass, sums of weights that were rounded at about 10^-15."""
    whole = quantise(distribution.weights, 1)
    shares: Floats = PublicProblem(tables, distribution.support).sums(whole.values) / whole.total
    return shares


def marginal_of(distribution: Distribution, attributes: tuple[int, ...]) -> Floats:
    """A marginal of a distribution, one axis an attribute."""
    domain = distribution.support.domain
    cells = answers_of(distribution, Workload(domain, (Marginal(attributes),)))
    return cells.reshape([domain.shape[a] for a in attributes])
