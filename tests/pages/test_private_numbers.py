"""The steward's panels of private numbers: closed, confirmed, recorded, and gone with the session."""

from __future__ import annotations

import pytest
from pages.visits import PAGES, Here, Open, buy, press, words
from streamlit.testing.v1 import AppTest

from pmwpub.service.inputs import study_store
from pmwpub.service.inputs.study import Study
from pmwpub.service.purchases.caveats import PRIVATE_NUMBERS_SEEN, SEEN
from pmwpub.service.steward_only import recorded_numbers
from pmwpub.ui import Session

TITLES = ("True errors of release", "The same column in the private table", "Private cells without a level")


def _titles(app: AppTest) -> str:
    return " ".join(str(element.value) for element in app.subheader)


def _open(app: AppTest, key: str) -> AppTest:
    next(box for box in app.checkbox if str(box.key).startswith(f"confirm {key}")).check().run()
    return next(button for button in app.button if str(button.key).startswith(f"open {key}")).click().run()


def _looks(town: Here) -> int:
    return sum(mark.kind == PRIVATE_NUMBERS_SEEN for mark in town.service.ledger.marks(town.population))


@pytest.fixture
def session(town: Here, steward: Open) -> Session:
    buy(steward("release"), "Buy this release")
    return Session(town.population, town.private())


def test_before_anything_is_frozen_the_panel_only_says_when_it_is_offered(town: Here, steward: Open) -> None:
    app = steward("prepare")
    assert "Offered once a plan is frozen" in words(app)
    assert not any(button.label == "Open, and record it" for button in app.button)


def test_panels_are_closed_and_nothing_is_computed_until_confirmed(
    town: Here, session: Session, visit: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("true_errors", "one_way_shares", "unmapped_cells"):
        monkeypatch.setattr(recorded_numbers, name, None)
    for page in ("hand_over", "prepare"):
        app = visit(page, session, population=town.population)
        assert not app.exception
        buttons = [button for button in app.button if button.label == "Open, and record it"]
        assert buttons
        assert all(button.disabled for button in buttons), "the sentence is ticked first"
    assert _looks(town) == 0


def test_true_errors_are_shown_once_confirmed_and_the_look_is_recorded(
    town: Here, session: Session, visit: Open
) -> None:
    app = _open(visit("hand_over", session, population=town.population), "('true errors'")
    assert not app.exception
    shown = [metric.label for metric in app.metric]
    assert shown[-3:] == ["Largest error", "Mean error", "RMS error"]
    assert _looks(town) == 1
    app.run()
    assert _looks(town) == 1, "a rerun shows what was seen and records nothing"
    press(app, "Close")
    assert [metric.label for metric in app.metric] == shown[:-3]
    assert session.seen == {}


def test_private_marginals_stand_beside_release_and_public_table(town: Here, session: Session, visit: Open) -> None:
    app = _open(visit("hand_over", session, population=town.population), "one-way")
    shares = app.table[-1].value
    name = "private table, steward only, not covered by ε (%)"
    women = sum(line.startswith(b"F") for line in bytes(town.private().source).split(b"\n")[1:])
    assert shares[name].astype(float).iloc[0] == pytest.approx(100 * women / 400, rel=1e-3)
    app.selectbox[-1].set_value("work").run()
    assert name in app.table[-1].value
    assert _looks(town) == 1, "one look shows every column"


def test_unmapped_cells_are_counted_on_the_data_page(town: Here, session: Session, visit: Open) -> None:
    app = _open(visit("prepare", session, population=town.population), "unmapped")
    counts = next(frame.value for frame in app.table if "cells without a level" in frame.value)
    assert list(counts["cells without a level"]) == [0, 0, 0]


@pytest.mark.parametrize("rule", [None, "keep"])
def test_the_panel_says_whether_rows_that_do_not_stay_are_among_them(
    town: Here, session: Session, visit: Open, monkeypatch: pytest.MonkeyPatch, rule: str | None
) -> None:
    monkeypatch.setattr(Study, "rows_beyond", rule)
    shown = words(visit("prepare", session, population=town.population))
    assert ("an ID's rows beyond k" in shown) == (rule == "keep")


def test_nobody_else_sees_a_panel_or_a_number(town: Here, session: Session, visit: Open) -> None:
    opened = _open(visit("hand_over", session, population=town.population), "('true errors'")
    error = next(metric.value for metric in opened.metric if metric.label == "Largest error")
    for page in PAGES:
        viewer = visit(page, population=town.population)
        assert not any(title in _titles(viewer) for title in TITLES)
        assert "Largest error" not in [metric.label for metric in viewer.metric]
        assert not any(metric.value == error for metric in viewer.metric)
    session.presenting = True
    presented = visit("hand_over", session, population=town.population)
    assert not any(title in _titles(presented) for title in TITLES)


def test_numbers_go_with_the_private_table(town: Here, session: Session, visit: Open) -> None:
    _open(visit("hand_over", session, population=town.population), "('true errors'")
    assert session.seen
    press(visit("prepare", session, population=town.population), "Forget the private table")
    assert session.seen == {}


def test_the_ledger_marks_every_later_charge(town: Here, session: Session, visit: Open) -> None:
    _open(visit("hand_over", session, population=town.population), "('true errors'")
    buy(visit("compare", session, population=town.population), "Buy these assessments")
    app = visit("ledger", population=town.population)
    assert "Every plan from then on: chosen after private numbers were seen" in words(app)
    history = next(frame.value for frame in app.dataframe if "purpose" in frame.value)
    by_purpose = dict(zip(history["purpose"], history["remark"], strict=True))
    assert by_purpose.pop("release with good.csv") == ""
    assert set(by_purpose.values()) == {SEEN}
    assert "chosen after private numbers were seen" in words(visit("compare", population=town.population)).lower()


def test_a_number_that_was_seen_is_in_no_document_of_the_store(town: Here, session: Session, visit: Open) -> None:
    _open(visit("hand_over", session, population=town.population), "('true errors'")
    found = next(iter(session.seen.values()))
    text = repr(found.max_error)  # type: ignore[attr-defined]
    ledger = town.service.ledger
    notes = " ".join(mark.note for mark in ledger.marks(town.population))
    assert text not in notes
    for kind in ("schema", "workload", "simulation", "comparison"):
        for entry in ledger.documents(town.population, kind):
            assert text.encode() not in ledger.document(town.population, kind, entry.key)
    assert text not in repr(session)
    assert study_store.study(town.service, town.population).balance.spent.units == town.spent
