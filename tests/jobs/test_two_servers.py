"""Two servers on one store: together they never overspend, and a plan is fresh in one of them at most."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from jobs.waiting import PATIENCE, until
from ledger.terms import key, people

from pmwpub.jobs import InlineEngine
from pmwpub.ledger import Ledger
from pmwpub.service import Service

AFFORDABLE = 6
UNITS = people().total.units // AFFORDABLE


class Server:
    """One server as a process."""

    def __init__(self, url: str) -> None:
        program = str(Path(__file__).with_name("server.py"))
        self.process = subprocess.Popen(
            [sys.executable, program, url, str(UNITS)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[1])},
        )
        assert self.read() == "ready"

    def read(self) -> Any:
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def send(self, labels: list[str], seconds: float = 0.0) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps([labels, seconds]) + "\n")
        self.process.stdin.flush()

    def stop(self) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def url(tmp_path: Path) -> str:
    address = f"sqlite:///{tmp_path}/ledger.sqlite3"
    with Ledger.open(address) as ledger:
        ledger.register(people())
    return address


@pytest.fixture
def start(url: str) -> Iterator[Callable[[], Server]]:
    servers: list[Server] = []

    def started() -> Server:
        servers.append(Server(url))
        return servers[-1]

    yield started
    for server in servers:
        server.stop()


def test_two_servers_never_overspend_and_charge_each_plan_once(url: str, start: Callable[[], Server]) -> None:
    servers = [start(), start()]
    shared = [f"shared {place}" for place in range(4)]
    for number, server in enumerate(servers):
        server.send([*shared, *(f"own {number} {place}" for place in range(6))])
    answers = [server.read() for server in servers]
    fresh = [label for first, _ in answers for label, seen in first.items() if seen and seen[0]]
    assert len(fresh) == len(set(fresh)) == AFFORDABLE
    with Ledger.open(url) as ledger:
        assert ledger.balance("A").spent.units == AFFORDABLE * UNITS <= people().total.units
        assert {booking.status for booking in ledger.bookings("A")} == {"done"}
    for first, last in answers:
        for label, seen in first.items():
            assert (seen is None) == (last[label] is None)
            if seen and seen[0]:
                assert last[label] == "done"


def test_a_plan_at_work_on_one_server_is_at_work_on_the_other_and_then_done(
    url: str, start: Callable[[], Server]
) -> None:
    first, second = start(), start()
    first.send(["slow"], 0.6)
    with Ledger.open(url) as ledger:
        assert until(lambda: ledger.booking("A", key("slow")))
        second.send(["slow"])
        sent, _ = second.read()
        assert sent["slow"] == [False, "running"]
        assert first.read()[1]["slow"] == "done"
        second.send(["slow"])
        assert second.read() == [{"slow": [False, "done"]}, {"slow": "done"}]
        assert ledger.balance("A").spent.units == UNITS


def test_a_plan_of_a_server_that_was_killed_has_no_result_on_the_other_and_is_not_drawn_again(
    url: str, start: Callable[[], Server]
) -> None:
    first, second = start(), start()
    first.send(["slow"], 60.0)
    with Ledger.open(url) as ledger:
        assert until(lambda: ledger.booking("A", key("slow")))
        booking = ledger.booking("A", key("slow"))
        assert booking is not None
        os.kill(first.process.pid, signal.SIGKILL)
        first.process.wait(PATIENCE)
        assert until(lambda: not ledger.at_work(booking.id))
        second.send(["slow"])
        assert second.read() == [{"slow": [False, "no result"]}, {"slow": "no result"}]
        assert ledger.balance("A").spent.units == UNITS
        assert Service(ledger, InlineEngine()).outcome(booking).status == "no result"
