"""Release: what ε can and cannot do is said beside it, variants are values, and a result hands out every file."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import replace
from fractions import Fraction

import pytest
from pages.visits import ROOT, ROWS, Here, Open, arrive, buy, by_pmw_pub, handed_over, press, words
from streamlit.testing.v1 import AppTest

from pmwpub.mechanisms.noisy_error.release_error import error_charge
from pmwpub.noisy_interval import NoisyInterval
from pmwpub.plans import AssessmentPlan, PublicInputs, WorkloadChoice
from pmwpub.privacy.budget import ZCDP
from pmwpub.release.checking import check, require
from pmwpub.rounding import in_percent
from pmwpub.service import Assessed
from pmwpub.service.bought import release_errors, releases
from pmwpub.service.bought.release_errors import MeasuredError
from pmwpub.service.inputs import study_store
from pmwpub.service.simulations import explorations
from pmwpub.service.simulations.advice import EpsilonAdvice
from pmwpub.service.simulations.simulated_methods import PMW_PUB, TABLE_FIT, UNCHANGED
from pmwpub.service.simulations.sweep_range import SweepRange
from pmwpub.ui import Session
from pmwpub.ui.wording import epsilon_limits


def test_the_candidate_that_what_was_bought_speaks_for_is_chosen_and_each_has_its_floor(
    town: Here, steward: Open
) -> None:
    app = steward("compare")
    app.text_input(key="assessment epsilon").set_value("0.3").run()
    buy(app, "Buy these assessments")
    app.switch_page("pages/release.py").run()
    box = app.selectbox(key="release candidate")
    current = study_store.study(town.service, town.population)
    assert box.value == next((one.sha256,) for one in current.usable if one.name == "good.csv")
    assert {option.split(" (noisy floor ")[0] for option in box.options} == {"good.csv", "poor.csv"}
    assert all(" (noisy floor " in option for option in box.options)
    assert not app.exception


def test_where_nothing_is_known_no_candidate_is_chosen_and_nothing_can_be_bought(town: Here) -> None:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    session = Session(town.population, town.private())
    session.arrival.target = ("pages/release.py", {"population": town.population})
    app.session_state["pmwpub session"] = session
    app.run()
    assert app.selectbox(key="release candidate").value is None
    assert "Choose a candidate. No candidate is chosen beforehand" in words(app)
    assert not app.error
    assert not any(button.label == "Buy this release" for button in app.button)


def test_epsilon_is_taken_over_from_compare_or_is_the_smallest_for_an_error_or_the_rest(
    town: Here, steward: Open
) -> None:
    session = Session(town.population, town.private())
    session.choices.epsilon = "0.5"
    app = arrive("release", session, population=town.population)
    assert app.text_input(key="release epsilon").value == "0.5"
    app.radio(key="how much").set_value("smallest").run()
    assert "no simulation of this choice is stored" in words(app)
    assert not any(button.label == "Buy this release" for button in app.button)
    current = study_store.study(town.service, town.population)
    both = SweepRange(methods=(PMW_PUB, TABLE_FIT, UNCHANGED), runs=1)
    for facts in current.usable:
        explorations.explore(town.service, current, facts.sha256, both)
    session.choices.good_enough = 0.99
    app.run()
    assert "ε = 0.1" in words(app)
    app.radio(key="how much").set_value("rest").run()
    buy(app, "Buy this release")
    assert not app.exception
    balance = town.service.ledger.balance(town.population)
    assert balance.spent.units > 0.99 * balance.total.units


def test_a_pool_can_be_released_with(town: Here, steward: Open) -> None:
    app = steward("release")
    current = study_store.study(town.service, town.population)
    both = sorted(facts.sha256 for facts in current.usable)
    app.multiselect(key="pool tables").set_value(both)
    press(app, "Offer this pool")
    app.selectbox[0].set_value(tuple(both)).run()
    buy(app, "Buy this release")
    (found,) = releases.releases(town.service, current)
    assert found.plan.inputs.candidates == tuple(both)


def test_the_floor_that_dominates_is_warned_of_beside_epsilon(town: Here, steward: Open) -> None:
    app = steward("compare")
    app.text_input(key="assessment epsilon").set_value("0.3").run()
    buy(app, "Buy these assessments")
    app.switch_page("pages/release.py").run()
    current = study_store.study(town.service, town.population)
    app.selectbox[0].set_value(next((one.sha256,) for one in current.usable if one.name == "poor.csv")).run()
    said = [str(one.value).replace("\\", "") for one in app.warning]
    assert any("poor.csv" in text and "Change the public table, not ε" in text for text in said)
    assert any("noisy floor, interval" in frame.value for frame in app.dataframe)


def test_the_smallest_epsilon_of_a_simulation_is_advice_beside_epsilon(town: Here, steward: Open) -> None:
    app = steward("release")
    assert "no simulation of this choice is stored" in words(app)
    current = study_store.study(town.service, town.population)
    for facts in current.usable:
        explorations.explore(town.service, current, facts.sha256)
    app.session_state["pmwpub session"].choices.good_enough = 1.0
    app.run()
    assert "took ε = 0.1, the smallest enough of those tried" in words(app)


def test_variants_are_values_of_the_plan_and_stand_in_the_certificate(town: Here, steward: Open) -> None:
    app = by_pmw_pub(steward("release"))
    assert "selection by the exponential mechanism, last weights, from the public table, with replay" in words(app)
    for name, value in (
        ("selection", "permute-and-flip"),
        ("output", "average"),
        ("start", "uniform"),
        ("replay", "off"),
    ):
        app.selectbox(key=f"variant {name}").set_value(value)
    app.run()
    assert "selection by permute-and-flip, averaged weights, from equal weights, without replay" in words(app)
    buy(app, "Buy this release")
    (found,) = releases.releases(town.service, study_store.study(town.service, town.population))
    assert found.bundle is not None
    certificate = found.bundle.certificate
    said = (certificate.selection, certificate.output, certificate.start, certificate.replay)
    assert said == ("permute-and-flip", "average", "uniform", "off")


def test_a_result_hands_out_every_file_and_the_certificate_of_the_chosen_rows(town: Here, steward: Open) -> None:
    app = handed_over(buy(by_pmw_pub(steward("release")), "Buy this release"))
    (found,) = releases.releases(town.service, study_store.study(town.service, town.population))
    booking, bundle = found.outcome.booking.id, found.bundle
    assert bundle is not None
    names = {button.label for button in app.download_button}
    answers = {"These cells (CSV)", "All marginals of the workload (CSV)"}
    records = {"croissant.json", "ro-crate.zip", "registry-entry.yaml", "nist-800-226.json"}
    assert answers | records < names
    names -= answers | records
    assert names == {
        "synthetic.csv", "weights.csv", "certificate.json", "schema.json", "report.html", "measurements.csv",
        "rebuild.py", "analyst.ipynb", f"release-{booking}.zip",
    }  # fmt: skip
    app.number_input(key=f"rows {booking}").set_value(7)
    app.selectbox(key=f"cells {booking}").set_value("numbers").run()
    assert not app.exception
    files = bundle.files(7, 0, "numbers")
    with zipfile.ZipFile(io.BytesIO(zipped(files))) as archive:
        assert set(archive.namelist()) | {"analyst.ipynb", f"release-{booking}.zip"} == names
    assert json.loads(files["certificate.json"])["rows"] == 7


def test_public_values_and_all_columns_are_chosen_on_the_page_with_what_reappears(town: Here, steward: Open) -> None:
    app = handed_over(buy(steward("release"), "Buy this release"))
    (found,) = releases.releases(town.service, study_store.study(town.service, town.population))
    booking, bundle = found.outcome.booking.id, found.bundle
    assert bundle is not None
    assert "values.csv" not in {button.label for button in app.download_button}
    assert "raw values of public people reappear" not in words(app)
    app.checkbox(key=f"columns {booking}").check()
    app.selectbox(key=f"cells {booking}").set_value("public-values").run()
    assert not app.exception
    assert "values.csv" in {button.label for button in app.download_button}
    assert "raw values of public people reappear" in words(app)
    files = bundle.files(7, 0, "public-values", "all")
    assert json.loads(files["certificate.json"])["cells"] == "public-values in all columns"
    require(check(files))


def zipped(files: dict[str, bytes]) -> bytes:
    from pmwpub.release.bundle import pack

    return pack(files)


def test_the_noisy_error_of_a_release_is_priced_confirmed_charged_once_and_shown_to_all(
    town: Here, steward: Open, visit: Open
) -> None:
    app = handed_over(buy(steward("release"), "Buy this release"))
    before = town.spent
    (found,) = releases.releases(town.service, study_store.study(town.service, town.population))
    key = found.outcome.booking.key
    app.text_input(key=f"error epsilon {key.plan_sha256} 0").set_value("0.2").run()
    press(app, "Buy this error")
    assert not app.exception
    assert ZCDP(town.spent - before) == error_charge(Fraction(1, 5), ROWS, 1).rho
    (bought,) = release_errors.measured_errors(town.service, town.population, key)
    assert bought.error is not None
    viewer = visit("hand_over", population=town.population, release=str(found.outcome.booking.id))
    assert f"Noisy largest error on the private table: {in_percent(bought.error.estimate, 3)}" in words(viewer)
    assert not any("Buy" in button.label for button in viewer.button)
    spent = town.spent
    buttons = [button for button in app.button if button.label == "Show the stored result" and "confirm" in button.key]
    buttons[0].click().run()
    assert town.spent == spent


@pytest.mark.parametrize(("drawn", "low", "high", "shown"), [(-0.2, 0.0, 0.04, "0 %"), (1.3, 0.9, 1.0, "100 %")])
def test_a_noisy_error_that_noise_carried_out_of_0_to_1_is_shown_where_errors_lie(
    town: Here, steward: Open, monkeypatch: pytest.MonkeyPatch, drawn: float, low: float, high: float, shown: str
) -> None:
    buy(steward("release"), "Buy this release")
    (found,) = releases.releases(town.service, study_store.study(town.service, town.population))
    plan = release_errors.error_plan(town.service, town.population, found.outcome.booking.key, epsilon="0.2")
    error = MeasuredError(plan, found.outcome, NoisyInterval(drawn, low, high, 0.95, "1/5"))
    monkeypatch.setattr(release_errors, "measured_errors", lambda *asked: [error])
    app = steward("hand_over", release=str(found.outcome.booking.id))
    assert not app.exception
    said = f"on the private table: {shown} of the rows, between {100 * low:g} % and {100 * high:g} %"
    assert said in words(app).replace("*", "")
    assert f"{100 * drawn:g} %" not in words(app)
    assert next(one.value for one in app.metric if one.label == "Largest error (noisy)") == shown


NOISY = NoisyInterval(0.05, 0.04, 0.06, 0.95, "1/25")
INPUTS = PublicInputs(schema_sha256="s", workload_sha256="w", workload=WorkloadChoice(k=2), candidates=("a",))


def bought(floor: NoisyInterval | None, start: NoisyInterval | None) -> Assessed:
    plan = AssessmentPlan(n=9, rows_per_person=1, inputs=INPUTS, epsilon="1")
    return Assessed(("a",), "a.csv", plan, None, floor, start)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("floor", "start", "wanted", "says"),
    [
        (NOISY, replace(NOISY, low=0.1, high=0.2), 0.05, []),
        (NOISY, replace(NOISY, low=0.1, high=0.2), 0.03, ["out of reach"]),
        (NOISY, replace(NOISY, low=0.06), 0.05, ["no room"]),
        (NOISY, None, 0.05, []),
        (None, NOISY, 0.01, []),
    ],
)
def test_a_floor_is_said_to_dominate_where_its_interval_says_so(
    floor: NoisyInterval | None, start: NoisyInterval | None, wanted: float, says: list[str]
) -> None:
    said = epsilon_limits.floor_warnings([bought(floor, start)], wanted)
    assert len(said) == len(says)
    assert all(part in words for part, words in zip(says, said, strict=True))


def test_the_words_of_advice_follow_what_was_simulated() -> None:
    advice = EpsilonAdvice(0.25, 0.02, 1.0, 0.01, "b.csv")
    assert "took ε = 0.25" in epsilon_limits.epsilon_words(advice, 0.05)
    assert "in a simulation of table fit where" in epsilon_limits.epsilon_words(advice, 0.05)
    assert "of PMW^Pub" in epsilon_limits.epsilon_words(replace(advice, engine="pmw-pub"), 0.05)
    assert "the floor was 1 %" in epsilon_limits.epsilon_words(replace(advice, epsilon=None), 0.005)
    assert "up to 1, was enough" in epsilon_limits.epsilon_words(replace(advice, epsilon=None), 0.015)
    assert "not known" in epsilon_limits.epsilon_words(None, 0.1)


def test_a_finished_release_outlives_its_public_tables(town: Here, steward: Open, visit: Open) -> None:
    buy(steward("release"), "Buy this release")
    current = study_store.study(town.service, town.population)
    (found,) = releases.releases(town.service, current)
    for one in current.candidates:
        study_store.remove_candidate(town.service, town.population, one.sha256)
    app = visit("hand_over", population=town.population, release=str(found.outcome.booking.id))
    assert not app.exception
    assert "synthetic.csv" in [button.label for button in app.get("download_button")] or "synthetic.csv" in words(app)
    assert "needs public candidates" in words(visit("release", population=town.population))


def test_table_fit_is_one_choice_away_and_its_result_says_what_was_measured(town: Here, steward: Open) -> None:
    app = by_pmw_pub(steward("release"))
    assert any("Rounds" in str(one.label) or "rounds" in str(one.label) for one in app.checkbox)
    app.radio(key="engine").set_value("table-fit").run()
    assert not any("rounds" in str(one.label) for one in app.checkbox), "table fit has none"
    buy(app, "Buy this release")
    current = study_store.study(town.service, town.population)
    (found,) = releases.releases(town.service, current)
    assert found.plan.kind == "table-fit"
    handed_over(app)
    assert {one.label: one.value for one in app.metric}["Noisy tables"] == str(3 + 3)
    assert any("by table fit" in str(one.proto) for one in app.get("page_link"))
    assert not app.exception


def test_several_tables_take_part_with_learnt_weights_and_the_result_says_what_each_contributed(
    town: Here, steward: Open
) -> None:
    app = steward("release")
    app.radio(key="engine").set_value("table-fit").run()
    app.toggle(key="weighted pool").set_value(True).run()
    every = list(app.multiselect(key="weighted pool tables").value)
    assert len(every) == len(study_store.study(town.service, town.population).candidates)
    app.multiselect(key="weighted pool tables").set_value(every[:1]).run()
    assert "needs two public tables or more" in words(app)
    app.multiselect(key="weighted pool tables").set_value(every).run()
    buy(app, "Buy this release")
    current = study_store.study(town.service, town.population)
    (found,) = releases.releases(town.service, current)
    assert found.plan.kind == "table-fit-pool"
    handed_over(app)
    assert "contributed" in words(app)
    assert all(one.name in words(app) for one in current.candidates)
    assert not app.exception


def test_rows_may_be_added_and_then_no_floor_stands_beside_epsilon(town: Here, steward: Open) -> None:
    app = steward("compare")
    app.text_input(key="assessment epsilon").set_value("0.3").run()
    buy(app, "Buy these assessments")
    app.switch_page("pages/release.py").run()
    assert any("noisy floor, interval" in frame.value for frame in app.dataframe)
    app.radio(key="engine").set_value("table-fit").run()
    app.checkbox(key="grow").check().run()
    assert not any("noisy floor, interval" in frame.value for frame in app.dataframe)
    assert "no limit of this release" in words(app)
    assert "out of reach" not in words(app)
    buy(app, "Buy this release")
    current = study_store.study(town.service, town.population)
    (found,) = releases.releases(town.service, current)
    assert found.plan.growth is not None  # type: ignore[union-attr]
    app.radio(key="engine").set_value("pmw-pub").run()
    assert any("noisy floor, interval" in frame.value for frame in app.dataframe)
