"""Compare on one screen: the verdict in a sentence, rows, a figure with its own shade, and what is folded away."""

from __future__ import annotations

from dataclasses import replace

import buying
import pytest
from pages.visits import Here, Open, drawn_lines, press, table, words

from pmwpub.noisy_interval import NoisyInterval
from pmwpub.plans import AssessmentPlan, WorkloadChoice
from pmwpub.service import Assessed
from pmwpub.service.bought import assessments
from pmwpub.service.choosing import expected_pool
from pmwpub.service.choosing.expected_error import ExpectedError
from pmwpub.service.choosing.expected_pool import PlayedPool
from pmwpub.service.choosing.preselection import Preselection
from pmwpub.service.choosing.simulated_pairs import simulate_pairs
from pmwpub.service.inputs import study_store
from pmwpub.service.simulations.sweep_range import SweepRange
from pmwpub.ui.compare.overview import BOTH_ENGINES
from pmwpub.ui.wording.candidate_verdict import verdict

ERRORS = (("1", 0.016), ("0.5", 0.022))


def expecting(*errors: tuple[tuple[str, ...], float]) -> Preselection:
    """A preselection of the first, with these expected errors."""
    expected = tuple((pool, ExpectedError("", error, error, error, 0.0, 0.2, 1)) for pool, error in errors)
    return Preselection(errors[0][0], "It is the best.", expected)


def floor_of(town: Here, name: str, low: float) -> Assessed:
    current = study_store.study(town.service, town.population)
    (sha256,) = [one.sha256 for one in current.usable if one.name == name]
    plan: AssessmentPlan = assessments.assessment_plan(current, [sha256], epsilon="0.05")
    return Assessed((sha256,), name, plan, None, NoisyInterval(low + 0.01, low, low + 0.02, 0.95, "1/25"))  # type: ignore[arg-type]


def test_the_verdict_names_what_to_use_what_is_ruled_out_and_what_to_expect(town: Here) -> None:
    current = study_store.study(town.service, town.population)
    poor, good = floor_of(town, "poor.csv", 0.09), floor_of(town, "good.csv", 0.001)
    at = {
        "1": expecting((good.candidates, 0.016), (poor.candidates, 0.1)),
        "0.5": expecting((good.candidates, 0.0213), (poor.candidates, 0.11)),
    }
    assert verdict(current, at, [good, poor]).replace("\\", "") == (
        "Use **good.csv**: with 95 % confidence no reweighting of poor.csv gets below 9 % on this workload; expect an "
        "error of about 1.6 % at ε = 1, 2.1 % at ε = 0.5."
    )
    assert "poor" not in verdict(current, at, [good, floor_of(town, "poor.csv", 0.015)]), "its floor is within reach"
    bought = {"1": replace(at["1"], expected=()), "0.5": replace(at["0.5"], expected=())}
    assert "gets below 9 %" in verdict(current, bought, [good, poor]), "without a simulation the floors are compared"
    nothing = {"1": Preselection(None, "Nothing is known."), "0.5": Preselection(None, "Nothing is known.")}
    assert verdict(current, nothing, []).replace("\\", "") == "Nothing is known."


def test_where_a_candidate_is_not_told_apart_from_another_it_is_preselected_and_not_advised(town: Here) -> None:
    current = study_store.study(town.service, town.population)
    good, poor = ((one.sha256,) for one in current.usable)
    at = {"1": replace(expecting((good, 0.087), (poor, 0.1)), tied=(poor,))}
    assert verdict(current, at, []).replace("\\", "") == (
        "**good.csv** is preselected; it and poor.csv cannot be told apart until a start is bought: expect an error of "
        "about 8.7 % at ε = 1."
    )


def test_no_error_stands_at_an_epsilon_that_no_simulation_reached(town: Here) -> None:
    current = study_store.study(town.service, town.population)
    good, poor = ((one.sha256,) for one in current.usable)
    reached = expecting((good, 0.087), (poor, 0.1))
    beyond = replace(reached, reached=False)
    assert verdict(current, {"0.1": reached, "0.05": beyond}, []).endswith("about 8.7 % at ε = 0.1.")
    assert verdict(current, {"0.05": beyond, "0.025": beyond}, []).endswith(
        "about 8.7 % at the simulated ε nearest to 0.05."
    )
    assert "8.7 % at ε = 4" in verdict(current, {"8": beyond, "4": reached}, [])


