"""A population with some of everything, and what a move must leave as it is."""

from __future__ import annotations

from pathlib import Path

from ledger.terms import charge, key, people

from pmwpub.ledger import Ledger, PlanKey
from pmwpub.service.moving.population_moves import export_population, import_population
from pmwpub.service.purchases.caveats import PRIVATE_NUMBERS_SEEN, noted

PLAN = '{"kind":"release","text":"β"}'
BYTES = bytes(range(256)) * 40
PRIVATE, VIEW = b"canary: cells of the private table", b"canary: rows of the private table"
SPENT = 7 + 2 * 5 + 11 + 13


def filled(ledger: Ledger) -> Ledger:
    """Population A: charges numbered with gaps, for population B is charged in between, and of the same table."""
    ledger.register(people("B"))
    ledger.register(people(epsilon="2"))
    ledger.amend("A", epsilon="1.5")
    table = ledger.loaded("A", PRIVATE, [VIEW])
    first = ledger.book("A", key("first"), PLAN, [charge(7)], table=table)
    ledger.finish(first.id, BYTES)
    ledger.book("B", key("other"), PLAN, [charge(3)], table=table, refuse_elsewhere=False)
    ledger.acknowledge("A", PRIVATE, [VIEW])
    second = ledger.book("A", key("second"), PLAN, [charge(5), charge(5, "start")])
    ledger.void(second.id)
    ledger.mark("A", PRIVATE_NUMBERS_SEEN, noted("true errors", max(second.charges)))
    ledger.book("B", key("another"), PLAN, [charge(3)])
    for repeat, units in ((0, 11), (1, 13)):
        drawn = ledger.book("A", key("third", repeat), PLAN, [charge(units)])
        ledger.finish(drawn.id, b"drawn %d" % repeat)
    ledger.put_document("A", "candidate", "k", b"\x00\xff a table")
    ledger.put_document("A", "candidate", "k", b"the same table, later")
    ledger.put_document("A", "late-report", "k", BYTES)
    ledger.put_document("B", "candidate", "k", b"canary: another population's document")
    return ledger


def seen(ledger: Ledger, name: str = "A") -> dict[str, object]:
    """All that a population shows but the numbers of charges, and what records the move."""
    booked = ledger.bookings(name)
    return {
        "terms": ledger.population(name),
        "balance": ledger.balance(name),
        "bookings": [(one.key, one.plan_json, one.status, one.created, one.result) for one in booked],
        "results": [ledger.result(one.id) for one in booked if one.status == "done"],
        "history": [{**row, "id": None} for row in ledger.export(name)],
        "documents": {
            (kind, entry): ledger.document_versions(name, kind, entry.key)
            for kind in ("candidate", "late-report")
            for entry in ledger.documents(name, kind)
        },
    }


def move(here: Ledger, there: Ledger, file: Path, name: str = "A") -> str:
    """Move a population; returns the receipt."""
    export_population(here, name, there.address(name), file)
    return import_population(there, file).receipt


def next_key(label: str = "next") -> PlanKey:
    """A plan that was never bought."""
    return key(label)
