"""Candidates: what is free, the plan, and what was bought told as it is."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import buying
import pytest
from pages.visits import ROWS, Here, Open, buy, press, wide_table, words

from pmwpub.jobs import PAID, Claim, InlineEngine, Job
from pmwpub.jobs.run import OnDone, OnFailed
from pmwpub.ledger import Booking, PlanKey
from pmwpub.mechanisms.noisy_error.choose_best import best_charge
from pmwpub.mechanisms.noisy_error.precision import epsilon_within
from pmwpub.noisy_interval import NoisyInterval
from pmwpub.plans import AssessmentPlan, PublicInputs, WorkloadChoice
from pmwpub.service import Assessed, Outcome
from pmwpub.service.bought import assessments
from pmwpub.service.history_files import history_csv
from pmwpub.service.inputs import study_store
from pmwpub.service.purchases.caveats import PRIVATE_NUMBERS_SEEN
from pmwpub.service.simulations import public_pairs
from pmwpub.theory import private_rows_needed
from pmwpub.ui import Session
from pmwpub.ui.app import services
from pmwpub.ui.wording import ranked_floors, side_by_side


def test_everybody_can_compare_the_candidates_for_free(town: Here, visit: Open) -> None:
    app = visit("compare", population=town.population)
    assert "It shows how alike the public tables are" in words(app)
    press(app, "Compare the candidates with each other")
    assert not app.exception
    assert town.spent == 0
    pairs = public_pairs.comparison(town.service, study_store.study(town.service, town.population)).pairs
    table = next(frame.value for frame in app.dataframe if "plays the private table" in frame.value)
    assert set(zip(table["candidate"], table["plays the private table"], strict=True)) == {
        ("good.csv", "poor.csv"),
        ("poor.csv", "good.csv"),
    }
    assert table["candidate"].tolist()[0] == "good.csv", "the lowest floor stands first"
    assert set(table["empty cells"]) == {pair.empty for pair in pairs}
    assert not any("Compare" in button.label for button in app.button), "what is stored is not made again"


def test_one_candidate_alone_cannot_be_compared(town: Here, visit: Open) -> None:
    current = study_store.study(town.service, town.population)
    study_store.remove_candidate(town.service, town.population, current.candidates[0].sha256)
    app = visit("compare", population=town.population)
    assert "With a second candidate" in words(app)
    assert not any("Compare" in button.label for button in app.button)


def test_the_calculator_sets_the_rows_that_suffice_beside_the_rows_there_are(town: Here, visit: Open) -> None:
    app = visit("compare", population=town.population)
    app.number_input(key="rows α, error").set_value(0.5).run()
    table = next(frame.value for frame in app.dataframe if "rows that suffice" in frame.value)
    queries = study_store.study(town.service, town.population).workload().queries
    needed = private_rows_needed(0.5, 0.05, queries)
    assert table["rows that suffice"].tolist()[0] == needed
    assert table["rows"].tolist()[0] == ROWS
    assert table["verdict"].tolist()[0] == ("enough" if needed <= ROWS else "fewer")


def test_a_divergence_that_cannot_be_is_refused_in_words(town: Here, visit: Open) -> None:
    app = visit("compare", population=town.population)
    app.number_input(key="rows D₂ (nats)").set_value(1.0).run()
    assert not app.exception
    assert "D_2 <= D_infinity" in words(app)


def test_a_plan_says_its_error_bar_and_after_the_comparison_whether_that_tells_candidates_apart(steward: Open) -> None:
    app = steward("compare")
    # Laplace noise of 1/0.04 rows: 95 % within 25 ln 20 = 74.9 rows, and half a cell; of 400 rows.
    assert "floor ± 22 %" in words(app)
    assert "floor at ε = 0.04, start at ε = 0.01" in words(app)
    assert "Compare the candidates with each other (free, below)" in words(app)
    press(app, "Compare the candidates with each other")
    assert "hardly tell the candidates apart" in words(app)
    app.text_input(key="assessment epsilon").set_value("2.0").run()
    assert "can tell" in words(app)
    assert "of draws come to a result" in words(app)


def test_a_wanted_error_bar_buys_the_smallest_epsilon_that_has_it(town: Here, steward: Open) -> None:
    app = steward("compare")
    app.radio(key="epsilon or precision").set_value("a wanted error bar").run()
    app.text_input(key="assessment precision").set_value("10").run()
    buy(app, "Buy these assessments")
    assert not app.exception
    found = assessments.assessments(town.service, study_store.study(town.service, town.population))
    assert len({one.plan.epsilon for one in found}) == 1
    epsilon = found[0].plan.exact_epsilon
    assert epsilon == epsilon_within(Fraction(1, 10), ROWS)
    for one in found:
        assert one.floor is not None
        assert one.floor.high - one.floor.low <= 0.2 + 1e-12  # either end may be cut off at 0 or 1


def test_only_the_winner_is_one_charge_and_no_number(town: Here, steward: Open, visit: Open) -> None:
    app = steward("compare")
    app.radio(key="what to buy").set_value("only which one is best").run()
    app.text_input(key="choice epsilon").set_value("0.5").run()
    assert "the chosen one's floor is at most" in words(app)
    buy(app, "Buy this choice")
    assert not app.exception
    (charge,) = town.service.ledger.history(town.population)
    assert charge.rho == best_charge(Fraction(1, 2))
    assert ": good.csv, for " in words(visit("compare", population=town.population))
    press(app, "Show the stored result")
    assert len(town.service.ledger.history(town.population)) == 1


def test_a_pool_is_a_candidate_of_its_own_and_is_assessed_at_its_own_price(town: Here, steward: Open) -> None:
    app = steward("compare")
    current = study_store.study(town.service, town.population)
    both = [facts.sha256 for facts in current.usable]
    pool = f"pool: {current.known_names(sorted(both))}"
    app.multiselect(key="pool tables").set_value(both)
    press(app, "Offer this pool")
    assert list(app.multiselect[0].options) == ["good.csv", "poor.csv", pool]
    buy(app, "Buy these assessments")
    assert not app.exception
    found = assessments.assessments(town.service, study_store.study(town.service, town.population))
    assert tuple(sorted(both)) in {one.candidates for one in found}
    assert len(town.service.ledger.history(town.population)) == 6
    fresh = steward("compare")
    assert pool in fresh.multiselect[0].options, "a pool that was bought stays on offer"


def test_fast_and_full_results_stand_apart(town: Here, visit: Open) -> None:
    service, name = town.service, town.population
    service.ledger.amend(name, epsilon=Fraction(50))
    _wide(town)
    app = visit("compare", Session(name, study_store.load_private(service, name, wide_table(ROWS, 1))), population=name)
    app.radio(key="assessment setting").set_value("fast")
    app.text_input(key="assessment epsilon").set_value("1.0").run()
    buy(app, "Buy these assessments")
    app.radio(key="assessment setting").set_value("full").run()
    assert "not known" in words(app)
    buy(app, "Buy these assessments")
    said = words(app)
    assert "Floors, a sample: 64 marginals at most, drawn publicly" in said
    assert "Floors, the whole workload" in said
    assert said.count("has the lowest, about") == 2
    assert said.count("over the whole workload it can only be higher") == 1
    assert len({one.plan.setting for one in assessments.assessments(service, study_store.study(service, name))}) == 2


def _wide(town: Here) -> None:
    """Nine columns of two levels: 84 three-way marginals, more than the fast setting takes."""
    service, name = town.service, town.population
    for facts in study_store.study(service, name).candidates:
        study_store.remove_candidate(service, name, facts.sha256)
    for file, seed in (("good.csv", 2), ("poor.csv", 3)):
        study_store.add_candidate(service, name, file, wide_table(300, seed), attested=True)
    study_store.save_schema(service, name, study_store.draft_schema(service, name))
    study_store.choose_workload(service, name, WorkloadChoice(k=3))


class Stuck(InlineEngine):
    """An engine whose jobs never end: step 3 of 7."""

    def submit(
        self, task: str, payload: object, *, key: str, on_done: OnDone, on_failed: OnFailed, claim: Claim
    ) -> Job:
        assert claim == PAID
        job = self._jobs[key] = Job(key, task)
        job.begin()
        job.advance(3, 7, "")
        return job

    def expects(self, key: str) -> bool:
        return key in self._jobs


def test_a_viewer_sees_that_an_assessment_is_at_work_and_nothing_of_how_far_it_is(
    town: Here, visit: Open, steward: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    stuck = Stuck()
    monkeypatch.setattr(services, "engine", lambda: stuck)
    app = buy(steward("compare"), "Buy these assessments")
    assert any(button.label == "Cancel" for button in app.button)
    viewer = visit("compare", population=town.population)
    assert "good.csv is at work" in words(viewer)
    assert not any(button.label == "Cancel" for button in viewer.button)
    assert len(app.main.get("progress")) == 2
    assert not viewer.main.get("progress")


def test_what_is_downloaded_is_what_is_shown_and_is_inert() -> None:
    inputs = PublicInputs(schema_sha256="s", workload_sha256="w", workload=WorkloadChoice(k=2), candidates=("a",))
    plan = AssessmentPlan(n=9, rows_per_person=1, inputs=inputs, epsilon="1")
    noisy = NoisyInterval(0.01, 0.0, 0.02, 0.95, "1/25")
    done = Outcome(Booking(1, "town", PlanKey(plan.sha256), "", (1,), "done", False, ""), "done")
    found = [
        Assessed(("b",), "=cmd()", plan, done, floor=replace(noisy, value=0.015), remarks=("seen",)),
        Assessed(("a",), "a.csv", plan, done, noisy, noisy),
    ]
    rows = ranked_floors.rows(found)
    assert [row["candidate"] for row in rows] == ["a.csv", "=cmd()"]
    assert [row["too_close_to_call"] for row in rows] == [1, 1]
    assert (rows[0]["noisy_start"], rows[1]["noisy_start"]) == (0.01, "")
    assert rows[1]["remarks"] == "seen"
    assert b"\n'=cmd()," in history_csv(rows)


def test_floor_and_start_bought_apart_stand_together(town: Here) -> None:
    current = study_store.study(town.service, town.population)
    one = [current.candidates[0].sha256]
    for parts in ({"start": False}, {"floor": False}):
        plan = assessments.assessment_plan(current, one, epsilon="0.3", **parts)
        buying.buy(town.service, town.private(), plan)
    (found,) = side_by_side.latest(assessments.assessments(town.service, current), current).values()
    assert found.floor is not None
    assert found.start is not None


def test_what_was_seen_before_stands_with_the_result(town: Here, steward: Open) -> None:
    town.service.ledger.mark(town.population, PRIVATE_NUMBERS_SEEN, "the true errors")
    app = buy(steward("compare"), "Buy these assessments")
    assert "Chosen after private numbers were seen; not covered by (ε, δ): the true errors" in words(app)


def test_a_noisy_value_outside_what_an_error_can_be_is_shown_at_the_end_of_its_interval() -> None:
    below = NoisyInterval(-0.01, 0.0, 0.02, 0.95, "1/25")
    assert side_by_side.interval(below) == "0 % (0 % to 2 %)"
    assert replace(below, value=0.01).estimate == 0.01
