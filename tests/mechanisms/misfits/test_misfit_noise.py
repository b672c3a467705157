"""The look at the fit: its exact law, its charge, what neighbours show, and the faults that must be noticed."""

from __future__ import annotations

import itertools
import json
import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from privacy.laws import gaussian_masses, renyi
from support.audits import EventGate
from support.fakes import FixedNoise, RecordedNoise, ScaledNoise
from support.planting import plant, plant_twice_the_rho
from support.statistical import ALPHA, AUDIT, BinnedLaw, assert_both_arms, assert_rejects

from pmwpub.errors import PlanError
from pmwpub.mechanisms.misfits import misfit_noise
from pmwpub.mechanisms.misfits.misfit_noise import (
    MisfitNoise,
    misfit_release,
    most_columns,
    narrowest,
    share_between,
    squared_sensitivity,
)
from pmwpub.privacy.budget import ZCDP
from pmwpub.privacy.noise import SECURE, NoiseSource
from pmwpub.privacy.vector_gaussian import VectorGaussian
from pmwpub.queries.counts import PrivateCounts
from pmwpub.tabular.files.reading import open_table
from pmwpub.tabular.misfit_pass import misfits
from pmwpub.tabular.private_pass import survey
from pmwpub.tabular.schema.table_schema import Schema

DRAWS = 20_000 * AUDIT
TWO = MisfitNoise(columns=2, n=1_000, rows_per_person=1, half_width=Fraction(1, 100))
"""Ten rows of half-width: sigma = 10/1.96 = 250/49."""

SIGMA = 250 / 49
COUNTS = PrivateCounts(np.array([40, 0, 41]), 1_000)


def test_the_price_is_that_of_the_hand_calculation() -> None:
    """k^2 (c + 1)/(2 sigma^2) = 3/(2 (250/49)^2) = 7203/125000 = 0.057624."""
    assert TWO.noise.scale == Fraction(250, 49)
    assert TWO.rho == ZCDP(57_624_000_000_000)
    three = MisfitNoise(columns=7, n=5_000, rows_per_person=3, half_width=Fraction(1, 50))
    # h = 100 rows: 9 * 8 * 49^2/(2 * 25^2 * 100^2) = 0.0138
    assert three.rho == ZCDP.at_least(Fraction(9 * 8 * 49**2, 2 * 25**2 * 100**2))


@given(st.integers(1, 40), st.integers(50, 10**6), st.integers(1, 5), st.fractions(Fraction(1, 40), Fraction(1, 2)))
def test_what_is_charged_is_never_below_the_formula_and_a_unit_above_at_most(
    columns: int, n: int, k: int, half_width: Fraction
) -> None:
    law = MisfitNoise(columns, n, k, half_width)
    exact = Fraction(k * k * (columns + 1)) / (2 * law.noise.scale**2)
    assert exact <= law.rho.rho < exact + Fraction(1, 10**15)
    assert law.rows <= half_width * n < law.rows + 1


