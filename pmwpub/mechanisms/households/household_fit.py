"""Table fit of households: measure every table once, then weigh whole public households. Read `household_fit` first."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pmwpub.errors import DomainError, PlanError
from pmwpub.mechanisms.households.household_atoms import HouseholdAtoms
from pmwpub.mechanisms.households.household_counts import HouseholdCounts
from pmwpub.mechanisms.households.household_schedule import HouseholdSchedule
from pmwpub.mechanisms.table_fit.table_schedule import TableSchedule
from pmwpub.privacy.budget import ZCDP
from pmwpub.privacy.noise import SECURE, NoiseSource
from pmwpub.progress import Progress, unwatched
from pmwpub.records import Floats, Ints

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

SOLVER = {"maxiter": 1_000, "maxfun": 2_000, "ftol": 1e-15, "gtol": 1e-10}
"""Of one fit. Where it stops is post-processing: how far from the optimum is no matter of privacy."""

DIGITS = 4
"""Of a strength: so that what the last bits of a matrix product are does not show."""


@dataclass(frozen=True)
class HouseholdStrengths:
    """How many households the public table is worth: chosen by the noisy tables, and recorded.

    one_way  against the 1-way tables
    all      against all tables
    """

    one_way: float
    all: float

    def __post_init__(self) -> None:
        if not all_positive(self.one_way, self.all):
            raise PlanError("The strengths of a prior are positive.")


@dataclass(frozen=True, eq=False)
class HouseholdRelease:
    """What is handed out: weights on public households, noisy tables, strengths. Nothing in it is private.

    weights  float64 (m,) on the atoms, summing to one
    persons  int64: noisy counts of persons in the person-level cells, not clamped
    own      int64: noisy counts of households in their own cells, not clamped
    """

    weights: Floats
    persons: Ints
    own: Ints
    strengths: HouseholdStrengths
    rho: ZCDP


def household_fit(
    counts: HouseholdCounts,
    atoms: HouseholdAtoms,
    schedule: HouseholdSchedule,
    *,
    noise: NoiseSource = SECURE,
    progress: Progress = unwatched,
) -> HouseholdRelease:
    """Measure all tables of both levels once, then fit the weights of whole public households to them.

    Raises PlanError if counts and schedule do not belong together, DomainError for atoms of another schema.

    Privacy: neighbours replace one household of at most H persons by another of at most H, of another size or not; n,
    the number of households, is fixed and public. By `HouseholdCounts` a person-level table moves by at most H sqrt 2
    in L2, a household-level one by sqrt 2; independent integer Gaussian noise on every cell costs H^2/sigma_j^2 and
    1/sigma_j^2 (`VectorGaussian`), and which tables are measured with which noise follows from public facts:
    `schedule.rho` of zCDP. The number of persons is in no scale, no size and no normalisation: cells are divided by n.
    After the noise, counts are not looked at again: strengths and fits are post-processing of noisy tables and public
    households.
    """
    persons, own = measure_households(counts, schedule, noise=noise, progress=progress)
    return after_household_noise(atoms, schedule, persons, own, progress=progress)


def measure_households(
    counts: HouseholdCounts,
    schedule: HouseholdSchedule,
    *,
    noise: NoiseSource = SECURE,
    progress: Progress = unwatched,
) -> tuple[Ints, Ints]:
    """int64 cells of both levels, every one with the noise of its table. The only look at private counts.

    Privacy: `schedule.rho` of zCDP; see `household_fit`.
    """
    if (counts.n, counts.largest) != (schedule.n, schedule.largest):
        raise PlanError("The private households were counted under other terms than those of the schedule.")
    progress(0, 3)
    persons = _measured(counts.persons, schedule.persons, noise)
    progress(1, 3)
    return persons, _measured(counts.own, schedule.own, noise)


def _measured(counts: Ints, schedule: TableSchedule, noise: NoiseSource) -> Ints:
    edges = schedule.tables.offsets
    if len(counts) != edges[-1]:
        raise PlanError("The private counts belong to other tables.")
    noisy = np.empty(len(counts), dtype=np.int64)
    for t, law in enumerate(schedule.noises):
        cells = slice(edges[t], edges[t + 1])
        noisy[cells] = law.measure(counts[cells], noise=noise)
    return noisy


def after_household_noise(
    atoms: HouseholdAtoms,
    schedule: HouseholdSchedule,
    persons: Ints,
    own: Ints,
    *,
    strengths: HouseholdStrengths | None = None,
    progress: Progress = unwatched,
) -> HouseholdRelease:
    """What follows from the noisy tables. It takes no private count.

    strengths  as they are recorded; None to choose them
    """
    if atoms.households.persons.domain != schedule.persons.tables.domain:
        raise DomainError("The public households and the tables were made with different schemas.")
    if len(persons) != schedule.persons.tables.queries or len(own) != schedule.own.tables.queries:
        raise PlanError("The noisy tables belong to other tables.")
    problem = _Problem.of(atoms, schedule, persons, own)
    progress(2, 3)
    if strengths is None:
        strengths = problem.strengths(schedule, atoms.rows)
    first = problem.fit(atoms.start, problem.one_way, strengths.one_way)
    weights = problem.fit(first, np.arange(len(problem.answers)), strengths.all)
    progress(3, 3)
    return HouseholdRelease(weights, persons, own, strengths, schedule.rho)


@dataclass(frozen=True, eq=False)
class _Problem:
    """Public: x (m, cells), noisy answers and their deviations, all per household; the prior; the 1-way cells."""

    incidence: csr_matrix
    answers: Floats
    deviations: Floats
    start: Floats
    one_way: Ints
    least_variance: float

    @classmethod
    def of(cls, atoms: HouseholdAtoms, schedule: HouseholdSchedule, persons: Ints, own: Ints) -> _Problem:
        parts = (schedule.persons, schedule.own)
        scales = [np.repeat([float(law.scale) for law in one.noises], np.diff(one.tables.offsets)) for one in parts]
        edges = [int(one.tables.offsets[one.one_way]) for one in parts]
        ones = np.concatenate([np.arange(edges[0]), len(persons) + np.arange(edges[1])])
        return cls(
            atoms.incidence(schedule.tables),
            np.concatenate([persons, own]) / schedule.n,
            np.concatenate(scales) / schedule.n,
            atoms.start,
            ones,
            schedule.persons.constants.least_variance,
        )

    def strengths(self, schedule: HouseholdSchedule, rows: int) -> HouseholdStrengths:
        """By the marginal likelihood of the noisy 1-way tables, as `table_fit.prior_strength` has it.

        Their distance from the public table's own is taken for normal, with mean zero and covariance K/N + diag(s^2),
        K the covariance under the public table of the atoms' vectors; N is the posterior geometric mean over a grid.

        rows  of public households: against all tables the prior is worth no more
        """
        constants = schedule.persons.constants
        cells = self._widest(constants.evidence_cells)
        x, noise = self.incidence[:, cells], self.deviations[cells]
        mean = np.asarray(x.T @ self.start)
        covariance = (x.T @ x.multiply(self.start[:, None])).toarray() - np.outer(mean, mean)
        values, basis = np.linalg.eigh(covariance / np.outer(noise, noise))
        residual = basis.T @ ((self.answers[cells] - mean) / noise)
        grid = np.geomspace(constants.least_strength, constants.most_strength, constants.strengths)
        spread = 1.0 + np.maximum(values, 0.0)[None, :] / grid[:, None]
        likelihoods = -0.5 * (np.log(spread) + residual**2 / spread).sum(axis=1)
        posterior = np.exp(likelihoods - likelihoods.max())
        chosen = math.exp(float(posterior @ np.log(grid)) / float(posterior.sum()))
        one_way = float(f"{chosen:.{DIGITS}g}")
        return HouseholdStrengths(one_way, min(constants.pair_factor * one_way, float(rows)))

    def _widest(self, most: int) -> Ints:
        """At most so many cells of 1-way tables, ascending: those that public households differ in most."""
        x = self.incidence[:, self.one_way]
        spread = np.asarray(x.multiply(x).T @ self.start) - np.asarray(x.T @ self.start) ** 2
        return np.sort(self.one_way[np.argsort(-spread, kind="stable")[:most]])

    def fit(self, prior: Floats, cells: Ints, strength: float) -> Floats:
        """argmin KL(w || prior) + sum over cells of (q(w) - y)^2/(2 v), v = max(N s^2, least): float64 (m,).

        By the dual: w is proportional to prior exp(x l), where l minimises log sum(prior exp(x l)) - l.y + sum v l^2/2,
        which is smooth and convex. Quasi-Newton steps in a fixed order, to a gradient so
        small that machines which round otherwise end at the same weights.
        """
        from scipy.optimize import minimize

        x, y = self.incidence[:, cells], self.answers[cells]
        variances = np.maximum(strength * self.deviations[cells] ** 2, self.least_variance)
        squares = np.asarray(x.multiply(x).T @ prior) - np.asarray(x.T @ prior) ** 2
        step = 1.0 / np.sqrt(variances + np.maximum(squares, 0.0))
        logs = np.log(np.maximum(prior, np.finfo(np.float64).tiny))

        def dual(scaled: Floats) -> tuple[float, Floats]:
            tilt = scaled * step
            top, weights = _tilted(logs + x @ tilt)
            value = top - float(tilt @ y) + 0.5 * float(variances @ tilt**2)
            return value, (x.T @ weights - y + variances * tilt) * step

        found = minimize(dual, np.zeros(len(cells)), jac=True, method="L-BFGS-B", options=SOLVER)
        return _tilted(logs + x @ (found.x * step))[1]


def _tilted(logs: Floats) -> tuple[float, Floats]:
    """log sum exp, and the weights that sum to one."""
    most = float(logs.max())
    weights = np.exp(logs - most)
    total = float(weights.sum())
    return most + math.log(total), weights / total


def all_positive(*numbers: float) -> bool:
    """Whether all are above zero and finite."""
    return all(0 < number < math.inf for number in numbers)
