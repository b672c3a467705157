"""PostgreSQL stops and starts again while plans are at work: nothing is taken back, and nothing has to be restarted."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from ledger.cluster import Cluster, cluster, programs
from ledger.terms import charge, key, people

from pmwpub.errors import StoreUnavailable
from pmwpub.ledger import Ledger

pytestmark = pytest.mark.skipif(programs() is None, reason="PostgreSQL is not installed")


@pytest.fixture
def own() -> Iterator[Cluster]:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        with cluster(Path(folder) / "cluster") as made:
            yield made


def test_a_restart_during_a_purchase_loses_neither_its_result_nor_the_next_purchase(own: Cluster) -> None:
    with Ledger.open(own.url) as ledger, Ledger.open(own.url) as others:
        ledger.register(people())
        first, second = (ledger.book("A", key(label), "{}", [charge(1)]).id for label in (1, 2))
        own.stop()
        assert not ledger.healthy()
        with pytest.raises(StoreUnavailable):
            ledger.book("A", key("while away"), "{}", [charge(1)])
        finishing = threading.Thread(target=ledger.finish, args=(first, b"made while the store was away"))
        finishing.start()
        own.start()
        assert others.at_work(second) or not others.close_unattended(second)
        finishing.join()
        ledger.finish(second, b"y")
        assert [others.result(one) for one in (first, second)] == [b"made while the store was away", b"y"]
        assert ledger.healthy()
        assert ledger.book("A", key("after"), "{}", [charge(1)]).fresh
        assert others.balance("A").spent.units == 3
