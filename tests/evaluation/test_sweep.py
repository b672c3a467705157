"""A sweep has the parts that were asked for, in one order, with the same bits wherever they are made."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction

import pytest
from support import tables

from pmwpub.errors import BudgetError, JobCancelled, PlanError
from pmwpub.evaluation import (
    BASELINES,
    METHODS,
    PMW_PUB,
    UNCHANGED,
    Borrowed,
    FloorOf,
    Found,
    LocalProcesses,
    Run,
    SimulatedError,
    Simulation,
    Stage,
    Sweep,
    Task,
    baseline_lines,
    best_lines,
    errors,
    is_baseline,
    not_beaten,
    simulate,
    under_todays_names,
)  # fmt: skip
from pmwpub.evaluation.sweep import PILOT_SEED
from pmwpub.queries.counts import count
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset, Support

SHAPE = tables.domain(3, 2, 2)
WORKLOAD = Workload.all_kway(SHAPE, 2)


def stage(*, private: bool = False) -> Stage:
    counts = count(WORKLOAD, tables.table(SHAPE, 500, 1))
    candidates = {name: tables.support(SHAPE, 40, seed) for name, seed in (("c", 3), ("b", 2))}
    return Stage(WORKLOAD, counts, candidates, Fraction(1, 250_000), private=private)


def test_a_sweep_has_each_method_candidate_epsilon_round_and_run_once() -> None:
    seen: list[tuple[int, int]] = []
    sweep = Sweep((2.0, 0.5), rounds=(5, 2), runs=3, methods=METHODS, floors=False)
    found = simulate(stage(), sweep, progress=lambda done, total: seen.append((done, total)))
    runs = [(e.candidate, e.epsilon, e.method, e.rounds, e.seed) for e in found.errors]
    assert len(runs) == len(set(runs)) == 2 * 2 * (5 * 2 * 3 + 1)
    assert seen[0] == (0, 124)
    assert seen[-1] == (124, 124)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert [run[0] for run in runs] == ["c"] * 62 + ["b"] * 62
    assert [run[1] for run in runs[:62]] == [0.5] * 31 + [2.0] * 31
    start = errors(stage().counts, stage().problem("b").start_sums, 40).max_error
    assert {e.max_error for e in found.errors if (e.candidate, e.method) == ("b", UNCHANGED)} == {start}


def test_floors_are_certified_and_no_run_ends_below_them() -> None:
    shape = tables.domain(2, 3)
    workload = Workload.all_kway(shape, 2)
    truth = tables.table(shape, 400, 0)
    lacking = Dataset(shape, truth.codes[(truth.codes[:, 0] == 0) | (truth.codes[:, 1] == 0)])
    counts = count(workload, truth)
    both = {"full": Support.of(truth), "lacking": Support.of(lacking)}
    found = simulate(Stage(workload, counts, both, Fraction(1, 160_000)), Sweep((0.5, 4.0), runs=2))
    floors = {floor.candidate: floor for floor in found.floors}
    # Without atoms (1, 1) and (1, 2) the larger of their masses is missing, whatever the weights.
    assert floors["lacking"].lower >= max(counts.counts[4], counts.counts[5]) / 400 - 1e-9
    assert floors["full"].upper < 1e-3
    for line in found.errors:
        assert line.max_error >= floors[line.candidate].lower - 1e-9


def test_rounds_come_from_the_rule_after_a_pilot_unless_they_are_given() -> None:
    ruled = simulate(stage(), Sweep((0.5, 50.0), runs=2, floors=False))
    assert all(5 <= e.rounds <= 300 and e.seed >= 0 for e in ruled.errors if e.method == PMW_PUB)
    assert len({e.rounds for e in ruled.errors if e.method == PMW_PUB}) > 1
    fixed = simulate(stage(), Sweep((0.5,), rounds=(3, 4), runs=1, floors=False))
    assert {e.rounds for e in fixed.errors if e.method == PMW_PUB} == {3, 4}
    assert fixed.floors == []


@pytest.mark.parametrize("k", [1, 3])
def test_the_rule_after_a_pilot_knows_how_many_rows_a_person_may_own(k: int) -> None:
    """T = rho (n e/(k log Q))^2 by hand, where e is the pilot's error and 5 <= T <= 300."""
    played, found = replace(stage(), rows_per_person=k), dict[Task, Found]()
    simulate(played, Sweep((40.0,), runs=1, floors=False), on_found=found.__setitem__)
    rho = float(played.terms(40.0).budget.rho)
    lines = [one for one in found.values() if isinstance(one, SimulatedError) and one.method == PMW_PUB]
    errors = {one.candidate: one.max_error for one in lines if one.seed == PILOT_SEED}
    rounds = {one.candidate: one.rounds for one in lines if one.seed == 0}
    for name in played.candidates:
        ruled = rho * (played.counts.n * errors[name] / (k * math.log(played.workload.queries))) ** 2
        assert rounds[name] == min(300, max(5, int(ruled)))
    assert 5 < max(rounds.values()) < 300


