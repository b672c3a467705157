"""Atoms that are whole public households: how many persons of each are in each cell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pmwpub.errors import DomainError
from pmwpub.mechanisms.households.household_counts import HouseholdTables
from pmwpub.queries.workload import Workload
from pmwpub.records import Codes, Floats, Ints
from pmwpub.tabular.households.grouped_persons import Households, merged

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


@dataclass(frozen=True, eq=False)
class HouseholdAtoms:
    """The different households of a public table.

    households    m of them, in the order of their codes
    multiplicity  int64 (m,): how often each stands in the public table

    Raises DomainError for another number of multiplicities, or one below 1.
    """

    households: Households
    multiplicity: Ints

    def __post_init__(self) -> None:
        multiplicity = np.array(self.multiplicity, dtype=np.int64)
        multiplicity.flags.writeable = False
        if multiplicity.shape != (len(self.households),) or multiplicity.min() < 1:
            raise DomainError("Each household needs a multiplicity of at least 1.")
        object.__setattr__(self, "multiplicity", multiplicity)

    @classmethod
    def of(cls, public: Households) -> HouseholdAtoms:
        """Equal households are one atom."""
        return cls(*merged(public))

    def __len__(self) -> int:
        return len(self.households)

    @property
    def rows(self) -> int:
        """The public households, with repetition."""
        return int(self.multiplicity.sum())

    @property
    def start(self) -> Floats:
        """float64 (m,): the public table itself as weights."""
        found: Floats = self.multiplicity / self.multiplicity.sum()
        return found

    def incidence(self, tables: HouseholdTables) -> csr_matrix:
        """(m, cells): x_h(q), the persons of atom h in each person-level cell, then whether it is in each of its own.

        An atom lies in several cells of one person-level table, and up to H times in one.
        """
        from scipy.sparse import csr_matrix, hstack

        def counted(workload: Workload, codes: Codes, owners: Ints) -> csr_matrix:
            cells = cells_of(workload, codes)
            rows, columns = np.repeat(owners, cells.shape[1]), cells.ravel()
            return csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(len(self), workload.queries))

        persons = counted(tables.persons, self.households.persons.codes, self.households.owners)
        own = counted(tables.own, self.households.own.codes, np.arange(len(self)))
        return csr_matrix(hstack([persons, own]))


def cells_of(workload: Workload, codes: Codes) -> Ints:
    """int64 (rows, tables): the query whose cell each row is in, of rows with a level everywhere."""
    shape, wide = workload.domain.shape, codes.astype(np.int64)
    found = np.empty((len(codes), len(workload.marginals)), dtype=np.int64)
    for place, table in enumerate(workload.marginals):
        cell = np.zeros(len(codes), dtype=np.int64)
        for attribute in table.attributes:
            cell = cell * shape[attribute] + wide[:, attribute]
        found[:, place] = workload.offsets[place] + cell
    return found