@given(st.integers(1, 40), st.integers(2, 10**7), st.integers(1, 5), st.integers(1, 10**15))
def test_the_narrowest_half_width_is_the_first_that_is_affordable(columns: int, n: int, k: int, units: int) -> None:
    most = ZCDP(units)
    found = narrowest(columns, n, k, most)
    if found is None:
        assert n < 2 or MisfitNoise(columns, n, k, Fraction(n // 2, n)).rho > most
        return
    rows = found * n
    assert MisfitNoise(columns, n, k, found).rho <= most
    assert rows == 1 or MisfitNoise(columns, n, k, (rows - 1) / n).rho > most


@given(st.integers(10, 10**6), st.integers(1, 4), st.fractions(Fraction(1, 10), Fraction(1, 2)), st.integers(1, 10**14))
def test_as_many_columns_are_offered_as_the_price_allows(n: int, k: int, half_width: Fraction, units: int) -> None:
    most = ZCDP(units)
    columns = most_columns(n, k, half_width, most)
    assert columns == 0 or MisfitNoise(columns, n, k, half_width).rho <= most
    assert MisfitNoise(columns + 1, n, k, half_width).rho > most


@pytest.mark.parametrize("rows", [1, 2, 3, 4, 5, 7, 10, 20, 33, 100, 1_000, 20_000])
def test_the_half_width_holds_at_least_95_percent_of_the_exact_law(rows: int) -> None:
    """And hardly more once it is many rows: a wider interval than was said would sell too much."""
    law = MisfitNoise(1, 10**6, 1, Fraction(rows, 10**6))
    outcomes, masses = gaussian_masses(float(law.noise.scale))
    within = math.fsum(mass for z, mass in zip(outcomes, masses, strict=True) if abs(z) <= rows)
    assert within >= 0.95
    assert rows < 100 or within < 0.953


def test_one_vector_is_drawn_at_the_stated_scale_and_nothing_else() -> None:
    noise = RecordedNoise(FixedNoise(offset=-3))
    assert misfit_release(COUNTS, TWO, noise=noise).tolist() == [37, -3, 38]
    assert [(name, args) for name, args, _ in noise.calls] == [("gaussians", ([40, 0, 41], Fraction(250, 49)))]


def test_shares_are_of_all_rows_and_their_ends_stay_between_none_and_all() -> None:
    assert share_between(37, TWO) == (Fraction(37, 1000), Fraction(27, 1000), Fraction(47, 1000))
    assert share_between(-3, TWO) == (Fraction(-3, 1000), 0, Fraction(10, 1000)), "about 0, not below it"
    assert share_between(-30, TWO) == (Fraction(-30, 1000), 0, Fraction(10, 1000)), "never narrower than its noise"
    assert share_between(1005, TWO) == (Fraction(1005, 1000), Fraction(990, 1000), 1)
    assert share_between(995, TWO) == (Fraction(995, 1000), Fraction(985, 1000), 1)


@pytest.mark.parametrize(
    ("columns", "n", "k", "half_width"),
    [(0, 10, 1, "0.1"), (1, 10, 0, "0.1"), (1, 10, 1, "0"), (1, 10, 1, "0.6"), (1, 99, 1, "0.01")],
)
def test_what_cannot_be_looked_at_is_refused(columns: int, n: int, k: int, half_width: str) -> None:
    with pytest.raises(PlanError):
        MisfitNoise(columns, n, k, Fraction(half_width))


def test_counts_of_another_look_are_refused() -> None:
    for counts in (PrivateCounts(np.array([1, 1]), 1_000), PrivateCounts(np.array([1, 1, 1]), 999)):
        with pytest.raises(PlanError, match="another look"):
            misfit_release(counts, TWO)


# ---- sensitivity: what one person's rows move


def counted(rows: list[tuple[bool, ...]]) -> list[int]:
    """By hand: rows that misfit in each column, then in any."""
    return [*(sum(row[place] for row in rows) for place in range(len(rows[0]))), sum(map(any, rows))]


def moved(columns: int, k: int) -> int:
    """The most that the squared L2 distance of neighbours' counts can be, by trying all pairs of one person's rows."""
    rows = [*itertools.product((False, True), repeat=columns)]
    own = [*itertools.combinations_with_replacement(rows, k)]
    return max(
        sum((a - b) ** 2 for a, b in zip(counted([*ours]), counted([*theirs]), strict=True))
        for ours in own
        for theirs in own
    )


def assert_covers_all_moves() -> None:
    for columns, k in ((1, 1), (2, 1), (3, 1), (4, 1), (1, 3), (2, 2), (2, 3)):
        assert misfit_noise.squared_sensitivity(columns, k) >= moved(columns, k), "a person's rows move it further"


def test_no_person_moves_the_counts_further_than_the_sensitivity_and_some_reach_it() -> None:
    assert_covers_all_moves()
    assert all(squared_sensitivity(columns, k) == moved(columns, k) for columns, k in ((1, 1), (3, 1), (2, 3)))


@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param("rows_per_person**2", marks=pytest.mark.fault("the root of c + 1 forgotten")),
        pytest.param("(columns + 1)", marks=pytest.mark.fault("wrong sensitivity for k rows")),
        pytest.param("rows_per_person**2 * columns", marks=pytest.mark.fault("rows with any misfit not charged")),
        pytest.param("rows_per_person * (columns + 1)", marks=pytest.mark.fault("wrong sensitivity for k rows")),
    ],
)
def test_a_sensitivity_that_forgets_a_part_is_noticed(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, misfit_noise, "squared_sensitivity", "rows_per_person**2 * (columns + 1)", wrong)
    with pytest.raises(AssertionError, match="move it further"):
        assert_covers_all_moves()


def test_the_charge_is_that_of_the_worst_neighbours_on_the_exact_law() -> None:
    """k rows that misfit in both columns against k that misfit nowhere: Renyi divergences add up over the counts."""
    for k in (1, 3):
        law = MisfitNoise(2, 1_000, k, Fraction(1, 100))
        outcomes, _ = gaussian_masses(SIGMA, span=20)
        for order in (1.5, 2.0, 8.0):
            ours, theirs = ([math.exp(-((z - place) ** 2) / (2 * SIGMA**2)) for z in outcomes] for place in (0, k))
            one = renyi([p / sum(ours) for p in ours], [q / sum(theirs) for q in theirs], order)
            assert 3 * one <= order * float(law.rho.rho) * (1 + 1e-9)
            assert 3 * one >= order * float(law.rho.rho) * 0.99


# ---- the law of the noise, and of a release end to end


