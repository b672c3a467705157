"""Rules on Prepare: by text, taken out, suggested and confirmed, with the public rows that they leave out."""

from __future__ import annotations

from fractions import Fraction

import pytest
from pages.visits import Here, Open, press, words
from streamlit.testing.v1 import AppTest

from pmwpub.ledger import Population
from pmwpub.service.inputs import study_store
from pmwpub.tabular.schema.table_schema import Schema

EDITED = "The schema is being edited above"

PLACES = [f"place {number:03}" for number in range(200)]


def _wide() -> bytes:
    """200 places, of which the first 20 have no mayor who is young; and 100 rows of either sex, never with each job."""
    lines = ["place,age,mayor,sex"]
    for number in range(2_000):
        place, age = PLACES[number % 200], number % 80
        mayor = "yes" if age >= 40 and number % 3 == 0 else "no"
        lines.append(f"{place},{age},{mayor},{'FM'[number // 200 % 2]}")
    return ("\n".join(lines) + "\n").encode()


@pytest.fixture
def city(empty: Here) -> Here:
    """A population with one public table whose column of places has 200 levels; nothing spent."""
    service, name = empty.service, empty.population
    service.ledger.register(Population(name, 500, 1, "one resident", Fraction(2), Fraction(1, 250_000)))
    study_store.add_candidate(service, name, "wide.csv", _wide(), attested=True)
    body = {
        "version": 2,
        "columns": [
            {"name": "place", "kind": "categorical", "levels": PLACES, "same": []},
            {"name": "age", "kind": "numeric", "edges": [0, 20, 40, 80], "outside": "clip", "same": []},
            {"name": "mayor", "kind": "categorical", "levels": ["yes", "no"], "same": []},
            {"name": "sex", "kind": "categorical", "levels": ["F", "M"], "same": []},
        ],
    }
    study_store.save_schema(service, name, Schema.model_validate(body, strict=False))
    return empty


def _schema(city: Here) -> Schema:
    found = study_store.study(city.service, city.population).schema
    assert found is not None
    return found


def _add(app: AppTest, text: str) -> AppTest:
    next(one for one in app.text_input if one.label == "A rule").set_value(text)
    press(app, "Add this rule")
    assert not app.exception
    return app


def test_twenty_rules_over_two_hundred_levels_are_added_by_text(city: Here, visit: Open) -> None:
    app = visit("prepare", population=city.population)
    texts = [
        f'place in ("{PLACES[number]}", "{PLACES[199 - number]}") and age < {(20, 40)[number % 2]} implies mayor = "no"'
        for number in range(20)
    ]
    for text in texts:
        _add(app, text)
    assert [rule.text for rule in _schema(city).rules] == texts
    assert [one.value for one in app.code] == texts
    assert city.spent == 0


def test_a_rule_leaves_public_rows_out_and_says_which(city: Here, visit: Open) -> None:
    app = visit("prepare", population=city.population)
    _add(app, 'age >= 40 implies mayor = "no"  # by law')
    facts = study_store.study(city.service, city.population).candidates[0]
    counted = sum(number % 80 >= 40 and number % 3 == 0 for number in range(2_000))
    assert (facts.broken, facts.by_rule) == (counted, (counted,))
    assert f"by law · {counted} public rows left out" in words(app)
    next(one for one in app.toggle if one.label == "Which public rows are left out").set_value(True).run()
    frames = [one.value for one in app.dataframe]
    listed = next(one for one in frames if "rule" in one.columns)
    assert listed["rows, counted from 1 below the header"].tolist()[0].startswith("rows 43, 46, 49")
    press(app, "Take out")
    assert _schema(city).rules == ()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("age < 15 implies mayor = no", "double quotes"),
        ('age < 15 implies mayor = "no"', "divides the bin"),
        ('town = "x"', "no attribute"),
    ],
)
def test_what_is_no_rule_is_refused_and_stays_to_be_mended(city: Here, visit: Open, text: str, said: str) -> None:
    before = _schema(city).to_json()
    app = _add(visit("prepare", population=city.population), text)
    assert said in words(app)
    assert _schema(city).to_json() == before
    assert next(one for one in app.text_input if one.label == "A rule").value == text


def test_what_public_rows_suggest_becomes_a_rule_once_it_is_confirmed(city: Here, visit: Open) -> None:
    app = visit("prepare", population=city.population)
    next(one for one in app.toggle if one.label == "What public rows suggest").set_value(True).run()
    shown = [one.value for one in app.code]
    assert 'age = "[0, 20)" implies mayor != "yes"' in shown
    assert 'age = "[20, 40)" implies mayor != "yes"' in shown
    assert _schema(city).rules == ()
    next(one for one in app.button if one.label == "Confirm this rule").click().run()
    assert [rule.text for rule in _schema(city).rules] == shown[:1]
    assert not app.exception
    assert shown[0] == app.code[0].value
    assert shown[1:] == [one.value for one in app.code][1:]


def test_viewers_see_rules_and_change_none(city: Here, visit: Open) -> None:
    _add(visit("prepare", population=city.population), 'age < 20 implies mayor = "no"')
    app = visit("prepare", population=city.population, view="stakeholder")
    assert not [one for one in app.button if one.label in ("Take out", "Add this rule")]


def test_the_panel_keeps_its_label_and_says_why_nothing_is_added_while_the_schema_is_edited(
    city: Here, visit: Open
) -> None:
    """An expander whose label changes is another one to a browser, and folds shut."""
    app = visit("prepare", population=city.population)
    assert "No rule so far." in words(app)
    app.text_input(key="rule text 0").set_value('mayor = "yes" implies age >= 20')
    app = press(app, "Add this rule")
    assert "1 rule so far." in words(app)
    assert [one.label for one in app.expander if one.label.startswith("Rule")] == ["Rules"]
    assert EDITED not in words(app)
    assert EDITED in words(press(app, "Edit the schema"))
