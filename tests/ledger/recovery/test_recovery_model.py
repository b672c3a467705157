"""Whatever is put back, altered, reconciled and restored, in any order: never less spent than was ever charged."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from contextlib import closing
from fractions import Fraction
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, multiple, precondition, rule
from ledger.terms import charge, key, people
from support.statistical import AUDIT

from pmwpub.errors import StoreUnavailable, UnknownPopulation
from pmwpub.ledger import Ledger, backup, reconcile, restore
from pmwpub.privacy.budget import ZCDP

NAMES = ("A", "B")
ALTERATIONS = (
    "UPDATE charges SET units = 1",
    "UPDATE charges SET population_id = 1",
    "UPDATE charges SET booking_id = 1",
    "UPDATE charges SET units = 'none' WHERE id = 1",
    "DELETE FROM charges WHERE id = (SELECT max(id) FROM charges)",
    "DELETE FROM bookings WHERE id = (SELECT max(id) FROM bookings)",
    "UPDATE terms SET total_units = total_units * 9",
    "UPDATE terms SET epsilon = '7'",
    "UPDATE terms SET n = 999",
    "DELETE FROM terms WHERE id = (SELECT max(id) FROM terms)",
    "DELETE FROM populations WHERE id = (SELECT max(id) FROM populations)",
    "DELETE FROM marks",
)

SLIPPED_IN = (
    "INSERT INTO terms VALUES (NULL, 1, 1000, 1, 'one resident', '9', '1/1000000', 9999999999999999, '')",
    "INSERT INTO terms VALUES (NULL, 1, 999, 1, 'one resident', '1/9', '1/1000000', 9, '')",
)
"""Before the first charge this would be an amendment like any other."""


class Recovery(RuleBasedStateMachine):
    """A SQLite ledger whose file is meddled with while its witness stays; every release was charged before."""

    copies = Bundle("copies")

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.path = self.folder / "ledger.sqlite3"
        self.url = f"sqlite:///{self.path}"
        self.charged = dict.fromkeys(NAMES, 0)
        self.total: dict[str, ZCDP] = {}
        self.number = 0
        with Ledger.open(self.url) as ledger:
            ledger.register(people("A"))
        self.total["A"] = people("A").total
        self.sound = True
        self.lost = self.another = False

    def teardown(self) -> None:
        shutil.rmtree(self.folder)

    @precondition(lambda self: self.sound)
    @rule(name=st.sampled_from(NAMES), units=st.lists(st.integers(1, 5), min_size=1, max_size=3), drawn=st.booleans())
    def release(self, name: str, units: list[int], drawn: bool) -> None:
        self.number += 1
        with Ledger.open(self.url) as ledger:
            if name not in self.total:
                ledger.register(people(name))
                self.total[name] = people(name).total
            booking = ledger.book(name, key(self.number), "{}", [charge(number) for number in units])
            assert booking.fresh
            self.charged[name] += sum(units)
            if drawn:
                ledger.finish(booking.id, b"shown")

    @precondition(lambda self: self.sound and "A" in self.total)
    @rule()
    def decide(self) -> None:
        self.number += 1
        with Ledger.open(self.url) as ledger:
            ledger.mark("A", "decision", str(self.number))

    @precondition(lambda self: self.sound and "A" in self.total)
    @rule(epsilon=st.sampled_from(["2", "0.9", "0.8", "0.7"]))
    def amend(self, epsilon: str) -> None:
        with Ledger.open(self.url) as ledger:
            if not ledger.balance("A").spent.units or Fraction(epsilon) < ledger.population("A").epsilon:
                self.total["A"] = ledger.amend("A", epsilon=epsilon).total

    @precondition(lambda self: self.sound)
    @rule(target=copies)
    def back_up(self) -> object:
        self.number += 1
        copy = self.folder / f"copy-{self.number}"
        backup(self.url, copy)
        return copy

    @rule(copy=copies)
    def put_back_by_hand(self, copy: Path) -> None:
        for end in ("-wal", "-shm"):
            self.path.with_name(self.path.name + end).unlink(missing_ok=True)
        shutil.copy(copy, self.path)
        self.sound = self.lost = False

    @precondition(lambda self: self.path.exists())
    @rule(statement=st.sampled_from(ALTERATIONS))
    def alter(self, statement: str) -> None:
        with closing(sqlite3.connect(self.path)) as store:
            for (name,) in store.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
                store.execute(f'DROP TRIGGER "{name}"')
            store.execute("PRAGMA ignore_check_constraints = ON")
            try:
                store.execute(statement)
                store.commit()
            except sqlite3.IntegrityError:
                return
        self.sound = False

    @precondition(lambda self: self.sound and self.charged["A"])
    @rule(statement=st.sampled_from(SLIPPED_IN))
    def slip_in(self, statement: str) -> None:
        self.alter(statement)

    @rule()
    def lose(self) -> None:
        self.path.unlink(missing_ok=True)
        for end in ("-wal", "-shm"):
            self.path.with_name(self.path.name + end).unlink(missing_ok=True)
        self.sound, self.lost = False, True

    @rule(target=copies)
    def reconcile(self) -> object:
        self.another |= self.lost
        try:
            reconcile(self.url)
        except StoreUnavailable:
            assert not self.sound
        else:
            self.sound = True
        return multiple()

    @rule(copy=copies)
    def restore(self, copy: Path) -> None:
        try:
            restore(self.url, copy)
        except StoreUnavailable:
            assert self.another, "the copy of a ledger that was lost and made anew"
        else:
            self.sound, self.lost = True, False

    @invariant()
    def never_less_is_spent_nor_more_left(self) -> None:
        try:
            with Ledger.open(self.url) as ledger:
                for name, total in self.total.items():
                    balance = ledger.balance(name)
                    assert balance.spent.units >= self.charged[name]
                    assert balance.total <= total
                    assert ledger.population(name).n == 1000
        except UnknownPopulation:
            assert not any(self.charged.values()), "only a ledger without a charge may begin anew"
            self.total.clear()
            self.sound = self.another = True
        except StoreUnavailable:
            assert not self.sound
        else:
            self.sound = True


TestRecovery = Recovery.TestCase
TestRecovery.settings = settings(max_examples=25 * AUDIT, stateful_step_count=12, deadline=None)
