"""No rule reads a clock: one that jumps by a year, either way and between any two steps, changes only what is dated."""

from __future__ import annotations

import itertools
from datetime import datetime, timedelta, tzinfo
from pathlib import Path

import buying
import pytest
from guarantees.flows import NAME, prepared
from guarantees.people import neighbours

from pmwpub.errors import Overspent, PmwPubError, PopulationFrozen, TableBlocked
from pmwpub.ledger import Charge, PlanKey, Population, database
from pmwpub.service.bought import assessments, releases
from pmwpub.service.inputs import study_store

PAIR = neighbours(1)


def jumping(days: tuple[int, ...]) -> type[datetime]:
    """A clock that is off by the next of `days`, round and round, at every look."""
    offsets = itertools.cycle(days)

    class Jumping(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
            return datetime.now(tz) + timedelta(days=next(offsets))

    return Jumping


def decided(folder: Path) -> list[object]:
    """What the rules decided in a run that meets every one of them: charges, reuse, refusals, terms, order."""
    folder.mkdir()
    service, private = prepared(folder, PAIR, PAIR.ours)
    ledger, found = service.ledger, []
    current = study_store.study(service, NAME)
    key = current.usable[0].sha256

    def refused(kind: type[PmwPubError], send: object) -> None:
        with pytest.raises(kind) as refusal:
            send()  # type: ignore[operator]
        found.append((kind.__name__, str(refusal.value)))

    for epsilon, repeat in (("1", 0), ("1", 0), ("1", 1), ("2", 0)):
        plan = releases.release_plan(service, current, [key], epsilon=epsilon, rounds=3)
        outcome = buying.buy(service, private, plan, repeat=repeat)
        found.append((plan.sha256, repeat, outcome.fresh, outcome.status))
    outcome = buying.buy(service, private, assessments.assessment_plan(current, [key], epsilon="0.5"))
    found.append((outcome.fresh, outcome.status))
    dear = releases.release_plan(service, current, [key], epsilon="6", rounds=3)
    refused(Overspent, lambda: buying.buy(service, private, dear))
    refused(PopulationFrozen, lambda: ledger.amend(NAME, epsilon="7"))
    ledger.amend(NAME, epsilon="5.5")
    ledger.amend(NAME, epsilon="5")
    ledger.register(Population("again", PAIR.n, 1, "one resident", 1, "1e-4"))  # type: ignore[arg-type]
    table = private.table
    refused(TableBlocked, lambda: ledger.book("again", PlanKey("a" * 64), "{}", charges(), table=table))
    ledger.mark(NAME, "first")
    ledger.mark(NAME, "second")
    found += [(record.id, record.purpose, record.rho, record.status) for record in ledger.history(NAME)]
    found += [ledger.balance(NAME), ledger.population(NAME), [mark.kind for mark in ledger.marks(NAME)]]
    found += [ledger.next_repeat(NAME, booking.key.plan_sha256) for booking in ledger.bookings(NAME)]
    found += [entry.key for entry in ledger.documents(NAME, "candidate")]
    ledger.close()
    return found


def charges() -> list[Charge]:
    from pmwpub.privacy.budget import ZCDP

    return [Charge("x", "y", "z", "w", ZCDP(1))]


@pytest.mark.parametrize("days", [(-366,), (366,), (0, 366), (0, -366, 366, -1)])
def test_a_clock_that_jumps_by_a_year_changes_no_decision(
    tmp_path: Path, days: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    steady = decided(tmp_path / "steady")
    monkeypatch.setattr(database, "datetime", jumping(days))
    assert decided(tmp_path / "jumping") == steady
