"""Simulations on the Compare page: chosen, stopped, taken up again, found after a refresh, handed on, put in words."""

from __future__ import annotations

from fractions import Fraction

import pytest
from pages.visits import ROWS, Here, Open, buy, drawn_lines, press, words
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Toggle

from pmwpub.errors import StoreUnavailable
from pmwpub.evaluation import PMW_PUB, UNCHANGED, CertifiedFloor, SimulatedError, Simulation
from pmwpub.rounding import in_percent
from pmwpub.service.inputs import study_store
from pmwpub.service.purchases.caveats import PRIVATE_NUMBERS_SEEN
from pmwpub.service.simulations import explorations
from pmwpub.service.simulations.explorations import ASKED, PART, SIMULATION
from pmwpub.service.simulations.sweep_range import SweepRange
from pmwpub.service.steward_only.private_sweeps import PrivateSweep
from pmwpub.theory import HYPOTHESES, accuracy_line
from pmwpub.ui import Session
from pmwpub.ui.compare.private_sweep_panel import KEY
from pmwpub.ui.wording.written import number


def all_lines(app: AppTest) -> AppTest:
    """The page with every line of the simulation drawn, each table's in its own figure."""
    lines = next(box for box in app.multiselect if box.label == "Lines")
    return lines.set_value(lines.options).run()


def asked(town: Here) -> list[explorations.Exploration]:
    return explorations.explorations(town.service, study_store.study(town.service, town.population))


def small(app: AppTest) -> AppTest:
    app.text_input(key="sweep epsilons").set_value("0.5, 2")
    app.text_input(key="sweep rounds").set_value("2, 4")
    app.number_input(key="sweep runs").set_value(2)
    app.multiselect(key="sweep baselines").set_value([])
    return app


def test_the_ranges_of_a_sweep_are_chosen_on_the_page(town: Here, visit: Open) -> None:
    app = small(visit("compare", population=town.population))
    app.multiselect(key="sweep variants").set_value([PMW_PUB, f"{PMW_PUB}+average"])
    app.multiselect(key="sweep shares").set_value([100.0, 10.0])
    app.run()
    assert "38 runs and floors in all" in words(app), "2 candidates * (2 ε * (2 variants * 2 T * 2 runs + 1) + 1 floor)"
    press(app, "Simulate")
    assert not app.exception
    (found,) = asked(town)
    methods = (PMW_PUB, f"{PMW_PUB}+average", UNCHANGED)
    assert found.terms == SweepRange((), (0.5, 2.0), (2, 4), methods, (100.0, 10.0), 2)
    assert found.simulation is not None
    assert town.spent == 0


@pytest.mark.parametrize(
    ("field", "typed"),
    [
        ("sweep epsilons", "1e309"),
        ("sweep epsilons", "1e-9"),
        ("sweep epsilons", "0.5, nan"),
        ("sweep epsilons", "-1"),
        ("sweep rounds", "9" * 5_000),
        ("sweep rounds", "１２"),
        ("sweep rounds", "2, 0"),
        ("sweep rounds", "1.5"),
    ],
)
def test_what_is_no_number_in_range_is_refused_in_words(field: str, typed: str, town: Here, visit: Open) -> None:
    app = small(visit("compare", population=town.population))
    app.text_input(key=field).set_value(typed).run()
    assert not app.exception
    assert "Nothing is simulated until it is put right." in words(app)
    assert not any(button.label == "Simulate" for button in app.button)


def test_baselines_are_lines_of_their_own_and_what_cannot_run_says_why(town: Here, visit: Open) -> None:
    app = small(visit("compare", population=town.population))
    app.text_input(key="sweep epsilons").set_value("0.00001, 2")
    app.multiselect(key="sweep baselines").set_value(["mwem", "dual-query", "hdmm"])
    press(app.run(), "Simulate")
    assert not app.exception
    all_lines(app)
    lines = {line for line, _ in drawn_lines(app)}
    assert {"MWEM", "DualQuery", "HDMM (no rows)"} <= lines
    assert "HDMM (no rows): answers the workload without synthetic rows." in words(app)
    assert "DualQuery did not run at ε = 1e-5. The budget pays for no sample" in words(app)
    assert "MWEM · DualQuery · HDMM (no rows)" in " ".join(map(str, app.selectbox[0].options))
    assert town.spent == 0


@pytest.mark.parametrize(
    ("key", "text"),
    [("sweep epsilons", "a lot"), ("sweep epsilons", "-1"), ("sweep epsilons", ""), ("sweep rounds", "x")],
)
def test_ranges_that_mean_nothing_are_refused_in_words(town: Here, visit: Open, key: str, text: str) -> None:
    app = visit("compare", population=town.population)
    app.text_input(key=key).set_value(text).run()
    assert not app.exception
    assert app.error
    assert not any(button.label == "Simulate" for button in app.button)


