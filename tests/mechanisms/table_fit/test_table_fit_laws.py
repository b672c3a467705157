"""The noisy tables have the exact law of their stated scales, and a release end to end the law of what is charged."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import pytest
from mechanisms.table_fit.toy_tables import in_order, planned, released, stated_scales
from privacy.laws import gaussian_masses
from support import tables
from support.audits import EventGate
from support.fakes import FixedNoise, ScaledNoise
from support.planting import plant_twice_the_rho
from support.statistical import ALPHA, AUDIT, Array, BinnedLaw, assert_both_arms, assert_follows, assert_rejects

from pmwpub.mechanisms.table_fit.coarse_tables import RangeTables
from pmwpub.mechanisms.table_fit.table_fit import measure
from pmwpub.mechanisms.table_fit.table_schedule import TableSchedule
from pmwpub.privacy.budget import ZCDP
from pmwpub.privacy.noise import SECURE, NoiseSource
from pmwpub.privacy.vector_gaussian import VectorGaussian
from pmwpub.queries.counts import PrivateCounts, count
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset, Ints, Support

WIDE = tables.domain(25, 8)
WORKLOAD = Workload.all_kway(WIDE, 2)
ROWS = tables.table(WIDE, 300, 7, no_level=True)
PUBLIC = tables.table(WIDE, 200, 8)
RHO = Fraction(2, 5)
DRAWS = 20_000 * AUDIT
TABLES = 3
SURE = 4.9, 3.1
"""Deviations that half of ALPHA, and a miss in a thousand, lie beyond."""


@dataclass(frozen=True)
class Wide:
    """Two attributes, one person of two rows: tables of 25, 8 and 200 cells, each with a scale of its own."""

    @cached_property
    def plan(self) -> TableSchedule:
        return planned(WORKLOAD, Support.of(PUBLIC), ZCDP.at_most(RHO), 2)

    @cached_property
    def counts(self) -> PrivateCounts:
        return count(self.plan.tables, ROWS)

    @cached_property
    def laws(self) -> list[BinnedLaw]:
        """Of each table, by the stated scales alone: no function of the package takes part."""
        scales = stated_scales(WORKLOAD, PUBLIC, float(RHO), 2)
        return [BinnedLaw.of(*gaussian_masses(scale, span=20)) for scale in scales]

    def residuals(self, table: int, noise: NoiseSource, draws: int) -> list[int]:
        """Noisy minus true counts of one table's cells, over as many measurements as it takes."""
        edges, found = self.plan.tables.offsets, []
        cells = slice(edges[table], edges[table + 1])
        while len(found) < draws:
            noisy = measure(self.counts, self.plan, noise=noise)
            found += (noisy - self.counts.counts)[cells].tolist()
        return found[:draws]


TOY = Wide()


