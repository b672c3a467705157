"""Loads are recorded and compared with nothing; only the operator's record compares, afterwards."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from ledger.terms import charge, key, people
from sqlalchemy import event, text

from pmwpub.errors import UnknownPopulation
from pmwpub.ledger import Attempt, Ledger

TABLE, OTHER = b"sex,age\nF,33\nM,41\n", b"sex,age\nF,33\nM,42\n"
SEEN = (b"the rows as coded", b"the rows as spelt")


@pytest.fixture
def registered(ledger: Ledger) -> Ledger:
    for name in ("A", "B", "C"):
        ledger.register(people(name))
    return ledger


def spend(ledger: Ledger, name: str, private: bytes, seen: tuple[bytes, ...] = ()) -> None:
    table = ledger.handle(name, private, seen)
    ledger.book(name, key(private), "{}", [charge(1)], table=table, refuse_elsewhere=False)


def found(ledger: Ledger) -> list[tuple[int, str, tuple[str, ...], tuple[str, ...]]]:
    return [(one.id, one.population, one.charged_under, one.loaded_under) for one in ledger.attempts()]


def test_a_load_and_a_handle_are_what_recognise_calls_the_table(registered: Ledger) -> None:
    table = registered.recognise("A", TABLE, SEEN).table
    assert registered.loaded("A", TABLE, SEEN) == table
    assert registered.handle("B", TABLE, SEEN) == table
    for call in (registered.loaded, registered.handle):
        with pytest.raises(UnknownPopulation):
            call("nobody", TABLE)


def test_a_handle_leaves_no_trace_and_a_load_one_row(registered: Ledger) -> None:
    registered.handle("A", TABLE, SEEN)
    assert registered.attempts() == []
    registered.loaded("A", TABLE, SEEN)
    (one,) = registered.attempts()
    assert one == Attempt(1, one.time, "A", (), ())


def test_the_record_names_where_the_table_was_charged_and_loaded(registered: Ledger) -> None:
    registered.loaded("B", TABLE)
    spend(registered, "A", TABLE)
    registered.loaded("C", OTHER)
    registered.loaded("A", TABLE)
    assert found(registered) == [
        (1, "B", ("A",), ("A",)),
        (2, "C", (), ()),
        (3, "A", ("A",), ("B",)),
    ]


def test_the_record_knows_a_table_by_any_view(registered: Ledger) -> None:
    spend(registered, "A", TABLE, SEEN)
    registered.loaded("B", b"written otherwise", (SEEN[1], b"other codes"))
    registered.loaded("C", SEEN[1])
    assert found(registered) == [(1, "B", ("A",), ()), (2, "C", (), ())], "a view is no text"


def test_tables_charged_under_several_populations_show_without_a_load(registered: Ledger) -> None:
    spend(registered, "A", TABLE, SEEN)
    spend(registered, "A", OTHER)
    assert registered.shared_tables() == []
    spend(registered, "B", b"written otherwise", (SEEN[1], b"other codes"))
    assert registered.shared_tables() == [("A", "B")]
    spend(registered, "C", b"a third way", (b"other codes",))
    spend(registered, "C", OTHER)
    assert sorted(registered.shared_tables()) == [("A", "B", "C"), ("A", "C")]
    assert registered.attempts() == []


def statements(ledger: Ledger, call: Callable[[], object]) -> list[str]:
    """The statements that a call runs, without their values."""
    heard: list[str] = []

    def hear(_connection: object, _cursor: object, statement: str, *_more: object) -> None:
        heard.append(statement)

    engine = ledger._database._engine
    event.listen(engine, "before_cursor_execute", hear)
    try:
        call()
    finally:
        event.remove(engine, "before_cursor_execute", hear)
    return heard


def test_a_load_does_the_same_whether_it_matches_or_not(registered: Ledger) -> None:
    spend(registered, "A", TABLE, SEEN)
    matching, other = (
        statements(registered, lambda private=private: registered.loaded("B", private, SEEN))  # type: ignore[misc]
        for private in (TABLE, OTHER)
    )
    assert matching == other
    assert any("loads" in statement for statement in matching), "the test heard them"
    assert not any(word in statement for statement in matching for word in ("fingerprints", "FROM views", "charges"))
    assert [one.id for one in registered.attempts()] == [1, 2]


def test_a_booking_that_compares_with_nobody_does_the_same_whether_the_table_matches_or_not(registered: Ledger) -> None:
    spend(registered, "A", TABLE, SEEN)
    found = []
    for name, private, seen in (("B", TABLE, SEEN), ("C", OTHER, (b"another view", b"and one more"))):
        found.append(statements(registered, lambda name=name, p=private, s=seen: spend(registered, name, p, s)))  # type: ignore[misc]
    assert found[0] == found[1]
    assert any("INSERT INTO fingerprints" in statement for statement in found[0]), "the test heard them"
    asked = ("FROM fingerprints", "FROM views", "FROM acknowledgements", "FROM loads")
    assert not any(word in statement for statement in found[0] for word in asked)
    assert registered.shared_tables() == [("A", "B")]


def test_a_load_enters_nothing_that_leaves(registered: Ledger, url: str) -> None:
    def seen() -> object:
        names = ("A", "B", "C")
        public = [(registered.export(name), registered.history(name), registered.marks(name)) for name in names]
        return public, [registered.acknowledgements(name) for name in names], registered.populations()

    spend(registered, "A", TABLE, SEEN)
    before = seen()
    for _ in range(5):
        registered.loaded("B", TABLE, SEEN)
    assert seen() == before
    assert registered.book("C", key(), "{}", [charge(1)]).id == 2, "ids of other tables do not count loads"
    if url.startswith("sqlite"):
        witness = Path(url.removeprefix("sqlite:///") + ".witness")
        assert "load" not in witness.read_text()


def test_a_plain_hash_of_a_loaded_table_is_not_stored(registered: Ledger, url: str) -> None:
    registered.loaded("A", TABLE, SEEN)
    with registered._database.reading() as connection:
        row = connection.execute(text("SELECT digest, views FROM loads")).one()
    assert bytes(row.digest) == registered.handle("A", TABLE, SEEN).digest
    assert bytes(row.views) == b"".join(registered.handle("A", TABLE, SEEN).views)
