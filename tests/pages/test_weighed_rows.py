"""Pages under a schema that weighs rows: what is asked for, what is bought, and no page that breaks."""

from __future__ import annotations

import pytest
from pages.visits import PAGES, PRIVATE, Here, arrive, buy, words
from streamlit.testing.v1 import AppTest

from pmwpub.service.bought import releases
from pmwpub.service.inputs import study_store
from pmwpub.tabular.schema.table_schema import Schema
from pmwpub.tabular.weights.weight_column import WeightColumn
from pmwpub.ui import Session

WEIGHED = b"\n".join(
    line + (b",w" if place == 0 else b",%d" % (1 + place % 3)) for place, line in enumerate(PRIVATE.splitlines())
)


def opened(here: Here, page: str, **keys: str) -> AppTest:
    """A page in a session that holds the private table, under a schema that weighs its rows."""
    current = study_store.study(here.service, here.population).schema
    assert current is not None
    column = WeightColumn(name="w", kind="weight", cap="2", unit="1", **keys)
    columns = [one.changed(same=("trim",), strip=False, casefold=False) for one in current.columns]
    study_store.save_schema(here.service, here.population, Schema.of([*columns, column], current.missing_tokens, 2))
    private = study_store.load_private(here.service, here.population, WEIGHED)
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
