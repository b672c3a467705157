"""The noisy largest error of a finished release on the private table.

One number about stored bytes: for weights that are fixed beforehand, max_q |q(D) - q(A)| moves by at most k/n
between neighbours, so it can be released with Laplace noise at a charge of its own.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from pmwpub.errors import PlanError
from pmwpub.mechanisms.noisy_error.assessment import (
    CONFIDENCE,
    AssessmentShare,
    NoisyError,
    assessment_charges,
    half_width,
    interval_about,
)
from pmwpub.privacy.lattice_noise import LatticeLaplace, LatticeLaw
from pmwpub.privacy.noise import SECURE, NoiseSource
from pmwpub.queries.counts import PrivateCounts
from pmwpub.queries.incidence import PublicProblem, quantise
from pmwpub.queries.workload import Workload
from pmwpub.records import Distribution

_BLOCK = 1 << 16
"""Queries at a time in Python's own whole numbers, which never overflow but take room."""


def error_charge(epsilon: Fraction, n: int, rows_per_person: int, *, counted_in: str = "rows") -> AssessmentShare:
    """The one charge of a noisy error: that of a noisy start, for which A_0 plays the fixed weights.

    counted_in  as `assessment_charges`

    Raises BudgetError for an epsilon at which no noise can be drawn.
    """
    (share,) = assessment_charges(epsilon, n, rows_per_person, with_floor=False, counted_in=counted_in)
    return share


def error_release(
    counts: PrivateCounts,
    workload: Workload,
    released: Distribution,
    epsilon: Fraction,
    *,
    rows_per_person: int = 1,
    noise: NoiseSource = SECURE,
) -> NoisyError:
    """The noisy max_q |q(D) - q(A)| of released weights A: epsilon-DP. Charge `error_charge` first.

    Privacy: neighbours D, D' replace one person's at most k of n rows, n public.
    (1) A is read from stored bytes, an earlier output: given it, the numbers s_q, S and r_q below are constants.
    (2) In lattice steps u = max_q |2^j c_q - r_q|. Every c_q moves by at most k, so every term moves by at most
        k 2^j, and so does the largest of them: u(D') <= max_q (|2^j c_q(D) - r_q| + k 2^j) = u(D) + k 2^j.
    (3) u is whole and the noise is discrete Laplace of scale k 2^j/epsilon steps: epsilon-DP, rho = epsilon^2/2.
    (4) Value and interval are functions of the noisy step and of public numbers.
    That A came from the same table is the composition that the ledger adds up. Not covered: time.

    Raises BudgetError for an epsilon at which no noise can be drawn, PlanError for counts of another workload.
    """
    return error_release_under(LatticeLaplace(epsilon, rows_per_person), counts, workload, released, noise=noise)


def error_release_under(
    law: LatticeLaplace,
    counts: PrivateCounts,
    workload: Workload,
    released: Distribution,
    *,
    noise: NoiseSource = SECURE,
) -> NoisyError:
    """The same under a given law.

    Privacy: as error_release.
    """
    steps = error_steps(counts, workload, released, law.steps_per_row)
    return _noisy(law, law.draw(steps, noise), counts.n)


def error_steps(counts: PrivateCounts, workload: Workload, released: Distribution, steps_per_row: int) -> int:
    """u = max_q |2^j c_q - r_q|, r_q = floor(2^j n s_q/S + 1/2), in whole numbers.

    s_q, S  the sum of the weights that satisfy q, and of all, rounded down to multiples of 2^-52: so u is within
            half a step, and 2^j n times m 2^-51, of the error of the weights as written

    Privacy: non-private; moves by at most k 2^j between neighbours.
    """
    if len(counts.counts) != workload.queries:
        raise PlanError("The private counts belong to another workload than the release.")
    whole = quantise(released.weights, 1)  # of the finest scale: no product here has to fit 64 bits
    sums = PublicProblem(workload, released.support).sums(whole.values)
    twice, total, worst = 2 * steps_per_row * counts.n, whole.total, 0
    for begin in range(0, workload.queries, _BLOCK):
        block = slice(begin, begin + _BLOCK)
        rounded = (sums[block].astype(object) * twice + total) // (2 * total)
        worst = max(worst, int(np.abs(counts.counts[block].astype(object) * steps_per_row - rounded).max()))
    return worst


def _noisy(law: LatticeLaw, step: int, n: int) -> NoisyError:
    value = Fraction(step, n * law.steps_per_row)
    low, high = interval_about(value, half_width(law, n, purpose="start"))
    return NoisyError(
        value=value,
        low=low,
        high=high,
        confidence=CONFIDENCE,
        epsilon=law.epsilon if isinstance(law, LatticeLaplace) else None,
        rho=law.rho,
        cell_width=Fraction(1, n * law.steps_per_row),
    )