SWEEP = Sweep((0.5, 2.0), runs=3, methods=METHODS)


def test_any_workers_find_the_same_to_the_bit() -> None:
    alone = simulate(stage(), SWEEP)
    with ThreadPoolExecutor(3) as threads:
        assert simulate(stage(), SWEEP, workers=Borrowed(threads, 3)).to_bytes() == alone.to_bytes()
    for processes in (1, 3):
        assert simulate(stage(), SWEEP, workers=LocalProcesses(processes)).to_bytes() == alone.to_bytes()


def test_a_stopped_sweep_goes_on_where_it_was_and_finds_the_same() -> None:
    kept: dict[Task, Found] = {}
    again: list[Task] = []

    def stop(done: int, total: int) -> None:
        if done >= 20:
            raise JobCancelled("enough")

    with pytest.raises(JobCancelled):
        simulate(stage(), SWEEP, on_found=kept.__setitem__, progress=stop)
    assert 20 <= len(kept) < SWEEP.parts(2)
    resumed = simulate(stage(), SWEEP, known=kept, on_found=lambda task, _: again.append(task))
    assert resumed.to_bytes() == simulate(stage(), SWEEP).to_bytes()
    assert len(again) == SWEEP.parts(2) - len(kept)
    assert not set(again) & set(kept)


def test_a_run_does_not_depend_on_the_sweep_that_it_is_in() -> None:
    small = simulate(stage(), Sweep((2.0,), rounds=(4,), runs=1, methods=(PMW_PUB,), floors=False))
    large = simulate(stage(), Sweep((0.5, 2.0), rounds=(3, 4), runs=2, floors=False))
    assert set(small.errors) <= set(large.errors)


def test_runs_on_a_private_stage_have_no_seed() -> None:
    """The secure source: two sweeps differ, where a simulation's would be equal."""
    sweep = Sweep((1.0,), rounds=(6,), runs=4, methods=(PMW_PUB,), floors=False)
    assert simulate(stage(), sweep) == simulate(stage(), sweep)
    assert simulate(stage(private=True), sweep) != simulate(stage(private=True), sweep)


@pytest.mark.parametrize(
    "wrong",
    [
        {"epsilons": ()},
        *({"epsilons": (0.5, epsilon)} for epsilon in (0.0, -1.0, float("nan"), float("inf"), 2e6)),
        *({"rounds": (3, rounds)} for rounds in (0, 10_001)),
        {"runs": 0},
        {"methods": ()},
        {"methods": ("best",)},
    ],
)
def test_an_empty_or_unknown_grid_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(PlanError):
        Sweep(**{"epsilons": (1.0,), **wrong})  # type: ignore[arg-type]


