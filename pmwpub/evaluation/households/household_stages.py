"""What all runs of a sweep over households share: the truth, public households by name, and how far answers are off."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np

from pmwpub.errors import DomainError
from pmwpub.evaluation.measures import Errors
from pmwpub.mechanisms.households.household_atoms import HouseholdAtoms
from pmwpub.mechanisms.households.household_counts import HouseholdCounts, HouseholdTables, count_households
from pmwpub.privacy.budget import ZCDP, ApproxDP, as_fraction, zcdp_of
from pmwpub.queries.workload import Workload
from pmwpub.records import Codes, Floats
from pmwpub.tabular.households.grouped_persons import Households

COMBINED = "combined"
LEVELS = ("persons", "households", COMBINED)
"""persons: shares of all persons, which are ratios of released numbers. households: shares of all households. combined:
persons per household over H, and shares of households, together: what an error of a release of households is of."""


@dataclass(frozen=True, eq=False, repr=False)
class HouseholdStage:
    """A truth and public households, all of which may be looked at.

    asked       the queries that answers are compared on: the workload's of persons, and those of households
    measured    the tables that table fit measures
    truth       as a private table is grouped
    candidates  whole public households, by name

    Each worker keeps one, with the atoms that it has built.
    """

    asked: HouseholdTables
    measured: HouseholdTables
    truth: Households
    candidates: Mapping[str, Households]
    delta: Fraction
    _atoms: dict[str, HouseholdAtoms] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        own = {self.truth.persons.domain, *(one.persons.domain for one in self.candidates.values())}
        if own != {self.asked.persons.domain}:
            raise DomainError("The households of a simulation were made with different schemas.")

    def __getstate__(self) -> dict[str, object]:
        """The stage without what it has built: a worker builds what it needs."""
        return {**vars(self), "_atoms": {}}

    @property
    def n(self) -> int:
        """The truth's households, the public number."""
        return len(self.truth)

    @property
    def largest(self) -> int:
        """H, the most persons of one household."""
        return self.truth.largest

    def atoms(self, candidate: str) -> HouseholdAtoms:
        """The candidate's different households, built once."""
        if candidate not in self._atoms:
            self._atoms[candidate] = HouseholdAtoms.of(self.candidates[candidate])
        return self._atoms[candidate]

    def budget(self, epsilon: float) -> ZCDP:
        """What an epsilon is at the stage's delta."""
        return zcdp_of(ApproxDP(as_fraction(epsilon), self.delta))

    @cached_property
    def exact(self) -> HouseholdCounts:
        """The truth's own counts of what is asked."""
        return count_households(self.asked, self.truth)

    def errors(self, atoms: HouseholdAtoms, weights: Floats) -> Mapping[str, Errors]:
        """How far weighted public households are off, at each of the LEVELS.

        weights  float64 (m,) on the atoms, summing to one
        """
        homes = atoms.households
        of_person = weights[homes.owners]
        persons = cell_weights(self.asked.persons, homes.persons.codes, of_person)
        own = cell_weights(self.asked.own, homes.own.codes, weights)
        exact = self.exact
        per_household = np.abs(persons - exact.persons / self.n) / self.largest
        shares = np.abs(persons / of_person.sum() - exact.persons / len(self.truth.persons))
        of_homes = np.abs(own - exact.own / self.n)
        gaps = (shares, of_homes, np.concatenate([per_household, of_homes]))
        return dict(zip(LEVELS, map(_errors_of, gaps), strict=True))


def cell_weights(workload: Workload, codes: Codes, weights: Floats) -> Floats:
    """float64 (queries,): the weight of the rows in the cell of each query, table by table.

    codes    of rows with a level everywhere
    weights  float64 (rows,)
    """
    shape, found = workload.domain.shape, np.empty(workload.queries, dtype=np.float64)
    columns = codes.T.astype(np.int64)
    for place, table in enumerate(workload.marginals):
        begin, end = int(workload.offsets[place]), int(workload.offsets[place + 1])
        cell = np.zeros(len(codes), dtype=np.int64)
        for attribute in table.attributes:
            cell = cell * shape[attribute] + columns[attribute]
        found[begin:end] = np.bincount(cell, weights, minlength=end - begin)
    return found


def _errors_of(gaps: Floats) -> Errors:
    return Errors(float(gaps.max()), float(gaps.mean()), float(math.sqrt(np.mean(gaps * gaps))))
