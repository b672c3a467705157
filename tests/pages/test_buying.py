"""Spending: once per plan, at the price that was shown, by the steward alone."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import TypeVar

import buying
import pytest
from pages.visits import (
    PRIVATE,
    Here,
    Open,
    arrive,
    buy,
    by_pmw_pub,
    handed_over,
    press,
    table,
    ticked,
    words,
)
from streamlit.runtime.scriptrunner import RerunData, get_script_run_ctx
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import TextInput

from pmwpub.jobs import Engine
from pmwpub.ledger import Ledger, PlanKey
from pmwpub.service import public_cores, purchases
from pmwpub.service.bought import assessments, releases
from pmwpub.service.grant import decimal
from pmwpub.service.inputs import study_store
from pmwpub.service.purchases import TICK
from pmwpub.ui import Session
from pmwpub.ui.app import services
from pmwpub.ui.app.coming_and_pressing import Press
from pmwpub.ui.widgets import price_form
from pmwpub.ui.widgets.price_form import AGAIN, ALREADY, ASTRAY, CHARGED
from pmwpub.ui.widgets.watching import Waiting

T = TypeVar("T")
LONG_SECONDS = 120


def _price(text: str) -> str:
    return text.split("ρ = ")[-1].split(")")[0]


def _prices(app: object) -> list[str]:
    return [element.value for element in app.caption if "By itself that is" in element.value]  # type: ignore[attr-defined]


def test_a_viewer_sees_no_form_that_spends(town: Here, visit: Open) -> None:
    for page in ("compare", "release"):
        app = visit(page, population=town.population)
        assert not app.exception
        assert "Only a session that holds the private table" in words(app)
        assert not any("Buy" in button.label for button in app.button)


def test_assessments_cost_exactly_what_was_shown(town: Here, steward: Open) -> None:
    app = steward("compare")
    shown = _price(_prices(app)[0])
    assert town.spent == 0, "looking costs nothing"
    buy(app, "Buy these assessments")
    assert not app.exception
    balance = town.service.ledger.balance(town.population)
    assert decimal(balance.spent.rho) == shown
    assert len(town.service.ledger.history(town.population)) == 4, "floor and start of two candidates"


def test_the_same_assessments_again_show_what_is_stored_and_charge_nothing(town: Here, steward: Open) -> None:
    app = buy(steward("compare"), "Buy these assessments")
    before, numbers = town.spent, app.dataframe[0].value.to_csv()
    assert "Price: nothing." in words(app)
    press(app, "Show the stored result")
    assert "already bought: showing the stored result, nothing was charged" in words(app)
    assert town.spent == before
    assert app.dataframe[0].value.to_csv() == numbers


def test_the_poor_candidate_is_said_to_be_out_of_reach_at_any_epsilon(town: Here, steward: Open) -> None:
    app = steward("compare")
    app.text_input(key="assessment epsilon").set_value("0.3").run()
    buy(app, "Buy these assessments")
    ruled_out = [str(error.value).replace("\\", "") for error in app.error]
    assert len(ruled_out) == 1
    assert "poor.csv" in ruled_out[0]
    assert "no ε gets below it" in ruled_out[0]
    assert "good.csv has the lowest" in words(app)


def test_a_price_beyond_the_budget_cannot_be_confirmed(town: Here, steward: Open) -> None:
    app = steward("compare")
    app.text_input(key="assessment epsilon").set_value("10.0").run()
    assert "more than this population has left" in words(app)
    assert next(button for button in app.button if button.label == "Buy these assessments").disabled
    assert town.spent == 0


NO_NUMBERS = ["", "0", "-1", "500", "0,5", "1e", "abc", "nan", "inf", "1_0", "1/0", "0.1" * 20, "٣"]


@pytest.mark.parametrize(
    ("page", "find", "needed"),
    [
        ("compare", {"key": "assessment epsilon"}, "ε for each candidate (pure): a number from 0.001 to 10"),
        ("release", {"label": "ε of this release"}, "ε of this release: a number from 0.001 to 100"),
    ],
)
def test_what_is_no_number_in_range_has_no_price_and_cannot_be_bought(
    page: str, find: dict[str, str], needed: str, steward: Open
) -> None:
    app = steward(page)
    for typed in NO_NUMBERS:
        field(app, **find).set_value(typed).run()
        assert not app.exception
        assert_nothing_can_be_bought(app, needed)
    field(app, **find).set_value("0.25").run()
    assert len(_prices(app)) == 1


def test_rounds_that_cannot_be_have_no_price_and_cannot_be_bought(steward: Open) -> None:
    app = by_pmw_pub(steward("release"))
    next(box for box in app.checkbox if box.label.startswith("Use the advised")).uncheck().run()
    for typed in ("", "0", "2.5", "10001", "1e5", "many"):
        app.text_input(key="rounds").set_value(typed).run()
        assert_nothing_can_be_bought(app, "Rounds: a whole number from 1 to 10,000")


def assert_nothing_can_be_bought(app: AppTest, needed: str) -> None:
    assert f"{needed}" in words(app)
    assert "Nothing has a price until it is put right" in words(app)
    assert not _prices(app)
    assert not any(button.label.startswith("Buy") for button in app.button)


def test_every_form_that_spends_says_what_its_plan_buys(town: Here, steward: Open) -> None:
    app = steward("compare")
    app.text_input(key="assessment epsilon").set_value("1/8").run()
    assert "Buys: floor and start of good.csv at ε = 0.125; floor and start of poor.csv at ε = 0.125 (pure)." in words(
        app
    )
    app.radio(key="what to buy").set_value("only which one is best").run()
    assert re.search(r"Buys: which of \w+.csv or \w+.csv has the lowest floor, at ε = 0.05 \(pure\)", words(app))
    app = by_pmw_pub(steward("release"))
    found = re.search(r"Buys: a release with good.csv, (\d+) rounds, plan ([0-9a-f]{16})", words(app))
    assert found is not None
    buy(app, "Buy this release")
    (booking,) = town.service.ledger.bookings(town.population)
    assert booking.key.plan_sha256.startswith(found[2])
    assert json.loads(booking.plan_json)["rounds"] == int(found[1])
    handed_over(app)
    assert "Buys: draw 2 of a release with good.csv" in words(app)
    assert "Buys: the noisy largest error of draw 1 of this plan, at ε = 0.05 (pure)" in words(app)


@pytest.mark.parametrize(
    ("page", "choose", "button"),
    [
        ("compare", None, "Buy these assessments"),
        ("compare", "only which one is best", "Buy this choice"),
        ("release", None, "Buy this release"),
    ],
)
def test_every_purchase_asks_the_same_tick_and_tells_the_steward_what_tables_share(
    page: str, choose: str | None, button: str, town: Here, steward: Open
) -> None:
    service, name = town.service, town.population
    for one in study_store.study(service, name).candidates[1:]:
        study_store.remove_candidate(service, name, one.sha256)
    piece = b"\n".join(PRIVATE.splitlines()[:200]) + b"\n"
    study_store.add_candidate(service, name, "piece.csv", piece, attested=True)
    study_store.remove_candidate(service, name, study_store.study(service, name).candidates[0].sha256)
    if choose is not None:
        study_store.add_candidate(service, name, "third.csv", table(300, 5), attested=True)
    app = steward(page)
    if choose is not None:
        app.radio(key="what to buy").set_value(choose).run()
    assert "Lines in a row of the private table stand in piece.csv too" in words(app)
    press(app, button)
    assert town.spent == 0
    assert "Tick the sentence above first; nothing was charged." in words(app)
    next(box for box in app.checkbox if box.label == TICK).check()
    press(app, button)
    assert town.spent > 0
    if page == "release":
        handed_over(app)
        assert [box.label for box in app.checkbox if box.label in (AGAIN, TICK)] == [AGAIN, TICK], (
            "so does another draw"
        )


def test_a_table_that_another_session_added_after_the_private_one_was_loaded_is_compared_too(town: Here) -> None:
    session = Session(town.population, town.private())
    piece = b"\n".join(PRIVATE.splitlines()[:200]) + b"\n"
    study_store.add_candidate(town.service, town.population, "piece.csv", piece, attested=True)
    app = arrive("compare", session, population=town.population)
    assert "Lines in a row of the private table stand in piece.csv too" in words(app)
    press(app, "Buy these assessments")
    assert town.spent == 0


def test_a_table_that_shares_nothing_is_asked_the_same_and_a_viewer_nothing(
    town: Here, steward: Open, visit: Open
) -> None:
    piece = b"\n".join(PRIVATE.splitlines()[:200]) + b"\n"
    for page, label in (("compare", "Buy these assessments"), ("release", "Buy this release")):
        app = steward(page)
        assert any(box.label == TICK for box in app.checkbox)
        assert "in a row of the private table" not in words(app)
        press(app, label)
        assert town.spent == 0
    study_store.add_candidate(town.service, town.population, "piece.csv", piece, attested=True)
    for page in ("compare", "release"):
        assert "in a row of the private table" not in words(visit(page, population=town.population))


@pytest.mark.parametrize(
    ("page", "typed_into", "button"),
    [
        ("compare", {"key": "assessment epsilon"}, "Buy these assessments"),
        ("release", {"label": "ε of this release"}, "Buy this release"),
    ],
)
def test_a_press_on_a_form_that_changed_meanwhile_buys_nothing_and_that_is_said(
    page: str, typed_into: dict[str, str], button: str, town: Here, steward: Open
) -> None:
    app = steward(page)
    field(app, **typed_into).set_value("0.07")
    press(app, button)
    assert ASTRAY in words(app)
    assert town.spent == 0
    buy(app, button)
    assert ASTRAY not in words(app)
    assert town.spent > 0


class Interruption:
    """Asks for another run from within one, as a browser does that sends a second message; once, when armed."""

    def __init__(self, app: AppTest, query: str) -> None:
        self.states, self.query, self.armed = app._tree.get_widget_states(), query, False

    def after(self, function: Callable[..., T]) -> Callable[..., T]:
        def both(*args: object, **options: object) -> T:
            found = function(*args, **options)
            if self.armed and (context := get_script_run_ctx()) is not None:
                self.armed = False
                context.script_requests.request_rerun(  # type: ignore[union-attr]
                    RerunData(self.query, self.states, page_script_hash=context.page_script_hash)
                )
            return found

        return both


@pytest.mark.parametrize(
    ("module", "name"), [(purchases, "price"), (price_form, "price_words"), (price_form, "left_after")]
)
def test_a_press_whose_run_another_one_ends_is_said_to_be_lost(
    module: ModuleType, name: str, town: Here, steward: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before the form, at its first line and at its last."""
    app = steward("release")
    interruption = Interruption(app, f"population={town.population}")
    monkeypatch.setattr(module, name, interruption.after(getattr(module, name)))
    interruption.armed = True
    buy(app, "Buy this release")
    assert not interruption.armed, "the run was ended by another"
    assert ASTRAY in words(app)
    assert town.spent == 0
    buy(app, "Buy this release")
    assert ASTRAY not in words(app)
    assert town.spent > 0


