"""What the process keeps: its service, with ledger and workers, which no visitor can empty."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import nullcontext
from types import SimpleNamespace

import pytest
import streamlit as st
from jobs.waiting import until
from pages.visits import ROOT, Here, Open, buy
from streamlit.runtime.context import StreamlitHeaders
from streamlit.testing.v1 import AppTest

from pmwpub.errors import SettingRefused
from pmwpub.jobs import Engine
from pmwpub.jobs.task_names import TASKS
from pmwpub.service.core import job_key
from pmwpub.ui.app import services

HELD = {**TASKS, **dict.fromkeys(("release", "table-fit"), "jobs.sample_tasks:endless")}
"""A release that is at work until somebody stops it."""


@pytest.fixture
def held(empty: Here, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Engine]]:
    """Every engine that the app makes; its releases do not end by themselves."""
    made: list[Engine] = []

    def engine() -> Engine:
        made.append(Engine(1, tasks=HELD))
        return made[-1]

    monkeypatch.setenv("PYTHONPATH", str(ROOT / "tests"))  # so that workers find the tests' tasks
    monkeypatch.setattr(services, "engine", engine)
    yield made
    services.close()


def empty_all_caches() -> None:
    """What the server does for any visitor who sends `clear_cache`, and as often as it is sent."""
    for _ in range(8):
        st.cache_resource.clear()
        st.cache_data.clear()


def test_emptying_every_cache_leaves_service_workers_and_ledger_where_they_are(held: list[Engine]) -> None:
    before = services.service()
    assert until(lambda: bool(before.engine.pids()))
    workers = before.engine.pids()
    empty_all_caches()
    assert services.service() is before
    assert services.service().engine.pids() == workers
    assert len(held) == 1


def test_a_release_at_work_keeps_its_progress_and_its_cancel_while_a_visitor_empties_the_caches(
    held: list[Engine], town: Here, steward: Open
) -> None:
    app = steward("release")
    buy(app, "Buy this release")
    (booking,) = town.service.ledger.bookings(town.population)
    job = held[0].job(job_key(town.population, booking.key))
    assert job is not None
    assert until(lambda: (job.done, job.total) == (1, 3) or job.over)
    empty_all_caches()
    app.run()
    assert not app.exception
    assert services.service().outcome(booking).job is job
    assert ["1 of 3" in text for text in _bars(app)] == [True]
    next(button for button in app.button if button.label == "Cancel").click().run()
    assert until(lambda: job.over)
    assert job.state == "cancelled"
    assert len(held) == 1


def _bars(app: AppTest) -> list[str]:
    return [node.proto.text for node in app.get("progress")]


def test_sessions_that_come_at_once_share_one_service(held: list[Engine]) -> None:
    found: list[object] = []
    crowd = [threading.Thread(target=lambda: found.append(services.service())) for _ in range(8)]
    for one in crowd:
        one.start()
    for one in crowd:
        one.join()
    assert len({id(one) for one in found}) == 1
    assert len(held) == 1


def test_public_things_are_built_again_where_a_visitor_emptied_the_cache(held: list[Engine]) -> None:
    built: list[int] = []

    def build() -> int:
        built.append(1)
        return 7

    assert [services.public("a public thing", build) for _ in range(2)] == [7, 7]
    assert built == [1]
    empty_all_caches()
    assert services.public("a public thing", build) == 7
    assert built == [1, 1]


@pytest.mark.parametrize("name", [*services.FORWARDED, "x-forwarded-for"])
def test_a_single_users_server_that_a_proxy_forwards_to_is_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "get_script_run_ctx", lambda **_: object())
    monkeypatch.setattr(services, "address", lambda: "localhost")
    for headers, refused in (([(name, "192.0.2.7")], True), ([("Host", "localhost")], False)):
        monkeypatch.setattr(st, "context", SimpleNamespace(headers=StreamlitHeaders(headers)))
        with pytest.raises(SettingRefused, match="proxy") if refused else nullcontext():
            services.policy()
