"""The noisy tables of both levels have the exact law of their stated scales, and together that of what is charged."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import pytest
from mechanisms.households.toy_households import Home, households, planned, tables
from mechanisms.table_fit.test_table_fit_laws import Neighbours as RowNeighbours
from mechanisms.table_fit.toy_tables import stated_scales
from privacy.laws import gaussian_masses
from support.audits import EventGate
from support.fakes import ScaledNoise
from support.planting import plant_twice_the_rho
from support.statistical import ALPHA, AUDIT, BinnedLaw, assert_both_arms, assert_rejects

from pmwpub.mechanisms.households.household_counts import HouseholdCounts, count_households
from pmwpub.mechanisms.households.household_fit import measure_households
from pmwpub.mechanisms.households.household_schedule import HouseholdSchedule
from pmwpub.privacy.budget import ZCDP
from pmwpub.privacy.noise import SECURE, NoiseSource
from pmwpub.privacy.vector_gaussian import VectorGaussian
from pmwpub.records import Ints
from pmwpub.tabular.households.grouped_persons import Households

H = 3
PUBLIC: list[Home] = [((0, 0, 0), (0, 1, 1)), ((1, 1, 0),), ((1, 2, 1), (1, 2, 0)), ((0, 1, 0), (0, 0, 1), (0, 0, 0))]
RHO = Fraction(1, 2)
DRAWS = 4_000 * AUDIT


def scales(rho: Fraction) -> list[float]:
    """Of each table, those of persons first: nine tenths of rho at H, one tenth at 1, by the loops of table fit."""
    public = households(PUBLIC, H)
    own, whole = tables(H), float(rho)
    return stated_scales(own.persons, public.persons, 0.9 * whole, H) + stated_scales(
        own.own, public.own, 0.1 * whole, 1
    )


def edges() -> Ints:
    of = tables(H)
    return np.concatenate([of.persons.offsets, of.persons.queries + of.own.offsets[1:]])


def counts_of(some: list[Home]) -> HouseholdCounts:
    return count_households(tables(H), households(some, H))


def residuals(table: int, noise: NoiseSource, draws: int) -> list[int]:
    """Noisy minus true counts of one table's cells, over as many measurements as it takes."""
    counts, schedule, found = counts_of(PUBLIC), planned(PUBLIC, H, 4, ZCDP.at_most(RHO)), []
    cells = slice(*edges()[table : table + 2].tolist())
    true = np.concatenate([counts.persons, counts.own])
    while len(found) < draws:
        noisy = np.concatenate(measure_households(counts, schedule, noise=noise))
        found += (noisy - true)[cells].tolist()
    return found[:draws]


@pytest.mark.parametrize("table", [3, 9], ids=["of persons", "of households"])
def test_a_table_has_the_exact_law_of_its_stated_scale(table: int) -> None:
    def draw(factor: Fraction, draws: int) -> list[int]:
        return residuals(table, SECURE if factor == 1 else ScaledNoise(factor), draws)

    assert_both_arms(BinnedLaw.of(*gaussian_masses(scales(RHO)[table], span=20)), draw, DRAWS)


@pytest.mark.fault("half the noise")
def test_tables_of_households_with_half_the_noise_are_caught() -> None:
    law = BinnedLaw.of(*gaussian_masses(scales(RHO)[9], span=20))
    assert_rejects(law, residuals(9, ScaledNoise(Fraction(1, 2)), 4_000))


# ---- end to end


@dataclass(frozen=True)
class HomeNeighbours(RowNeighbours):
    """Two lists of households that differ in one, and an event of the noisy tables of both levels.

    As for rows: at least `least` cells within their table's reach of ours' counts; its chance on either neighbour is
    exact.
    """

    homes: tuple[Home, ...] = ()
    others: tuple[Home, ...] = ()

    @cached_property
    def planned(self) -> HouseholdSchedule:
        return planned(PUBLIC, H, len(self.homes), ZCDP.at_most(self.rho))

    @cached_property
    def scales(self) -> list[float]:
        return scales(self.rho)

    @cached_property
    def edges(self) -> Ints:
        return edges()

    @cached_property
    def counts(self) -> dict[bool, Ints]:
        found = {mine: counts_of([*(self.homes if mine else self.others)]) for mine in (True, False)}
        return {mine: np.concatenate([one.persons, one.own]) for mine, one in found.items()}

    def some(self, mine: bool) -> Households:
        return households(self.homes if mine else self.others, H)

    def hits(self, mine: bool, runs: int) -> int:
        """In how many measurements, the only look at private counts, the event happens; what follows from them is
        held by the replay in `test_household_fit`."""
        near, found = np.repeat(self.reach, np.diff(self.edges)), 0
        counts, schedule = count_households(tables(H), self.some(mine)), self.planned
        for _ in range(runs):
            noisy = np.concatenate(measure_households(counts, schedule))
            found += int((np.abs(noisy - self.counts[True]) <= near).sum()) >= self.least
        return found


ONE, LARGEST = ((1, 1, 0),), ((0, 0, 1),) * H
REST = (((0, 1, 0), (0, 2, 3 - 1)), ((1, 2, 1),))
CASES = {
    "one person replaced by the largest household": HomeNeighbours(
        H, (), (), (), Fraction(1, 4), 250, homes=(ONE, *REST), others=(LARGEST, *REST)
    ),
    "the largest household by one person without a level": HomeNeighbours(
        H, (), (), (), Fraction(1, 4), 250, homes=(LARGEST, *REST), others=(((2, 3, 2),), *REST)
    ),
}
every = pytest.mark.parametrize("name", CASES)


@pytest.mark.audit
@every
@pytest.mark.parametrize("mine", [True, False], ids=["ours", "theirs"])
def test_an_event_of_the_noisy_tables_is_as_frequent_as_the_exact_law_at_the_charge_has_it(
    name: str, mine: bool
) -> None:
    gate = CASES[name].gate(mine, AUDIT)
    gate.assert_passed(CASES[name].hits(mine, gate.runs))


@pytest.mark.audit
@pytest.mark.fault("twice the charged rho in tables of households")
@every
def test_noise_for_twice_the_charged_rho_fails_the_audit(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plant_twice_the_rho(monkeypatch, VectorGaussian)
    gate = CASES[name].gate(True, AUDIT)
    with pytest.raises(AssertionError, match="the event happened in"):
        gate.assert_passed(CASES[name].hits(True, gate.runs))


@every
def test_the_gate_passes_the_exact_law_and_catches_twice_the_rho_almost_surely(name: str) -> None:
    """By the binomial law, exactly."""
    case = CASES[name]
    for mine in (True, False):
        gate: EventGate = case.gate(mine)
        assert gate.catching(gate.exact) <= ALPHA
        assert gate.catching(case.probability(mine, case.least, 2.0)) > 0.999


def test_the_event_s_neighbours_are_neighbours() -> None:
    """Of each case the households' counts differ by at most what the sensitivities allow, and the law is apart."""
    for case in CASES.values():
        moved = (case.counts[True] - case.counts[False])[: tables(H).persons.queries]
        assert 1 < np.abs(moved).max() <= H
        assert not math.isclose(case.probability(True, case.least), case.probability(False, case.least), rel_tol=1e-3)
