"""Weighed public tables on Prepare and Compare: said in words, with what is left out, and bought like others."""

from __future__ import annotations

import pytest
from pages.visits import PRIVATE, ROWS, Here, Open, arrive, buy, table, words

from pmwpub.service.bought import releases
from pmwpub.service.inputs import study_store
from pmwpub.tabular.schema.table_schema import Schema
from pmwpub.tabular.weights.weight_column import WeightColumn
from pmwpub.ui import Session

LINES = PRIVATE.splitlines()
WEIGHED = b"\n".join(line + (b",w" if place == 0 else b",%d" % (place % 4)) for place, line in enumerate(LINES))
"""Rows weigh 1, 2, 3 and 0 in turn: 100 of each of 400."""
SAID = "Rows count with their weight in weighed.csv (w, in whole units of 1, at most 2 each)."


@pytest.fixture
def weighed(town: Here) -> Here:
    service, name = town.service, town.population
    current = study_store.study(service, name).schema
    assert current is not None
    column = WeightColumn(name="w", kind="weight", cap="2", unit="1", weighs="public")
    columns = [one.changed(same=("trim",), strip=False, casefold=False) for one in current.columns]
    study_store.save_schema(service, name, Schema.of([*columns, column], current.missing_tokens, 2))
    study_store.add_candidate(service, name, "weighed.csv", WEIGHED, attested=True)
    return town


@pytest.mark.parametrize("page", ["prepare", "compare"])
def test_pages_say_which_tables_rows_count_with_their_weight(weighed: Here, visit: Open, page: str) -> None:
    app = visit(page, population=weighed.population)
    assert not app.exception
    assert f"{SAID} Rows of good.csv, poor.csv count once each" in words(app)
    facts = next(frame.value for frame in app.dataframe if "rows without weight" in frame.value)
    (line,) = facts[facts["candidate"] == "weighed.csv"].to_dict("records")
    # 100 rows of 1 unit and 200 of 2, the cap: 500^2 over 900 is 277.8.
    assert (line["rows"], line["rows without weight"], line["worth in equal rows"]) == (400, 100, 277)


def test_pages_say_nothing_of_weights_where_no_table_is_weighed(town: Here, visit: Open) -> None:
    app = visit("compare", population=town.population)
    assert "count with their weight" not in words(app)
    assert not any("rows without weight" in frame.value for frame in app.dataframe)


def test_a_release_on_a_weighed_public_table_is_bought_on_the_page(weighed: Here) -> None:
    name = weighed.population
    for facts in study_store.study(weighed.service, name).candidates:
        if not facts.weighed_by:
            study_store.remove_candidate(weighed.service, name, facts.sha256)
    private = study_store.load_private(weighed.service, name, table(ROWS, 9))
    app = arrive("release", Session(name, private), population=name)
    buy(app, "Buy this release")
    (released,) = releases.releases(weighed.service, study_store.study(weighed.service, name))
    assert released.plan.weights is None
    (sha256,) = released.plan.inputs.candidates
    assert released.plan.inputs.weighed == (sha256,)