def test_a_huge_grid_is_refused_before_it_begins() -> None:
    with pytest.raises(PlanError, match="more than 100,000"):
        simulate(stage(), Sweep((1.0,), rounds=tuple(range(1, 301)), runs=500))


def test_a_stage_shows_no_counts_and_travels_without_its_problems() -> None:
    import pickle

    here = stage()
    here.problem("b")
    there = pickle.loads(pickle.dumps(here))  # noqa: S301
    assert there._problems == {}
    assert "PrivateCounts" not in repr(here)
    assert FloorOf("b") != Run("b", PMW_PUB, 1.0, 1, 0)


def baseline_stage(*, rows: bool = True) -> Stage:
    truth = tables.table(SHAPE, 500, 1)
    candidates = {name: tables.support(SHAPE, 40, seed) for name, seed in (("c", 3), ("b", 2))}
    return Stage(WORKLOAD, count(WORKLOAD, truth), candidates, Fraction(1, 250_000), rows=truth if rows else None)


def test_baselines_run_once_for_all_candidates_or_with_each_and_with_rounds_where_they_have_them() -> None:
    sweep = Sweep((0.5, 2.0), rounds=(2, 3), runs=2, methods=(PMW_PUB, UNCHANGED, *BASELINES), floors=False)
    found = simulate(baseline_stage(), sweep)
    runs = [(e.method, e.candidate, e.epsilon, e.rounds, e.seed) for e in found.errors]
    assert len(runs) == len(set(runs)) == sweep.parts(2)
    assert {(method, candidate, rounds) for method, candidate, _, rounds, _ in runs if is_baseline(method)} == {
        ("mwem", "", 2), ("mwem", "", 3), ("dual-query", "", 0), ("hdmm", "", 0), ("residual-planner", "", 0),
        ("ji-elkan", "c", 0), ("ji-elkan", "b", 0),
    }  # fmt: skip
    assert [candidate for _, candidate, *_ in runs] == sorted((c for _, c, *_ in runs), key=["c", "b", ""].index)
    assert found.refused == []


def test_mwem_takes_its_rounds_from_a_pilot_run_of_its_own() -> None:
    sweep = Sweep((0.5, 50.0), runs=2, methods=("mwem", "hdmm"), floors=False)
    found = simulate(baseline_stage(), sweep)
    rounds = [e.rounds for e in found.errors if e.method == "mwem"]
    assert len(rounds) == 4
    assert rounds[0] < rounds[-1]
    assert all(e.seed >= 0 for e in found.errors)


def test_baselines_give_the_same_bits_on_any_workers() -> None:
    sweep = Sweep((1.0,), rounds=(3,), runs=2, methods=BASELINES, floors=False)
    with ThreadPoolExecutor(3) as executor:
        spread = simulate(baseline_stage(), sweep, workers=Borrowed(executor, 3))
    assert spread == simulate(baseline_stage(), sweep)


def test_what_cannot_run_is_said_and_the_rest_runs() -> None:
    seen: list[tuple[int, int]] = []
    sweep = Sweep((0.01, 1.0), rounds=(2,), runs=2, methods=("mwem", "dual-query", "hdmm", "mwem+on=a0"), floors=False)
    found = simulate(baseline_stage(rows=False), sweep, progress=lambda done, total: seen.append((done, total)))
    reasons = {(one.method, one.epsilon): one.reason for one in found.refused}
    assert set(reasons) == {
        ("hdmm", 0.01), ("hdmm", 1.0), ("mwem+on=a0", 0.01), ("mwem+on=a0", 1.0), ("dual-query", 0.01),
    }  # fmt: skip
    assert "needs the rows" in reasons["hdmm", 1.0]
    assert "pays for no sample" in reasons["dual-query", 0.01]
    assert {(e.method, e.epsilon) for e in found.errors} == {("mwem", 0.01), ("mwem", 1.0), ("dual-query", 1.0)}
    assert seen[-1] == (6, 6)
    assert Simulation.from_bytes(found.to_bytes()) == found


