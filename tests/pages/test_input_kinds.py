"""Files of each kind that stewards bring, through the page: the same is right as on the command line."""

from __future__ import annotations

from fractions import Fraction

import pytest
from pages.visits import Here, Open, press, stored, words
from streamlit.testing.v1 import AppTest
from support.input_kinds import KINDS, Kind

from pmwpub.ledger import Population
from pmwpub.service.inputs import study_store


@pytest.fixture
def bare(empty: Here) -> Here:
    """A population without tables."""
    empty.service.ledger.register(
        Population(empty.population, 400, 1, "one resident", Fraction(2), Fraction(1, 160000))
    )
    return empty


def drafted(app: AppTest, kind: Kind) -> AppTest:
    """The schema drafted from what is stored, or from the kind's codebook."""
    if not kind.codebook:
        return press(app, "Draft a schema")
    uploader = next(one for one in app.file_uploader if "codebook" in one.label)
    uploader.upload("book.csv", kind.codebook, "text/csv")
    return press(app, "Draft from the codebook")


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_the_page_does_what_is_right(kind: Kind, bare: Here, visit: Open) -> None:
    app = visit("prepare", population=bare.population)
    app.file_uploader[0].set_value([(name, body, "text/csv") for name, body in kind.files.items()])
    app.checkbox[0].check()
    press(app, "Add")
    if kind.refused:
        assert f"was not read. Line 1: {kind.refused}" in words(app) or kind.refused in words(app)
        press(app, kind.button)
    stored(app)
    assert len(study_store.study(bare.service, bare.population).candidates) == len(kind.files)
    drafted(app, kind)
    assert not app.exception
    schema = study_store.study(bare.service, bare.population).schema
    said = words(app)
    if kind.nothing:
        assert schema is None
        assert "so no schema was made" in said
        assert "The earlier one stays" not in said
        assert all(f"- {name}: {why}" in said for name, why in kind.left_out.items())
        return
    assert schema is not None
    levels = {column.name: column.attribute.levels for column in schema.encoded}
    assert levels.keys() == kind.levels.keys()
    assert all(set(wanted) <= set(levels[name]) for name, wanted in kind.levels.items())
    assert all(why in said for why in kind.left_out.values())
    assert kind.said in said
    assert bare.spent == 0
