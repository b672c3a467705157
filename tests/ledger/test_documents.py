from __future__ import annotations

import pytest
from ledger.terms import charge, key, people

from pmwpub.errors import LedgerError, UnknownPopulation
from pmwpub.ledger import Ledger, documents
from pmwpub.privacy.budget import ZCDP


@pytest.fixture
def registered(ledger: Ledger) -> Ledger:
    ledger.register(people("A"))
    ledger.register(people("B"))
    return ledger


def test_a_document_comes_back_byte_for_byte(registered: Ledger) -> None:
    body = bytes(range(256)) * 1000
    registered.put_document("A", "candidate", "ohio-2012", body)
    assert registered.document("A", "candidate", "ohio-2012") == body


def test_the_same_document_again_changes_nothing(registered: Ledger) -> None:
    registered.put_document("A", "schema", "s", b"1")
    before = registered.documents("A", "schema")
    registered.put_document("A", "schema", "s", b"1")
    assert registered.documents("A", "schema") == before
    assert registered.delete_documents("A") == 1


def test_other_bytes_under_a_key_become_the_latest(registered: Ledger) -> None:
    for body in (b"1", b"2", b"1"):
        registered.put_document("A", "current", "schema", body)
        assert registered.document("A", "current", "schema") == body
    assert [document.key for document in registered.documents("A", "current")] == ["schema"]


def test_every_version_since_the_last_deletion_is_kept_with_its_time(
    registered: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    def put(time: str, body: bytes) -> None:
        monkeypatch.setattr(documents, "now", lambda: time)
        registered.put_document("A", "note", "k", body)

    for number, body in enumerate((b"1", b"2", b"2", b"1")):
        put(f"t{number}", body)
    assert registered.document_versions("A", "note", "k") == [("t0", b"1"), ("t1", b"2"), ("t3", b"1")]
    assert registered.times_in_order("A")
    registered.delete_documents("A", "note", "k")
    assert registered.document_versions("A", "note", "k") == []
    put("t4", b"3")
    registered.put_document("B", "note", "k", b"4")
    assert registered.document_versions("A", "note", "k") == [("t4", b"3")]
    put("t2", b"5")
    assert not registered.times_in_order("A")
    assert registered.times_in_order("B")


def test_documents_are_listed_with_the_latest_last(registered: Ledger) -> None:
    for name in ("b", "a", "c"):
        registered.put_document("A", "candidate", name, name.encode())
    registered.put_document("A", "candidate", "b", b"new")
    registered.put_document("A", "schema", "z", b"")
    assert [document.key for document in registered.documents("A", "candidate")] == ["a", "c", "b"]


def test_populations_keep_documents_apart(registered: Ledger) -> None:
    registered.put_document("A", "schema", "s", b"same")
    registered.put_document("B", "schema", "s", b"same")
    assert registered.delete_documents("A") == 1
    assert registered.document("B", "schema", "s") == b"same"
    with pytest.raises(LedgerError):
        registered.document("A", "schema", "s")


def test_deleting_documents_leaves_charges_and_results(registered: Ledger) -> None:
    booking = registered.book("A", key(), "{}", [charge(5)])
    registered.finish(booking.id, b"released")
    registered.put_document("A", "candidate", "x", b"1")
    registered.put_document("A", "candidate", "y", b"2")
    registered.put_document("A", "schema", "s", b"3")
    assert registered.delete_documents("A", "candidate", "x") == 1
    assert [document.key for document in registered.documents("A", "candidate")] == ["y"]
    assert registered.delete_documents("A", "candidate") == 1
    assert registered.document("A", "schema", "s") == b"3"
    assert registered.delete_documents("A") == 1
    assert registered.result(booking.id) == b"released"
    assert registered.balance("A").spent == ZCDP(5)


def test_a_document_needs_a_population(registered: Ledger) -> None:
    with pytest.raises(UnknownPopulation):
        registered.put_document("nobody", "schema", "s", b"")
