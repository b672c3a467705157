"""Scores over persons' and households' queries together: whole numbers that one household moves by at most H.

With whole weights s_h of sum S on public households, and x_h(q) the persons of household h that satisfy q (0 or 1 of a
household-level query), the public whole number r_q = floor(n sum_h s_h x_h(q)/S + 1/2) stands for q of the weighted
households, and u_q = (H/Delta_q) |c_q - r_q| for its error: Delta_q is H of persons and 1 of households.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from pmwpub.errors import DomainError
from pmwpub.mechanisms.households.household_atoms import HouseholdAtoms
from pmwpub.mechanisms.households.household_counts import HouseholdCounts, HouseholdTables
from pmwpub.records import Ints

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

MOST = 2**63


class HouseholdProblem:
    """Public households and the queries of both levels, those of persons first. Public alone.

    Raises DomainError where atoms and tables were made with different schemas.
    """

    def __init__(self, tables: HouseholdTables, atoms: HouseholdAtoms) -> None:
        households = atoms.households
        if (tables.persons.domain, tables.own.domain) != (households.persons.domain, households.own.domain):
            raise DomainError("The public households and the tables were made with different schemas.")
        self.tables = tables
        self.atoms = atoms
        self.largest = households.largest

    @cached_property
    def incidence(self) -> csr_matrix:
        """int64 (Q, m): x_h(q), 0..H of persons, 0 or 1 of households."""
        return self.atoms.incidence(self.tables).astype(np.int64).T.tocsr()

    @cached_property
    def units(self) -> Ints:
        """int64 (Q,): H/Delta_q."""
        return score_units(self.tables, self.largest)

    def sums(self, weights: Ints) -> Ints:
        """int64 (Q,): sum_h s_h x_h(q), exact.

        weights  int64 (m,), not negative; H times their sum fits an int64, or DomainError
        """
        if len(weights) != len(self.atoms) or self.largest * _total(weights) >= MOST:
            raise DomainError("Whole weights are one of each household, and H times their sum fits an int64.")
        found: Ints = self.incidence @ weights
        return found

    def references(self, weights: Ints, n: int, steps: int = 1) -> Ints:
        """(Q,): r_q = floor(steps n sum_h s_h x_h(q)/S + 1/2), of 0 to steps n H; exact, halves up.

        steps  in which one person, or one household, is counted: those of a lattice

        int64 while (2 steps n H + 1) S < 2^63, Python's own whole numbers beyond.
        """
        total, scale = _total(weights), steps * n
        if total < 1:
            raise DomainError("No weight is left after rounding.")
        kind: Any = np.int64 if (2 * scale * self.largest + 1) * total < MOST else object
        found: Ints = (self.sums(weights).astype(kind) * (2 * scale) + total) // (2 * total)
        return found


def _total(weights: Ints) -> int:
    """The sum of whole weights, whatever an int64 holds; DomainError for a negative one."""
    if len(weights) and weights.min() < 0:
        raise DomainError("Whole weights are not negative.")
    if len(weights) * int(weights.max(initial=0)) < MOST:
        return int(weights.sum())
    return sum(weights.tolist())


def score_units(tables: HouseholdTables, largest: int) -> Ints:
    """int64 (Q,): H/Delta_q, a whole number: 1 of a query of persons, H of one of households."""
    found: Ints = np.repeat(np.array([1, largest], dtype=np.int64), [tables.persons.queries, tables.own.queries])
    return found


def mixed_counts(counts: HouseholdCounts) -> Ints:
    """int64 (Q,): c_q, those of persons first. Privacy: non-private."""
    return np.concatenate([counts.persons, counts.own])


def household_scores(counts: HouseholdCounts, references: Ints, steps: int = 1) -> Ints:
    """(Q,): u_q = (H/Delta_q) |steps c_q - r_q|, whole numbers; Python's own beyond an int64.

    references  (Q,) public whole numbers, of 0 to steps n H
    steps       as they were made with

    Privacy: non-private. Neighbours replace one household of at most H persons by another of at most H; n is public.
    (1) Of a query of persons c_q moves by at most H, and u_q = |steps c_q - r_q| by at most steps H.
    (2) Of a query of households c_q moves by at most 1, and u_q = H |steps c_q - r_q| by at most steps H.
    (3) r_q is a function of public things and of earlier outputs, so it is the same on both.
    Hence every u_q moves by at most steps H, up or down, and so does the largest of them, whatever both sizes are.

    Raises DomainError for references of other queries, or beyond what n households can be.
    """
    persons, own = len(counts.persons), len(counts.own)
    most = steps * counts.n * counts.largest
    if len(references) != persons + own or references.min() < 0 or references.max() > most:
        raise DomainError("The references belong to other queries or to another number of households.")
    kind: Any = np.int64 if counts.largest * most < MOST else object
    gaps = np.abs(mixed_counts(counts).astype(kind) * steps - references.astype(kind))
    units = np.repeat(np.array([1, counts.largest], dtype=np.int64), [persons, own])
    found: Ints = gaps * units.astype(kind)
    return found
