"""Advice from stored simulations: what it rests on, and that it is no more than that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pmwpub.evaluation import summarise
from pmwpub.privacy.budget import ZCDP
from pmwpub.service import exploring, studies

if TYPE_CHECKING:
    from conftest import Bench


def test_there_is_no_advice_on_epsilon_before_a_simulation(bench: Bench) -> None:
    current = studies.study(bench.service, bench.name)
    assert exploring.advise_epsilon(bench.service, current, bench.candidates[:1], 0.1) is None


def test_the_advised_epsilon_is_the_smallest_one_tried_whose_mean_error_is_small_enough(bench: Bench) -> None:
    current = studies.study(bench.service, bench.name)
    (truth, candidate), name = bench.candidates[:2], "c.csv"
    found = exploring.explore(bench.service, current, truth).simulation
    assert found is not None
    means = {
        line.epsilon: line.mean
        for line in summarise(found.errors)
        if line.candidate == name and line.method == "pmw-pub"
    }
    for wanted in (0.0, *means.values(), 1.0):
        advice = exploring.advise_epsilon(bench.service, current, [candidate], wanted)
        assert advice is not None
        assert advice.epsilon == min((e for e, mean in means.items() if mean <= wanted), default=None)
        assert advice.truth == "b.csv"
        assert (advice.best, advice.largest) == (min(means.values()), max(means))
        assert 0 <= advice.floor <= advice.best
    assert bench.service.ledger.balance(bench.name).spent == ZCDP(0)


def test_a_pool_was_not_simulated_and_gets_no_advice(bench: Bench) -> None:
    current = studies.study(bench.service, bench.name)
    exploring.explore(bench.service, current, bench.candidates[0])
    assert exploring.advise_epsilon(bench.service, current, bench.candidates[1:], 0.5) is None
