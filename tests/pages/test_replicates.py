"""Replicate weights, in Hand over: made when somebody asks, free, then to be had by every session."""

from __future__ import annotations

import pytest
from pages.visits import Here, Open, buy, handed_over, press, words

from pmwpub.errors import JobCancelled
from pmwpub.service.bought import releases
from pmwpub.service.bought.replicates_of_releases import KIND, REPRODUCE, archive
from pmwpub.service.inputs import study_store
from pmwpub.tasks import replicate_work
from pmwpub.ui.hand_over.in_short import MORE

MAKE = "Make replicate weights"


def downloads(app: object) -> list[str]:
    return [button.label for button in app.download_button]  # type: ignore[attr-defined]


def test_replicate_weights_are_made_and_handed_out(town: Here, steward: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    app = steward("release")
    app.radio(key="engine").set_value("table-fit").run()
    buy(app, "Buy this release")
    handed_over(app)
    spent = town.spent
    assert MORE in words(app)
    assert REPRODUCE in words(app)
    assert not [one for one in downloads(app) if "Replicate weights" in one]

    def stopped(*_: object, **__: object) -> None:
        raise JobCancelled("Stopped.")

    with monkeypatch.context() as stopping:
        stopping.setattr(replicate_work, "replicate_files", stopped)
        press(app, MAKE)
    assert "They were not made; nothing was charged." in words(app)
    press(app, MAKE)
    assert [one for one in downloads(app) if "Replicate weights" in one]
    assert MAKE not in [button.label for button in app.button]
    study = study_store.study(town.service, town.population)
    (found,) = releases.releases(town.service, study)
    assert found.bundle is not None
    assert archive(town.service, study, found.bundle)[:2] == b"PK"
    assert len(town.service.ledger.documents(town.population, KIND)) == 1
    assert town.spent == spent
    assert not app.exception


def test_a_release_by_rounds_offers_none(town: Here, steward: Open) -> None:
    app = steward("release")
    app.radio(key="engine").set_value("pmw-pub").run()
    buy(app, "Buy this release")
    handed_over(app)
    assert MAKE not in [button.label for button in app.button]
    assert MORE not in words(app)
    assert REPRODUCE not in words(app)
    assert not app.exception
