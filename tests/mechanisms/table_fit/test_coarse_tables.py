"""Coarse tables of ordered columns: their sensitivity, price and law, the fit with them, and faults that are caught."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mechanisms.table_fit.toy_tables import BUDGET, cost_between, in_order, planned, released
from privacy.laws import gaussian_masses
from support import tables
from support.fakes import ScaledNoise, SeededNoise
from support.planting import plant
from support.statistical import BinnedLaw, assert_both_arms

from pmwpub.domain import Attribute, Domain
from pmwpub.errors import BudgetError, DomainError, PlanError
from pmwpub.mechanisms.table_fit import coarse_tables
from pmwpub.mechanisms.table_fit.coarse_tables import (
    CoarseSchedule,
    CoarseTable,
    RangeTables,
    coarse_schedule,
    measure_coarse,
    range_columns,
)
from pmwpub.mechanisms.table_fit.intervals.believed_drift import released_tables
from pmwpub.mechanisms.table_fit.intervals.noisy_columns import noisy_column
from pmwpub.mechanisms.table_fit.intervals.released_tables import marginal_of
from pmwpub.mechanisms.table_fit.table_fit import refit
from pmwpub.mechanisms.table_fit.table_schedule import TableSchedule
from pmwpub.privacy.budget import ZCDP
from pmwpub.privacy.noise import SECURE
from pmwpub.queries.counts import count
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset, Support

SHAPE = in_order(11, 2, 6, outside=1)
"""Ten levels in order and one outside it; one and one; five and one."""

WORKLOAD = Workload.all_kway(SHAPE, 2)
PUBLIC = tables.support(SHAPE, 80, 11)
PLAN = RangeTables(("a0", "a2"), Fraction(1, 4), 2)
WIDTHS = [(0, 2), (0, 4), (0, 8), (2, 2), (2, 4)]


def schedule_of(k: int = 1, budget: ZCDP = BUDGET, *, complete: bool = False) -> TableSchedule:
    return planned(WORKLOAD, PUBLIC, budget, k, ranges=PLAN, complete=complete)


def coarse_of(plan: TableSchedule) -> CoarseSchedule:
    assert plan.coarse is not None
    return plan.coarse


def by_hand(rows: Dataset) -> list[int]:
    """The cells of all coarse tables, row by row."""
    found = []
    for attribute, width in WIDTHS:
        ordered = SHAPE.attributes[attribute].ordered
        cells = [0] * (-(-ordered // width) + 1)
        for code in rows.codes[:, attribute].tolist():
            if code < ordered:
                cells[code // width] += 1
            elif code < SHAPE.shape[attribute]:
                cells[-1] += 1
        found += cells
    return found


def test_each_column_has_tables_of_ever_wider_cells_and_one_cell_for_what_is_outside_the_order() -> None:
    found = coarse_of(schedule_of())
    assert [(table.attribute, table.width) for table in found.tables] == WIDTHS
    assert found.cells[0].tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5]
    assert found.cells[2].tolist() == [0] * 8 + [1, 1, 2]
    assert found.sizes.tolist() == [6, 4, 3, 4, 3]


def test_they_are_of_columns_of_the_workload_with_more_levels_in_order_than_are_merged() -> None:
    assert range_columns(WORKLOAD) == ("a0", "a2")
    assert range_columns(Workload.of(SHAPE, [["a1"], ["a2"]])) == ("a2",)
    assert range_columns(Workload.all_kway(in_order(2, 3), 1)) == ("a1",)


def test_without_levels_outside_the_order_no_cell_is_added() -> None:
    whole = in_order(4)
    assert CoarseTable(0, 2).cell_of(whole).tolist() == [0, 0, 1, 1]


@settings(max_examples=60)
@given(st.integers(1, 3), st.integers(3, 9), st.integers(0, 10_000))
def test_neighbours_move_a_coarse_table_by_at_most_k_times_the_root_of_two(k: int, rows: int, seed: int) -> None:
    """In whole numbers: the squared distance is at most 2 k^2, also where a cell has no level."""
    private = tables.table(SHAPE, rows, seed, no_level=True)
    other = tables.neighbour(private, k, seed + 1)
    moved = np.array(by_hand(private)) - np.array(by_hand(other))
    edges = coarse_of(schedule_of()).offsets
    for begin, end in itertools.pairwise(edges):
        assert int((moved[begin:end] ** 2).sum()) <= 2 * k**2


def test_the_cells_that_noise_is_added_to_are_those_counted_by_hand() -> None:
    private, plan = tables.table(SHAPE, 50, 4, no_level=True), schedule_of()
    noise = ScaledNoise(Fraction(1, 10**9))
    found = measure_coarse(count(plan.tables, private), plan.tables, coarse_of(plan), noise)
    assert found.tolist() == by_hand(private)


def assert_charged(plan: TableSchedule, one: Dataset, other: Dataset) -> None:
    assert cost_between(plan, one, other) <= plan.rho.rho, "two neighbours cost more than charged"


@settings(max_examples=60)
@given(st.integers(1, 3), st.integers(1, 6), st.integers(0, 10_000))
def test_neighbours_cost_no_more_than_is_charged(k: int, rows: int, seed: int) -> None:
    private = tables.table(SHAPE, rows, seed, no_level=True)
    assert_charged(schedule_of(k), private, tables.neighbour(private, k, seed + 1))


def far(k: int) -> tuple[Dataset, Dataset]:
    """k equal rows, replaced by k equal others that share no cell with them, coarse ones included."""
    return Dataset(SHAPE, [[0, 0, 0]] * k), Dataset(SHAPE, [[9, 1, 4]] * k)


@pytest.mark.parametrize("k", [1, 3])
def test_the_dearest_neighbours_cost_what_is_charged_and_the_budget_is_used(k: int) -> None:
    plan = schedule_of(k)
    cost = cost_between(plan, *far(k))
    assert float(cost) == pytest.approx(float(plan.rho.rho), rel=1e-6)
    assert cost <= plan.rho.rho <= BUDGET.rho
    assert plan.rho.units >= 0.999999 * BUDGET.units


@settings(max_examples=40)
@given(st.integers(400, 10**15), st.integers(1, 4))
def test_a_schedule_never_costs_more_than_its_budget(units: int, k: int) -> None:
    assert schedule_of(k, ZCDP(units)).rho <= ZCDP(units)


def test_a_quarter_of_the_budget_is_shared_in_equal_parts() -> None:
    """By hand: five tables share rho/4, so each cell has sigma = k sqrt(20/rho)."""
    for k in (1, 2):
        expected = k * math.sqrt(20 / float(BUDGET.rho))
        assert [float(noise.scale) for noise in coarse_of(schedule_of(k)).noises] == pytest.approx([expected] * 5)


def test_the_other_tables_have_what_is_left_of_the_budget() -> None:
    plan, alone = schedule_of(), planned(WORKLOAD, PUBLIC, ZCDP(BUDGET.units - BUDGET.units // 4))
    assert (plan.noises, plan.shares) == (alone.noises, alone.shares)


def test_a_coarse_table_has_the_exact_law_of_its_scale() -> None:
    plan, private = schedule_of(), tables.table(SHAPE, 50, 4)
    counts, exact = count(plan.tables, private), np.array(by_hand(private))
    law = BinnedLaw.of(*gaussian_masses(math.sqrt(20 / float(BUDGET.rho)), span=20))

    def draw(factor: Fraction, draws: int) -> list[int]:
        noise, found = SECURE if factor == 1 else ScaledNoise(factor), []
        while len(found) < draws:
            noisy = measure_coarse(counts, plan.tables, coarse_of(plan), noise)
            found += (noisy - exact).tolist()
        return found[:draws]

    assert_both_arms(law, draw, 4_000)


# ---- the fit


def test_a_release_is_made_again_to_the_bit_from_its_noisy_tables() -> None:
    private, plan = tables.table(SHAPE, 300, 5), schedule_of(complete=True)
    found = released(private, plan, PUBLIC, SeededNoise(3))
    again = refit(PUBLIC, plan, found.noisy, found.choices, 300, found.coarse)
    assert again.weights.tobytes() == found.distribution.weights.tobytes()
    other = found.coarse + 1 if found.coarse is not None else None
    changed = refit(PUBLIC, plan, found.noisy, found.choices, 300, other)
    assert changed.weights.tobytes() != again.weights.tobytes()


def test_noisy_coarse_tables_belong_to_a_schedule_that_has_them() -> None:
    private, plan = tables.table(SHAPE, 300, 5), schedule_of()
    found = released(private, plan, PUBLIC, SeededNoise(3))
    for coarse in (None, np.zeros(3, dtype=np.int64)):
        with pytest.raises(PlanError, match="coarse"):
            refit(PUBLIC, plan, found.noisy, found.choices, 300, coarse)
    with pytest.raises(PlanError, match="coarse"):
        refit(PUBLIC, replace(plan, coarse=None), found.noisy, found.choices, 300, found.coarse)


def test_the_fit_follows_exact_coarse_tables() -> None:
    """With much budget for them alone the released shares of their cells are the private ones."""
    rng = np.random.default_rng(4)
    shape = in_order(12, 2)
    public = Dataset(shape, np.stack([rng.integers(12, size=900), rng.integers(2, size=900)], axis=1))
    private = Dataset(shape, np.stack([rng.binomial(11, 0.3, size=900), rng.integers(2, size=900)], axis=1))
    plan = planned(
        Workload.all_kway(shape, 2), Support.of(public), ZCDP.at_most(4), complete=True,
        ranges=RangeTables(("a0",), Fraction(99, 100), 4),
    )  # fmt: skip
    found = released(private, plan, Support.of(public), SeededNoise(2))
    merged = marginal_of(found.distribution, (0,)).reshape(3, 4).sum(axis=1)
    assert merged == pytest.approx(np.bincount(private.codes[:, 0] // 4, minlength=3) / 900, abs=0.01)


# ---- what is answered of a column


@pytest.mark.parametrize("complete", [True, False])
def test_a_columns_noisy_shares_have_the_law_that_is_stated_and_are_sharper_than_without(complete: bool) -> None:
    """Over the noise: the share of a range lies within 1.96 stated deviations 95 times of 100, with half not."""
    private, runs = tables.table(SHAPE, 400, 9), 400
    plan = schedule_of(complete=complete)
    exact, coarse = count(plan.tables, private).counts, np.array(by_hand(private))
    rng, times = np.random.default_rng(6), np.array([1.0] * 6 + [0.0] * 5)
    truth = float((private.codes[:, 0] < 6).mean())
    base = released_tables(released(private, plan, PUBLIC, SeededNoise(3)), plan, 400)
    scales = np.repeat(base.deviations * 400, np.diff(plan.tables.offsets))
    merged = np.repeat([float(n.scale) for n in coarse_of(plan).noises], coarse_of(plan).sizes)
    held, halved, widths = 0, 0, set()
    for _ in range(runs):
        one = replace(
            base,
            noisy=exact + np.rint(rng.normal(size=len(exact)) * scales).astype(np.int64),
            noisy_coarse=coarse + np.rint(rng.normal(size=len(coarse)) * merged).astype(np.int64),
        )
        found, alone = noisy_column(one, 0), noisy_column(replace(one, coarse=None, noisy_coarse=None), 0)
        assert found is not None
        assert alone is not None
        off, error = abs(float(found.shares @ times) - truth), math.sqrt(found.variance_of(times))
        held, halved = held + (off <= 1.96 * error), halved + (off <= 0.98 * error)
        widths.add(round(error / math.sqrt(alone.variance_of(times)), 6))
    slack = 4 * math.sqrt(0.95 * 0.05 / runs)
    assert 0.95 - slack <= held / runs <= 0.95 + slack
    assert halved / runs < 0.85
    assert max(widths) < 1.0


def test_a_column_of_exact_noise_is_solved_as_least_squares_has_it() -> None:
    """By numpy's own solver, on rows scaled by their noise."""
    private, plan = tables.table(SHAPE, 400, 9), schedule_of()
    release = released_tables(released(private, plan, PUBLIC, SeededNoise(3)), plan, 400)
    found, coarse = noisy_column(release, 0), coarse_of(plan)
    assert found is not None
    assert release.noisy_coarse is not None
    rows, answers = [np.eye(11) / float(plan.noises[0].scale)], [release.noisy[:11] / float(plan.noises[0].scale)]
    for place in range(3):
        scale, cells = float(coarse.noises[place].scale), coarse.cells[place]
        rows.append(np.equal.outer(np.arange(cells.max() + 1), cells) / scale)
        answers.append(release.noisy_coarse[coarse.offsets[place] : coarse.offsets[place + 1]] / scale)
    solved = np.linalg.lstsq(np.concatenate(rows), np.concatenate(answers), rcond=None)[0]
    assert found.shares == pytest.approx(solved / 400)


