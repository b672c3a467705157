"""Definition 2.5: M is rho-zCDP if D_a(M(D) || M(D')) <= rho a for all a > 1, on laws written out in full."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from pmwpub.privacy.measurement import DiscreteGaussian
from pmwpub.privacy.selection import ExponentialMechanism, PermuteAndFlip
from pmwpub.theory import renyi_divergence

ORDERS = (1.001, 1.1, 1.5, 2.0, 4.0, 16.0, 64.0, 500.0)


def _discrete_gaussian(centre: int, sigma: float, reach: int) -> np.ndarray:
    at = np.arange(-reach, reach + 1)
    masses = np.exp(-((at - centre) ** 2) / (2 * sigma**2))
    return masses / masses.sum()


@pytest.mark.parametrize("epsilon0", [Fraction(1, 20), Fraction(1, 3), Fraction(2)])
@pytest.mark.parametrize("k", [1, 3])
def test_a_measurement_costs_what_its_law_gives(epsilon0: Fraction, k: int) -> None:
    measurement = DiscreteGaussian.costing(epsilon0, k)
    sigma = float(measurement.scale)
    ours, theirs = (_discrete_gaussian(centre, sigma, int(30 * sigma) + k) for centre in (0, k))
    rho = float(measurement.rho.rho)
    for order in (a for a in ORDERS if a * k < 12 * sigma):
        shown = renyi_divergence(ours, theirs, order)
        assert shown <= rho * order * (1 + 1e-6) + 1e-9
    assert renyi_divergence(ours, theirs, 2.0) == pytest.approx(rho * 2, rel=1e-3) or sigma < 1


def _exponential(scores: np.ndarray, epsilon: float) -> np.ndarray:
    masses = np.exp((scores - scores.max()) * epsilon / 2)
    return masses / masses.sum()


def _permute_and_flip(scores: np.ndarray, epsilon: float) -> np.ndarray:
    """Noisy max with exponential noise (Ding et al. 2021), by inclusion and exclusion over the rivals."""
    accept = np.exp((scores - scores.max()) * epsilon / 2)
    law = np.zeros(len(scores))
    for q in range(len(scores)):
        rivals = np.delete(accept, q)
        for chosen in range(1 << len(rivals)):
            members = [i for i in range(len(rivals)) if chosen >> i & 1]
            law[q] += accept[q] * (-1) ** len(members) * np.prod(rivals[members]) / (len(members) + 1)
    return law


def _worst(law, epsilon: float, order: float) -> float:
    rng = np.random.default_rng(5)
    worst = 0.0
    for _ in range(300):
        scores = rng.integers(0, 6, size=rng.integers(2, 6))
        moved = np.abs(scores + rng.integers(-1, 2, size=len(scores)))
        ours, theirs = law(scores.astype(float), epsilon), law(moved.astype(float), epsilon)
        worst = max(worst, renyi_divergence(ours / ours.sum(), theirs / theirs.sum(), order))
    return worst


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("epsilon", [0.1, 1.0])
def test_a_selection_stays_within_its_charge_at_every_order(order: float, epsilon: float) -> None:
    exact = Fraction(str(epsilon))
    assert _worst(_exponential, epsilon, order) <= float(ExponentialMechanism(exact).rho.rho) * order + 1e-12
    assert _worst(_permute_and_flip, epsilon, order) <= float(PermuteAndFlip(exact).rho.rho) * order + 1e-12


def test_permute_and_flip_may_not_be_charged_as_the_exponential_mechanism() -> None:
    # A tie against a lead of two: one person moves both scores. 1/2 becomes 1 - e^-epsilon/2, about 1/2 + epsilon/2.
    epsilon, tie, lead = Fraction(1, 10), np.array([5.0, 5.0]), np.array([6.0, 4.0])
    shown = renyi_divergence(_permute_and_flip(lead, 0.1), _permute_and_flip(tie, 0.1), 2.0)
    assert shown > 3 * 2 * float(ExponentialMechanism(epsilon).rho.rho)
    assert shown <= 2 * float(PermuteAndFlip(epsilon).rho.rho)
    assert PermuteAndFlip(epsilon).rho.rho == 4 * ExponentialMechanism(epsilon).rho.rho