@pytest.mark.parametrize("table", range(TABLES))
def test_every_table_has_the_exact_law_of_its_stated_scale(table: int) -> None:
    def draw(factor: Fraction, draws: int) -> list[int]:
        return TOY.residuals(table, SECURE if factor == 1 else ScaledNoise(factor), draws)

    assert_both_arms(TOY.laws[table], draw, DRAWS if table == 2 else DRAWS // 4)


@pytest.mark.fault("half the noise")
def test_tables_with_half_the_noise_are_caught() -> None:
    assert_rejects(TOY.laws[2], TOY.residuals(2, ScaledNoise(Fraction(1, 2)), 4_000))


class Rounded(FixedNoise):
    """A continuous Gaussian, rounded to whole numbers."""

    def gaussians(self, values: list[int], scale: Fraction) -> list[int]:
        return [value + round(random.gauss(0, float(scale))) for value in values]


def at_a_scale_of_half_a_count(noise: NoiseSource) -> Iterable[int]:
    workload = Workload.all_kway(tables.domain(50), 1)
    plan = planned(workload, tables.support(workload.domain, 90, 1), ZCDP.at_most(4))
    counts = count(plan.tables, tables.table(workload.domain, 90, 2))
    for _ in range(200):
        yield from (measure(counts, plan, noise=noise) - counts.counts).tolist()


@pytest.mark.fault("float noise")
def test_rounded_float_noise_on_tables_is_caught() -> None:
    """Its law is another, plain to see at k/sqrt(rho) = 1/2."""
    law = BinnedLaw.of(*gaussian_masses(0.5, span=20))
    assert_follows(law, at_a_scale_of_half_a_count(SECURE))
    assert_rejects(law, at_a_scale_of_half_a_count(Rounded()))


def test_intervals_from_a_table_s_own_deviations_cover_as_often_as_its_exact_law_has_it() -> None:
    """Noisy counts are not clamped: an interval of z deviations around one holds the true count by the law alone."""
    for table, scale in enumerate(stated_scales(WORKLOAD, PUBLIC, float(RHO), 2)):
        outcomes, masses = gaussian_masses(scale)
        found = np.abs(np.array(TOY.residuals(table, SECURE, 2_000)))
        for deviations in (0.6745, 1.96):
            reach = math.floor(deviations * float(TOY.plan.noises[table].scale))
            exact = math.fsum(mass for z, mass in zip(outcomes, masses, strict=True) if abs(z) <= reach)
            EventGate(exact, len(found)).assert_passed(int((found <= reach).sum()))


# ---- end to end


@dataclass(frozen=True)
class Neighbours:
    """Two tables of a person of `k` rows, and an event of the noisy tables: at least `least` cells near ours' counts.

    The event's probability is computed from the stated scales: cells are independent, so it is a sum over numbers of
    hits, and on either neighbour each cell's own chance is exact.
    """

    k: int
    ours: tuple[tuple[int, ...], ...]
    theirs: tuple[tuple[int, ...], ...]
    sizes: tuple[int, ...]
    rho: Fraction
    runs: int
    three_way: Fraction | None = None
    ranges: RangeTables | None = None

    @cached_property
    def workload(self) -> Workload:
        return Workload.all_kway(in_order(*self.sizes), 2 if self.three_way is None else 3)

    @cached_property
    def public(self) -> Dataset:
        return tables.table(self.workload.domain, 50, 3)

    @cached_property
    def plan(self) -> TableSchedule:
        budget, options = ZCDP.at_most(self.rho), {"three_way": self.three_way, "ranges": self.ranges}
        return planned(self.workload, Support.of(self.public), budget, self.k, **options)  # type: ignore[arg-type]

    @cached_property
    def scales(self) -> list[float]:
        share = 0.0 if self.three_way is None else float(self.three_way)
        coarse = 0.0 if self.ranges is None else float(self.ranges.share)
        found = stated_scales(self.workload, self.public, float(self.rho) * (1.0 - coarse), self.k, share)
        return found + [self.k / math.sqrt(float(self.rho) * coarse / len(self.merged)) for _ in self.merged]

    @cached_property
    def merged(self) -> list[tuple[int, int]]:
        """The coarse tables by hand: the place of each one's column, and how many levels are one cell of it."""
        factor = 0 if self.ranges is None else self.ranges.factor
        found = []
        for place, size in enumerate(self.sizes):
            width = factor
            while self.ranges is not None and f"a{place}" in self.ranges.columns and width < size:
                found.append((place, width))
                width *= factor
        return found

    @cached_property
    def counts(self) -> dict[bool, Ints]:
        """int64: the exact cells of all tables, those of coarse ones behind the others."""
        domain, found = self.workload.domain, {}
        for mine, rows in ((True, self.ours), (False, self.theirs)):
            parts = [count(self.plan.tables, Dataset(domain, rows)).counts]
            for place, width in self.merged:
                own = [row[place] // width for row in rows if row[place] < self.sizes[place]]
                parts.append(np.bincount(own, minlength=-(-self.sizes[place] // width)))
            found[mine] = np.concatenate(parts)
        return found

    @cached_property
    def edges(self) -> Ints:
        """int64 (tables + 1,): where the cells of each table begin."""
        more = np.array([-(-self.sizes[place] // width) for place, width in self.merged], dtype=np.int64)
        return np.concatenate([self.plan.tables.offsets, self.plan.tables.queries + np.cumsum(more)])

    def chance(self, mine: bool, spending: float = 1.0) -> Array:
        """float64 (cells,): that a cell's noisy count is within its table's reach of ours' count."""
        moved = self.counts[mine] - self.counts[True]
        found, edges = [], self.edges
        for t, scale in enumerate(self.scales):
            outcomes, masses = gaussian_masses(scale / math.sqrt(spending))
            for by in moved[edges[t] : edges[t + 1]].tolist():
                found.append(
                    math.fsum(m for z, m in zip(outcomes, masses, strict=True) if abs(z + by) <= self.reach[t])
                )
        return np.array(found)

    @cached_property
    def reach(self) -> list[int]:
        return [round(scale) for scale in self.scales]

    def probability(self, mine: bool, least: int, spending: float = 1.0) -> float:
        numbers = np.array([1.0])
        for chance in self.chance(mine, spending):
            numbers = np.convolve(numbers, [1 - chance, chance])
        return min(1.0, float(numbers[least:].sum()))

    @cached_property
    def least(self) -> int:
        """The hits whose event needs the fewest runs to be told from noise for twice the rho; no run decides."""
        return min(range(1, int(self.edges[-1]) + 1), key=self._runs_needed)

    def _runs_needed(self, least: int) -> float:
        needed = 0.0
        for mine in (True, False):
            right, wrong = self.probability(mine, least), self.probability(mine, least, 2.0)
            spread = SURE[0] * math.sqrt(right * (1 - right)) + SURE[1] * math.sqrt(wrong * (1 - wrong))
            needed = max(needed, ((spread + 1e-3) / max(abs(wrong - right), 1e-9)) ** 2)
        return needed

    def gate(self, mine: bool, times: int = 1) -> EventGate:
        return EventGate(self.probability(mine, self.least), self.runs * times)

    def hits(self, mine: bool, runs: int) -> int:
        """In how many releases, each a whole run of the engine, the event happens."""
        near = np.repeat(self.reach, np.diff(self.edges))
        found = 0
        for _ in range(runs):
            release = released_of(self, mine)
            found += int((np.abs(release - self.counts[True]) <= near).sum()) >= self.least
        return found


def released_of(case: Neighbours, mine: bool) -> Ints:
    rows = Dataset(case.workload.domain, case.ours if mine else case.theirs)
    found = released(rows, case.plan, Support.of(case.public))
    return found.noisy if found.coarse is None else np.concatenate([found.noisy, found.coarse])


CASES = {
    "one row": Neighbours(1, ((0, 0), (1, 1), (1, 0)), ((1, 2), (1, 1), (1, 0)), (2, 3), Fraction(1, 4), 500),
    "two rows, one without a level": Neighbours(
        2, ((0, 0, 1), (1, 1, 0), (1, 2, 0)), ((1, 1, 0), (2, 1, 1), (1, 2, 0)), (2, 3, 2), Fraction(1, 2), 300
    ),
    "one row, with tables of three columns": Neighbours(
        1, ((0, 0, 1), (1, 1, 0)), ((1, 2, 0), (1, 1, 0)), (2, 3, 2), Fraction(1, 4), 300, Fraction(1, 4)
    ),
    "one row, with coarse tables": Neighbours(
        1, ((0, 0), (4, 1), (1, 0)), ((4, 0), (4, 1), (1, 0)), (5, 2), Fraction(1, 4), 300, None,
        RangeTables(("a0",), Fraction(1, 2), 2),
    ),
    "two rows, one without a level, with coarse tables": Neighbours(
        2, ((0, 0), (4, 1), (1, 0)), ((5, 0), (3, 1), (1, 0)), (5, 2), Fraction(1, 2), 300, None,
        RangeTables(("a0",), Fraction(1, 2), 2),
    ),
}  # fmt: skip
every = pytest.mark.parametrize("name", CASES)
Plant = Callable[[pytest.MonkeyPatch], None]


@pytest.mark.audit
@every
@pytest.mark.parametrize("mine", [True, False], ids=["ours", "theirs"])
def test_an_event_of_a_release_is_as_frequent_as_the_exact_law_at_the_charge_has_it(name: str, mine: bool) -> None:
    gate = CASES[name].gate(mine, AUDIT)
    gate.assert_passed(CASES[name].hits(mine, gate.runs))


@pytest.mark.audit
@pytest.mark.fault("twice the charged rho in tables")
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
        assert gate.catching(case.probability(mine, case.least, 2.0)) > 0.999
