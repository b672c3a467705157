"""Only the noise sees private counts: with its answers forced, neighbours give the same output and calls."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mechanisms.table_fit.toy_tables import SHAPE, WORKLOAD, in_order, planned
from support import tables
from support.fakes import FixedNoise
from support.planting import plant

from pmwpub.mechanisms.table_fit import table_fit as engine
from pmwpub.mechanisms.table_fit.coarse_tables import RangeTables
from pmwpub.queries.counts import count
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset

ONCE = Workload.all_kway(SHAPE, 1)
IN_ORDER = Workload.all_kway(in_order(3, 2, 4), 3)
RANGES = RangeTables(("a0", "a2"), factor=2)


@dataclass
class Forced(FixedNoise):
    """Noisy counts that do not depend on the true ones; how many were asked for, and at which scale, is kept."""

    seed: int = 0
    asked: list[object] = field(default_factory=list)

    def gaussians(self, values: list[int], scale: Fraction) -> list[int]:
        self.asked.append((len(values), scale))
        return [(self.seed * 31 + 7 * place + len(self.asked)) % 23 - 5 for place in range(len(values))]


Trace = tuple[object, ...]


def traced(
    private: Dataset,
    k: int,
    seed: int,
    *,
    complete: bool = False,
    workload: Workload = WORKLOAD,
    three_way: Fraction | None = None,
    ranges: RangeTables | None = None,
) -> Trace:
    """All that a run gives, bit by bit, all that it asked its noise for, and all that its progress said."""
    plan = planned(
        workload, tables.support(workload.domain, 60, 11), k=k, complete=complete, three_way=three_way, ranges=ranges
    )
    noise, steps = Forced(seed=seed), []
    found = engine.table_fit(
        count(plan.tables, private),
        tables.support(workload.domain, 60, 11),
        plan,
        noise=noise,
        progress=lambda *step: steps.append(step),
    )
    return (
        found.distribution.weights.tobytes(), found.noisy.tobytes(), found.choices, found.rho,
        b"" if found.coarse is None else found.coarse.tobytes(), *noise.asked, *steps
    )  # fmt: skip


def assert_alike(k: int, rows: int, seed: int, **options: object) -> None:
    shape = options.get("workload", WORKLOAD).domain  # type: ignore[attr-defined]
    private = tables.table(shape, rows, seed, no_level=True)
    ours = traced(private, k, seed, **options)  # type: ignore[arg-type]
    theirs = traced(tables.neighbour(private, k, seed + 1), k, seed, **options)  # type: ignore[arg-type]
    assert ours == theirs, "a neighbour shows beside what is charged"


@settings(max_examples=40)
@given(
    k=st.integers(1, 3),
    rows=st.integers(3, 9),
    seed=st.integers(0, 10_000),
    complete=st.booleans(),
    measured=st.sampled_from([(WORKLOAD, None), (ONCE, None), (WORKLOAD, Fraction(1, 4)), (IN_ORDER, None)]),
)
def test_neighbours_give_the_same_output_and_calls_where_the_noisy_counts_are_forced(
    k: int, rows: int, seed: int, complete: bool, measured: tuple[Workload, Fraction | None]
) -> None:
    workload, three_way = measured
    ranges = RANGES if workload is IN_ORDER else None
    assert_alike(k, rows, seed, complete=complete, workload=workload, three_way=three_way, ranges=ranges)


def assert_none_shows(rows: int) -> None:
    """Twenty pairs of neighbours; a fault shows on some of them."""
    for seed in range(20):
        assert_alike(1, rows, seed)


@pytest.mark.fault("shares from private counts")
def test_noise_that_goes_by_private_counts_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    right = "noisy[cells] = law.measure("
    wrong = (
        "spread = 1 + int(counts.counts[cells].max()); "
        "noisy[cells] = type(law)(law.scale * spread, law.squared_sensitivity).measure("
    )
    plant(monkeypatch, engine, "measure", right, wrong)
    with pytest.raises(AssertionError, match="a neighbour shows"):
        assert_none_shows(5)


@pytest.mark.fault("a prior strength chosen on exact tables")
def test_a_strength_that_is_chosen_on_exact_tables_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    right = "return _fitted(support, schedule, noisy, counts.n, progress, coarse)"
    wrong = (
        "chosen = _fitted(support, schedule, counts.counts, counts.n).choices; "
        "return TableRelease("
        "refit(support, schedule, noisy, chosen, counts.n), noisy, chosen, schedule.rho)"
    )
    plant(monkeypatch, engine, "table_fit", right, wrong)
    with pytest.raises(AssertionError, match="a neighbour shows"):
        assert_none_shows(40)


@pytest.mark.fault("empty cells without noise")
def test_tables_whose_empty_cells_have_no_noise_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    right = "    return noisy"
    plant(monkeypatch, engine, "measure", right, "    noisy[counts.counts == 0] = 0\n    return noisy")
    with pytest.raises(AssertionError, match="a neighbour shows"):
        assert_none_shows(5)
