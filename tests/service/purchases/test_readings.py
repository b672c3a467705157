"""What was bought before plans said how files are read counts only where they were certainly read as now."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Protocol

import pytest
from release.bundles import make, public_csv

from pmwpub.ledger import Booking, Ledger, PlanKey, TableHandle, documents
from pmwpub.plans import AssessmentPlan, ErrorPlan, PublicInputs, ReleasePlan, WorkloadChoice
from pmwpub.service import Service
from pmwpub.service.inputs import stored_tables
from pmwpub.service.purchases.readings import other_reading_than_now, same_reading_as_then

NAME = "people"
A, B = "a" * 64, "b" * 64
BEFORE, THEN, AFTER = (f"2026-01-0{day}T00:00:00+00:00" for day in (1, 2, 3))
WESTERN = {"encoding": "cp1252", "delimiter": ","}


class Note(Protocol):
    def __call__(self, time: str, sha256: str, options: dict[str, str], *, attested: bool = True) -> None: ...


@pytest.fixture
def ledger(bench: object, service: Service) -> Ledger:
    return service.ledger


@pytest.fixture
def note(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> Note:
    """Stores a candidate's note at a time, as its reading has it; first the documents of the population are dropped."""
    ledger.delete_documents(NAME)

    def put(time: str, sha256: str, options: dict[str, str], *, attested: bool = True) -> None:
        monkeypatch.setattr(documents, "now", lambda: time)
        body = {"name": "x.csv", "attested": attested, "rows": 9} | options
        ledger.put_document(NAME, stored_tables.NOTE, sha256, json.dumps(body).encode())

    return put


def plan_on(*candidates: str, read_as: dict[str, str], private_read_as: str | None = None) -> AssessmentPlan:
    made = PublicInputs(
        schema_sha256="5" * 64,
        workload_sha256="7" * 64,
        workload=WorkloadChoice(k=2),
        candidates=candidates,
        read_as=read_as,  # type: ignore[arg-type]
    )
    return AssessmentPlan(n=9, rows_per_person=1, inputs=made, epsilon="1", private_read_as=private_read_as)


def booked(plan: AssessmentPlan | ReleasePlan | ErrorPlan, created: str = THEN) -> Booking:
    """A booking of before plans said how files are read."""
    old = plan.earlier or plan
    return Booking(1, NAME, PlanKey(old.sha256), old.canonical, (1,), "done", created)


def same(ledger: Ledger, plan: AssessmentPlan | ErrorPlan, **changes: object) -> bool:
    return same_reading_as_then(ledger, NAME, replace(booked(plan), **changes), plan)  # type: ignore[arg-type]


def test_an_assessment_counts_where_the_notes_of_then_say_the_reading_of_now(ledger: Ledger, note: Note) -> None:
    note(BEFORE, A, WESTERN)
    assert same(ledger, plan_on(A, read_as={A: "cp1252"}))
    assert same(ledger, plan_on(A, read_as={A: "cp1252"}), status="charged")
    assert not same(ledger, plan_on(A, read_as={A: "cp850"}))
    note(AFTER, A, WESTERN, attested=False)
    assert same(ledger, plan_on(A, read_as={A: "cp1252"}))


def test_a_candidate_that_was_removed_and_added_again_since_proves_nothing(ledger: Ledger, note: Note) -> None:
    note(BEFORE, A, WESTERN | {"encoding": "cp850"})
    ledger.delete_documents(NAME, stored_tables.NOTE, A)
    assert not same(ledger, plan_on(A, read_as={A: "cp1252"}))
    note(AFTER, A, WESTERN)
    assert not same(ledger, plan_on(A, read_as={A: "cp1252"}))


def test_times_that_are_equal_or_went_back_prove_nothing(ledger: Ledger, note: Note) -> None:
    plan = plan_on(A, read_as={A: "cp1252"})
    note(THEN, A, WESTERN)
    assert not same(ledger, plan)
    assert same(ledger, plan, created=AFTER)
    note(BEFORE, B, {})
    assert not same(ledger, plan, created=AFTER)


def test_notes_that_ever_said_another_reading_prove_nothing(ledger: Ledger, note: Note) -> None:
    for options in (WESTERN, {}, WESTERN):
        note(BEFORE, A, options)
    assert not same(ledger, plan_on(A, read_as={A: "cp1252"}))


def test_a_charge_without_a_result_proves_nothing_for_it_may_have_come_back_from_a_witness(
    ledger: Ledger, note: Note
) -> None:
    note(BEFORE, A, WESTERN)
    assert not same(ledger, plan_on(A, read_as={A: "cp1252"}), status="no result")


def test_every_table_of_a_pool_must_be_read_as_it_was(ledger: Ledger, note: Note) -> None:
    note(BEFORE, A, WESTERN)
    note(BEFORE, B, {})
    assert same(ledger, plan_on(A, B, read_as={A: "cp1252"}))
    assert not same(ledger, plan_on(A, B, read_as={A: "cp1252", B: "cp1252"}))


def test_a_private_file_that_is_not_read_by_default_needs_the_ledgers_word_that_the_table_is_the_same(
    ledger: Ledger,
    note: Note,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    note(BEFORE, A, WESTERN)
    table = TableHandle(b"digest")
    error = ErrorPlan(n=9, rows_per_person=1, release="e" * 64, epsilon="1", private_read_as="cp1252")
    for plan in (plan_on(A, read_as={A: "cp1252"}, private_read_as="cp1252"), error):
        for answer, counts in ((True, True), (False, False), (None, False)):
            monkeypatch.setattr(Ledger, "booked_for", lambda self, booking, table, answer=answer: answer)
            assert same_reading_as_then(ledger, NAME, booked(plan), plan, table=table) == counts
            assert not same_reading_as_then(ledger, NAME, booked(plan), plan)


@pytest.mark.parametrize("then", ["cp1252,comma", "latin-1,comma", "utf-8,comma", None])
@pytest.mark.parametrize("now", ["cp1252,comma", None])
def test_of_a_release_its_certificate_says_how_tables_were_read_whatever_the_notes_say(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch, then: str | None, now: str | None
) -> None:
    bundle = make([public_csv(60, 1)], read_as=then, plan_says_so=False).bundle
    monkeypatch.setattr(Ledger, "result", lambda self, booking: bundle.to_bytes())
    old = ReleasePlan.model_validate_json(json.dumps(bundle.certificate.plan))
    (sha256,) = old.inputs.candidates
    read_as = {} if now is None else {sha256: now}
    plan = old.model_copy(
        update={"inputs": PublicInputs.model_validate(old.inputs.model_dump(mode="json") | {"read_as": read_as})}
    )
    equal = (then or "utf-8,comma") == (now or "utf-8,comma")
    assert (plan.earlier or plan).sha256 == old.sha256
    assert same_reading_as_then(ledger, NAME, booked(plan), plan) == equal
    assert other_reading_than_now(ledger, booked(plan), plan) != equal


def test_nothing_but_a_stored_release_can_be_known_to_have_been_read_otherwise(ledger: Ledger) -> None:
    plan = plan_on(A, read_as={})
    assert not other_reading_than_now(ledger, booked(plan), plan)
    error = ErrorPlan(n=9, rows_per_person=1, release="e" * 64, epsilon="1")
    assert not other_reading_than_now(ledger, booked(error), error)
    assert same(ledger, error)
