"""Pages under a schema that weighs rows: what is asked for, what is bought, and no page that breaks."""

from __future__ import annotations

import re

import buying
import pytest
from pages.visits import PAGES, PRIVATE, Here, arrive, buy, words
from streamlit.testing.v1 import AppTest

from pmwpub.service import PrivateTable
from pmwpub.service.bought import release_errors, releases
from pmwpub.service.bought.assessments import assessment_plan
from pmwpub.service.inputs import study_store
from pmwpub.tabular.schema.table_schema import Schema
from pmwpub.tabular.weights.weight_column import WeightColumn
from pmwpub.ui import Session

WEIGHED = b"\n".join(
    line + (b",w" if place == 0 else b",%d" % (1 + place % 3)) for place, line in enumerate(PRIVATE.splitlines())
)


def load_weighed(here: Here, **keys: str) -> PrivateTable:
    """The private table under a schema that weighs its rows."""
    current = study_store.study(here.service, here.population).schema
    assert current is not None
    column = WeightColumn(name="w", kind="weight", cap="2", unit="1", **keys)
    columns = [one.changed(same=("trim",), strip=False, casefold=False) for one in current.columns]
    study_store.save_schema(here.service, here.population, Schema.of([*columns, column], current.missing_tokens, 2))
    return study_store.load_private(here.service, here.population, WEIGHED)


def opened(here: Here, page: str, **keys: str) -> AppTest:
    """A page in a session that holds that table."""
    private = load_weighed(here, **keys)
    return arrive(page, Session(here.population, private), population=here.population)


@pytest.mark.parametrize("page", PAGES)
def test_no_page_breaks_where_no_total_is_known(town: Here, page: str) -> None:
    app = opened(town, page)
    assert not app.exception


@pytest.mark.parametrize("page", ["prepare", "compare", "what_if"])
def test_no_page_breaks_where_a_total_is_declared(town: Here, page: str) -> None:
    app = opened(town, page, total="700")
    assert not app.exception


def test_release_says_that_a_total_is_needed(town: Here) -> None:
    assert "pmwpub weight-total" in words(opened(town, "release"))


def test_a_release_of_weighed_rows_is_bought_on_the_page(town: Here) -> None:
    app = opened(town, "release", total="700")
    assert not app.exception
    buy(app, "Buy this release")
    (released,) = releases.releases(town.service, study_store.study(town.service, town.population))
    assert released.plan.weights is not None
    assert (released.plan.weights.cap, released.plan.weights.total) == (2, 700)
    assert released.bundle is not None


@pytest.mark.parametrize("page", ["compare", "release", "hand_over"])
def test_shares_and_noise_of_weighed_rows_are_of_weight_on_every_page(town: Here, page: str) -> None:
    private = load_weighed(town, total="700")
    current = study_store.study(town.service, town.population)
    pool = [current.usable[0].sha256]
    plan = releases.table_fit_plan(town.service, current, pool, epsilon="0.5")
    start = assessment_plan(current, pool, epsilon="0.05", floor=False)
    key = buying.buy(town.service, private, plan).booking.key
    error = release_errors.error_plan(town.service, town.population, key, epsilon="0.05")
    for one in (start, error):
        buying.buy(town.service, private, one)
    app = arrive(page, Session(town.population, private), population=town.population)
    assert not app.exception
    labels = [one.label for kind in ("number_input", "text_input", "radio") for one in getattr(app, kind)]
    options = [option for one in app.radio for option in one.options]
    headers = [str(name) for frame in app.dataframe for name in frame.value.columns]
    said = " | ".join([words(app), *labels, *options, *headers])
    assert "weight" in said
    assert re.findall(r"(?:%|points|shares?|± [\d,.]+) (?:of (?:the )?)?rows", said) == []