def test_where_a_pool_is_expected_to_be_best_the_verdict_says_so_and_what_each_table_gives(town: Here) -> None:
    current = study_store.study(town.service, town.population)
    good, poor = ((one.sha256,) for one in current.usable)
    pool = PlayedPool((*good, *poor), (0.5,), (("good.csv", 0.7), ("poor.csv", 0.3)), ("good.csv",))
    at = {epsilon: replace(expecting((good, error), (poor, 0.1)), together=pool) for epsilon, error in ERRORS}
    assert verdict(current, at, []).replace("\\", "") == (
        "Use **a pool with learnt weights**: expect an error of about 0.8 % at ε = 1 (0.8 to 0.8 %), 1.1 % at ε = 0.5; "
        "its tables are expected to contribute good.csv 70 %, poor.csv 30 %."
    )


def test_one_click_simulates_for_free_and_draws_the_chosen_candidate_in_its_own_shade(town: Here, visit: Open) -> None:
    app = press(visit("compare", population=town.population), "Simulate for free")
    assert not app.exception
    assert town.spent == 0
    said = words(app)
    chosen = said.split("Use ")[1].split(":")[0]
    assert "expect an error of about" in said
    tables = {name for name in ("good.csv", "poor.csv") for line, _ in drawn_lines(app) if name in line}
    assert tables == {chosen}, "others on demand"
    floors = [error for line, error in drawn_lines(app) if line.startswith("floor of") and line.endswith("at least")]
    assert min(error for line, error in drawn_lines(app) if not line.startswith("floor of")) >= max(floors)
    rows = next(frame.value for frame in app.dataframe if "table unchanged, expected (%)" in frame.value)
    assert not rows.isna().any(axis=None), "nothing was bought, and no column says so"
    other = ({"good.csv", "poor.csv"} - {chosen}).pop()
    assert f"{other} played the private table, so this is about that table, not about yours." in said
    assert dict(zip(rows["candidate"], rows["who plays the private table"], strict=True))[chosen] == other
    assert set(rows["candidate"]) == {"good.csv", "poor.csv"}
    assert rows["candidate"].tolist()[0] == chosen


def test_in_the_demo_it_is_said_that_the_private_table_is_made_up_and_plays_itself(empty: Here, visit: Open) -> None:
    app = press(visit("protect"), "Open the demo")
    current = study_store.study(empty.service, app.query_params["population"])
    simulate_pairs(empty.service, current, SweepRange(epsilons=(1.0,), rounds=(3,), runs=1, methods=BOTH_ENGINES))
    said = words(app.run())
    assert "In the demo the private table, state A, is made up and known, so it plays itself here" in said
    assert "not about yours" not in said
    tables = {
        name for name in ("state_b.csv", "state_c.csv", "state_d.csv") for line, _ in drawn_lines(app) if name in line
    }
    assert "state_d.csv" in tables, "the region that nothing reaches with it is seen without a click"
    assert len(tables) == 2
    simulation = next(box for box in app.selectbox if box.label == "Simulation")
    assert simulation.options[0].endswith(" · PMW^Pub · Table fit"), "both engines are named"


def test_after_a_change_of_the_workload_it_is_said_that_earlier_floors_are_of_another_one(
    town: Here, visit: Open
) -> None:
    current, private = study_store.study(town.service, town.population), town.private()
    plan = assessments.assessment_plan(current, [current.usable[0].sha256], epsilon="0.05")
    buying.buy(town.service, private, plan, current=current)
    assert "another workload" not in words(visit("compare", population=town.population))
    study_store.choose_workload(town.service, town.population, WorkloadChoice(k=1))
    assert "1 assessment of before stand under another workload" in words(visit("compare", population=town.population))


def test_a_pool_of_three_tables_is_tried_by_one_click_and_stands_chosen_on_release_where_it_is_best(
    town: Here, visit: Open, steward: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(expected_pool, "CHOSEN_BELOW", 100.0)
    study_store.add_candidate(town.service, town.population, "third.csv", table(250, 5), attested=True)
    current = study_store.study(town.service, town.population)
    simulate_pairs(town.service, current, SweepRange(epsilons=(1.0,), rounds=(3,), runs=1, methods=BOTH_ENGINES))
    app = press(visit("compare", population=town.population), "Try a pool of them for free")
    assert not app.exception
    said = words(app)
    assert "Use a pool with learnt weights: expect an error of about" in said
    assert "its tables are expected to contribute" in said
    assert not any(button.label == "Try a pool of them for free" for button in app.button)
    assert town.spent == 0
    form = steward("release")
    assert form.toggle(key="weighted pool").value
    assert "learnt from the noisy tables" in words(form)
