"""Noisy best-mixture errors: what each candidate public table costs to assess, and what comes out.

Two numbers a candidate. The floor f = min over mixtures mu on the support of max_q |q(D) - q(mu)| is the error that
would remain if the public table were reweighted perfectly; the start max_q |q(D) - q(A_0)| is that of the table
unchanged (Liu et al. 2021, Section 3). Each is its own mechanism with its own charge.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from pmwpub.errors import BudgetError
from pmwpub.mechanisms.best_mixture.interval import BestMixture
from pmwpub.mechanisms.noisy_error.lazy_rounding import Grid, Refinable, rounded_cell
from pmwpub.privacy.budget import ZCDP
from pmwpub.privacy.lattice_noise import LatticeLaplace, LatticeLaw
from pmwpub.privacy.noise import SECURE, NoiseSource
from pmwpub.progress import Progress, unwatched
from pmwpub.queries.counts import PrivateCounts
from pmwpub.queries.incidence import PublicProblem
from pmwpub.queries.workload import Workload
from pmwpub.records import Support
from pmwpub.rounding import down

CONFIDENCE = Fraction(95, 100)
FLOOR_SHARE = Fraction(4, 5)
Purpose = Literal["floor", "start"]


@dataclass(frozen=True)
class AssessmentShare:
    """One of the mechanisms of an assessment, priced before anything is drawn.

    epsilon  its pure epsilon
    rho      its charge: epsilon^2/2 at what OpenDP's map says, rounded up
    """

    purpose: Purpose
    epsilon: Fraction
    mechanism: str
    sensitivity: str
    scale_text: str
    rho: ZCDP


@dataclass(frozen=True)
class NoisyError:
    """A released error.

    value       the grid's midpoint (floor) or lattice point (start), as a share of the private rows; may be negative
    low, high   hold the true error with probability at least `confidence`; clipped to [0, 1]
    epsilon     pure epsilon, or None under Gaussian noise
    cell_width  the width of the grid's cells
    """

    value: Fraction
    low: Fraction
    high: Fraction
    confidence: Fraction
    epsilon: Fraction | None
    rho: ZCDP
    cell_width: Fraction


@dataclass(frozen=True)
class Unresolved:
    """The charge was made, the noise drawn and dropped: the interval could not be made narrow enough.

    Only the steward may learn that it was this; to all others it is "no result".
    """

    rho: ZCDP


def assessment_charges(
    epsilon: Fraction,
    n: int,
    rows_per_person: int,
    *,
    with_floor: bool = True,
    with_start: bool = True,
    counted_in: str = "rows",
) -> list[AssessmentShare]:
    """What an assessment consists of: the floor at 4/5 of epsilon and the start at 1/5, or one of them at all of it.

    Each is charged on its own; rho adds, epsilon does not.

    counted_in  what n and rows_per_person are numbers of, in words

    Raises BudgetError if neither is bought, or for an epsilon at which no noise can be drawn.
    """
    if not (with_floor or with_start):
        raise BudgetError("An assessment buys the floor, the start, or both; neither was asked for.")
    if not with_start:
        return [_share("floor", epsilon, n, rows_per_person, counted_in)]
    if not with_floor:
        return [_share("start", epsilon, n, rows_per_person, counted_in)]
    return [
        _share("floor", epsilon * FLOOR_SHARE, n, rows_per_person, counted_in),
        _share("start", epsilon * (1 - FLOOR_SHARE), n, rows_per_person, counted_in),
    ]


def _share(purpose: Purpose, epsilon: Fraction, n: int, rows_per_person: int, counted_in: str) -> AssessmentShare:
    law = LatticeLaplace(epsilon, rows_per_person)
    rounding = "lazily rounded to a grid" if purpose == "floor" else "on a lattice"
    return AssessmentShare(
        purpose=purpose,
        epsilon=epsilon,
        mechanism=f"discrete Laplace, {rounding}",
        sensitivity=f"{rows_per_person}/{n}",
        scale_text=f"{down(law.scale / law.steps_per_row / n, 6)} ({down(rows_per_person / epsilon, 6)} {counted_in})",
        rho=law.rho,
    )


def floor_release(
    state: BestMixture,
    epsilon: Fraction,
    *,
    rows_per_person: int = 1,
    noise: NoiseSource = SECURE,
    progress: Progress = unwatched,
) -> NoisyError | Unresolved:
    """The noisy best-mixture error with Laplace noise: epsilon-DP. Charge `assessment_charges` first.

    progress  called between refinements with (done, total); may raise to cancel. For the steward alone.

    Privacy: neighbours D, D' replace one person's at most k of n rows, n public.
    (1) Every |q(D) - q(D')| <= k/n: of k rows taken out and k put in, the count of a query changes by at most k.
    (2) Let mu be a best mixture for D. Its error on D' is at most f(D) + k/n, so f(D') <= f(D) + k/n, and the other
        way round: the exact f is k/n-sensitive (Liu et al. 2021, Section 3), for any fixed workload and support.
    (3) The released cell is a function of floor(f n 2^j + 1/2) + Z alone (see rounded_cell), whose first term moves
        by at most k 2^j, and Z is discrete Laplace of scale k 2^j/epsilon: epsilon-DP, hence rho = epsilon^2/2.
    (4) Midpoint and interval are functions of the cell and of public numbers.
    Not covered: time, and the event Unresolved. A retry is a new draw and needs a new charge.

    Raises BudgetError for an epsilon at which no noise can be drawn.
    """
    law = LatticeLaplace(epsilon, rows_per_person)
    return floor_release_under(law, state, noise=noise, progress=progress)


def floor_release_under(
    law: LatticeLaw, state: BestMixture, *, noise: NoiseSource = SECURE, progress: Progress = unwatched
) -> NoisyError | Unresolved:
    """The noisy best-mixture error under any lattice law, such as LatticeGaussian.

    Privacy: as floor_release, with the law's own guarantee for k 2^j lattice steps in (3).
    """
    return rounded_release(law, state, state.private_rows, noise=noise, progress=progress)


def rounded_release(
    law: LatticeLaw, state: Refinable, n: int, *, noise: NoiseSource = SECURE, progress: Progress = unwatched
) -> NoisyError | Unresolved:
    """The rounding of f + noise, for an f in [0, 1] that is known as an interval.

    n  f n 2^j is a number of lattice steps

    Privacy: of f alone, and what the law says of it where f moves by at most k/n (`rounded_cell`).
    """
    grid = Grid.of(law, n)
    cell = rounded_cell(state, law, grid, noise=noise, progress=progress)
    return Unresolved(law.rho) if cell is None else noisy_at(grid, cell, law)


def start_release(
    counts: PrivateCounts,
    workload: Workload,
    support: Support,
    epsilon: Fraction,
    *,
    rows_per_person: int = 1,
    noise: NoiseSource = SECURE,
) -> NoisyError:
    """The noisy error of the public table unchanged, max_q |q(D) - q(A_0)|: epsilon-DP.

    In lattice steps u = max_q |2^j c_q - r_q|, r_q = floor(2^j n s_q/S + 1/2) for the s_q of S public rows that satisfy
    q: whole numbers only, within half a step of the true start.

    Privacy: r_q and S are public and 2^j c_q moves by at most k 2^j, so u does too; Z is discrete Laplace of scale
    k 2^j/epsilon: epsilon-DP, hence rho = epsilon^2/2.

    Raises BudgetError for an epsilon at which no noise can be drawn.
    """
    law = LatticeLaplace(epsilon, rows_per_person)
    return start_release_under(law, counts, PublicProblem(workload, support), noise=noise)


def start_release_under(
    law: LatticeLaw, counts: PrivateCounts, problem: PublicProblem, *, noise: NoiseSource = SECURE
) -> NoisyError:
    """The noisy error of the public table unchanged under any lattice law.

    Privacy: as start_release, with the law's own guarantee for k 2^j lattice steps.
    """
    steps = start_steps(counts, problem, law.steps_per_row)
    return noisy_at(Grid(counts.n, law.steps_per_row, 1), law.draw(steps, noise), law)


def start_steps(counts: PrivateCounts, problem: PublicProblem, steps_per_row: int) -> int:
    """max_q |2^j c_q - floor(2^j n s_q/S + 1/2)|, in whole numbers.

    Privacy: non-private; moves by at most k 2^j between neighbours.
    """
    rows, scale = problem.support.rows, steps_per_row * counts.n
    # object arrays hold Python's integers: slower, and never too small.
    kind: type = np.int64 if (2 * scale + 1) * rows < 2**63 else object
    sums: Any = problem.start_sums.astype(kind)
    rounded = (2 * scale * sums + rows) // (2 * rows)
    return int(np.abs(counts.counts.astype(kind) * steps_per_row - rounded).max())


def half_width(law: LatticeLaw, n: int, confidence: Fraction = CONFIDENCE, *, purpose: Purpose = "floor") -> Fraction:
    """The error bar that a law buys, before anything is drawn: as a share of the n rows. Public."""
    grid = Grid.of(law, n) if purpose == "floor" else Grid(n, law.steps_per_row, 1)
    return (law.reach(confidence) + Fraction(grid.width, 2)) / (n * law.steps_per_row)


def interval_about(value: Fraction, bar: Fraction) -> tuple[Fraction, Fraction]:
    """Where an error lies that is within `bar` of a noisy value: two ends in [0, 1].

    The error is in [0, 1], so it is no further from the value's nearest point there; and however far noise carries the
    value out, the interval is no narrower than what such noise can hide.
    """
    nearest = _clipped(value)
    return _clipped(nearest - bar), _clipped(nearest + bar)


def noisy_at(grid: Grid, cell: int, law: LatticeLaw) -> NoisyError:
    """A cell as it is released, and where the error lies.

    |error - midpoint| <= (|Z| + width/2) steps, and |Z| <= reach with probability at least CONFIDENCE.
    """
    value = grid.midpoint(cell)
    bar = (law.reach(CONFIDENCE) + Fraction(grid.width, 2)) / (grid.n * grid.steps_per_row)
    low, high = interval_about(value, bar)
    return NoisyError(
        value=value,
        low=low,
        high=high,
        confidence=CONFIDENCE,
        epsilon=law.epsilon if isinstance(law, LatticeLaplace) else None,
        rho=law.rho,
        cell_width=grid.cell_width,
    )


def _clipped(share: Fraction) -> Fraction:
    return min(Fraction(1), max(Fraction(0), share))