def test_a_double_click_on_a_new_draw_charges_once_and_says_that_it_charged(
    town: Here, steward: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = handed_over(buy(steward("release"), "Buy this release"))
    once = town.spent
    next(box for box in app.checkbox if box.label.startswith("I want another draw")).check()
    _double_click(app, "Draw again (draw 2)", f"population={town.population}&release=1", monkeypatch)
    assert "Draw again (draw 3)" in [button.label for button in app.button]
    assert town.spent == 2 * once
    assert CHARGED in words(app)
    assert ASTRAY not in words(app)
    assert ALREADY not in words(app)


def test_a_double_click_on_a_release_charges_once_and_says_that_it_charged(
    town: Here, steward: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = steward("release")
    _double_click(app, "Buy this release", f"population={town.population}", monkeypatch)
    assert len(town.service.ledger.bookings(town.population)) == 1
    assert CHARGED in words(app)
    assert ASTRAY not in words(app)
    assert ALREADY not in words(app)
    press(app, "Show the stored result")
    assert ALREADY in words(app)
    assert CHARGED not in words(app)


def _double_click(app: AppTest, label: str, query: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second click arrives when the first one's purchase was just made."""
    next(button for button in ticked(app).button if button.label == label).click()
    second = Interruption(app, query)
    monkeypatch.setattr(purchases, "buy", second.after(purchases.buy))
    second.armed = True
    app.run()
    assert not second.armed
    assert not app.exception


@pytest.fixture
def workers(monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    """The page's work is done by a process of its own."""
    workers = Engine(1)
    monkeypatch.setattr(services, "engine", lambda: workers)
    yield workers
    workers.shutdown()


@pytest.mark.parametrize(("page", "button"), [("compare", "Buy these assessments"), ("release", "Buy this release")])
def test_that_it_charged_is_still_said_when_the_work_ends_at_once(
    page: str, button: str, town: Here, steward: Open, workers: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then the page runs again by itself, maybe before anybody could read what the run before it said."""
    app, ended = steward(page), []

    def over(waiting: Waiting) -> bool:
        job = workers.job(waiting.key)
        assert job is not None
        assert job.wait(LONG_SECONDS)
        ended.append(waiting.key)
        return True

    monkeypatch.setattr(Waiting, "over", property(over))
    buy(app, button)
    assert ended, "the page ran again by itself"
    assert town.spent > 0
    assert words(app).count(CHARGED) == 1
    app.run()
    assert CHARGED not in words(app), "it goes with the next act"


def test_a_lost_press_is_forgotten_after_two_runs_and_is_no_other_forms() -> None:
    session, one = Session(), Press("release", "a plan")
    session.press(one)
    for _ in range(2):
        session.begin()
        assert session.lost_press("assessments") is None
        assert session.lost_press("release") == one
    session.begin()
    assert session.lost_press("release") is None


def field(app: AppTest, *, key: str = "", label: str = "") -> TextInput:
    """A text field by its key or its label."""
    return app.text_input(key=key) if key else next(box for box in app.text_input if box.label == label)


def test_a_release_costs_what_was_shown_and_its_address_names_it(town: Here, steward: Open) -> None:
    app = by_pmw_pub(steward("release"))
    shown = _price(_prices(app)[0])
    buy(app, "Buy this release")
    assert not app.exception
    assert words(app).count(CHARGED) == 1
    assert decimal(town.service.ledger.balance(town.population).spent.rho) == shown
    assert app.query_params["release"] == "1"
    handed_over(app)
    assert "Release 1 about town" in words(app)
    assert [metric.label for metric in app.metric][:3] == ["ε", "δ", "Rounds"]
    booking = town.service.ledger.bookings(town.population)[-1].id
    assert f"· booking {booking} of this store · draw 1" in words(app)
    assert {button.label for button in app.download_button} >= {"synthetic.csv", "weights.csv", "certificate.json"}


def test_an_identical_release_plan_shows_the_stored_bytes(town: Here, steward: Open) -> None:
    app = buy(steward("release"), "Buy this release")
    booking = town.service.ledger.bookings(town.population)[0]
    before = hashlib.sha256(town.service.ledger.result(booking.id)).hexdigest()
    spent = town.spent
    press(app, "Show the stored result")
    assert "This plan was already bought" in words(app)
    assert town.spent == spent
    assert hashlib.sha256(town.service.ledger.result(booking.id)).hexdigest() == before


def test_another_session_opens_a_release_by_its_address_without_the_private_table(
    town: Here, steward: Open, visit: Open
) -> None:
    start = assessments.assessment_plan(
        study_store.study(town.service, town.population),
        [study_store.study(town.service, town.population).usable[0].sha256],
        epsilon="0.05",
    )
    buying.buy(town.service, town.private(), start)
    buy(steward("release"), "Buy this release")
    booking = max(town.service.ledger.bookings(town.population), key=lambda one: one.id)
    assert booking.id == 2, "another purchase came first"
    for address in ("1", str(booking.id)):
        viewer = visit("hand_over", population=town.population, release=address)
        assert "Release 1 about town" in words(viewer)
        assert viewer.query_params["release"] == "1", "an address of before names a booking, and leads to today's"
    assert not viewer.exception
    assert viewer.download_button
    assert not any("Draw again" in button.label for button in viewer.button)


def test_drawing_again_asks_first_and_is_a_charge_of_its_own(town: Here, steward: Open) -> None:
    app = handed_over(buy(steward("release"), "Buy this release"))
    once = town.spent
    plan = releases.releases(town.service, study_store.study(town.service, town.population))[0].plan
    press(app, "Draw again (draw 2)")
    assert "Tick the sentence above first" in words(app)
    assert town.spent == once
    next(box for box in app.checkbox if box.label == AGAIN).check()
    press(app, "Draw again (draw 2)")
    assert town.spent == once, "the other sentence is asked too"
    buy(app, "Draw again (draw 2)")
    assert town.spent == 2 * once
    assert town.service.ledger.booking(town.population, PlanKey(plan.sha256, 1)) is not None
    assert any(button.label == "Draw again (draw 3)" for button in app.button)


def test_a_release_without_a_result_says_so_keeps_its_charge_and_is_not_drawn(town: Here, steward: Open) -> None:
    current = study_store.study(town.service, town.population)
    candidate = next(one.sha256 for one in current.candidates if one.name == "good.csv")
    plan = releases.release_plan(town.service, current, [candidate], epsilon="1.0", rounds=25)
    with Ledger.open() as broken_off:
        key, charges = PlanKey(plan.sha256), buying.charges(town.service, town.population, plan)
        booking = broken_off.book(town.population, key, plan.canonical, charges)
    spent = town.spent
    app = by_pmw_pub(steward("release", release=str(booking.id)))
    assert "No result." in words(app)
    press(app, "Show the stored result")
    assert "No result." in words(app)
    assert town.spent == spent
    assert town.service.ledger.booking(town.population, PlanKey(plan.sha256)).status == "charged"  # type: ignore[union-attr]


def test_two_sessions_that_send_one_plan_are_charged_once(town: Here, steward: Open) -> None:
    first, second = steward("release"), steward("release")
    buy(first, "Buy this release")
    spent = town.spent
    buy(second, "Buy this release")
    assert "already bought" in words(second)
    assert town.spent == spent


def test_a_second_session_reuses_the_cores_that_the_first_one_built(town: Here, steward: Open) -> None:
    from pmwpub.ui.app import services

    buy(steward("compare"), "Buy these assessments")
    current = study_store.study(services.service(), town.population)
    plan = assessments.assessment_plan(current, [current.candidates[0].sha256], epsilon="0.05")

    def core() -> object:
        return public_cores.public_core(services.service(), current, plan.inputs.candidates, current.workload())

    built = core()
    buy(steward("release"), "Buy this release")
    assert core() is built