def counted(stage: Stage, sweep: Sweep) -> tuple[Simulation, list[tuple[int, int]], list[Task]]:
    """A sweep, what its progress said, and the parts that it made."""
    seen: list[tuple[int, int]] = []
    made: list[Task] = []
    found = simulate(
        stage, sweep, on_found=lambda task, _: made.append(task),
        progress=lambda done, total: seen.append((done, total)),
    )  # fmt: skip
    return found, seen, made


TINY = 1e-5
"""At this epsilon `poor_stage` has rho = 2096e-15, for 300 rounds and not for 10,000."""


def poor_stage(*, rows: bool = True, k: int = 1) -> Stage:
    return replace(baseline_stage(rows=rows), delta=Fraction(1, 10**12), rows_per_person=k)


MIXES = {
    "rounds": Sweep((TINY, 1.0), (2, 3), 2, (PMW_PUB, UNCHANGED, *BASELINES, "mwem+on=a0"), floors=False),
    "pilots": Sweep((TINY, 1.0), (), 2, (PMW_PUB, f"{PMW_PUB}+average", "mwem", "mwem+on=a0", "ji-elkan")),
    "some rounds": Sweep((TINY,), (2, 10_000), 1, ("mwem", UNCHANGED, "hdmm", "dual-query"), floors=False),
    "none": Sweep((1.0,), (), 2, ("mwem+on=a0", "mwem+on=a1"), floors=False),
    "only floors": Sweep((1.0,), (), 2, ("mwem+on=a0",)),
}


