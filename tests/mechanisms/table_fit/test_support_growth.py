"""Growing the support: which cells get rows, which rows they are, and that a rebuild adds the same ones."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mechanisms.table_fit.toy_tables import BUDGET, CONSTANTS
from support import tables
from support.fakes import FixedNoise, SeededNoise
from support.planting import plant

from pmwpub.errors import PlanError
from pmwpub.mechanisms.table_fit import table_fit as engine
from pmwpub.mechanisms.table_fit.fit_constants import SupportGrowth
from pmwpub.mechanisms.table_fit.measured_tables import measured_tables
from pmwpub.mechanisms.table_fit.one_way_estimates import lacking_levels
from pmwpub.mechanisms.table_fit.support_growth import GrownCell, evident_cells, grown_support
from pmwpub.mechanisms.table_fit.table_fit import TableRelease, estimates_of, refit, table_fit
from pmwpub.mechanisms.table_fit.table_schedule import TableSchedule, schedule
from pmwpub.privacy.budget import ZCDP
from pmwpub.privacy.noise import NoiseSource
from pmwpub.queries.counts import count
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset, Support

SHAPE = tables.domain(3, 2, 4)
WORKLOAD = Workload.all_kway(SHAPE, 3)
GROWTH = SupportGrowth()
AMPLE = ZCDP.at_most(Fraction(5))
N = 2_000


def everybody(rows: int, seed: int) -> Dataset:
    return tables.table(SHAPE, rows, seed)


def without(dataset: Dataset, first: int, second: int) -> Support:
    """The support of the rows that do not have a0 = first together with a1 = second."""
    codes = dataset.codes
    return Support.of(Dataset(SHAPE, codes[(codes[:, 0] != first) | (codes[:, 1] != second)]))


PUBLIC = without(everybody(600, 3), 2, 1)
"""A sixth of the people are in the one cell of a0 and a1 that no public row is in."""


def planned(
    support: Support = PUBLIC, budget: ZCDP = AMPLE, growth: SupportGrowth | None = GROWTH, *, complete: bool = True
) -> TableSchedule:
    return schedule(
        measured_tables(WORKLOAD),
        support,
        budget,
        rows_per_person=1,
        complete=complete,
        constants=CONSTANTS,
        growth=growth,
    )


def released(plan: TableSchedule, private: Dataset, support: Support, noise: NoiseSource) -> TableRelease:
    return table_fit(count(plan.tables, private), support, plan, noise=noise)


def cell_of(plan: TableSchedule, attributes: tuple[int, int], codes: tuple[int, int]) -> int:
    place = [table.attributes for table in plan.tables.marginals].index(attributes)
    return int(plan.tables.offsets[place]) + codes[0] * SHAPE.shape[attributes[1]] + codes[1]


def share(release: TableRelease, first: int, second: int) -> float:
    columns = release.distribution.support.columns
    return float(release.distribution.weights[(columns[0] == first) & (columns[1] == second)].sum())


@pytest.mark.parametrize("seed", range(5))
def test_a_public_table_like_the_private_one_gets_no_rows_and_the_release_of_a_plan_without_growth(seed: int) -> None:
    private, public = everybody(N, 9), Support.of(everybody(600, 3))
    grown, plain = planned(public), planned(public, growth=None)
    one, other = (released(plan, private, public, SeededNoise(seed)) for plan in (grown, plain))
    assert one.choices == other.choices
    assert one.choices.grown == ()
    assert one.distribution.support is public
    assert one.distribution.weights.tobytes() == other.distribution.weights.tobytes()


def test_a_full_cell_that_no_public_row_is_in_gets_rows_and_its_share_comes_near_the_truth() -> None:
    private, plan = everybody(N, 9), planned()
    release = released(plan, private, PUBLIC, SeededNoise(1))
    assert [one.cell for one in release.choices.grown] == [cell_of(plan, (0, 1), (2, 1))]
    truth = float(np.mean((private.codes[:, 0] == 2) & (private.codes[:, 1] == 1)))
    assert truth > 0.15
    assert share(release, 2, 1) == pytest.approx(truth, abs=0.03)
    assert share(released(planned(growth=None), private, PUBLIC, SeededNoise(1)), 2, 1) == 0.0


def test_the_weight_of_added_rows_is_that_of_the_noisy_share_beside_the_public_rows() -> None:
    private, plan = everybody(N, 9), planned()
    counts = count(plan.tables, private)
    (one,) = table_fit(counts, PUBLIC, plan, noise=FixedNoise()).choices.grown
    part = counts.counts[one.cell] / N
    assert one.weight == round(PUBLIC.rows * 1_000 * part / (1 - part))


def test_a_share_is_no_more_than_the_upper_end_of_either_attribute_alone() -> None:
    plan, private = planned(), everybody(N, 9)
    noisy = count(plan.tables, private).counts.copy()
    noisy[cell_of(plan, (0, 1), (2, 1))] = N  # of whom a0 = 2 has a third
    estimates = estimates_of(plan, noisy, N, lacking_levels(plan, noisy, N))
    (one,) = evident_cells(plan, PUBLIC, noisy, estimates, N)
    upper = min((estimates.shares + 2 * estimates.deviations)[place] for place in (2, 4))
    assert upper < 0.9
    kept = min(upper, GROWTH.most_share)
    assert one.weight == round(PUBLIC.rows * 1_000 * kept / (1 - kept))


def tail(above: float, sigma: float) -> float:
    """P(X > above) of a whole number X with probability in proportion to exp(-x^2/(2 sigma^2))."""
    reach = np.arange(-math.ceil(40 * sigma), math.ceil(40 * sigma) + 1)
    law = np.exp(-(reach**2) / (2 * sigma**2))
    return float(law[reach > above].sum() / law.sum())


@pytest.mark.parametrize("units", [10**13, 10**15, 2 * 10**16])
def test_noise_alone_adds_rows_with_about_the_stated_probability(units: int) -> None:
    """By the union bound over the exact laws: were all cells without public rows empty."""
    few = Support.of(everybody(12, 5))
    plan = planned(few, ZCDP(units))
    chance, empty = 0.0, 0
    for cell in range(int(plan.tables.offsets[plan.one_way]), plan.tables.queries):
        table = int(np.searchsorted(plan.tables.offsets, cell, side="right")) - 1
        sigma = float(plan.noises[table].scale)
        if sigma > GROWTH.largest_noise * N or met(plan, few, cell):
            continue
        empty += 1
        least = next(noisy for noisy in range(10 * N) if shows(plan, few, cell, noisy))
        chance += tail(least - 1, sigma)
    assert empty > 3 or units == 10**13
    assert chance <= 1.05 * GROWTH.false_growth


def met(plan: TableSchedule, support: Support, cell: int) -> bool:
    marginal, codes = plan.tables.query(cell)
    return bool(np.all(support.codes[:, list(marginal.attributes)] == codes, axis=1).any())


def shows(plan: TableSchedule, support: Support, cell: int, noisy: int) -> bool:
    """Whether rows are added where this cell alone has a count."""
    counts = np.zeros(plan.tables.queries, dtype=np.int64)
    counts[: plan.tables.offsets[plan.one_way]] = N // 2  # upper ends that cap nothing
    counts[cell] = noisy
    estimates = estimates_of(plan, counts, N, (0, 1, 2))
    return bool(evident_cells(plan, support, counts, estimates, N))


def test_tables_with_much_noise_show_nothing_however_large_a_count_is() -> None:
    private, plan = everybody(N, 9), planned(budget=BUDGET)
    assert float(plan.noises[plan.one_way].scale) / N > 0.0
    strict = replace(plan, growth=replace(GROWTH, largest_noise=1e-6))
    assert released(strict, private, PUBLIC, FixedNoise()).choices.grown == ()
    assert released(plan, private, PUBLIC, FixedNoise()).choices.grown != ()


def test_added_rows_are_public_rows_with_one_column_changed_half_of_the_weight_from_either_level() -> None:
    plan = planned()
    cell = cell_of(plan, (0, 1), (2, 1))
    grown = grown_support(plan, PUBLIC, [GrownCell(cell, 1_001)])
    added = (grown.columns[0] == 2) & (grown.columns[1] == 1)
    assert int(grown.multiplicity[added].sum()) == 1_001
    assert np.array_equal(grown.multiplicity[~added], PUBLIC.multiplicity * GROWTH.row_weight)
    others = {tuple(row) for row in PUBLIC.codes.tolist()}
    for row in grown.codes[added].tolist():
        assert any((2, b, row[2]) in others for b in range(2)) or any((a, 1, row[2]) in others for a in range(3))
    few = grown_support(replace(plan, growth=replace(GROWTH, rows_a_cell=2)), PUBLIC, [GrownCell(cell, 1_001)])
    assert sorted(few.multiplicity[(few.columns[0] == 2) & (few.columns[1] == 1)].tolist()) in ([500, 501], [1_001])


def test_a_level_that_no_public_row_has_is_crossed_into_all_public_rows() -> None:
    codes = PUBLIC.codes
    support = Support.of(Dataset(SHAPE, codes[codes[:, 0] != 2]))
    plan = planned(support)
    grown = grown_support(plan, support, [GrownCell(cell_of(plan, (0, 1), (2, 1)), 5_000)])
    added = grown.columns[0] == 2
    assert int(grown.multiplicity[added].sum()) == 5_000
    assert set(grown.columns[1][added].tolist()) == {1}
    assert len(set(grown.columns[2][added].tolist())) > 1


def test_added_rows_are_never_more_than_their_most_share() -> None:
    half = without(everybody(40, 3), 2, 1)
    codes = half.codes
    support = Support.of(Dataset(SHAPE, codes[codes[:, 0] == 0]))
    plan = planned(support)
    found = released(plan, everybody(N, 9), support, FixedNoise()).choices.grown
    whole = support.rows * GROWTH.row_weight
    added = sum(one.weight for one in found)
    assert len(found) > 3
    assert added / (added + whole) == pytest.approx(GROWTH.most_share, abs=1e-3)


@settings(max_examples=20)
@given(st.integers(0, 10_000), st.booleans())
def test_a_rebuild_adds_the_same_rows_and_gives_the_same_bits(seed: int, complete: bool) -> None:
    plan = planned(complete=complete)
    private = tables.table(SHAPE, N, seed, no_level=not complete)
    found = released(plan, private, PUBLIC, SeededNoise(seed))
    assert found.choices.grown
    again = refit(PUBLIC, plan, found.noisy, found.choices, N)
    assert again.weights.tobytes() == found.distribution.weights.tobytes()
    assert again.support.codes.tobytes() == found.distribution.support.codes.tobytes()
    assert evident_cells(plan, PUBLIC, found.noisy, _estimates(plan, found.noisy), N) == found.choices.grown


def _estimates(plan: TableSchedule, noisy: np.ndarray):  # type: ignore[no-untyped-def]
    return estimates_of(plan, noisy, N, lacking_levels(plan, noisy, N))


def test_rows_that_the_noisy_tables_do_not_show_are_refused() -> None:
    plan = planned()
    found = released(plan, everybody(N, 9), PUBLIC, SeededNoise(1))
    taken = cell_of(plan, (0, 1), (0, 0))
    for wrong in (taken, 0, plan.tables.queries):
        with pytest.raises(PlanError):
            refit(PUBLIC, plan, found.noisy, replace(found.choices, grown=(GrownCell(wrong, 5),)), N)
        with pytest.raises(PlanError):
            grown_support(plan, PUBLIC, [GrownCell(wrong, 5)])
    quiet = found.noisy.copy()
    quiet[found.choices.grown[0].cell] = 1
    with pytest.raises(PlanError, match="show nobody"):
        refit(PUBLIC, plan, quiet, found.choices, N)
    more = replace(found.choices, grown=(replace(found.choices.grown[0], weight=10**12), *found.choices.grown[1:]))
    with pytest.raises(PlanError, match="More rows"):
        refit(PUBLIC, plan, found.noisy, more, N)
    with pytest.raises(PlanError, match="grows no rows"):
        refit(PUBLIC, planned(growth=None), found.noisy, found.choices, N)
    with pytest.raises(PlanError, match="once"):
        replace(found.choices, grown=found.choices.grown * 2)


@dataclass
class Forced(FixedNoise):
    """Noisy counts that do not depend on the true ones."""

    counts: tuple[int, ...] = ()
    given: int = 0

    def gaussians(self, values: list[int], scale: Fraction) -> list[int]:
        begin, self.given = self.given, self.given + len(values)
        return list(self.counts[begin : self.given])


def choices_of(private: Dataset, forced: tuple[int, ...]) -> tuple[object, ...]:
    plan = planned(complete=False)
    found = engine.table_fit(count(plan.tables, private), PUBLIC, plan, noise=Forced(counts=forced))
    return found.choices, found.distribution.weights.tobytes(), found.distribution.support.codes.tobytes()


def assert_neighbours_get_the_same_rows() -> None:
    """One person's five rows are in the cell that no public row is in, or are not; the noisy counts are others."""
    codes = everybody(400, 9).codes.copy()
    codes = codes[(codes[:, 0] != 2) | (codes[:, 1] != 1)]
    mine = codes.copy()
    mine[:5, :2] = [2, 1]
    forced = tuple(count(planned().tables, everybody(len(codes), 4)).counts.tolist())
    ours, theirs = (choices_of(Dataset(SHAPE, rows), forced) for rows in (codes, mine))
    assert ours == theirs, "a neighbour shows beside what is charged"


