"""Rounds over households have the exact law of what is charged: each level's noise, the selection, both in one run."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache, cached_property

import numpy as np
import pytest
from mechanisms.households.toy_households import Home, households, schema, vectors
from privacy.laws import gaussian_masses
from support.audits import EventGate
from support.fakes import ScaledNoise
from support.planting import plant, plant_twice_the_rho
from support.scripted import Script
from support.statistical import ALPHA, AUDIT, BinnedLaw, assert_both_arms, assert_follows

from pmwpub.mechanisms.households import household_pmw_pub
from pmwpub.mechanisms.households.household_atoms import HouseholdAtoms
from pmwpub.mechanisms.households.household_counts import HouseholdTables, count_households
from pmwpub.mechanisms.households.household_rounds import HouseholdRounds, household_rounds
from pmwpub.mechanisms.households.household_scores import HouseholdProblem
from pmwpub.privacy import selection
from pmwpub.privacy.budget import ZCDP
from pmwpub.privacy.measurement import DiscreteGaussian
from pmwpub.privacy.noise import SECURE, NoiseSource
from pmwpub.queries.workload import Workload

H = 3
FULL: Home = ((0, 0, 0),) * H
OURS: list[Home] = [FULL] * 6
THEIRS: list[Home] = [((1, 1, 1),), *[FULL] * 5]
PUBLIC: list[Home] = [FULL, ((0, 1, 1),), ((1, 0, 1), (1, 1, 0)), ((1, 2, 1),)]
RHO = Fraction(49, 100)
DRAWS = 6_000 * AUDIT
OWN_FROM = 7
"""The 1-way tables have 2 + 3 + 2 cells of persons, then 3 + 2 + 2 of households."""


@dataclass
class Batched(ScaledNoise):
    """Noise of `factor` times the scale, drawn a thousand at a time: one by one takes ten times as long."""

    factor: Fraction = Fraction(1)
    drawn: dict[Fraction, list[int]] = field(default_factory=dict)

    def gaussian(self, value: int, scale: Fraction) -> int:
        left = self.drawn.setdefault(scale, [])
        if not left:
            left += SECURE.gaussians([0] * 1_000, scale * self.factor)
        return value + left.pop()


@cache
def problem() -> HouseholdProblem:
    own = schema(H)
    one_way = HouseholdTables(Workload.all_kway(own.persons.domain, 1), Workload.all_kway(own.own_domain, 1))
    return HouseholdProblem(one_way, HouseholdAtoms.of(households(PUBLIC, H)))


def transcripts(some: list[Home], schedule: HouseholdRounds, runs: int, noise: NoiseSource) -> list[tuple[int, int]]:
    """The queries and noisy counts of so many runs, one behind the other."""
    counts, found = count_households(problem().tables, households(some, H)), []
    for _ in range(runs):
        release = household_pmw_pub.household_pmw_pub(counts, problem(), schedule, noise=noise)
        found += [(line.query, line.noisy_count) for line in release.transcript]
    return found


def by_hand(some: list[Home]) -> np.ndarray:
    """int64 (14,): the counts of the one-way tables."""
    own = [vectors(home, H) for home in some]
    return np.array([[cell for level in both for table in level[:3] for cell in table] for both in own]).sum(axis=0)


# ---- the noise of each level


def residuals(query: int, factor: Fraction, draws: int) -> list[int]:
    """Noisy minus true counts of one query, which is selected in each of 100 rounds."""
    made = household_rounds(RHO_A_ROUND * 100, 100, n=6, largest=H)
    chosen = Script([query] * 100, [])
    fixed = replace(made, share=replace(made.share, selection=chosen))  # type: ignore[arg-type]
    true, found, noise = int(by_hand(OURS)[query]), [], Batched(factor)
    while len(found) < draws:
        chosen.scores.clear()
        found += [noisy - true for _, noisy in transcripts(OURS, fixed, 1, noise)]
    return found[:draws]


RHO_A_ROUND = ZCDP.at_most(Fraction(1, 400))
"""epsilon0 is 1/20: sigma is 60 persons, or 20 households."""
every_level = pytest.mark.parametrize(("query", "sigma"), [(2, 60.0), (8, 20.0)], ids=["of persons", "of households"])


@every_level
def test_an_answer_has_the_exact_law_of_its_level_s_noise(query: int, sigma: float) -> None:
    law = BinnedLaw.of(*gaussian_masses(sigma, span=12))
    assert_both_arms(law, lambda factor, draws: residuals(query, factor, draws), DRAWS)


@pytest.mark.fault("wrong Delta for the measurement of persons")
@every_level
def test_noise_of_the_other_level_is_caught(query: int, sigma: float, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, household_pmw_pub, "household_pmw_pub", "measurement(query < persons)",
          "measurement(query >= persons)")  # fmt: skip
    with pytest.raises(AssertionError, match="do not follow"):
        assert_follows(BinnedLaw.of(*gaussian_masses(sigma, span=12)), residuals(query, Fraction(1), 500))


# ---- one run: a selection and a measurement


@dataclass(frozen=True)
class Neighbour:
    """The exact law of a run of one round on one of the neighbours, from loops and formulas alone."""

    homes: tuple[Home, ...]

    @cached_property
    def scores(self) -> np.ndarray:
        counts, public, n = by_hand([*self.homes]), by_hand(PUBLIC), len(self.homes)
        rounded = [math.floor(Fraction(n * int(x), len(PUBLIC)) + Fraction(1, 2)) for x in public]
        return np.array([1] * OWN_FROM + [H] * OWN_FROM) * np.abs(counts - np.array(rounded))

    def selected(self, spending: float = 1.0) -> np.ndarray:
        """P(q) proportional to e^(u_q 2 epsilon0/(2 H)), with epsilon0^2 = rho."""
        epsilon0 = math.sqrt(float(RHO) * spending)
        weights = np.exp(self.scores * epsilon0 / H)
        return weights / weights.sum()

    def near(self, spending: float = 1.0) -> np.ndarray:
        """(14,): that the noisy count is within REACH of its level's sigma of ours' count."""
        epsilon0, found = math.sqrt(float(RHO)), []
        for query, moved in enumerate(by_hand([*self.homes]) - by_hand(OURS)):
            sigma = (H if query < OWN_FROM else 1) / epsilon0
            values, masses = gaussian_masses(sigma / math.sqrt(spending), span=12)
            inside = [m for v, m in zip(values, masses, strict=True) if abs(v + moved) <= REACH * sigma]
            found.append(math.fsum(inside) / math.fsum(masses))
        return np.array(found)


REACH = 0.8
BADLY_ANSWERED = {0, 2, 5, 7, 9, 10, 11, 12, 13}
"""The queries whose score is at least 9 under ours."""
RUNS = 2_500
EVENTS: dict[str, Callable[[Neighbour, float, float], float]] = {
    "a well answered query": lambda one, s, m: 1.0 - float(sum(one.selected(s)[q] for q in BADLY_ANSWERED)),
    "a badly answered one, with little noise": lambda one, s, m: float(
        sum(one.selected(s)[q] * one.near(m)[q] for q in BADLY_ANSWERED)
    ),
}  # fmt: skip
SIDES = {"ours": Neighbour(tuple(OURS)), "theirs": Neighbour(tuple(THEIRS))}


def hits(side: str, runs: int) -> dict[str, int]:
    """How often each event happens in so many runs of the whole mechanism."""
    schedule = household_rounds(ZCDP.at_most(RHO), 1, n=6, largest=H)
    counts, epsilon0 = by_hand(OURS), math.sqrt(float(RHO))
    drawn, near = transcripts([*SIDES[side].homes], schedule, runs, Batched()), 0
    for query, noisy in drawn:
        sigma = (H if query < OWN_FROM else 1) / epsilon0
        near += query in BADLY_ANSWERED and abs(noisy - int(counts[query])) <= REACH * sigma
    well, badly = EVENTS
    return {well: sum(query not in BADLY_ANSWERED for query, _ in drawn), badly: near}


def gate(name: str, side: str, times: int = 1) -> EventGate:
    return EventGate(EVENTS[name](SIDES[side], 1.0, 1.0), RUNS * times)


def assert_as_the_exact_law_has_it(side: str) -> None:
    found = hits(side, RUNS * AUDIT)
    for name in EVENTS:
        gate(name, side, AUDIT).assert_passed(found[name])


@pytest.mark.audit
@pytest.mark.parametrize("side", SIDES)
def test_events_of_a_run_are_as_frequent_as_the_exact_law_at_the_charge_has_them(side: str) -> None:
    assert_as_the_exact_law_has_it(side)


def in_selection(patch: pytest.MonkeyPatch) -> None:
    """epsilon is sqrt(2) times what is charged."""
    wrong = "epsilon * Fraction(1_414_213_562, 10**9) / (2 * sensitivity)"
    plant(patch, selection, "_rate", "epsilon / (2 * sensitivity)", wrong)


def in_measurement(patch: pytest.MonkeyPatch) -> None:
    plant_twice_the_rho(patch, DiscreteGaussian)


@pytest.mark.audit
@pytest.mark.fault("twice the charged rho in rounds of households")
@pytest.mark.parametrize("planted", [in_selection, in_measurement])
def test_twice_the_charged_rho_fails_the_audit(
    planted: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    planted(monkeypatch)
    with pytest.raises(AssertionError, match="the event happened in"):
        assert_as_the_exact_law_has_it("ours")


@pytest.mark.fault("a household replaced as one row")
def test_a_selection_at_the_rate_of_one_row_fails_the_audit(monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, household_pmw_pub, "household_pmw_pub", "select(scores, schedule.largest,", "select(scores, 1,")
    with pytest.raises(AssertionError, match="the event happened in"):
        assert_as_the_exact_law_has_it("ours")


def test_the_gates_pass_the_exact_law_and_catch_twice_the_rho_almost_surely() -> None:
    """By the binomial law, exactly."""
    (well, badly), ours = EVENTS, SIDES["ours"]
    for side in SIDES:
        for name in EVENTS:
            assert gate(name, side).catching(gate(name, side).exact) <= ALPHA
    assert gate(well, "ours").catching(EVENTS[well](ours, 2.0, 1.0)) > 0.999
    assert gate(badly, "ours").catching(EVENTS[badly](ours, 1.0, 2.0)) > 0.999


def test_the_two_laws_are_of_neighbours_within_what_is_charged() -> None:
    """By hand from the exact law: scores by at most H, and the log ratio of selections spans at most 2 epsilon0."""
    ours, theirs = SIDES.values()
    assert np.abs(ours.scores - theirs.scores).max() == H
    ratios = np.log(ours.selected() / theirs.selected())
    assert ratios.max() - ratios.min() <= 2 * math.sqrt(float(RHO)) + 1e-12
    assert ratios.max() - ratios.min() > math.sqrt(float(RHO)) / 2
