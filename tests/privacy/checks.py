"""The checks that the tests of this folder run on the package, and the planted faults on wrong implementations.

Each takes the implementation as an argument and raises AssertionError where it breaks its claim.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np
from privacy.laws import gaussian_masses, laplace_masses, renyi
from support.statistical import AUDIT, BinnedLaw, assert_both_arms, assert_follows, assert_rejects

from pmwpub.privacy.budget import UNIT, ZCDP, ApproxDP, Number, epsilon_of
from pmwpub.privacy.noise import NoiseSource
from pmwpub.privacy.round_share import RoundShare
from pmwpub.records import Ints

DRAWS = 100_000 * AUDIT
SELECTIONS = 20_000 * AUDIT

Draw = Callable[[Fraction, int], Iterable[int]]
"""(factor of the scale, number of draws) -> noise around zero."""

Select = Callable[[Ints, Fraction, int, int], Iterable[int]]
"""(scores, epsilon, sensitivity, number of draws) -> positions."""

Masses = Callable[[Sequence[int], Fraction, int], list[float]]
"""(scores, epsilon, sensitivity) -> the exact law."""


def check_gaussian(draw: Draw, scale: float) -> None:
    """Discrete Gaussian noise of this scale; 0.7 and 1.3 times the scale are told apart from it."""
    assert_both_arms(BinnedLaw.of(*gaussian_masses(scale, span=20)), draw, DRAWS)


def check_laplace(draw: Draw, scale: float) -> None:
    """Discrete Laplace noise of this scale; 0.7 and 1.3 times the scale are told apart from it."""
    assert_both_arms(BinnedLaw.of(*laplace_masses(scale, span=90)), draw, DRAWS)


def check_measurement(measure: Callable[[int], int], epsilon0: Fraction, sensitivity: int) -> None:
    """Whole counts with discrete Gaussian noise of k/epsilon0 counts, whatever the count."""
    for count in (0, 12_345):
        measured = [measure(count) for _ in range(DRAWS // 20)]
        assert all(type(value) is int for value in measured), "a measurement must be a whole number"
        law = BinnedLaw.of(*gaussian_masses(float(sensitivity / epsilon0), span=20), bins=20)
        assert_follows(law, [value - count for value in measured])


def check_rounding(at_least: Callable[[Number], ZCDP], at_most: Callable[[Number], ZCDP], rho: Fraction) -> None:
    """Charges are rounded up and shares down, by less than one unit."""
    assert 0 <= at_least(rho).rho - rho < Fraction(1, UNIT), "a charge was not rounded up"
    assert 0 <= rho - at_most(rho).rho < Fraction(1, UNIT), "a share was not rounded down"


def check_conversion(convert: Callable[[ZCDP, Fraction], float], budget: ZCDP, delta: Fraction) -> None:
    """Not below OpenDP's epsilon for no more than this rho, nor 0.1 % above it for no less."""
    rho, epsilon = _opendp_epsilon(1 / math.sqrt(2 * float(budget.rho)), float(delta))
    assert convert(ZCDP.at_least(Fraction(rho)), delta) >= epsilon, "epsilon was understated"
    assert convert(ZCDP.at_most(Fraction(rho)), delta) <= 1.001 * epsilon + 1e-12, "epsilon was overstated"