def test_neighbours_get_the_same_rows_where_the_noisy_counts_are_forced() -> None:
    assert_neighbours_get_the_same_rows()


@pytest.mark.fault("rows added where exact tables show people")
def test_rows_that_exact_tables_call_for_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    right = "return _fitted(support, schedule, noisy, counts.n, progress, coarse)"
    wrong = (
        "shown = _fitted(support, schedule, counts.counts, counts.n).choices.grown; "
        "found = _fitted(support, schedule, noisy, counts.n); "
        "return replace(found, choices=replace(found.choices, grown=shown))"
    )
    plant(monkeypatch, engine, "table_fit", right, wrong)
    with pytest.raises(AssertionError, match="a neighbour shows"):
        assert_neighbours_get_the_same_rows()


@pytest.mark.parametrize(
    "wrong",
    [
        {"false_growth": 0.0},
        {"false_growth": 0.5},
        {"largest_noise": 0.0},
        {"upper_deviations": -1.0},
        {"most_cells": 0},
        {"rows_a_cell": 1},
        {"most_share": 1.0},
        {"row_weight": 0},
    ],
)
def test_bad_constants_of_growth_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(PlanError):
        SupportGrowth(**wrong)  # type: ignore[arg-type]
    with pytest.raises(PlanError):
        GrownCell(3, 0)
