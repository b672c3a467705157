"""The quality report on the page of a release: for everybody beside the public table, for the steward the truth."""

from __future__ import annotations

import csv
import io
from collections import Counter

import buying
import pytest
from pages.visits import PRIVATE, Here, Open, buy, words
from streamlit.testing.v1 import AppTest

from pmwpub.service.bought import releases
from pmwpub.service.inputs import study_store
from pmwpub.service.purchases.caveats import PRIVATE_NUMBERS_SEEN
from pmwpub.service.steward_only import true_marginals
from pmwpub.ui import Badge, Session

TITLE = "What the release changed, and why"
EXACT = "private table, steward only, not covered by ε (%)"


@pytest.fixture
def session(town: Here, steward: Open) -> Session:
    buy(steward("release"), "Buy this release")
    return Session(town.population, town.private())


def _frame(app: AppTest, column: str) -> dict[str, list]:
    return next(frame.value.to_dict("list") for frame in app.dataframe if column in frame.value)


def _pick(app: AppTest, key: str, value: object) -> AppTest:
    picker = next(group for group in app.radio if str(group.key).startswith(key))
    return picker.set_value(value).run()


def _opened(town: Here, session: Session, visit: Open) -> AppTest:
    app = visit("hand_over", session, population=town.population, release="1")
    next(box for box in app.checkbox if "true marginals" in str(box.key)).check().run()
    return next(button for button in app.button if str(button.key).startswith("open ('true marginals'")).click().run()


def _share(rows: list[dict[str, str]], **levels: str) -> float:
    return sum(all(row[name] == level for name, level in levels.items()) for row in rows) / len(rows)


def test_everybody_sees_what_moved_and_which_measurements_touch_it(town: Here, session: Session, visit: Open) -> None:
    app = visit("hand_over", population=town.population, release="1")
    assert not app.exception
    assert TITLE in [str(element.value) for element in app.subheader]
    moved = _frame(app, "rows moved (%)")
    assert sorted(moved["marginal"]) == ["age", "sex", "work"]
    assert moved["rows moved (%)"] == sorted(moved["rows moved (%)"], reverse=True)
    measured = _frame(app, "measured query")
    assert all(" = " in query for query in measured["measured query"])
    assert "distinct ones" in words(app)


def test_two_and_three_columns_are_compared_too(town: Here, session: Session, visit: Open) -> None:
    app = visit("hand_over", population=town.population, release="1")
    two = _pick(app, "quality ways", 2)
    assert not two.exception
    assert sorted(_frame(two, "rows moved (%)")["marginal"]) == ["age × work", "sex × age", "sex × work"]
    three = _pick(two, "quality ways", 3)
    assert not three.exception
    assert _frame(three, "rows moved (%)")["marginal"] == ["sex × age × work"]
    assert any(str(box.label).startswith("Where ") for box in three.selectbox)


def test_the_distance_of_one_column_is_half_the_sum_of_its_differences(
    town: Here, session: Session, visit: Open
) -> None:
    app = visit("hand_over", population=town.population, release="1")
    bundle = releases.releases(town.service, study_store.study(town.service, town.population))[0].bundle
    assert bundle is not None
    weights: Counter[str] = Counter()
    for row in csv.DictReader(io.StringIO(bundle.weights.decode())):
        weights[row["sex"]] += float(row["weight"])  # type: ignore[assignment]
    (candidate,) = bundle.certificate.candidate
    (facts,) = (
        one for one in study_store.study(town.service, town.population).candidates if one.name == candidate.name
    )
    assert facts.dataset is not None
    column = facts.dataset.domain.index("sex")
    levels = facts.dataset.domain.attributes[column].levels
    codes = facts.dataset.codes[:, column].tolist()
    expected = sum(abs(weights[level] - codes.count(code) / len(codes)) for code, level in enumerate(levels)) / 2
    moved = _frame(app, "rows moved (%)")
    assert moved["rows moved (%)"][moved["marginal"].index("sex")] == pytest.approx(100 * expected, rel=1e-3)


def test_the_truth_is_closed_until_it_is_confirmed_and_nobody_else_is_offered_it(
    town: Here, session: Session, visit: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(true_marginals, "true_marginals", None)
    title = "Release 1 beside the private table"
    for holder, shown in (
        (session, True),
        (None, False),
        (Session(town.population, town.private(), presenting=True), False),
    ):
        app = visit("hand_over", holder, population=town.population, release="1")
        assert not app.exception
        assert (title in [str(element.value) for element in app.subheader]) is shown
        assert any(Badge.PRIVATE.value[0] in str(element.value) for element in app.markdown) is shown
    assert not any(mark.kind == PRIVATE_NUMBERS_SEEN for mark in town.service.ledger.marks(town.population))


def test_once_opened_the_truth_stands_beside_both_and_the_look_is_recorded(
    town: Here, session: Session, visit: Open
) -> None:
    app = _opened(town, session, visit)
    assert not app.exception
    rows = list(csv.DictReader(io.StringIO(PRIVATE.decode())))
    shares = next(frame.value for frame in app.table if EXACT in frame.value)
    name = shares.columns[0]
    exact = shares[EXACT].astype(float)
    assert exact.tolist() == pytest.approx([100 * _share(rows, **{name: level}) for level in shares[name]], rel=1e-3)
    (mark,) = (mark for mark in town.service.ledger.marks(town.population) if mark.kind == PRIVATE_NUMBERS_SEEN)
    assert mark.note.startswith("1-way, 2-way, 3-way marginals of the private table beside release")
    two = _pick(app, "true ways", 2)
    assert not two.exception
    assert len(next(one.value for one in two.table if "release (noisy), from the truth (%)" in one.value)) == 3
    saved = [button.label for button in two.download_button if "private" in button.label.lower()]
    assert saved == []
    assert sum(mark.kind == PRIVATE_NUMBERS_SEEN for mark in town.service.ledger.marks(town.population)) == 1


def test_where_the_public_table_was_deleted_it_says_so(town: Here, session: Session, visit: Open) -> None:
    for facts in study_store.study(town.service, town.population).candidates:
        study_store.remove_candidate(town.service, town.population, facts.sha256)
    app = visit("hand_over", population=town.population, release="1")
    assert not app.exception
    assert "public table of this release was deleted" in words(app)
    assert TITLE not in [str(element.value) for element in app.subheader]


def test_what_noisy_counts_evidently_say_of_a_level_is_told_to_everybody_for_nothing(town: Here, visit: Open) -> None:
    """Whoever is at work is misspelt in the private table, so that the level "yes" is measured as none."""
    private = study_store.load_private(town.service, town.population, PRIVATE.replace(b"yes", b"yse"))
    current = study_store.study(town.service, town.population)
    plan = releases.table_fit_plan(town.service, current, [current.usable[0].sha256], epsilon="2")
    buying.buy(town.service, private, plan)
    spent = town.spent
    app = visit("hand_over", population=town.population, release="1")
    assert not app.exception
    assert "work: the noisy counts of its levels leave" in words(app)
    assert "work = yes:" in words(app)
    assert town.spent == spent
