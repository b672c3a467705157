"""A plan sent again is known by the hash of before plans said how files are read, where they were read as now."""

from __future__ import annotations

from typing import TYPE_CHECKING

import buying
import pytest

from pmwpub.errors import PlanError
from pmwpub.ledger import PlanKey, bookings
from pmwpub.plans import AssessmentPlan, ReleasePlan
from pmwpub.service.bought import assessments, releases
from pmwpub.service.inputs import stored_tables, study_store
from pmwpub.service.inputs.study import Study
from pmwpub.tabular.files.text.read_options import ReadOptions

if TYPE_CHECKING:
    from conftest import Bench

Plan = AssessmentPlan | ReleasePlan
WESTERN = ReadOptions("cp1252")
KINDS = ["assessment", "release"]


def plan_of(kind: str, bench: Bench, current: Study, sha256: str) -> Plan:
    if kind == "assessment":
        return assessments.assessment_plan(current, [sha256], epsilon="0.1")
    return releases.release_plan(bench.service, current, [sha256], epsilon="1", rounds=3)


def add(bench: Bench, options: ReadOptions | None) -> tuple[str, Study]:
    """A candidate of ASCII bytes alone, so that it may be read in any way; its reading of before is forgotten."""
    body = stored_tables.content(bench.service, bench.name, bench.candidates[0]).replace(b"cook", b"clerk")
    sha256 = study_store.add_candidate(bench.service, bench.name, "w.csv", body, attested=True, options=options)
    return sha256, study_store.study(bench.service, bench.name)


def buy_as_before(kind: str, bench: Bench, sha256: str, monkeypatch: pytest.MonkeyPatch) -> Plan:
    """Buy as a program did that wrote no reading into plans."""
    with monkeypatch.context() as patch:
        patch.setattr(Study, "readings", lambda self, candidates: ())
        current = study_store.study(bench.service, bench.name)
        plan = plan_of(kind, bench, current, sha256)
        buying.buy(bench.service, bench.private, plan)
    return plan


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_reading_as_then_gives_the_stored_bytes_and_charges_nothing(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    sha256, _ = add(bench, WESTERN)
    with monkeypatch.context() as patch:
        patch.setattr(bookings, "now", lambda: "2999-01-01T00:00:00+00:00")
        old = buy_as_before(kind, bench, sha256, monkeypatch)
    booking = bench.service.ledger.booking(bench.name, PlanKey(old.sha256))
    assert booking is not None
    spent = bench.service.ledger.balance(bench.name).spent
    new = plan_of(kind, bench, study_store.study(bench.service, bench.name), sha256)
    assert new.sha256 != old.sha256
    for sent in (new, old):
        outcome = buying.buy(bench.service, bench.private, sent)
        assert (outcome.booking.id, outcome.fresh) == (booking.id, False)
        assert outcome.result == bench.service.ledger.result(booking.id)
    assert bench.service.ledger.balance(bench.name).spent == spent


@pytest.mark.parametrize("kind", KINDS)
def test_another_reading_is_another_plan_with_a_charge_of_its_own(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    sha256, _ = add(bench, ReadOptions("cp850"))
    old = buy_as_before(kind, bench, sha256, monkeypatch)
    study_store.remove_candidate(bench.service, bench.name, sha256)
    _, current = add(bench, WESTERN)
    spent = bench.service.ledger.balance(bench.name).spent
    outcome = buying.buy(bench.service, bench.private, plan_of(kind, bench, current, sha256))
    assert outcome.fresh
    assert bench.service.ledger.balance(bench.name).spent > spent
    with pytest.raises(PlanError, match="another way of reading"):
        buying.buy(bench.service, bench.private, old)


def test_a_release_of_another_reading_is_not_shown_as_the_corrected_tables_and_can_be_drawn_again(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    sha256, _ = add(bench, WESTERN)
    old = buy_as_before("release", bench, sha256, monkeypatch)
    study_store.remove_candidate(bench.service, bench.name, sha256)
    _, current = add(bench, None)
    corrected = plan_of("release", bench, current, sha256)
    assert corrected.sha256 == old.sha256
    with pytest.raises(PlanError, match="read in another way"):
        buying.buy(bench.service, bench.private, corrected)
    assert buying.buy(bench.service, bench.private, corrected, repeat=1).fresh