def residuals(noise: NoiseSource, draws: int) -> list[int]:
    found: list[int] = []
    while len(found) < draws:
        found += (misfit_release(COUNTS, TWO, noise=noise) - COUNTS.counts).tolist()
    return found[:draws]


LAW = BinnedLaw.of(*gaussian_masses(SIGMA, span=20))


@pytest.mark.audit
def test_every_count_has_the_exact_law_of_the_stated_scale_and_other_scales_are_noticed() -> None:
    assert_both_arms(LAW, lambda factor, draws: residuals(SECURE if factor == 1 else ScaledNoise(factor), draws), DRAWS)


@pytest.mark.fault("half the noise")
def test_half_the_noise_is_noticed() -> None:
    assert_rejects(LAW, residuals(ScaledNoise(Fraction(1, 2)), 4_000))


@dataclass(frozen=True)
class Neighbours:
    """Two private files that differ in a person's first k rows, which misfit everywhere in ours and
    nowhere in theirs, and an event: at least c of the c + 1 noisy counts are near ours' own.

    Its probability on either is computed from the half-width alone: the counts' noises are independent.
    """

    k: int
    columns: int
    rows: int
    runs: int
    n: int = 100
    others: int = 6

    @cached_property
    def law(self) -> MisfitNoise:
        return MisfitNoise(self.columns, self.n, self.k, Fraction(self.rows, self.n))

    def private(self, mine: bool) -> bytes:
        """A file: the person's rows, `others` rows that misfit everywhere, and rows that misfit nowhere."""
        bad, good = ",".join(["x"] * self.columns), ",".join(["a"] * self.columns)
        rows = [bad if mine else good] * self.k + [bad] * self.others + [good] * (self.n - self.k - self.others)
        return "\n".join([",".join(self.names), *rows, ""]).encode()

    @property
    def names(self) -> list[str]:
        return [f"c{place}" for place in range(self.columns)]

    @cached_property
    def schema(self) -> Schema:
        columns = [{"name": name, "kind": "categorical", "levels": ["a", "b"]} for name in self.names]
        return Schema.from_json(json.dumps({"version": 1, "columns": columns}))

    def counts(self, mine: bool) -> PrivateCounts:
        """As a purchase counts them."""
        table = open_table(self.private(mine))
        found = survey(table, self.schema, n=self.n, rows_per_person=self.k)
        counts = misfits(table, self.schema, self.names, digest=found.digest, n=self.n, rows_per_person=self.k)
        return PrivateCounts(counts, self.n)

    def probability(self, mine: bool, spending: float = 1.0) -> float:
        """Of the event, at so many times the charged rho."""
        scale = self.rows / 1.96
        outcomes, masses = gaussian_masses(scale / math.sqrt(spending))
        by = 0 if mine else -self.k
        near = math.fsum(m for z, m in zip(outcomes, masses, strict=True) if abs(z + by) <= round(scale))
        missed = 1 - near
        return near ** (self.columns + 1) + (self.columns + 1) * missed * near**self.columns

    def gate(self, mine: bool, times: int = 1) -> EventGate:
        return EventGate(self.probability(mine), self.runs * times)

    def hits(self, mine: bool, runs: int) -> int:
        counts, centre = self.counts(mine), self.k + self.others
        near = round(self.rows / 1.96)
        found = 0
        for _ in range(runs):
            noisy = misfit_release(counts, self.law)
            found += int((np.abs(noisy - centre) <= near).sum()) >= self.columns
        return found


CASES = {"one row, two columns": Neighbours(1, 2, 8, 1_200), "three rows, four columns": Neighbours(3, 4, 20, 1_200)}
every = pytest.mark.parametrize("name", CASES)


@pytest.mark.audit
@every
@pytest.mark.parametrize("mine", [True, False], ids=["ours", "theirs"])
def test_an_event_of_a_look_is_as_frequent_as_the_exact_law_at_the_charge_has_it(name: str, mine: bool) -> None:
    gate = CASES[name].gate(mine, AUDIT)
    gate.assert_passed(CASES[name].hits(mine, gate.runs))


@pytest.mark.audit
@pytest.mark.fault("twice the charged rho in a look at the fit")
@every
def test_noise_for_twice_the_charged_rho_fails_the_audit(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plant_twice_the_rho(monkeypatch, VectorGaussian)
    gate = CASES[name].gate(True, AUDIT)
    with pytest.raises(AssertionError, match="the event happened in"):
        gate.assert_passed(CASES[name].hits(True, gate.runs))


@every
@pytest.mark.parametrize("times", [1, 10])
def test_the_gate_passes_the_exact_law_and_catches_twice_the_rho_almost_surely(name: str, times: int) -> None:
    """By the binomial law, exactly."""
    case = CASES[name]
    for mine in (True, False):
        gate = case.gate(mine, times)
        assert gate.catching(gate.exact) <= ALPHA
        assert gate.catching(case.probability(mine, 2.0)) > 0.999
