"""Criteria on the pages: named with a release, bought once it is stored, shown to all."""

from __future__ import annotations

import pytest
from pages.visits import Here, Open, buy, by_pmw_pub, handed_over, press, words

from pmwpub.privacy.budget import ZCDP
from pmwpub.rounding import in_percent
from pmwpub.service.accepting import acceptances
from pmwpub.service.bought import releases
from pmwpub.service.inputs import study_store
from pmwpub.ui.release import criteria_form
from pmwpub.ui.release.criteria_form import NO_COLUMNS


def test_criteria_are_named_with_a_release_and_their_verdicts_bought_and_shown_to_all(
    town: Here, steward: Open, visit: Open
) -> None:
    app = steward("release")
    app.checkbox(key="criterion largest").check().run()
    app.checkbox(key="criterion marginal").check().run()
    app.multiselect(key="criterion marginal columns").set_value(["sex", "age"]).run()
    app.text_input(key="criterion largest within").set_value("60").run()
    app.text_input(key="criterion marginal within").set_value("60").run()
    assert not app.exception
    assert "% of the grant for it" in words(app)
    assert (
        ", which has to meet: the largest error over the workload within 60 points; the marginal of age, sex within 60 "
        "points in total variation." in words(app)
    )
    app = handed_over(buy(app, "Buy this release"))
    (found,) = releases.releases(town.service, study_store.study(town.service, town.population))
    assert [one.kind for one in found.plan.criteria] == ["largest", "marginal"]
    key, before = found.outcome.booking.key, town.spent
    assert "noisy numbers of the largest error over the workload within 60 points" in words(app)
    # Narrow enough that a table like its public one misses neither bar.
    app.text_input(key=f"acceptance part {key.plan_sha256} 0").set_value("20").run()
    press(app, "Buy the verdicts")
    assert not app.exception
    (bought,) = acceptances.acceptances(town.service, town.population, key)
    assert town.spent - before == bought.plan.law.rho.units
    assert bought.passed
    viewer = visit("hand_over", population=town.population, release=str(found.outcome.booking.id))
    assert "All criteria are passed" in words(viewer)
    sold = acceptances.noisy_largest([bought])
    assert sold is not None
    assert f"A noisy largest error of {sold.points} (95 %) was bought for the acceptance" in words(viewer)
    (metric,) = [one for one in viewer.metric if one.label == "Largest error (noisy)"]
    assert metric.value == in_percent(min(max(sold.values[0], 0), 1), 3)
    assert "acceptance.txt" in [button.label for button in viewer.download_button]
    assert (
        "Named before it was bought, as what it has to meet: the largest error over the workload within 60 points"
        in (words(viewer))
    )
    assert "The ledger held 1 release with criteria and 1 acceptance by then" in words(viewer)
    assert not any("Buy" in button.label for button in viewer.button)


def test_a_ticked_marginal_without_columns_is_refused_in_words_and_the_rest_of_the_form_keeps_its_choices(
    town: Here, steward: Open
) -> None:
    app = by_pmw_pub(steward("release"))
    app.checkbox(key="criterion largest").check().run()
    app.checkbox(key="criterion marginal").check().run()
    assert not app.exception
    assert NO_COLUMNS in words(app)
    assert not any(button.label == "Buy this release" for button in app.button)
    assert town.spent == 0
    app.checkbox(key="criterion marginal").uncheck().run()
    assert NO_COLUMNS not in words(app)
    assert app.radio(key="engine").value == "pmw-pub"
    assert ", which has to meet: the largest error over the workload within 5 points." in words(app)
    app.checkbox(key="criterion largest").uncheck().run()
    assert "has to meet:" not in words(app), "there is nothing to meet"


def test_the_price_that_is_known_beforehand_is_not_said_to_be_the_means_too(
    town: Here, steward: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    mean = {"kind": "mean", "column": "age", "low": "0", "high": "90", "within": "0.03"}
    monkeypatch.setattr(criteria_form, "_mean", lambda study: [mean])
    monkeypatch.setattr(criteria_form, "price_before", lambda criteria, study: study.balance.total)
    largest = steward("release").checkbox(key="criterion largest").check().run()
    assert "Leave at least 100 % of the grant for it; what the mean costs comes on top" in words(largest)
    monkeypatch.setattr(criteria_form, "price_before", lambda criteria, study: ZCDP(0))
    alone = steward("release")
    assert "Leave some of the grant for it; what the mean costs is known once the release is." in words(alone)


def test_a_bar_that_is_none_is_refused_in_words(town: Here, steward: Open) -> None:
    app = steward("release")
    app.checkbox(key="criterion largest").check().run()
    app.text_input(key="criterion largest within").set_value("0,5").run()
    assert not app.exception
    assert "Largest error within, points: a number from 0.001 to 99" in words(app)
    assert not any(button.label == "Buy this release" for button in app.button)