# ---- what is refused


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"columns": ()}, PlanError),
        ({"columns": ("b", "a")}, PlanError),
        ({"columns": ("a", "a")}, PlanError),
        ({"share": Fraction(1)}, PlanError),
        ({"factor": 1}, PlanError),
    ],
)
def test_plans_of_nothing_are_refused(wrong: dict[str, object], error: type[Exception]) -> None:
    with pytest.raises(error):
        RangeTables(**({"columns": ("a",)} | wrong))  # type: ignore[arg-type]


def test_columns_that_cannot_be_merged_are_refused() -> None:
    for names, error in ((("a1",), PlanError), (("a9",), DomainError)):
        with pytest.raises(error):
            coarse_schedule(SHAPE, RangeTables(names, factor=2), BUDGET, rows_per_person=1)
    plain = Domain((Attribute("a", tuple("abcdef")),))
    with pytest.raises(PlanError, match="ordered columns"):
        coarse_schedule(plain, RangeTables(("a",)), BUDGET, rows_per_person=1)
    with pytest.raises(BudgetError):
        coarse_schedule(SHAPE, PLAN, ZCDP(10), rows_per_person=1)
    with pytest.raises(PlanError, match="columns of the workload"):
        planned(Workload.of(SHAPE, [["a1", "a2"]]), PUBLIC, ranges=PLAN)


