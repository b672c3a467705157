"""PostgreSQL ends connections, or is started again, at random moments of purchases: nothing is ever taken back."""

from __future__ import annotations

import random
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest
from ledger.cluster import Cluster, cluster, programs
from ledger.terms import charge, key, people
from sqlalchemy import create_engine, text
from sqlalchemy.exc import DBAPIError
from support.statistical import AUDIT

from pmwpub.errors import Overspent, StoreUnavailable
from pmwpub.jobs import InlineEngine
from pmwpub.ledger import Ledger, Order
from pmwpub.service import Service
from pmwpub.service.core import Spending

pytestmark = pytest.mark.skipif(programs() is None, reason="PostgreSQL is not installed")
PURCHASES = 8 * AUDIT
AFFORDABLE = PURCHASES * 3 // 4


@pytest.fixture
def own() -> Iterator[Cluster]:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        with cluster(Path(folder) / "cluster") as made:
            yield made


class Onlooker:
    """Another program on the store: what it was told about each booking, in order."""

    def __init__(self, ledger: Ledger) -> None:
        self.told: dict[int, list[str]] = defaultdict(list)
        self._service = Service(ledger, InlineEngine(tasks={}))
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look)
        self._thread.start()

    def _look(self) -> None:
        while not self._over.wait(0.02):
            try:
                for booking in self._service.ledger.bookings("A"):
                    status = self._service.outcome(booking).status
                    if self.told[booking.id][-1:] != [status]:
                        self.told[booking.id].append(status)
            except StoreUnavailable:
                continue

    def stop(self) -> None:
        self._over.set()
        self._thread.join()


def strike(own: Cluster, dice: random.Random) -> None:
    """End most connections, or now and then everything."""
    if dice.random() < 0.15:
        own.stop()
        own.start()
        return
    engine = create_engine(own.url)
    others = text("SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()")
    try:
        with engine.connect() as connection:
            for pid in connection.execute(others).scalars().all():
                if dice.random() < 0.7:
                    connection.execute(text("SELECT pg_terminate_backend(:pid)"), {"pid": pid})
    except DBAPIError:
        pass  # it was struck itself
    finally:
        engine.dispose()


def buy(service: Service, label: int, seconds: float) -> str:
    """Charge a plan whose work takes a moment; "refused" where the store is away, which charges nothing."""
    order = Order(key(label), "{}", (charge(people().total.units // AFFORDABLE),))
    slow = Spending(order, "slow", lambda: seconds, lambda booking, found: b"found")
    try:
        (outcome,) = service.spend("A", [slow], table=None, terms=people())
    except StoreUnavailable:
        return "refused"
    except Overspent:
        return "too dear"
    return outcome.status


def slow(payload: float, progress: object) -> bytes:
    time.sleep(payload)
    return b"found"


def test_nothing_is_overspent_and_no_word_taken_back_whenever_connections_end(
    own: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pmwpub.jobs.inline.resolve", lambda target: slow)
    dice = random.Random(20)
    with Ledger.open(own.url) as ledger, Ledger.open(own.url) as others:
        ledger.register(people())
        service, onlooker = Service(ledger, InlineEngine(tasks={"slow": "here:slow"})), Onlooker(others)
        said: list[str] = []
        for label in range(PURCHASES):
            buying = threading.Thread(target=lambda label=label: said.append(buy(service, label, 0.3 * dice.random())))
            buying.start()
            time.sleep(0.2 * dice.random())
            strike(own, dice)
            buying.join()
        onlooker.stop()
        balance = others.balance("A")
        assert balance.spent <= balance.total
        assert balance.spent.units == len(others.bookings("A")) * (people().total.units // AFFORDABLE)
        assert len(said) == PURCHASES, "a purchase ends in one of the four ways"
        assert "done" in said
        for told in onlooker.told.values():
            assert not {"done", "no result"} & set(told[:-1]), "the last word is the only final one"
        assert buy(service, PURCHASES, 0.0) in ("done", "too dear"), "purchases go on by themselves"