@cache
def _opendp_epsilon(scale: float, delta: float) -> tuple[float, float]:
    """OpenDP's rho of a Gaussian measurement, and its epsilon at delta."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    measurement = dp.m.make_gaussian(dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float), scale)
    return measurement.map(1.0), dp.c.make_zCDP_to_approxDP(measurement).map(1.0).epsilon(delta)


def check_inverse(convert: Callable[[ApproxDP], ZCDP], budget: ApproxDP) -> None:
    """The largest rho within (epsilon, delta): it fits, and one unit more does not."""
    total = convert(budget)
    assert Fraction(epsilon_of(total, budget.delta)) <= budget.epsilon
    assert Fraction(epsilon_of(total + ZCDP(1), budget.delta)) > budget.epsilon


def check_split(divide: Callable[..., RoundShare], budget: ZCDP, rounds: int, rows_per_person: int) -> None:
    """The rounds together fit the budget, use at least 99.9 % of it, and are charged for what they draw."""
    share = divide(budget, rounds, rows_per_person=rows_per_person)
    assert share.rho * rounds <= budget, "a split overspends"
    assert 1000 * share.rho.units * rounds >= 999 * budget.units, "a split wastes budget"
    assert share.rho.rho >= share.selection.rho.rho + (rows_per_person / share.measurement.scale) ** 2 / 2 * (
        1 - Fraction(1, 2**50)
    ), "a round is undercharged"


def check_fresh(source: Callable[[], NoiseSource]) -> None:
    """Two sources of one making never give the same noise: there is no seed."""
    first, second = source(), source()
    assert [first.bits(64) for _ in range(4)] != [second.bits(64) for _ in range(4)], "bits were drawn again"
    scale = Fraction(10**6)
    assert first.gaussians([0] * 20, scale) != second.gaussians([0] * 20, scale), "Gaussian noise was drawn again"
    assert first.laplaces([0] * 20, scale) != second.laplaces([0] * 20, scale), "Laplace noise was drawn again"


@dataclass(frozen=True)
class Case:
    """Scores to select from, and the parameters."""

    scores: tuple[int, ...]
    epsilon: Fraction = Fraction(1)
    sensitivity: int = 1

    @property
    def array(self) -> Ints:
        return np.array(self.scores, dtype=np.int64)


_generator = np.random.default_rng(20211)

CASES = {
    "one query": Case((7,)),
    "two tied": Case((5, 5)),
    "two apart by one": Case((1, 0)),
    "two apart by one, small epsilon": Case((1, 0), Fraction(1, 10)),
    "two apart by one, large epsilon": Case((1, 0), Fraction(5)),
    "ten tied": Case((3,) * 10),
    "all zero": Case((0,) * 6, Fraction(10)),
    "ties at the top": Case((4, 4, 4, 1, 0)),
    "ties at the bottom": Case((4, 0, 0, 0, 0, 0)),
    "ties between": Case((6, 3, 3, 3, 0), Fraction(1, 2)),
    "all negative": Case((-3, -1, -2)),
    "either sign": Case((-5, 0, 5, 2), Fraction(1, 3)),
    "a huge gap": Case((10**9, 10**9 - 2, 0, 1)),
    "the whole integer type": Case((2**63 - 1, -(2**63), 2**63 - 2)),
    "a huge gap at a tiny epsilon": Case((2**40, 2**39, 0), Fraction(1, 2**40)),
    "a ladder": Case(tuple(range(20)), Fraction(1, 2)),
    "a ladder for three rows a person": Case(tuple(range(20)), Fraction(1), 3),
    "four scores for three rows a person": Case((6, 4, 3, 0), Fraction(3), 3),
    "doubling gaps": Case((0, -1, -2, -4, -8, -16, -32)),
    "one above a crowd": Case((15,) + (0,) * 1_000),
    "one far above a crowd": Case((200,) + (0,) * 1_000),
    "an awkward epsilon": Case((90, 60, 55, 20, 3), Fraction(34_609_891_850_163_298, 10**18)),
    "three hundred differences": Case(
        tuple(np.abs(_generator.normal(0, 40, 300)).astype(int).tolist()), Fraction(1, 10)
    ),
    "many queries in forty buckets": Case(tuple(_generator.integers(0, 40, 5_000).tolist()), Fraction(1, 2)),
}


def check_selection(select: Select, law_of: Masses, case: Case, draws: int = SELECTIONS) -> None:
    """Draws follow the exact law; at 0.7 and 1.3 times epsilon they do not, wherever the law itself shows it."""
    law = _law(law_of, case, draws)
    assert_follows(law, select(case.array, case.epsilon, case.sensitivity, draws))
    for factor in (Fraction(7, 10), Fraction(13, 10)):
        if shows(law_of, case, law_of, draws, factor=factor):
            assert_rejects(law, select(case.array, case.epsilon * factor, case.sensitivity, draws))


def check_laws_differ(select: Select, law_of: Masses, other: Masses, case: Case, draws: int = SELECTIONS) -> None:
    """Draws of the law `other` are told apart from `law_of`, wherever so many draws can show it."""
    if shows(law_of, case, other, draws):
        assert_rejects(_law(law_of, case, draws), select(case.array, case.epsilon, case.sensitivity, draws))


def shows(law_of: Masses, case: Case, other: Masses, draws: int, *, factor: Fraction = Fraction(1)) -> bool:
    """Whether the test notices the law `other` at factor times epsilon but for one run in a million, by calculation."""
    masses = other(case.scores, case.epsilon * factor, case.sensitivity)
    return _law(law_of, case, draws).power(masses, draws) > 1 - 1e-6


def _law(law_of: Masses, case: Case, draws: int) -> BinnedLaw:
    return BinnedLaw.by_size(law_of(case.scores, case.epsilon, case.sensitivity), draws)


ORDERS = (1.01, 1.5, 2.0, 4.0, 16.0, 64.0)


def check_selection_charge(law_of: Masses, rho_of: Callable[[Fraction], ZCDP]) -> None:
    """On neighbouring scores, each moved by at most k, the Rényi divergence of order a stays within a times rho."""
    for epsilon in (Fraction(1, 10), Fraction(1), Fraction(4)):
        for sensitivity in (1, 3):
            for ours, theirs in _neighbouring_scores(sensitivity):
                laws = law_of(ours, epsilon, sensitivity), law_of(theirs, epsilon, sensitivity)
                for order in ORDERS:
                    divergence = renyi(*laws, order)
                    assert divergence <= order * rho_of(epsilon).rho * (1 + Fraction(1, 10**9)), "undercharged"


def _neighbouring_scores(k: int) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    pairs = [((k, 0), (0, k)), ((0, 0), (k, 0)), ((k, *(0,) * 4), (0, *(k,) * 4)), ((9, 5, 5, 1), (9 - k, 5 + k, 5, 1))]
    return pairs + [(theirs, ours) for ours, theirs in pairs]