# ---- faults


@pytest.mark.fault("a coarse table charged as fewer")
@pytest.mark.parametrize("charged", ["self.noises[1:]", "self.noises[:1]", "self.noises[:-1]"])
def test_coarse_tables_that_are_charged_as_fewer_are_caught(charged: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = schedule_of()
    assert_charged(plan, *far(1))
    plant(monkeypatch, CoarseSchedule, "rho", "self.noises", charged)
    with pytest.raises(AssertionError, match="more than charged"):
        assert_charged(plan, *far(1))


@pytest.mark.fault("coarse tables not charged")
def test_coarse_tables_that_are_not_charged_at_all_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = schedule_of()
    plant(monkeypatch, TableSchedule, "rho", "self.coarse.rho", "ZCDP(0)")
    with pytest.raises(AssertionError, match="more than charged"):
        assert_charged(plan, *far(1))


@pytest.mark.fault("prefixes charged as cells")
def test_prefixes_at_the_price_of_cells_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """A row that moves over many levels moves as many prefixes, and two cells."""
    plan = schedule_of()
    plant(monkeypatch, coarse_tables, "measure_coarse", "law.measure(sums,", "law.measure(np.cumsum(sums),")
    with pytest.raises(AssertionError, match="more than charged"):
        assert_charged(plan, Dataset(SHAPE, [[0, 0, 0]]), Dataset(SHAPE, [[10, 1, 5]]))


@pytest.mark.fault("overlapping cells charged as a partition")
def test_a_coarse_table_whose_cells_overlap_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = schedule_of()
    plant(
        monkeypatch, coarse_tables, "measure_coarse",
        "np.add.at(sums, cells, own)",
        "np.add.at(sums, cells, own); np.add.at(sums, np.minimum(cells + 1, int(size) - 1), own)",
    )  # fmt: skip
    with pytest.raises(AssertionError, match="more than charged"):
        assert_charged(plan, *far(1))


@pytest.mark.fault("wrong sensitivity for k rows")
def test_coarse_tables_with_noise_for_one_row_of_three_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, CoarseSchedule, "noises", "2 * self.sensitivity**2", "2")
    with pytest.raises(AssertionError, match="more than charged"):
        assert_charged(schedule_of(3), *far(3))
