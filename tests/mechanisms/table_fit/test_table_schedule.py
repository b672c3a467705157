"""What table fit measures and at what price: never more than the budget, from public facts alone."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mechanisms.table_fit.toy_tables import BUDGET, PUBLIC, SHAPE, WORKLOAD, cost_between, planned, stated_scales
from support import tables
from support.planting import plant

from pmwpub.errors import BudgetError, DomainError, PlanError
from pmwpub.mechanisms.table_fit.fit_constants import EvidenceRule, FitConstants
from pmwpub.mechanisms.table_fit.measured_tables import measured_tables
from pmwpub.mechanisms.table_fit.table_schedule import TableSchedule, check_least_share, schedule
from pmwpub.privacy.budget import ZCDP, ApproxDP, zcdp_of
from pmwpub.queries.counts import count
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset, Support

WORKLOADS = {
    "3-way": WORKLOAD,
    "2-way": Workload.all_kway(SHAPE, 2),
    "1-way": Workload.all_kway(SHAPE, 1),
    "mixed": Workload.of(SHAPE, [["a0", "a2"], ["a1"]]),
    "3-way tables too": WORKLOAD,
}
SHARES = {"3-way tables too": Fraction(1, 4)}
"""The workloads whose 3-way tables are measured, and the part of the budget that they have."""


def measured(name: str) -> Workload:
    return measured_tables(WORKLOADS[name], three_way=name in SHARES)


def plan_of(name: str, support: Support = PUBLIC, budget: ZCDP = BUDGET, k: int = 1) -> TableSchedule:
    return planned(WORKLOADS[name], support, budget, k, three_way=SHARES.get(name))


def test_hand_picked_marginals_of_mixed_sizes_give_their_attributes_and_the_pairs_that_stand_together() -> None:
    shape = tables.domain(2, 3, 2, 4, 1)
    found = measured_tables(Workload.of(shape, [["a3", "a0", "a1"], ["a4"], ["a1", "a3"]]))
    smaller = [(0,), (1,), (3,), (4,), (0, 1), (0, 3), (1, 3)]
    assert [m.attributes for m in found.marginals] == smaller
    found = measured_tables(Workload.of(shape, [["a3", "a0", "a1", "a4"], ["a1", "a3"]]), three_way=True)
    assert [m.attributes for m in found.marginals][10:] == [(0, 1, 3), (0, 1, 4), (0, 3, 4), (1, 3, 4)]


def test_the_measured_tables_are_counted_as_by_hand() -> None:
    private = tables.table(SHAPE, 40, 3, no_level=True)
    found = measured_tables(WORKLOAD)
    assert count(found, private).counts.tolist() == tables.brute_counts(found, private)


@settings(max_examples=150)
@given(st.sampled_from(sorted(WORKLOADS)), st.integers(1, 3), st.integers(1, 6), st.integers(0, 10_000))
def test_neighbours_move_a_table_by_at_most_k_times_the_root_of_two(name: str, k: int, rows: int, seed: int) -> None:
    """In whole numbers: the squared distance is at most 2 k^2, also where a cell has no level."""
    found = measured(name)
    private = tables.table(SHAPE, rows, seed, no_level=True)
    moved = count(found, private).counts - count(found, tables.neighbour(private, k, seed + 1)).counts
    for begin, end in zip(found.offsets, found.offsets[1:], strict=False):
        assert int((moved[begin:end] ** 2).sum()) <= 2 * k**2


def assert_charged(plan: TableSchedule, one: Dataset, other: Dataset) -> None:
    assert cost_between(plan, one, other) <= plan.rho.rho, "two neighbours cost more than charged"


PREPARED = {(name, k): plan_of(name, k=k) for name in WORKLOADS for k in (1, 2, 3)}


@settings(max_examples=80)
@given(st.sampled_from(sorted(WORKLOADS)), st.integers(1, 3), st.integers(1, 6), st.integers(0, 10_000))
def test_neighbours_cost_no_more_than_is_charged(name: str, k: int, rows: int, seed: int) -> None:
    private = tables.table(SHAPE, rows, seed, no_level=True)
    assert_charged(PREPARED[name, k], private, tables.neighbour(private, k, seed + 1))


FAR = [[0, 0, 0]], [[1, 1, 1]]


def far(k: int) -> tuple[Dataset, Dataset]:
    """k equal rows, replaced by k equal others that share no cell with them."""
    return Dataset(SHAPE, FAR[0] * k), Dataset(SHAPE, FAR[1] * k)


@pytest.mark.parametrize("name", sorted(WORKLOADS))
@pytest.mark.parametrize("k", [1, 3])
def test_the_dearest_neighbours_cost_what_is_charged_and_the_budget_is_used(name: str, k: int) -> None:
    plan = PREPARED[name, k]
    cost = cost_between(plan, *far(k))
    assert float(cost) == pytest.approx(float(plan.rho.rho), rel=1e-6)
    assert cost <= plan.rho.rho <= BUDGET.rho
    assert plan.rho.units >= 0.999999 * BUDGET.units


@settings(max_examples=60)
@given(st.integers(60, 10**15), st.integers(1, 4), st.sampled_from(sorted(WORKLOADS)))
def test_a_schedule_never_costs_more_than_its_budget(units: int, k: int, name: str) -> None:
    plan = plan_of(name, budget=ZCDP(units), k=k)
    assert plan.rho <= ZCDP(sum(share.units for share in plan.shares)) <= ZCDP(units)


@pytest.mark.parametrize("name", sorted(WORKLOADS))
@pytest.mark.parametrize("k", [1, 2])
def test_scales_are_those_of_the_stated_shares(name: str, k: int) -> None:
    public = Dataset(SHAPE, np.repeat(PUBLIC.codes, PUBLIC.multiplicity, axis=0))
    expected = stated_scales(WORKLOADS[name], public, float(BUDGET.rho), k, float(SHARES.get(name, 0)))
    found = [float(noise.scale) for noise in plan_of(name, k=k).noises]
    assert found == pytest.approx(expected, rel=1e-9)


def test_an_attribute_that_does_not_vary_still_has_a_share() -> None:
    shape = tables.domain(1, 2, 3)
    workload = Workload.all_kway(shape, 2)
    plan = planned(workload, tables.support(shape, 20, 1))
    assert min(share.units for share in plan.shares) > 0


def test_the_rule_of_evidence_goes_by_the_budget() -> None:
    delta = Fraction(1, 10_000**2)
    at = {e: FitConstants.at(zcdp_of(ApproxDP(Fraction(e), delta)), delta) for e in ("0.04", "0.05", "0.1")}
    assert at["0.04"].evidence is EvidenceRule.LARGEST_WITHIN_MARGIN
    assert at["0.05"] == at["0.1"] == FitConstants()


def test_the_1_way_tables_part_goes_by_their_noise() -> None:
    """By hand: d = 3 and rho = 1/20, so sigma = k sqrt(120)/n; 25 sigma of the budget, from 30 to 90 per cent."""
    found = measured_tables(WORKLOAD)
    for n, k, hundredths in ((700, 1, 39), (500, 1, 54), (1_000, 2, 54), (10_000, 1, 30), (100, 1, 90)):
        at = FitConstants.advised(found, BUDGET, n=n, delta=Fraction(1, n**2), rows_per_person=k)
        assert at.one_way_share == Fraction(hundredths, 100)
    assert FitConstants.advised(found, ZCDP(0), n=9, delta=Fraction(1, 81)).one_way_share == Fraction(9, 10)


@settings(max_examples=60)
@given(st.integers(1, 10**7), st.sampled_from(sorted(WORKLOADS)), st.integers(0, 50))
def test_what_passes_the_check_by_public_sizes_leaves_no_share_of_zero(units: int, name: str, seed: int) -> None:
    """Whatever the public table: one that has a single level of most attributes too."""
    found = measured(name)
    try:
        check_least_share(found, ZCDP(units), rows_per_person=1, three_way_share=SHARES.get(name))
    except BudgetError:
        return
    for rows in (1, 2, 30):
        plan_of(name, tables.support(SHAPE, rows, seed), ZCDP(units))


def test_a_budget_that_some_public_table_would_leave_a_share_of_zero_is_refused() -> None:
    with pytest.raises(BudgetError, match="too small"):
        check_least_share(measured_tables(WORKLOAD), ZCDP(5_000), rows_per_person=1)
    check_least_share(measured_tables(WORKLOAD), ZCDP(50_000), rows_per_person=1)


def test_bad_schedules_are_refused() -> None:
    found, plan = measured_tables(WORKLOAD), planned()
    with pytest.raises(BudgetError, match="too small for 6 tables"):
        planned(budget=ZCDP(5))
    with pytest.raises(PlanError, match="at least one row"):
        planned(k=0)
    with pytest.raises(PlanError, match="share of the budget for each table"):
        TableSchedule(found, plan.shares[1:])
    with pytest.raises(PlanError, match="1-way tables, then 2-way"):
        TableSchedule(Workload(SHAPE, found.marginals[::-1]), plan.shares)
    with pytest.raises(PlanError, match="1-way table of each attribute"):
        TableSchedule(Workload(SHAPE, found.marginals[1:]), plan.shares[1:])
    with pytest.raises(PlanError, match="1-way tables, then 2-way"):
        TableSchedule(WORKLOAD, plan.shares[:1])
    with pytest.raises(DomainError):
        schedule(found, tables.support(tables.domain(2, 2), 9, 1), BUDGET, rows_per_person=1, complete=True)
    for three_way, share in ((True, None), (False, Fraction(1, 4))):
        with pytest.raises(PlanError, match="3-way tables need a share"):
            schedule(
                measured_tables(WORKLOAD, three_way=three_way), PUBLIC, BUDGET, rows_per_person=1, complete=True,
                three_way_share=share,
            )  # fmt: skip


@pytest.mark.parametrize(
    "wrong",
    [
        {"one_way_share": Fraction(1)},
        {"least_spread": Fraction(0)},
        {"pair_sweeps": 4},
        {"one_way_sweeps": 0},
        {"most_strength": 1.0},
        {"tolerance": 0.0},
    ],
)
def test_bad_constants_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(PlanError):
        FitConstants(**wrong)  # type: ignore[arg-type]


@pytest.mark.fault("the root of two forgotten")
def test_noise_for_one_row_that_only_leaves_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """A replaced row leaves one cell and enters another: sigma = k/sqrt(2 rho_j) is too little."""
    assert_charged(planned(), *far(1))
    plant(monkeypatch, TableSchedule, "noises", "2 * self.sensitivity**2", "self.sensitivity**2")
    with pytest.raises(AssertionError, match="more than charged"):
        assert_charged(planned(), *far(1))


@pytest.mark.fault("wrong sensitivity for k rows")
def test_tables_with_noise_for_one_row_of_three_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    assert_charged(planned(k=3), *far(3))
    plant(monkeypatch, TableSchedule, "noises", "2 * self.sensitivity**2", "2")
    with pytest.raises(AssertionError, match="more than charged"):
        assert_charged(planned(k=3), *far(3))


@pytest.mark.fault("a table not charged")
@pytest.mark.parametrize(
    "charged",
    ["self.noises[1:]", "self.noises[: self.one_way]", "self.noises[:-1]"],
    ids=["the first", "the larger ones", "the last, of three columns"],
)
def test_a_table_that_is_not_charged_is_caught(charged: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = planned(three_way=Fraction(1, 4))
    assert_charged(plan, *far(1))
    plant(monkeypatch, TableSchedule, "rho", "self.noises", charged)
    with pytest.raises(AssertionError, match="more than charged"):
        assert_charged(plan, *far(1))
