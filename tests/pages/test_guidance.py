"""What a steward stumbles over: a small table, a file that does not fit, a table that is gone, a question put twice."""

from __future__ import annotations

from fractions import Fraction

import buying
import pytest
from pages.visits import PAGES, Here, Open, add, buy, press, table, words
from streamlit.testing.v1 import AppTest

from pmwpub.ledger import Population
from pmwpub.service.bought import assessments
from pmwpub.service.inputs import study_store
from pmwpub.service.simulations.public_pairs import Forecast
from pmwpub.ui.wording.forecasts import will_resolve


def kinds(app: AppTest, kind: str) -> str:
    """What the page says in boxes of one kind, without marks."""
    return " ".join(str(one.value) for one in getattr(app, kind)).replace("\\", "").replace("**", "")


@pytest.mark.parametrize("columns", [1, 2])
def test_a_table_of_under_three_columns_is_offered_a_k_that_it_has(columns: int, empty: Here, visit: Open) -> None:
    service, name = empty.service, "hamlet"
    service.ledger.register(Population(name, 40, 1, "one resident", Fraction(1), Fraction(1, 1600)))
    text = "\n".join(
        ",".join(("sex", "age")[:columns]) if not row else ",".join("ab"[row % 2] * columns) for row in range(41)
    )
    study_store.add_candidate(service, name, "people.csv", text.encode(), attested=True)
    study_store.save_schema(service, name, study_store.draft_schema(service, name))
    app = visit("prepare", population=name)
    assert not app.exception
    assert kinds(app, "error") == ""
    press(app, "Use this workload")
    choice = study_store.study(service, name).choice
    assert choice is not None
    assert choice.k == columns


def test_before_there_is_a_schema_a_stored_table_is_no_warning_and_the_schema_comes_next(
    empty: Here, visit: Open
) -> None:
    service, name = empty.service, empty.population
    service.ledger.register(Population(name, 100, 1, "one person", Fraction(2), Fraction(1, 10_000)))
    app = visit("prepare", population=name)
    app.file_uploader[0].upload("first.csv", b"height,weight\n1,2\n3,4\n", "text/csv")
    app.checkbox[0].check()
    add(app)
    assert "first.csv was read and stored. Draft a schema next" in kinds(app, "success")
    assert kinds(app, "warning") == ""


def test_a_table_that_does_not_fit_is_a_warning_with_its_whole_reason(town: Here, visit: Open) -> None:
    app = visit("prepare", population=town.population)
    app.file_uploader[0].upload("other.csv", b"height,weight\n1,2\n3,4\n", "text/csv")
    add(app)
    (unfit,) = [one for one in study_store.study(town.service, town.population).candidates if one.problem]
    assert "other.csv was read and stored, but does not fit the schema" in kinds(app, "warning")
    assert unfit.problem in kinds(app, "warning")
    assert "other.csv" not in kinds(app, "success")


def test_what_was_bought_of_a_table_keeps_its_name_after_the_table_is_gone(town: Here, visit: Open) -> None:
    current = study_store.study(town.service, town.population)
    for facts in current.usable:
        plan = assessments.assessment_plan(current, [facts.sha256], epsilon="0.05")
        buying.buy(town.service, town.private(), plan, current=current)
    study_store.add_candidate(town.service, town.population, "unused.csv", table(90, 9), attested=True)
    for facts in study_store.study(town.service, town.population).candidates:
        if facts.name != "good.csv":
            study_store.remove_candidate(town.service, town.population, facts.sha256)
    now = study_store.study(town.service, town.population)
    assert list(now.former.values()) == ["poor.csv"], "nothing was bought of the other"
    (everything,) = [
        frame.value for frame in visit("compare", population=town.population).dataframe if "noisy floor" in frame.value
    ][-1:]
    assert set(everything["candidate"]) == {"good.csv", "poor.csv (deleted)"}


def test_files_are_asked_for_on_one_page_and_the_error_that_is_good_enough_on_one(town: Here, steward: Open) -> None:
    apps = {page: steward(page) for page in PAGES}
    assert [page for page, app in apps.items() if app.get("file_uploader")] == ["prepare"]
    asked = [page for page, app in apps.items() if any("good enough" in one.label for one in app.number_input)]
    assert asked == ["compare"]


def test_all_that_is_left_can_be_spent_from_the_page(town: Here, steward: Open) -> None:
    app = steward("release")
    app.radio(key="how much").set_value("rest").run()
    assert not app.exception
    assert "Left afterwards: 0 % of the grant." in words(app), "which is enough for nothing"


def test_a_chance_is_never_said_to_be_at_least_all_of_them() -> None:
    said = will_resolve(
        Forecast(floor_bar=0.01, start_bar=0.01, spread=None, tells_apart=None, resolves=1.0, seconds=3.0), "fast"
    )
    assert said is not None
    assert "at least 99 % of draws" in said.words


def test_what_was_bought_is_not_weighed_once_more(town: Here, steward: Open) -> None:
    weighing = "Compare the candidates with each other (free, below) to see whether this tells them apart."
    assert weighing in words(steward("compare"))
    buy(steward("compare"), "Buy these assessments")
    again = steward("compare")
    assert "Price: nothing. This was already bought" in words(again)
    assert weighing not in words(again)
