"""The best mixture of whole public households: its error as a certified interval that tightens as long as one asks.

    f = min over mixtures mu of public households of max_q (1/Delta_q) |c_q/n - q(mu)|,  q(mu) = sum_h mu_h x_h(q),

with Delta_q = H of persons and 1 of households, so that f lies in [0, 1]: a share of the households, and H f persons
per household. x_h(q) is a whole number of 0 to H, where `best_mixture` has 0 or 1: its bounds are proved anew here.
Floats only propose mixtures and duals; they are made whole, and every sum behind a bound is exact.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from pmwpub.errors import DomainError
from pmwpub.mechanisms.best_mixture.bounds import whole_dual
from pmwpub.mechanisms.best_mixture.interval import CLOSED, PROGRAM_ENTRIES, SIMPLEX_ITERATIONS, float_below
from pmwpub.mechanisms.best_mixture.linear_program import CuttingPlanes
from pmwpub.mechanisms.households.household_counts import HouseholdCounts
from pmwpub.mechanisms.households.household_scores import HouseholdProblem, mixed_counts
from pmwpub.records import Floats, Ints

FINE = 2**54
"""Whole weights and duals sum to at most this, and a little: H times it, for H of at most 64, fits an int64."""


class CertifiedEnds:
    """lower <= f <= upper, both exact. Privacy: non-private, for the steward alone; the repr shows nothing."""

    def __init__(self, lower: Fraction, upper: Fraction) -> None:
        if not 0 <= lower <= upper <= 1:
            raise DomainError("A certified interval must satisfy 0 <= lower <= upper <= 1.")
        self.lower = lower
        self.upper = upper

    def __repr__(self) -> str:
        return "CertifiedEnds(hidden)"


class HouseholdMixture:
    """f of private households over one public table; `refine()` until narrow enough or exhausted.

    n, largest  the public number of households, and H

    Raises DomainError if counts and public households do not fit together.

    Privacy: non-private. The exact f moves by at most 1/n, see `household_errors`; its ends do not. The repr shows
    nothing.
    """

    def __init__(self, counts: HouseholdCounts, problem: HouseholdProblem) -> None:
        if (len(mixed_counts(counts)), counts.largest) != (problem.tables.cells, problem.largest):
            raise DomainError("The private counts and the public households belong to other tables.")
        self._counts, self._problem = counts, problem
        self.n, self.largest = counts.n, counts.largest
        self._target: Floats = mixed_counts(counts) / counts.n * problem.units / problem.largest
        weights = problem.atoms.multiplicity
        self._upper = unchanged_error(counts, problem, weights)
        self._lower = forced_household_error(counts, problem)
        self._first = self._residual(weights)
        self._planes: CuttingPlanes | None = None
        self._over = False

    def __repr__(self) -> str:
        return "HouseholdMixture(hidden)"

    @property
    def interval(self) -> CertifiedEnds:
        """The bounds proved so far."""
        return CertifiedEnds(self._lower, self._upper)

    @property
    def exhausted(self) -> bool:
        """Nothing is left to try: the interval is closed, or as narrow as the program can make it."""
        return self._over or self._upper == self._lower

    def refine(self) -> CertifiedEnds:
        """Some steps of the simplex method; the interval afterwards, never wider than before."""
        if not self.exhausted:
            self._step()
        return self.interval

    def _step(self) -> None:
        if self._planes is None:
            start = self._problem.atoms.start
            self._planes = CuttingPlanes(self._target, start, self._rows, float_below(self._lower))
            self._planes.add_worst(self._first, float(self._lower))
        planes = self._planes
        solved = planes.solve(SIMPLEX_ITERATIONS)
        whole = np.floor(planes.weights * FINE).astype(np.int64)
        self._upper = min(self._upper, unchanged_error(self._counts, self._problem, whole))
        self._lower = max(self._lower, household_dual_bound(self._counts, self._problem, planes.dual))
        residual = self._residual(whole)
        unseen = not solved or bool(planes.add_worst(residual, float(self._lower)))
        narrow = self._upper - self._lower <= CLOSED
        self._over = narrow or not unseen or planes.entries > PROGRAM_ENTRIES

    def _rows(self, queries: Ints) -> list[tuple[Ints, Floats]]:
        """In the program a query is x_h(q)/Delta_q of household h."""
        chosen, units = self._problem.incidence[queries], self._problem.units[queries] / self._problem.largest
        ends = zip(chosen.indptr[:-1], chosen.indptr[1:], units, strict=True)
        return [(chosen.indices[a:b], chosen.data[a:b] * unit) for a, b, unit in ends]

    def _residual(self, weights: Ints) -> Floats:
        problem = self._problem
        answers: Floats = problem.sums(weights) / int(weights.sum()) * problem.units / problem.largest
        return self._target - answers


def unchanged_error(counts: HouseholdCounts, problem: HouseholdProblem, weights: Ints) -> Fraction:
    """max_q (1/Delta_q) |c_q/n - s_q/S|, exact: the error of households with these weights, a share of 0 to 1.

    weights  int64 (m,), not negative, H times their sum S within an int64

    Floats only shortlist: the numbers are of at most 1 and six roundings each, so a query that is 2^-40 below the
    largest is not the largest. The shortlist is compared in whole numbers.

    Privacy: non-private; moves by at most 1/n between neighbours, the weights being fixed (`household_errors`).
    """
    total, sums, exact = int(weights.sum()), problem.sums(weights), mixed_counts(counts)
    if total < 1:
        raise DomainError("No weight is left after rounding.")
    sizes = np.abs(exact / counts.n - sums / total) * problem.units / problem.largest
    near = np.flatnonzero(sizes >= sizes.max() - 2.0**-40)
    found = set(zip(exact[near].tolist(), sums[near].tolist(), problem.units[near].tolist(), strict=True))
    whole = counts.n * total * problem.largest
    return max(Fraction(unit * abs(total * c - counts.n * s), whole) for c, s, unit in found)


def forced_household_error(counts: HouseholdCounts, problem: HouseholdProblem) -> Fraction:
    """The error that no mixture avoids: q(mu) lies between the least and the most x_h(q) of all public households.

    Hence (1/Delta_q) |c_q/n - q(mu)| is at least (1/Delta_q) times c_q/n - most, and least - c_q/n. Exact.
    """
    n, exact, x = counts.n, mixed_counts(counts), problem.incidence
    least, most = (np.asarray(found.todense()).ravel() for found in (x.min(axis=1), x.max(axis=1)))
    missed = np.maximum(exact - n * most, n * least - exact) * problem.units
    return Fraction(max(0, int(missed.max())), n * problem.largest)


def household_dual_bound(counts: HouseholdCounts, problem: HouseholdProblem, dual: Floats) -> Fraction:
    """The lower bound that weights on the queries prove, exact.

    Let y be whole, N = sum |y_q| > 0 and z_q = y_q H/Delta_q. For any mixture mu the largest of
    (1/Delta_q) |c_q/n - q(mu)| is at least the mean of its terms with weights |y_q|/N and their signs,
    sum_q y_q (1/Delta_q) (c_q/n - q(mu))/N = (sum_q z_q c_q/n - sum_h mu_h sum_q z_q x_h(q))/(H N), and a mean over
    households is at most its largest term:  f >= (z.c - n max_h sum_q z_q x_h(q))/(n H N).

    dual  float64 (Q,), of any scale; made whole, and all is computed from the whole numbers
    Returns 0, which is always a bound, where it proves less.

    sum_q |z_q| x_h(q) <= sum_q |y_q| (H/Delta_q) Delta_q <= H FINE, for x_h(q) <= Delta_q: no sum leaves an int64.
    """
    whole, norm = whole_dual(dual, FINE)
    if norm == 0:
        return Fraction(0)
    units = whole * problem.units
    pulled = int((problem.incidence.T @ units).max())
    used = np.flatnonzero(units)
    exact = mixed_counts(counts)[used].tolist()
    product = sum(z * c for z, c in zip(units[used].tolist(), exact, strict=True))
    bound = Fraction(product - counts.n * pulled, counts.n * problem.largest * norm)
    return max(bound, Fraction(0))
