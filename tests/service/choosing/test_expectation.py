"""What is handed over of a finished release, through the service."""

from __future__ import annotations

import re

from pmwpub.evaluation import PMW_PUB, TABLE_FIT, UNCHANGED
from pmwpub.service.bought.answers_of_releases import answers_of
from pmwpub.service.bought.assessments import assessment_plan
from pmwpub.service.bought.release_errors import error_plan
from pmwpub.service.bought.releases import release_plan, released, table_fit_plan
from pmwpub.service.choosing.expectation import expectation_of, handed_over
from pmwpub.service.choosing.simulated_pairs import simulate_pairs
from pmwpub.service.inputs import study_store
from pmwpub.service.purchases import AssessmentPurchase, ErrorPurchase, ReleasePurchase, buy
from pmwpub.service.purchases.table_fit_purchase import TableFitPurchase
from pmwpub.service.simulations.sweep_range import SweepRange
from tests.service.conftest import Bench


def test_what_is_handed_over_names_what_was_expected_and_every_error_that_was_bought(bench: Bench) -> None:
    current = study_store.study(bench.service, bench.name)
    simulate_pairs(bench.service, current, SweepRange(epsilons=(0.5, 1.0), rounds=(3,), runs=1))
    plan = release_plan(bench.service, current, bench.candidates[:1], epsilon="1", rounds=3)
    (outcome,) = buy(bench.service, bench.private, [ReleasePurchase(plan)], tick=True, free_tick=True)
    found = released(bench.service, current, outcome.booking)
    before = handed_over(bench.service, current, found)
    assert re.match(r"Expected largest error: about [\d.]+ % of the rows", before.errors[0])
    assert "in which c.csv and d.csv played the private table" in before.errors[0]
    assert before.figure.startswith("<svg")
    assert found.bundle is not None
    assert before.errors[0] in found.bundle.parts["report.html"].decode()
    bought = error_plan(bench.service, bench.name, found.outcome.booking.key, epsilon="0.5")
    buy(bench.service, bench.private, [ErrorPurchase(bought)], tick=True)
    again = released(bench.service, current, outcome.booking)
    after = handed_over(bench.service, current, again)
    assert "It was bought: measured on the private table, with noise." in after.errors[0]
    assert any(words.startswith("Before it was bought, about") for words in after.errors)
    assert again.bundle is not None
    assert dict(again.bundle.parts) == dict(found.bundle.parts), "its files are those that its own charge bought"


def test_a_release_that_may_add_rows_stands_against_no_floor(bench: Bench) -> None:
    current = study_store.study(bench.service, bench.name)
    simulate_pairs(bench.service, current, SweepRange(epsilons=(0.5, 1.0), rounds=(3,), runs=1))
    pool = bench.candidates[2:]
    buy(bench.service, bench.private, [AssessmentPurchase(assessment_plan(current, pool, epsilon="0.5"))], tick=True)
    said = []
    for grow in (False, True):
        plan = table_fit_plan(bench.service, current, pool, epsilon="1", grow=grow)
        (outcome,) = buy(bench.service, bench.private, [TableFitPurchase(plan)], tick=True, free_tick=True)
        found = released(bench.service, current, outcome.booking)
        said.append(handed_over(bench.service, current, found))
        assert found.bundle is not None
        known = answers_of(bench.service, found.bundle).main
        assert known is not None, "what is handed over has the reaches of columns"
        assert said[-1].levels == known.levels
    own, grown = (" ".join(summary.errors) for summary in said)
    assert "Bought of the public table: floor" in own
    assert "Bought of the public table: start" in own
    assert "table: floor" not in grown
    assert "Bought of the public table: start" in grown
    assert said[1].figure == "", "its errors were simulated on the table's own rows, above their floor"


def test_the_figure_has_a_line_of_each_engine_that_was_simulated_by_its_plain_name(bench: Bench) -> None:
    current = study_store.study(bench.service, bench.name)
    terms = SweepRange(epsilons=(0.5, 1.0), rounds=(3,), runs=1, methods=(PMW_PUB, TABLE_FIT, UNCHANGED))
    simulate_pairs(bench.service, current, terms)
    plan = table_fit_plan(bench.service, current, bench.candidates[:1], epsilon="1")
    found = expectation_of(bench.service, current, plan)
    assert found is not None
    assert found.figure.count('class="curve"') == 2
    for name in ("b.csv, table fit", "b.csv, PMW^Pub, T = 3"):
        assert name in found.figure
    own, other = (found.figure.index(f"b.csv, {name}") for name in ("table fit", "PMW^Pub"))
    assert own < other, "the release's own engine comes first"
