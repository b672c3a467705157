"""What is handed over of a finished release, through the service."""

from __future__ import annotations

from pmwpub.service.bought.release_errors import error_plan
from pmwpub.service.bought.releases import release_plan, released
from pmwpub.service.choosing.expectation import handed_over
from pmwpub.service.choosing.simulated_pairs import simulate_pairs
from pmwpub.service.inputs import study_store
from pmwpub.service.purchases import ErrorPurchase, ReleasePurchase, buy
from pmwpub.service.simulations.sweep_range import SweepRange
from tests.service.conftest import Bench


def test_what_is_handed_over_names_what_was_expected_and_every_error_that_was_bought(bench: Bench) -> None:
    current = study_store.study(bench.service, bench.name)
    simulate_pairs(bench.service, current, SweepRange(epsilons=(0.5, 1.0), rounds=(3,), runs=1))
    plan = release_plan(bench.service, current, bench.candidates[:1], epsilon="1", rounds=3)
    (outcome,) = buy(bench.service, bench.private, [ReleasePurchase(plan)], tick=True)
    found = released(bench.service, current, outcome.booking)
    before = handed_over(bench.service, current, found)
    assert before.errors[0].startswith("Expected: a largest error of")
    assert "b.csv, c.csv and d.csv played the private table" in before.errors[0]
    assert before.figure.startswith("<svg")
    assert found.bundle is not None
    assert before.errors[0] in found.bundle.parts["report.html"].decode()
    bought = error_plan(bench.service, bench.name, found.outcome.booking.key, epsilon="0.5")
    buy(bench.service, bench.private, [ErrorPurchase(bought)], tick=True)
    again = released(bench.service, current, outcome.booking)
    after = handed_over(bench.service, current, again)
    assert after.errors[0].startswith("Bought: the largest error")
    assert again.bundle is not None
    assert after.errors[0] in again.bundle.parts["report.html"].decode()