def test_after_a_refresh_the_latest_simulation_is_there_and_earlier_ones_can_be_chosen(town: Here, visit: Open) -> None:
    press(small(visit("compare", population=town.population)), "Simulate")
    app = visit("compare", population=town.population)
    app.selectbox(key="simulation chosen").set_value("new").run()
    app.text_input(key="sweep rounds").set_value("3")
    press(app, "Simulate")
    latest, first = asked(town)
    again = visit("compare", population=town.population)
    assert not again.exception
    chooser = again.selectbox(key="simulation chosen")
    assert chooser.value == latest.key
    assert len(chooser.options) == 3
    chooser.set_value(first.key).run()
    assert "T = 2, 4" in next(option for option in chooser.options if "2 runs" in option)
    assert any(radio.label == "Rounds and variants" for radio in again.radio), "several T: which line is drawn"


def test_a_simulation_that_was_stopped_says_so_shows_what_there_is_and_goes_on(
    town: Here, visit: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    current = study_store.study(town.service, town.population)
    terms = SweepRange(epsilons=(0.5, 2.0), rounds=(2,), runs=2)
    real = town.service.ledger.put_document

    def put(population: str, kind: str, key: str, body: bytes) -> None:
        if kind == PART and len(town.service.ledger.documents(population, PART)) >= 4:
            raise StoreUnavailable("The disk is full.")
        real(population, kind, key, body)

    with monkeypatch.context() as patch:
        patch.setattr(town.service.ledger, "put_document", put)
        explorations.explore(town.service, current, current.usable[0].sha256, terms)
    app = visit("compare", population=town.population)
    assert not app.exception
    assert "What is finished is kept, and none of it is made again" in words(app)
    assert app.dataframe, "what is finished is shown"
    press(app, "Resume")
    assert not app.exception
    (found,) = asked(town)
    assert found.simulation is not None
    assert not any(button.label == "Resume" for button in app.button)


def stored(town: Here, simulation: Simulation) -> None:
    """A simulation with these numbers, as if it had been made."""
    current = study_store.study(town.service, town.population)
    explorations.explore(
        town.service, current, current.usable[0].sha256, SweepRange(epsilons=(0.1,), rounds=(2,), runs=1)
    )
    (entry,) = town.service.ledger.documents(town.population, ASKED)
    town.service.ledger.put_document(town.population, SIMULATION, entry.key, simulation.to_bytes())


def runs(candidate: str, means: dict[float, float], start: float) -> list[SimulatedError]:
    found = [SimulatedError(UNCHANGED, candidate, epsilon, 0, 0, start, start / 2, start / 2) for epsilon in means]
    for epsilon, mean in means.items():
        found += [SimulatedError(PMW_PUB, candidate, epsilon, 5, seed, mean, mean / 2, mean / 2) for seed in range(3)]
    return found


def test_the_page_says_where_a_release_is_not_expected_to_beat_the_table_unchanged_and_which_epsilon_is_enough(
    town: Here, visit: Open
) -> None:
    lines = runs("poor.csv", {0.1: 0.0142, 0.25: 0.0135, 1.0: 0.0084}, 0.0148)
    stored(town, Simulation(lines, [CertifiedFloor("poor.csv", 0.004, 0.005)]))
    app = visit("compare", population=town.population)
    (said,) = [str(one.value).replace("\\", "").replace("**", "") for one in app.warning]
    assert "At ε ≤ 0.25, a release is not expected to beat publishing poor.csv unchanged" in said
    assert "with PMW^Pub an error of 1.4 % ± 0 % against 1.5 %" in said
    for wanted, expected in (
        (1.36, "ε = 0.25 is the smallest one tried"),
        (0.6, "none of the ε tried, up to 1"),
        (0.3, "never. No ε brings it below its floor of 0.4 %; for 0.3 %, change the public table, not ε"),
    ):
        app.number_input(key="wanted error").set_value(wanted).run()
        assert expected in words(app)


def test_mean_and_rms_errors_are_a_choice_and_have_no_floor(town: Here, visit: Open) -> None:
    stored(town, Simulation(runs("poor.csv", {0.1: 0.2, 1.0: 0.1}, 0.3), [CertifiedFloor("poor.csv", 0.05, 0.05)]))
    app = visit("compare", population=town.population)
    assert any("floor of" in line for line, _ in drawn_lines(app))
    app.radio(key="simulation measure").set_value("mean_error").run()
    assert not any("floor of" in line for line, _ in drawn_lines(app))
    assert sorted(error for _, error in drawn_lines(app)) == pytest.approx([0.05, 0.1, 0.15])


def test_the_figure_can_be_downloaded_as_one_page_by_everybody(town: Here, visit: Open) -> None:
    press(small(visit("compare", population=town.population)), "Simulate")
    app = visit("compare", population=town.population, view="stakeholder")
    assert [button.label for button in app.download_button] == ["Download as a web page"]


def theorem(app: AppTest) -> list[Toggle]:
    return [toggle for toggle in app.toggle if "theorem" in toggle.label]


def bound_rows(app: AppTest) -> list[float]:
    return [error for line, error in drawn_lines(app) if "theorem" in line]


def test_the_accuracy_theorem_is_drawn_once_it_is_asked_for_and_says_what_it_rests_on(town: Here, visit: Open) -> None:
    stored(town, Simulation(runs("poor.csv", {0.1: 0.2, 1.0: 0.1}, 0.3), [CertifiedFloor("poor.csv", 0.04, 0.05)]))
    app = visit("compare", population=town.population)
    (toggle,) = theorem(app)
    assert "bound of the paper's accuracy theorem" in toggle.label
    assert (toggle.value, bound_rows(app)) == (False, [])
    toggle.set_value(True).run()
    assert not app.exception
    study = study_store.study(town.service, town.population)
    line = accuracy_line(
        (0.1, 1.0), delta=Fraction(1, ROWS**2), n=ROWS, m=300, queries=study.workload().queries, best_mixture=0.05
    )
    assert bound_rows(app) == pytest.approx(list(line.errors), rel=1e-3)
    said = words(app)
    assert "With probability 95% the maximum error of one release is at most that" in said
    for hypothesis in HYPOTHESES:
        assert hypothesis in said
    assert "poor.csv: f = 0.05, m = 300 public rows" in said
    app.radio(key="simulation measure").set_value("mean_error").run()
    assert not theorem(app)
    assert bound_rows(app) == []
    assert town.spent == 0


def simulate_privately(app: AppTest) -> AppTest:
    next(box for box in app.checkbox if str(box.key) == f"confirm {KEY}").check().run()
    return press(app, "Simulate on it, and record it")


@pytest.fixture
def session(town: Here, steward: Open) -> Session:
    buy(steward("release"), "Buy this release")
    return Session(town.population, town.private())


def test_the_private_table_is_simulated_on_once_confirmed_and_recorded_in_this_session_alone(
    town: Here, session: Session, visit: Open
) -> None:
    press(small(visit("compare", population=town.population)), "Simulate")
    app = simulate_privately(visit("compare", session, population=town.population))
    assert not app.exception
    assert len(theorem(app)) == 1, "no theorem beside the private truth: its floor is a private number"
    found = session.seen[KEY]
    assert isinstance(found, PrivateSweep)
    assert found.terms == asked(town)[0].terms, "the sweep that is looked at, on the private table"
    assert found.simulation is not None
    assert sum(mark.kind == PRIVATE_NUMBERS_SEEN for mark in town.service.ledger.marks(town.population)) == 1
    assert len(app.table) == 1
    assert len(app.download_button) == 1, "only the public simulation can be taken away"
    press(app, "Close")
    assert KEY not in session.seen


def test_what_cannot_run_on_the_private_table_says_why(town: Here, session: Session, visit: Open) -> None:
    app = small(visit("compare", population=town.population))
    app.multiselect(key="sweep baselines").set_value(["hdmm"])
    press(app.run(), "Simulate")
    app = simulate_privately(visit("compare", session, population=town.population))
    assert not app.exception
    assert "HDMM (no rows) did not run at ε = 0.5, 2. It needs the rows of the truth" in words(app)


def test_private_errors_are_on_no_page_of_the_stakeholder_view_or_of_another_session(
    town: Here, session: Session, visit: Open
) -> None:
    simulate_privately(visit("compare", session, population=town.population))
    found = session.seen[KEY]
    assert isinstance(found, PrivateSweep)
    assert found.simulation is not None
    shares = {value for one in found.simulation.errors for value in (one.max_error, one.mean_error)}
    numbers = {written for value in shares for written in (number(value), in_percent(value))}
    mine = visit("compare", session, population=town.population)
    assert any(value in str(mine.table[0].value) + words(mine) for value in numbers)
    session.presenting = True
    others = (visit("compare", session, population=town.population), visit("compare", population=town.population))
    for app in others:
        assert not app.table
        seen = words(app) + "".join(frame.value.to_string() for frame in app.dataframe)
        assert "on the private table itself" not in seen
        assert not {repr(one.max_error) for one in found.simulation.errors} & set(seen.split())


def test_before_a_plan_is_frozen_the_private_truth_is_not_offered(town: Here, steward: Open) -> None:
    app = steward("compare")
    assert "Error against ε on the private table itself" in words(app)
    assert "Offered once a plan is frozen" in words(app)
    assert not any(button.label == "Simulate on it, and record it" for button in app.button)


def test_the_figure_shows_both_engines_by_default_each_by_its_name(town: Here, visit: Open) -> None:
    app = visit("compare", population=town.population)
    assert app.multiselect(key="sweep baselines").value == ["table-fit"]
    app.text_input(key="sweep epsilons").set_value("0.5")
    app.number_input(key="sweep runs").set_value(1)
    press(app.run(), "Simulate")
    assert not app.exception
    all_lines(app)
    lines = {line for line, _ in drawn_lines(app)}
    assert {"poor.csv, PMW^Pub", "poor.csv, Table fit"} <= lines
    assert town.spent == 0
