"""The engine on the Release page: the advised one is chosen beforehand, another is a click away, T = 0 too."""

from __future__ import annotations

import json
from dataclasses import asdict

from pages.visits import Here, Open, buy, handed_over, press, words

from pmwpub.plans import WorkloadChoice
from pmwpub.service.bought import releases
from pmwpub.service.inputs import study_store
from pmwpub.service.simulations import engine_trials
from pmwpub.service.unchanged_release import published
from pmwpub.tasks.engine_work import Way
from pmwpub.ui.release.engine_form import TRY
from pmwpub.ui.release.three_way_tick import TICK as THREE_WAY


def found_by_trial(town: Here, **errors: float) -> None:
    """A stored trial of each table at epsilon 1 with these errors; PMW^Pub at 40 rounds."""
    current = study_store.study(town.service, town.population)
    for one in current.usable:
        key = engine_trials.trial(town.service, current, [one.sha256], 1.0).key
        ways = [Way(name.replace("_", "-"), 40 * (name == "pmw_pub"), error, 0.0) for name, error in errors.items()]
        body = json.dumps([asdict(way) for way in ways]).encode()
        town.service.ledger.put_document(town.population, engine_trials.TRIAL, key, body)


def test_before_a_trial_table_fit_stands_chosen_and_a_press_tries_both_engines(town: Here, steward: Open) -> None:
    app = steward("release")
    assert app.radio(key="engine").value == "table-fit"
    assert "Nothing was tried for this choice" in words(app)
    press(app, TRY)
    assert not app.exception
    assert "Largest error expected at epsilon 1, by simulations in which" in words(app)
    assert not any(button.label == TRY for button in app.button)
    assert town.spent == 0


def test_the_better_engine_stands_chosen_with_the_reason_and_the_steward_takes_the_other(
    town: Here, steward: Open
) -> None:
    found_by_trial(town, unchanged=0.12, table_fit=0.03, pmw_pub=0.02)
    app = steward("release")
    assert app.radio(key="engine").value == "pmw-pub"
    assert "PMW^Pub with T = 40 2 %, table fit 3 %, the public table unchanged 12 %" in words(app)
    assert "Use the advised number of rounds: 40" in [box.label for box in app.checkbox]
    app.radio(key="engine").set_value("table-fit").run()
    assert app.radio(key="engine").value == "table-fit"
    buy(app, "Buy this release")
    current = study_store.study(town.service, town.population)
    (made,) = releases.releases(town.service, current)
    assert made.plan.kind == "table-fit"
    assert made.bundle is not None
    assert "The steward took table fit." in made.bundle.parts["report.html"].decode()


def test_where_nothing_beats_the_public_table_it_is_published_for_nothing_and_handed_over(
    town: Here, steward: Open
) -> None:
    found_by_trial(town, unchanged=0.01, table_fit=0.03, pmw_pub=0.02)
    app = steward("release")
    assert app.radio(key="engine").value == "unchanged"
    assert "Price: nothing." in words(app)
    press(app, "Publish it unchanged")
    assert "Tick the sentence above first; nothing was published." in words(app)
    next(box for box in app.checkbox if "made from the private one" in box.label).check()
    press(app, "Publish it unchanged")
    assert not app.exception
    current = study_store.study(town.service, town.population)
    (one,) = published(town.service, current)
    assert one.bundle.certificate.settings_from.startswith("Advised: the public table unchanged.")
    assert town.spent == 0
    assert releases.releases(town.service, current) == []
    handed_over(app)
    assert not app.exception
    assert "Public tables published unchanged" in words(app)
    for title in ("Promised: no private row was read", "How far off: its largest error is about", "Not for: Do not"):
        assert title in words(app)
    assert "synthetic.csv" in [button.label for button in app.download_button]


def test_tables_of_three_columns_are_ticked_where_they_did_better_and_the_steward_leaves_them_out(
    town: Here, steward: Open
) -> None:
    assert THREE_WAY not in [box.label for box in steward("release").checkbox], "pairs of columns have none"
    study_store.choose_workload(town.service, town.population, WorkloadChoice(k=3))
    assert not steward("release").checkbox(key="three-way tables").value, "nothing was tried"
    found_by_trial(town, unchanged=0.12, table_fit=0.03, table_fit_three_way=0.02, pmw_pub=0.04)
    app = steward("release")
    assert app.checkbox(key="three-way tables").value
    assert "Advised: on public tables the largest error was 2 % with them, 3 % without." in words(app)
    assert "by table fit, with tables of three columns" in words(app)
    app.checkbox(key="three-way tables").uncheck().run()
    assert not app.checkbox(key="three-way tables").value
    buy(app, "Buy this release")
    (made,) = releases.releases(town.service, study_store.study(town.service, town.population))
    assert made.plan.kind == "table-fit"
    assert made.plan.three_way_share is None
    assert made.bundle is not None
    assert "The steward took table fit." in made.bundle.parts["report.html"].decode()
