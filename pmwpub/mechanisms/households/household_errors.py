"""Noisy errors where whole households are protected: of public ones as they are, of a release, of the best mixture.

An error is the largest over persons' and households' queries together, (1/Delta_q) |c_q/n - q(A)| with Delta_q = H of
persons and 1 of households: a share v of 0 to 1. So no query of households is off by more than v of the households, and
none of persons by more than H v persons per household.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from pmwpub.errors import PlanError
from pmwpub.mechanisms.households.household_counts import HouseholdCounts
from pmwpub.mechanisms.households.household_mixture import CertifiedEnds, HouseholdMixture, unchanged_error
from pmwpub.mechanisms.households.household_scores import HouseholdProblem, household_scores
from pmwpub.mechanisms.noisy_error.assessment import (
    CONFIDENCE,
    AssessmentShare,
    NoisyError,
    Purpose,
    Unresolved,
    assessment_charges,
    half_width,
    interval_about,
    noisy_at,
    rounded_release,
)
from pmwpub.mechanisms.noisy_error.choose_best import Best, best_release
from pmwpub.mechanisms.noisy_error.lazy_rounding import Grid
from pmwpub.privacy.lattice_noise import LatticeLaplace
from pmwpub.privacy.noise import SECURE, NoiseSource
from pmwpub.progress import Progress, unwatched
from pmwpub.records import Floats, Ints

WHOLE = 2**52
"""Released weights become whole numbers of at most this sum, as floats hold them."""


def household_charges(
    epsilon: Fraction, n: int, largest: int, *, with_floor: bool, with_start: bool
) -> list[AssessmentShare]:
    """What an assessment of households consists of: the floor at 4/5 of epsilon and the start at 1/5, or one at all.

    The price is that of n H rows of which one household owns H: noise of H/epsilon persons, 1/(epsilon n) of a share.

    Raises BudgetError if neither is bought, or for an epsilon at which no noise can be drawn.
    """
    shares = assessment_charges(
        epsilon, n * largest, largest, with_floor=with_floor, with_start=with_start, counted_in="persons"
    )
    return [replace(share, sensitivity=f"{largest}/{n} persons per household") for share in shares]


def household_error_release(
    counts: HouseholdCounts,
    problem: HouseholdProblem,
    weights: Ints,
    epsilon: Fraction,
    *,
    noise: NoiseSource = SECURE,
) -> NoisyError:
    """The noisy error of households with fixed weights: epsilon-DP. Charge `household_charges` first.

    weights  int64 (m,): of the public table as it is, their multiplicity; of a release, `whole_released` of its own

    Privacy: neighbours replace one household of at most H persons by another of at most H, of another size or not; n,
    the number of households, is public.
    (1) The weights are of public households as they are, or read from stored bytes, an earlier output: given them, S
        and every r_q = floor(2^j n s_q/S + 1/2) are constants.
    (2) u = max_q (H/Delta_q) |2^j c_q - r_q| is whole, and moves by at most 2^j H: each term does, for c_q moves by at
        most Delta_q (`household_scores`), and a maximum moves by no more than its terms.
    (3) The noise is discrete Laplace of scale 2^j H/epsilon steps: epsilon-DP, rho = epsilon^2/2.
    (4) Value and interval are functions of the noisy step and of public numbers; a step is 1/(2^j n H) of a share.
    The number of persons is in no scale. Not covered: time.

    Raises BudgetError for an epsilon at which no noise can be drawn, DomainError for other tables.
    """
    law = LatticeLaplace(epsilon, counts.largest)
    return household_error_under(law, counts, problem, weights, noise=noise)


def household_error_under(
    law: LatticeLaplace,
    counts: HouseholdCounts,
    problem: HouseholdProblem,
    weights: Ints,
    *,
    noise: NoiseSource = SECURE,
) -> NoisyError:
    """The same under a given law, made for H.

    Privacy: as household_error_release. Raises PlanError for a law that was made for another H.
    """
    if law.rows_per_person != counts.largest:
        raise PlanError("The noise was made for another largest household.")
    steps = household_error_steps(counts, problem, weights, law.steps_per_row)
    grid = Grid(counts.n * counts.largest, law.steps_per_row, 1)
    found = noisy_at(grid, law.draw(steps, noise), law)
    low, high = interval_about(found.value, household_bar(law, counts.n, "start"))
    return replace(found, low=low, high=high)


def household_bar(law: LatticeLaplace, n: int, purpose: Purpose) -> Fraction:
    """The 95 % half-width that a law made for H buys, before anything is drawn: as a share of the n households. Public.

    An error of fixed weights is known within H/2 of its steps, a floor within half a cell of its grid.
    """
    largest = law.rows_per_person
    if purpose == "floor":
        return half_width(law, n * largest)
    return (law.reach(CONFIDENCE) + Fraction(largest, 2)) / (n * largest * law.steps_per_row)


def household_error_steps(counts: HouseholdCounts, problem: HouseholdProblem, weights: Ints, steps: int) -> int:
    """u = max_q (H/Delta_q) |steps c_q - r_q|, in whole numbers: within H/2 of steps n H times the error.

    Privacy: non-private; moves by at most steps H between neighbours.
    """
    return int(household_scores(counts, problem.references(weights, counts.n, steps), steps).max())


def household_floor_release(
    state: HouseholdMixture,
    epsilon: Fraction,
    *,
    noise: NoiseSource = SECURE,
    progress: Progress = unwatched,
) -> NoisyError | Unresolved:
    """The noisy error of the best mixture of whole public households: epsilon-DP. Charge `household_charges` first.

    progress  called between refinements with (done, total); may raise to cancel. For the steward alone.

    Privacy: neighbours as in `household_error_release`.
    (1) For any fixed mixture mu each term (1/Delta_q) |c_q/n - q(mu)| moves by at most 1/n, for c_q moves by at most
        Delta_q; so does the largest of them.
    (2) Let mu be a best mixture for D. Its error on D' is at most f(D) + 1/n, so f(D') <= f(D) + 1/n, and the other
        way round: the exact f moves by at most 1/n of a share, H/n persons per household, whatever both sizes are.
    (3) 1/n is H/(n H): with n H in the place of n and H in that of k, `lazy_rounding.rounded_cell` releases a function
        of floor(f n H 2^j + 1/2) + Z alone, whose first term moves by at most 2^j H, and Z is discrete Laplace of scale
        2^j H/epsilon: epsilon-DP, rho = epsilon^2/2. The interval and the solver have no part in it.
    Not covered: time, and the event Unresolved. A retry is a new draw and needs a new charge.

    Raises BudgetError for an epsilon at which no noise can be drawn.
    """
    law = LatticeLaplace(epsilon, state.largest)
    return rounded_release(law, state, state.n * state.largest, noise=noise, progress=progress)


@dataclass(frozen=True, eq=False, repr=False)
class KnownError:
    """An error that is known exactly, as a choice takes it. Privacy: non-private; the repr shows nothing.

    n, largest  the public number of households, and H
    """

    n: int
    largest: int
    interval: CertifiedEnds
    exhausted: bool = True

    @classmethod
    def of(cls, counts: HouseholdCounts, problem: HouseholdProblem) -> KnownError:
        """That of public households as they are."""
        error = unchanged_error(counts, problem, problem.atoms.multiplicity)
        return cls(counts.n, counts.largest, CertifiedEnds(error, error))

    def refine(self) -> CertifiedEnds:
        return self.interval


def household_choice(
    states: Sequence[KnownError | HouseholdMixture],
    epsilon: Fraction,
    *,
    noise: NoiseSource = SECURE,
    progress: Progress = unwatched,
) -> Best | Unresolved:
    """One candidate i, with probability exactly proportional to e^(-epsilon n f_i/2), however many there are.

    states  each candidate's error f_i over one workload: a `KnownError` of its households as they are, or a
            `HouseholdMixture` of its floor

    Privacy: neighbours as in `household_error_release`. Every f_i moves by at most 1/n: a floor by (2) of
    `household_floor_release`, and the error of fixed weights by its (1). So the score -n H f_i moves by at most H, and
    `choose_best.best_release` draws from the exponential mechanism on the exact scores at sensitivity H: epsilon-DP of
    bounded range epsilon, rho = epsilon^2/8. No error is released. Not covered: time, and the event Unresolved.

    Raises PlanError for fewer than two candidates, or errors of other numbers of households or persons; BudgetError
    unless epsilon is positive.
    """
    terms = {(state.n, state.largest) for state in states}
    if len(states) < 2 or len(terms) > 1:
        raise PlanError("A choice needs two candidates or more, whose errors are of one number of households.")
    ((n, largest),) = terms
    return best_release(
        states, epsilon, private_rows=n * largest, rows_per_person=largest, noise=noise, progress=progress
    )


def whole_released(weights: Floats) -> Ints:
    """Released weights as whole numbers: shares of 2^52, rounded down; int64 (m,).

    weights  float64 (m,), not negative, summing to one within rounding
    """
    found: Ints = np.floor(weights * float(WHOLE)).astype(np.int64)
    return found
