"""The claimed epsilon holds on worst-case neighbours, and the noise is not far more than it must be.

50,000 runs on either neighbour choose an event; 50,000 more on each bound epsilon from below (Clopper-Pearson, 99.9 %).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from privacy.laws import exponential_masses, gaussian_masses, permute_and_flip_masses
from support.statistical import AUDIT, expected_epsilon, shown_epsilon

from pmwpub.privacy.budget import ZCDP, epsilon_of
from pmwpub.privacy.measurement import DiscreteGaussian
from pmwpub.privacy.noise import SECURE, laplace_epsilon
from pmwpub.privacy.round_share import split
from pmwpub.privacy.selection import ExponentialMechanism, PermuteAndFlip

pytestmark = pytest.mark.audit

RUNS = 50_000 * AUDIT
LEAST = RUNS // 50
"""Events rarer than this on the neighbour bound epsilon too loosely to hold a gate of 0.8 five deviations away."""
DELTA = Fraction(1, 10**6)

OURS, THEIRS = (1, 0, 0, 0, 0), (0, 1, 1, 1, 1)
"""Scores of five queries whose r_q are 0: one person leaves the first query and enters the four others."""


@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(1), Fraction(2)])
@pytest.mark.parametrize("sensitivity", [1, 3])
def test_laplace_noise_shows_nearly_its_epsilon_and_no_more(epsilon: Fraction, sensitivity: int) -> None:
    scale = sensitivity / epsilon

    def counted(count: int, runs: int) -> list[int]:
        return SECURE.laplaces([count] * runs, scale)

    shown = shown_epsilon(
        lambda runs: counted(0, runs), lambda runs: counted(sensitivity, runs), RUNS, least=RUNS // 15, rank=float
    )
    assert 0.8 * float(epsilon) <= shown <= float(laplace_epsilon(scale, sensitivity))


@pytest.mark.parametrize("mechanism", [ExponentialMechanism, PermuteAndFlip])
@pytest.mark.parametrize("epsilon", [Fraction(2), Fraction(3)])
def test_a_selection_shows_nearly_its_exact_loss_and_no_more_than_epsilon(
    mechanism: type[ExponentialMechanism | PermuteAndFlip], epsilon: Fraction
) -> None:
    law_of = exponential_masses if mechanism is ExponentialMechanism else permute_and_flip_masses
    runs = RUNS if mechanism is ExponentialMechanism else RUNS // 4
    laws = [mechanism(epsilon).law(np.array(scores), 1) for scores in (OURS, THEIRS)]
    ours, theirs = ((lambda runs, law=law: [law.draw(SECURE) for _ in range(runs)]) for law in laws)
    shown = shown_epsilon(ours, theirs, runs)
    exact = expected_epsilon(law_of(OURS, epsilon, 1), law_of(THEIRS, epsilon, 1), 10**12)
    assert exact <= float(epsilon)
    assert 0.8 * exact <= shown <= float(epsilon)


@pytest.mark.parametrize("epsilon0", [Fraction(1, 2), Fraction(1)])
@pytest.mark.parametrize("sensitivity", [1, 3])
def test_a_measurement_shows_what_its_exact_law_can_show_and_no_more_than_is_charged(
    epsilon0: Fraction, sensitivity: int
) -> None:
    measurement = DiscreteGaussian.costing(epsilon0, sensitivity)

    def measured(count: int, runs: int) -> list[int]:
        return SECURE.gaussians([count] * runs, measurement.scale)

    shown = shown_epsilon(
        lambda runs: measured(0, runs),
        lambda runs: measured(sensitivity, runs),
        RUNS,
        delta=float(DELTA),
        least=LEAST,
        rank=float,
    )
    masses = _gaussian_table((0, sensitivity), float(measurement.scale))
    expected = expected_epsilon(*masses, RUNS, delta=float(DELTA), least=LEAST)
    assert 0.8 * expected <= shown <= epsilon_of(measurement.rho, DELTA)


def _gaussian_table(centres: Sequence[int], scale: float) -> list[list[float]]:
    """The noisy count's masses for each true count, over the same outcomes."""
    outcomes, masses = gaussian_masses(scale)
    law = dict(zip(outcomes, masses, strict=True))
    reach = range(outcomes[0] + min(centres), outcomes[-1] + max(centres) + 1)
    return [[law.get(value - centre, 0.0) for value in reach] for centre in centres]


def test_a_round_shows_what_its_exact_law_can_show_and_no_more_than_is_charged() -> None:
    """Select one of five queries, then measure it: an outcome is the pair."""
    share = split(ZCDP.at_least("0.5"), 1)

    def round_of(scores: Sequence[int], runs: int) -> list[int]:
        law = share.selection.law(np.array(scores), 1)  # type: ignore[attr-defined]
        chosen = [law.draw(SECURE) for _ in range(runs)]
        noisy = SECURE.gaussians([scores[query] for query in chosen], share.measurement.scale)
        return [query + 5 * value for query, value in zip(chosen, noisy, strict=True)]

    zero, one = _gaussian_table((0, 1), float(share.measurement.scale))
    lowest = gaussian_masses(float(share.measurement.scale))[0][0]
    joint = [
        [mass * value for mass, score in zip(law, scores, strict=True) for value in (one if score else zero)]
        for law, scores in ((exponential_masses(s, share.selection.epsilon, 1), s) for s in (OURS, THEIRS))
    ]
    codes = [query + 5 * (lowest + place) for query in range(5) for place in range(len(zero))]
    ratio = {code: -p / max(q, 1e-300) for code, p, q in zip(codes, *joint, strict=True)}
    expected = expected_epsilon(*joint, RUNS, delta=float(DELTA), least=LEAST)
    shown = shown_epsilon(
        lambda runs: round_of(OURS, runs),
        lambda runs: round_of(THEIRS, runs),
        RUNS,
        delta=float(DELTA),
        least=LEAST,
        rank=ratio.__getitem__,
    )
    assert expected > 1.0
    assert 0.8 * expected <= shown <= epsilon_of(share.rho, DELTA)
