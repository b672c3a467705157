"""A truth whose rows are weighed: its counts by hand, its draws, and sweeps that know T for n and k W for k."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from pmwpub.domain import Attribute, Domain
from pmwpub.errors import DomainError, PlanError
from pmwpub.evaluation import PMW_PUB, TABLE_FIT, TABLE_FIT_POOL, UNCHANGED, Simulation, Stage, Sweep, simulate
from pmwpub.evaluation.resampling import resampled
from pmwpub.evaluation.truths.weighed_truths import WeighedTruth
from pmwpub.queries.counts import count
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset, Support

DOMAIN = Domain((Attribute("sex", ("F", "M")), Attribute("age", ("0", "1", "2"))))
PAIRS = Workload.all_kway(DOMAIN, 2)
DELTA = Fraction(1, 300**2)


def rows_of(rows: int, seed: int) -> Dataset:
    rng = np.random.default_rng(seed)
    return Dataset(DOMAIN, np.stack([rng.integers(2, size=rows), rng.integers(3, size=rows)], axis=1))


def all_alike(rows: Dataset, units: int) -> np.ndarray:
    return np.full(len(rows), units, dtype=np.int64)


def swept(stage: Stage, *methods: str, floors: bool = False) -> Simulation:
    return simulate(stage, Sweep((0.5, 2.0), rounds=(4,), runs=2, methods=methods, floors=floors))


CANDIDATES = {"b.csv": Support.of(rows_of(120, 1)), "c.csv": Support.of(rows_of(90, 2))}
ENGINES = (UNCHANGED, PMW_PUB, TABLE_FIT, TABLE_FIT_POOL)


def test_counts_are_sums_of_weights_in_units_of_the_total() -> None:
    rows = Dataset(DOMAIN, np.array([[0, 0], [0, 0], [0, 1], [1, 2], [1, 1]]))
    own = np.array([1, 3, 4, 2, 0])
    sexes = Workload.all_kway(DOMAIN, 1)
    truth = WeighedTruth.of(rows, own, 4)
    assert (truth.people, truth.total) == (5, 10)
    # Of sex: 8 and 2 units. Of age: 4, 4 and 2.
    assert truth.counts(sexes).counts.tolist() == [8, 2, 4, 4, 2]
    assert truth.counts(sexes).n == 10
    # Scaled to a total of 25: 2.5 for each unit, halves up.
    scaled = WeighedTruth.of(rows, own, 4, total=25)
    assert scaled.counts(sexes).counts.tolist() == [20, 5, 10, 10, 5]
    assert WeighedTruth.of(rows, own, 4, total=5).counts(sexes).counts.tolist() == [4, 1, 2, 2, 1]


def test_a_truth_without_weight_or_beyond_the_cap_is_none() -> None:
    rows = rows_of(4, 0)
    with pytest.raises(PlanError, match="weighs anything"):
        WeighedTruth.of(rows, all_alike(rows, 0), 3)
    with pytest.raises(DomainError, match="more than the cap"):
        WeighedTruth.of(rows, all_alike(rows, 4), 3)


def test_rows_are_drawn_with_their_weights_and_of_one_weight_as_without_it() -> None:
    rows = rows_of(50, 3)
    drawn = WeighedTruth.drawn(rows, all_alike(rows, 1), 200, 0, 1, None)
    plain = resampled(rows, 200, 0)
    assert drawn.counts(PAIRS).counts.tolist() == count(PAIRS, plain).counts.tolist()
    # Women weigh 1 and men 5: each drawn row keeps its own weight, so a man's cell holds a multiple of 5.
    own = 1 + 4 * rows.codes[:, 0].astype(np.int64)
    mixed = WeighedTruth.drawn(rows, own, 200, 0, 5, None)
    women, men = (mixed.repeats[mixed.codes[:, 0] == sex] for sex in (0, 1))
    assert (men % 5 == 0).all()
    assert int(women.sum()) + int(men.sum()) // 5 == mixed.people == 200


@pytest.mark.parametrize("floors", [False, True])
def test_weights_of_one_unit_give_the_very_lines_of_rows_without_weights(floors: bool) -> None:
    rows = rows_of(300, 4)
    plain = Stage(PAIRS, count(PAIRS, rows), CANDIDATES, DELTA, rows=rows)
    weighed = Stage.weighing(PAIRS, WeighedTruth.of(rows, all_alike(rows, 1), 1), CANDIDATES, DELTA)
    methods = (UNCHANGED,) if floors else ENGINES
    assert swept(weighed, *methods, floors=floors) == swept(plain, *methods, floors=floors)


def test_two_units_each_under_a_cap_of_two_are_twice_the_table_and_twice_the_reach() -> None:
    rows = rows_of(300, 4)
    one = Stage.weighing(PAIRS, WeighedTruth.of(rows, all_alike(rows, 1), 1), CANDIDATES, DELTA, 3)
    two = Stage.weighing(PAIRS, WeighedTruth.of(rows, all_alike(rows, 2), 2), CANDIDATES, DELTA, 3)
    assert two.counts.counts.tolist() == (2 * one.counts.counts).tolist()
    assert (one.counts.n, one.reach, two.counts.n, two.reach) == (300, 3, 600, 6)
    assert one.people == two.people == 300
    assert swept(two, UNCHANGED, floors=True) == swept(one, UNCHANGED, floors=True)


def test_noise_is_k_w_units_in_t_for_both_engines(monkeypatch: pytest.MonkeyPatch) -> None:
    from pmwpub.evaluation import runs
    from pmwpub.evaluation.fits import fitted_tables
    from pmwpub.mechanisms.pmw_pub.algorithm import Schedule
    from pmwpub.mechanisms.table_fit.table_schedule import TableSchedule

    seen: list[object] = []

    def stop(counts: object, support: object, schedule: object, **more: object) -> None:
        seen.append(schedule)
        raise PlanError("seen")

    monkeypatch.setattr(runs, "pmw_pub", stop)
    monkeypatch.setattr(fitted_tables, "table_fit", stop)
    rows, found = rows_of(300, 4), {}
    for units in (1, 7):
        stage = Stage.weighing(PAIRS, WeighedTruth.of(rows, all_alike(rows, units), units), CANDIDATES, DELTA, 3)
        for method in (PMW_PUB, TABLE_FIT):
            with pytest.raises(PlanError, match="seen"):
                runs.play(stage, runs.Run("b.csv", method, 1.0, 4 * (method == PMW_PUB), 0))
            found[units, method] = seen.pop()
    for units in (1, 7):
        rounds, tables = found[units, PMW_PUB], found[units, TABLE_FIT]
        assert isinstance(rounds, Schedule)
        assert isinstance(tables, TableSchedule)
        assert (rounds.sensitivity, tables.sensitivity, tables.cap) == (3 * units, 3 * units, units)
        plain = found[1, TABLE_FIT]
        assert isinstance(plain, TableSchedule)
        for law, other in zip(tables.noises, plain.noises, strict=True):
            assert float(law.scale) == pytest.approx(units * float(other.scale), rel=1e-6)


def test_baselines_say_that_they_do_not_take_weights_and_make_no_figure() -> None:
    rows = rows_of(300, 4)
    stage = Stage.weighing(PAIRS, WeighedTruth.of(rows, all_alike(rows, 2), 2), CANDIDATES, DELTA)
    found = swept(stage, UNCHANGED, "mwem", "dual-query", "ji-elkan", "hdmm", "residual-planner", "mst")
    assert {one.method for one in found.errors} == {UNCHANGED}
    assert len(found.refused) == 2 * 6
    assert all("does not take weights" in one.reason for one in found.refused)
