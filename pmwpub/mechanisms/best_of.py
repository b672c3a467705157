"""The best of several candidates at the price of one choice, when only the winner matters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from pmwpub.errors import BudgetError, PlanError
from pmwpub.mechanisms.assessment import Unresolved
from pmwpub.mechanisms.lazy_rounding import EXPECTED_STEPS, Progress, Refinable
from pmwpub.privacy.budget import ZCDP
from pmwpub.privacy.noise import SECURE, NoiseSource
from pmwpub.privacy.selection import ExponentialMechanism

STEPS_PER_ROW = 4
"""Whole steps a private row: cells end at odd eighths of a row, where no floor of c or c/2 rows lies."""


@dataclass(frozen=True)
class Best:
    """The candidate that was chosen: its position among those that were offered, and the charge."""

    candidate: int
    rho: ZCDP


def best_charge(epsilon: Fraction) -> ZCDP:
    """What one choice costs, among however many candidates: epsilon^2/8, rounded up."""
    return ExponentialMechanism(epsilon).rho


def best_release(
    states: Sequence[Refinable],
    epsilon: Fraction,
    *,
    private_rows: int,
    rows_per_person: int = 1,
    noise: NoiseSource = SECURE,
    progress: Progress,
) -> Best | Unresolved:
    """One candidate, with probability proportional to e^(-epsilon F/(8k)), F its floor in quarter rows.

    states        the best-mixture error f of each candidate, over one workload and one private table of n rows
    private_rows  n
    progress      called between refinements with (done, total); may raise to cancel. For the steward alone.

    Privacy: F = floor(4 n f + 1/2) for the exact f, refined until its interval leaves one such F. Neighbours move
    every f by at most k/n (see assessment.floor_release), so 4 n f by at most the whole number 4k, and F by at most 4k.
    The exponential mechanism on -F at sensitivity 4k is then epsilon-DP of bounded range epsilon: rho = epsilon^2/8. No
    floor is released.
    Not covered: time, and the event Unresolved.

    Raises PlanError for fewer than two candidates, BudgetError unless k >= 1 and epsilon is positive.
    """
    if len(states) < 2:
        raise PlanError(f"A choice needs at least two candidates; {len(states)} came.")
    if rows_per_person < 1:
        raise BudgetError(f"A person owns at least one row; {rows_per_person} came.")
    mechanism = ExponentialMechanism(epsilon)
    steps = []
    for place, state in enumerate(states):
        found = _whole_steps(state, private_rows, place, len(states), progress)
        if found is None:
            return Unresolved(mechanism.rho)
        steps.append(found)
    scores = STEPS_PER_ROW * private_rows - np.array(steps, dtype=np.int64)
    chosen = mechanism.select(scores, STEPS_PER_ROW * rows_per_person, noise=noise)
    return Best(int(chosen), mechanism.rho)


def _whole_steps(state: Refinable, n: int, place: int, places: int, progress: Progress) -> int | None:
    """floor(4 n f + 1/2), or None where the interval cannot be made narrow enough to tell."""
    step = 0
    while True:
        interval = state.interval
        low, high = (math.floor(STEPS_PER_ROW * n * end + Fraction(1, 2)) for end in (interval.lower, interval.upper))
        if low == high:
            return low
        if state.exhausted:
            return None
        done = place * EXPECTED_STEPS + min(step, EXPECTED_STEPS - 1)
        progress(done, places * EXPECTED_STEPS)
        state.refine()
        step += 1
