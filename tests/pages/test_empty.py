"""Pages before anything is there: words and a link, never a traceback, never a form that spends."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from pages.visits import PAGES, ROOT, WITHOUT_POPULATION, Here, Open, words


@pytest.mark.parametrize("page", [page for page in PAGES if page not in WITHOUT_POPULATION])
def test_a_page_without_a_population_leads_home(page: str, empty: Here, visit: Open) -> None:
    app = visit(page)
    assert not app.exception
    assert "Open the demo or a population first." in words(app)
    assert not app.button


@pytest.mark.parametrize("page", PAGES)
def test_an_unknown_population_in_the_address_is_said_and_dropped(page: str, empty: Here, visit: Open) -> None:
    app = visit(page, population="nowhere")
    assert not app.exception
    assert any("nowhere" in str(error.value) for error in app.error)
    assert "population" not in app.query_params


@pytest.mark.parametrize(
    ("page", "missing"), [("prepare", "once there is a schema"), ("compare", "candidates that fit")]
)
def test_a_missing_step_is_named(page: str, missing: str, town: Here, visit: Open) -> None:
    town.service.ledger.delete_documents(town.population)
    app = visit(page, population=town.population)
    assert not app.exception
    assert missing in words(app)


def test_home_registers_a_population_at_one_over_n_squared_and_opens_it(empty: Here, visit: Open) -> None:
    app = visit("protect")
    app.text_input[0].set_value("village")
    next(box for box in app.text_input if box.label.startswith("n, the rows")).set_value("1000")
    next(button for button in app.button if button.label == "Register").click().run()
    assert not app.exception
    assert app.title[0].value == "Prepare"
    assert app.query_params["population"] == "village"
    assert empty.service.ledger.population("village").delta.denominator == 1000**2


@pytest.mark.parametrize(
    ("label", "typed"),
    [("Total ε", "-1"), ("n, the rows", "0"), ("n, the rows", "1.5"), ("n, the rows", "10,00"), ("k, the most", "")],
)
def test_home_refuses_terms_out_of_range_and_registers_nothing(
    label: str, typed: str, empty: Here, visit: Open
) -> None:
    app = visit("protect")
    app.text_input[0].set_value("village")
    next(box for box in app.text_input if box.label.startswith(label)).set_value(typed)
    next(button for button in app.button if button.label == "Register").click().run()
    assert len(app.error) == 1
    assert empty.service.ledger.populations() == []


def test_home_opens_a_stored_population(town: Here, visit: Open) -> None:
    app = visit("protect")
    next(button for button in app.button if button.label == "Open").click().run()
    assert app.title[0].value == "Prepare"
    assert app.query_params["population"] == town.population


@pytest.mark.parametrize("page", PAGES)
def test_every_page_shows_the_budget_with_its_delta_and_who_the_session_is(page: str, town: Here, visit: Open) -> None:
    app = visit(page, population=town.population)
    assert not app.exception
    assert "Promised for everything together: ε = 2 at δ = 6.25e-6" in words(app)
    assert "Viewer: private table not loaded here" in words(app)
    assert any("badge[" in str(element.value) for element in app.main.markdown), "every panel has a badge"


def test_one_click_opens_a_fresh_demo_with_everything_loaded(empty: Here, visit: Open) -> None:
    names = set()
    for _ in range(2):
        app = visit("protect")
        next(button for button in app.button if button.label == "Open the demo").click().run()
        assert not app.exception
        assert app.title[0].value == "Compare"
        assert any(button.label == "Buy these assessments" for button in app.button)
        names.add(app.query_params["population"])
    assert len(names) == 2


def test_the_demo_takes_no_uploads(empty: Here, visit: Open) -> None:
    app = visit("protect")
    next(button for button in app.button if button.label == "Open the demo").click().run()
    app.switch_page("pages/prepare.py").run()
    assert not app.file_uploader
    assert "takes no uploads" in words(app)


def test_the_first_page_waits_for_no_heavy_library(tmp_path: Path) -> None:
    program = (
        "import sys; from pmwpub.jobs import InlineEngine; from pmwpub.ui.app import services;"
        "services.engine = InlineEngine; from streamlit.testing.v1 import AppTest;"
        "app = AppTest.from_file('app.py', default_timeout=60).run(); assert not app.exception; assert app.button;"
        "print(*sorted({'numba', 'opendp', 'scipy', 'highspy'} & set(sys.modules)))"
    )
    environment = {**os.environ, "PMWPUB_STORE": f"sqlite:///{tmp_path / 'ledger.sqlite'}"}
    ran = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    assert ran.stdout.split() == []