@pytest.mark.parametrize("mix", MIXES)
@pytest.mark.parametrize("rows", [True, False], ids=["rows", "no rows"])
def test_progress_counts_what_runs_whatever_is_refused(mix: str, rows: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pmwpub.evaluation.sweep.advised_rounds", lambda *_, rows_per_person: 3)
    sweep = MIXES[mix]
    found, seen, made = counted(poor_stage(rows=rows), sweep)
    assert found.refused
    assert seen[0] == (0, len(made))
    assert seen[-1] == (len(made), len(made))
    assert {total for _, total in seen} == {len(made)}
    assert len(made) == len(set(made)) < sweep.parts(2)


def test_progress_without_refusals_counts_the_parts_that_were_announced() -> None:
    for sweep in (SWEEP, Sweep((1.0,), (), 2, (PMW_PUB, "mwem", "ji-elkan", UNCHANGED)), Sweep((1.0,), (2, 3), 1)):
        _, seen, made = counted(baseline_stage(), sweep)
        assert seen[-1] == (sweep.parts(2), sweep.parts(2))
        assert len(made) == sweep.parts(2)


def test_two_runs_of_the_table_unchanged_are_two_parts_where_all_else_is_refused() -> None:
    domain = tables.domain(*[4] * 13)
    workload = Workload.all_kway(domain, 1)
    truth = tables.table(domain, 500, 1)
    candidates = {name: tables.support(domain, 60, seed) for seed, name in enumerate("ab")}
    large = Stage(workload, count(workload, truth), candidates, Fraction(1, 10**6))
    sweep = Sweep((1.0,), (5, 10), 2, ("mwem", "ji-elkan", UNCHANGED), floors=False)
    found, seen, _ = counted(large, sweep)
    assert [one.method for one in found.refused] == ["ji-elkan", "mwem"]
    assert (seen[0], seen[-1]) == ((0, 2), (2, 2))


def test_rounds_that_a_budget_does_not_pay_for_are_refused_and_the_others_run() -> None:
    sweep = Sweep((TINY,), (2, 10_000), 1, (PMW_PUB, f"{PMW_PUB}+permute-and-flip", "mwem"), floors=False)
    found = simulate(poor_stage(), sweep)
    assert {(one.method, one.rounds) for one in found.refused} == {(method, 10_000) for method in sweep.methods}
    assert all("too few for 10000 rounds" in one.reason for one in found.refused)
    assert {(e.method, e.rounds) for e in found.errors} == {(method, 2) for method in sweep.methods}


@pytest.mark.parametrize(("epsilon", "k"), [(1e-6, 1), (1e-6, 3), (1e-5, 3), (1e-4, 1)])
@pytest.mark.parametrize("rounds", [(), (1, 40)], ids=["pilot", "rounds"])
def test_a_tiny_budget_ends_no_sweep(epsilon: float, k: int, rounds: tuple[int, ...]) -> None:
    more = ("hdmm+even", "ji-elkan+lambda=1e-6", "ji-elkan+lambda=1e6", "mwem+on=a0/a1")
    sweep = Sweep((epsilon,), rounds, 1, (*METHODS, *BASELINES, *more), floors=False)
    found = simulate(poor_stage(k=k), sweep)
    refused = {(one.method, one.rounds) for one in found.refused}
    ran = {(e.method, e.rounds) for e in found.errors}
    assert {method for method, _ in ran | refused} == set(sweep.methods)
    assert not ran & refused
    assert ("dual-query", 0) in refused


def test_an_epsilon_that_allows_no_noise_is_refused_before_anything_runs() -> None:
    made: list[Task] = []
    with pytest.raises(BudgetError, match="no noise at all"):
        simulate(poor_stage(), Sweep((1.0, 1e-7), (2,), 1), on_found=lambda task, _: made.append(task))
    assert made == []


def test_what_was_found_under_an_older_spelling_is_taken_up_and_not_made_again() -> None:
    sweep = Sweep((1.0,), (2,), 1, ("ji-elkan+lambda=0.010", "hdmm+even"), floors=False)
    kept: dict[Task, Found] = {}
    simulate(baseline_stage(), sweep, on_found=kept.__setitem__)
    assert {task.method for task in kept if isinstance(task, Run)} == {"ji-elkan", "hdmm+even"}
    older = {"ji-elkan": "ji-elkan+lambda=0.01", "hdmm+even": "hdmm+even=3"}
    stored: dict[Task, Found] = {}
    for task, found in kept.items():
        assert isinstance(task, Run)
        assert isinstance(found, SimulatedError)
        stored[replace(task, method=older[task.method])] = replace(found, method=older[found.method], max_error=0.125)
    assert under_todays_names(stored).keys() == kept.keys()
    again: list[Task] = []
    resumed = simulate(baseline_stage(), sweep, known=stored, on_found=lambda task, _: again.append(task))
    assert again == []
    assert [(e.method, e.candidate, e.max_error) for e in resumed.errors] == [
        ("ji-elkan", "c", 0.125), ("ji-elkan", "b", 0.125), ("hdmm+even", "", 0.125),
    ]  # fmt: skip
    for both in ({**stored, **kept}, {**kept, **stored}):
        assert under_todays_names(both) == kept


def test_baselines_have_lines_of_their_own_and_no_say_in_the_verdicts() -> None:
    sweep = Sweep((0.5, 2.0), rounds=(2,), runs=2, methods=(PMW_PUB, UNCHANGED), floors=False)
    stage = baseline_stage()
    own = simulate(stage, sweep)
    both = simulate(stage, replace(sweep, methods=(PMW_PUB, UNCHANGED, "mwem", "ji-elkan", "ji-elkan+lambda=0.5")))
    assert best_lines(both.errors) == best_lines(own.errors)
    assert not_beaten(both.errors) == not_beaten(own.errors)
    lines = baseline_lines(both.errors)
    assert list(lines) == ["c, Ji–Elkan", "b, Ji–Elkan", "MWEM"]
    assert [line.epsilon for line in lines["MWEM"]] == [0.5, 2.0]
    tried = [e.max_error for e in both.errors if (e.candidate, e.epsilon, e.method) == ("c", 0.5, "ji-elkan")]
    assert lines["c, Ji–Elkan"][0].mean <= sum(tried) / len(tried)
