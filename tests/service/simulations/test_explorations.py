"""Simulations: stored as they come, taken up where they stopped, never repeated; and the advice that rests on them."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest

from pmwpub.errors import PlanError, StoreUnavailable
from pmwpub.evaluation import METHODS, PMW_PUB, UNCHANGED, best_lines, summarise
from pmwpub.jobs import Ending
from pmwpub.privacy.budget import ZCDP, ApproxDP, zcdp_of
from pmwpub.service.inputs import study_store
from pmwpub.service.simulations import advice as advice_simulations
from pmwpub.service.simulations import explorations
from pmwpub.service.simulations.explorations import PART
from pmwpub.service.simulations.sweep_range import SHARES, SweepRange, played
from pmwpub.tasks.simulation_work import read_part

if TYPE_CHECKING:
    from conftest import Bench


def test_there_is_no_advice_on_epsilon_before_a_simulation(bench: Bench) -> None:
    current = study_store.study(bench.service, bench.name)
    assert advice_simulations.advise_epsilon(bench.service, current, bench.candidates[:1], 0.1, engine=PMW_PUB) is None


def test_the_advised_epsilon_is_the_smallest_one_tried_whose_mean_error_is_small_enough(bench: Bench) -> None:
    current = study_store.study(bench.service, bench.name)
    (truth, candidate), name = bench.candidates[:2], "c.csv"
    found = explorations.explore(bench.service, current, truth).simulation
    assert found is not None
    means = {
        line.epsilon: line.mean
        for line in summarise(found.errors)
        if line.candidate == name and line.method == "pmw-pub"
    }
    for wanted in (0.0, *means.values(), 1.0):
        advice = advice_simulations.advise_epsilon(bench.service, current, [candidate], wanted, engine=PMW_PUB)
        assert advice is not None
        assert advice.epsilon == min((e for e, mean in means.items() if mean <= wanted), default=None)
        assert advice.truth == "b.csv"
        assert (advice.best, advice.largest) == (min(means.values()), max(means))
        assert 0 <= advice.floor <= advice.best
    assert bench.service.ledger.balance(bench.name).spent == ZCDP(0)


SMALL = SweepRange(epsilons=(0.5, 2.0), rounds=(3,), runs=2)


def test_baselines_without_a_public_table_are_stored_and_taken_up_again_too(bench: Bench) -> None:
    current, truth = study_store.study(bench.service, bench.name), bench.candidates[0]
    terms = replace(SMALL, methods=("mwem", "ji-elkan"))
    found = explorations.explore(bench.service, current, truth, terms).simulation
    assert found is not None
    names = {(line.method, line.candidate) for line in found.errors}
    assert ("mwem", "") in names
    assert {candidate for method, candidate in names if method == "ji-elkan"} == set(played(current, truth, terms))
    before = parts_of(bench)
    wider = replace(terms, methods=("mwem", "ji-elkan", "hdmm"))
    explorations.explore(bench.service, current, truth, wider)
    new = [key for key in parts_of(bench) if key not in before]
    assert len(new) == 2 * 2, "two runs of hdmm at each epsilon, and nothing again"


def parts_of(bench: Bench) -> list[str]:
    return [entry.key for entry in bench.service.ledger.documents(bench.name, PART)]


def stopping_after(bench: Bench, monkeypatch: pytest.MonkeyPatch, parts: int) -> None:
    """The store refuses to keep more than so many parts, as if the program had ended there."""
    real = bench.service.ledger.put_document

    def put(population: str, kind: str, key: str, body: bytes) -> None:
        if kind == PART and len(parts_of(bench)) >= parts:
            raise StoreUnavailable("The program ended here.")
        real(population, kind, key, body)

    monkeypatch.setattr(bench.service.ledger, "put_document", put)


def test_a_stopped_sweep_goes_on_without_repeating_a_finished_run(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    current = study_store.study(bench.service, bench.name)
    truth = bench.candidates[0]
    with monkeypatch.context() as patch:
        stopping_after(bench, patch, 7)
        found = explorations.explore(bench.service, current, truth, SMALL)
    assert (found.simulation, found.job) == (None, None)
    assert found.reason is not None
    assert (found.reason.ending, found.reason.refusal) == (Ending.REFUSED, StoreUnavailable)
    before = parts_of(bench)
    partial = explorations.so_far(bench.service, current, found)
    assert len(partial.errors) + len(partial.floors) == 7

    made: list[object] = []
    real = bench.service.ledger.put_document

    def put(population: str, kind: str, key: str, body: bytes) -> None:
        made.extend([key] if kind == PART else [])
        real(population, kind, key, body)

    monkeypatch.setattr(bench.service.ledger, "put_document", put)
    done = explorations.explore(bench.service, current, truth, SMALL).simulation
    assert done is not None
    assert len(made) == 14 - 7
    assert not set(made) & set(before)
    assert len(done.errors) == 2 * 2 * (2 + 1)
    assert set(partial.errors) <= set(done.errors)


def test_a_wider_sweep_makes_only_what_a_narrower_one_lacks(bench: Bench) -> None:
    current = study_store.study(bench.service, bench.name)
    explorations.explore(bench.service, current, bench.candidates[0], SMALL)
    before = len(parts_of(bench))
    wider = replace(SMALL, epsilons=(0.5, 1.0, 2.0), runs=3)
    done = explorations.explore(bench.service, current, bench.candidates[0], wider).simulation
    assert done is not None
    assert len(done.errors) == 2 * 3 * (3 + 1)
    assert len(parts_of(bench)) - before == 2 * (3 + 1) + 2 * 2, "one more epsilon, and a third run at the others"


def test_every_sweep_that_was_asked_for_is_found_again_the_latest_first(bench: Bench) -> None:
    current = study_store.study(bench.service, bench.name)
    other = replace(SMALL, methods=METHODS, candidates=((bench.candidates[2],),))
    explorations.explore(bench.service, current, bench.candidates[0], SMALL)
    explorations.explore(bench.service, current, bench.candidates[1], other)
    found = explorations.explorations(bench.service, current)
    assert [(one.truth, one.terms) for one in found] == [(bench.candidates[1], other), (bench.candidates[0], SMALL)]
    assert all(one.simulation is not None for one in found)
    study_store.remove_candidate(bench.service, bench.name, bench.candidates[1])
    left = explorations.explorations(bench.service, study_store.study(bench.service, bench.name))
    assert left == [], "the other sweep had the deleted table among its candidates"


def test_a_candidate_of_fewer_rows_is_a_candidate_of_its_own(bench: Bench) -> None:
    current = study_store.study(bench.service, bench.name)
    terms = replace(SMALL, shares=SHARES, candidates=((bench.candidates[1],),), rounds=(2,), runs=1)
    done = explorations.explore(bench.service, current, bench.candidates[0], terms).simulation
    assert done is not None
    names = [f"c.csv{rest}" for rest in ("", ", 10 % of its rows", ", 1 % of its rows", ", 0.1 % of its rows")]
    assert list(played(current, bench.candidates[0], terms)) == names
    floors = {floor.candidate: floor for floor in done.floors}
    assert list(floors) == names
    assert floors[names[0]].upper <= floors[names[1]].lower <= floors[names[2]].lower, "fewer atoms, higher floors"


def test_a_pool_can_be_simulated_and_gets_advice(bench: Bench) -> None:
    current = study_store.study(bench.service, bench.name)
    pool = tuple(sorted(bench.candidates[1:]))
    terms = replace(SMALL, candidates=(pool,))
    explorations.explore(bench.service, current, bench.candidates[0], terms)
    assert advice_simulations.advise_epsilon(bench.service, current, bench.candidates[1:], 1.0, engine=PMW_PUB)
    assert advice_simulations.advise_rounds(bench.service, current, bench.candidates[1:], "1").truth == "b.csv"


@pytest.mark.parametrize("k", [1, 2])
def test_the_advised_rounds_know_how_many_rows_a_person_may_own(bench: Bench, k: int) -> None:
    """T = rho (n e/(k log Q))^2 by hand, where e is the error in the simulation at the nearest epsilon."""
    bench.service.ledger.amend(bench.name, rows_per_person=k)
    current = study_store.study(bench.service, bench.name)
    found = explorations.explore(bench.service, current, bench.candidates[1], SMALL)
    assert found.simulation is not None
    lines = best_lines(found.simulation.errors)
    (error,) = (one.mean for one in lines if (one.candidate, one.epsilon) == ("b.csv", 2))
    people = current.population
    rho = float(zcdp_of(ApproxDP(Fraction(8), people.delta)).rho)
    ruled = rho * (people.n * error / (k * math.log(current.workload().queries))) ** 2
    assert 5 < ruled < 300
    assert advice_simulations.advise_rounds(bench.service, current, bench.candidates[:1], "8").rounds == int(ruled)


def test_a_part_that_is_stored_says_what_it_is(bench: Bench) -> None:
    current = study_store.study(bench.service, bench.name)
    explorations.explore(bench.service, current, bench.candidates[0], SMALL)
    bodies = [bench.service.ledger.document(bench.name, PART, key) for key in parts_of(bench)]
    tasks = [task for task, _ in map(read_part, bodies)]
    assert len(tasks) == len(set(tasks)) == 14
    assert {task.method for task in tasks if hasattr(task, "method")} == {PMW_PUB, UNCHANGED}


def test_an_empty_grid_or_a_share_of_nothing_is_refused(bench: Bench) -> None:
    current = study_store.study(bench.service, bench.name)
    for wrong in ({"epsilons": ()}, {"shares": (0.0,)}, {"shares": (101.0,)}, {"runs": 0}):
        with pytest.raises(PlanError):
            explorations.explore(bench.service, current, bench.candidates[0], replace(SMALL, **wrong))  # type: ignore[arg-type]
    assert explorations.explorations(bench.service, current) == []


def test_a_pool_was_not_simulated_and_gets_no_advice(bench: Bench) -> None:
    current = study_store.study(bench.service, bench.name)
    explorations.explore(bench.service, current, bench.candidates[0])
    assert advice_simulations.advise_epsilon(bench.service, current, bench.candidates[1:], 0.5, engine=PMW_PUB) is None
