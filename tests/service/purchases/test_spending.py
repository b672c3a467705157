"""Charge, commit, draw, commit, show: through the service, with real mechanisms."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

import buying
import pytest

from pmwpub.errors import (
    FileRefused,
    JobCancelled,
    LedgerError,
    NotReady,
    Overspent,
    PlanError,
    SchemaError,
    TableBlocked,
)
from pmwpub.ledger import Ledger, Population
from pmwpub.mechanisms.pmw_pub.algorithm import Replay, Start
from pmwpub.plans import ReleasePlan, WorkloadChoice
from pmwpub.privacy.budget import ZCDP
from pmwpub.progress import Progress
from pmwpub.release.bundle import CERTIFICATE, SYNTHETIC
from pmwpub.service import Service, purchases
from pmwpub.service.bought import assessments, best_candidate, releases
from pmwpub.service.inputs import stored_tables, study_store
from pmwpub.tasks import mechanism_work

if TYPE_CHECKING:
    from conftest import Bench


def plan_of(bench: Bench, *, epsilon: str = "1", rounds: int = 4, candidate: int = 0) -> ReleasePlan:
    current = study_store.study(bench.service, bench.name)
    return releases.release_plan(bench.service, current, [bench.candidates[candidate]], epsilon=epsilon, rounds=rounds)


def spent(bench: Bench) -> ZCDP:
    return bench.service.ledger.balance(bench.name).spent


def test_a_release_moves_the_ledger_by_its_shown_price_exactly(bench: Bench) -> None:
    plan = plan_of(bench)
    price = buying.price(bench.service, bench.private, plan)
    outcome = buying.buy(bench.service, bench.private, plan)
    assert outcome.status == "done"
    assert spent(bench) == price.rho
    assert 0.999 < float(price.rho.rho / plan.budget.rho) <= 1


def test_a_plan_that_was_sent_before_gives_the_same_bytes_and_no_charge(bench: Bench) -> None:
    plan = plan_of(bench)
    first = buying.buy(bench.service, bench.private, plan)
    after = spent(bench)
    again = buying.buy(bench.service, bench.private, plan)
    assert (first.fresh, again.fresh) == (True, False)
    assert first.result == again.result
    assert spent(bench) == after
    assert buying.price(bench.service, bench.private, plan).rho == ZCDP(0)


def test_another_service_on_the_same_store_reads_the_same_bytes(bench: Bench) -> None:
    """A server restart: new objects, and no private table anywhere."""
    plan = plan_of(bench)
    first = buying.buy(bench.service, bench.private, plan)
    restarted = Service(bench.service.ledger, type(bench.service.engine)())
    current = study_store.study(restarted, bench.name)
    (found,) = releases.releases(restarted, current)
    assert found.outcome.result == first.result
    assert found.bundle is not None
    hashes = {hashlib.sha256(found.bundle.files()[SYNTHETIC]).hexdigest() for _ in range(2)}
    assert len(hashes) == 1


def test_drawing_again_on_purpose_is_a_new_priced_release(bench: Bench) -> None:
    plan = plan_of(bench)
    first = buying.buy(bench.service, bench.private, plan)
    once = spent(bench)
    repeat = bench.service.ledger.next_repeat(bench.name, plan.sha256)
    second = buying.buy(bench.service, bench.private, plan, repeat=repeat)
    assert repeat == 1
    assert spent(bench) == once + once
    assert second.result != first.result


def test_a_renamed_candidate_is_the_same_plan(bench: Bench) -> None:
    plan = plan_of(bench)
    body = stored_tables.content(bench.service, bench.name, bench.candidates[0])
    study_store.add_candidate(bench.service, bench.name, "renamed.csv", body, attested=True)
    assert plan_of(bench).sha256 == plan.sha256


def test_an_edited_private_table_has_no_fresh_budget_and_gets_the_stored_bytes(bench: Bench) -> None:
    plan = plan_of(bench)
    first = buying.buy(bench.service, bench.private, plan)
    edited = bench.private_csv.replace(b"cook", b"smith", 1)
    private = study_store.load_private(bench.service, bench.name, edited)
    assert private.verdict.kind == "changed"
    again = buying.buy(bench.service, private, plan)
    assert again.result == first.result
    assert bench.service.ledger.booked_for(again.booking.id, private.verdict.table) is False


def test_overspending_is_refused_before_anything_is_drawn(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mechanism_work, "release", lambda *_: pytest.fail("drawn without a charge"))
    with pytest.raises(Overspent):
        buying.buy(bench.service, bench.private, plan_of(bench, epsilon="5"))
    assert spent(bench) == ZCDP(0)


def test_the_rest_spends_what_is_left_and_not_more(bench: Bench) -> None:
    buying.buy(bench.service, bench.private, plan_of(bench))
    buying.buy(bench.service, bench.private, plan_of(bench, epsilon="rest"))
    balance = bench.service.ledger.balance(bench.name)
    assert balance.spent <= balance.total
    assert float(balance.remaining.rho / balance.total.rho) < 1e-3


def test_the_charge_stands_before_the_draw_begins(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[ZCDP] = []
    real = mechanism_work.release

    def watched(payload: mechanism_work.ReleaseWork, progress: Progress) -> object:
        with Ledger.open(bench.url) as other:
            seen.append(other.balance(bench.name).spent)
        return real(payload, progress)

    monkeypatch.setattr(mechanism_work, "release", watched)
    plan = plan_of(bench)
    buying.buy(bench.service, bench.private, plan)
    assert seen == [plan.schedule().rho]


def test_a_cancelled_run_keeps_its_charge_shows_nothing_and_never_draws_again(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cancelled(payload: object, progress: object) -> object:
        raise JobCancelled("The job was cancelled.")

    plan = plan_of(bench)
    with monkeypatch.context() as patch:
        patch.setattr(mechanism_work, "release", cancelled)
        outcome = buying.buy(bench.service, bench.private, plan)
    assert (outcome.status, outcome.result) == ("no result", None)
    assert spent(bench) == plan.schedule().rho
    again = buying.buy(bench.service, bench.private, plan)
    assert (again.status, again.fresh) == ("no result", False)
    assert spent(bench) == plan.schedule().rho


def test_the_certificate_states_the_charge_and_the_ledger_total(bench: Bench) -> None:
    current = study_store.study(bench.service, bench.name)
    plan = assessments.assessment_plan(current, [bench.candidates[1]], epsilon="0.1")
    buying.buy(bench.service, bench.private, plan)
    before = spent(bench)
    outcome = buying.buy(bench.service, bench.private, plan_of(bench))
    found = releases.released(bench.service, current, outcome.booking)
    assert found.bundle is not None
    certificate = json.loads(found.bundle.files()[CERTIFICATE])
    own, total = ZCDP.at_most(certificate["rho"]), ZCDP.at_most(certificate["ledger_total"]["rho"])
    assert own == plan_of(bench).schedule().rho
    assert total == before + own == spent(bench)
    assert certificate["epsilon"] <= 1 < certificate["ledger_total"]["epsilon"]
    assert certificate["candidate"] == [{"name": "b.csv", "sha256": bench.candidates[0]}]
    assert certificate["charge_id"] == outcome.booking.charges[0]


def test_floor_and_start_are_two_charges_and_their_sum_is_the_price(bench: Bench) -> None:
    current = study_store.study(bench.service, bench.name)
    plans = [assessments.assessment_plan(current, [sha], epsilon="0.5") for sha in bench.candidates]
    price = buying.price(bench.service, bench.private, plans)
    for plan in plans:
        assert buying.buy(bench.service, bench.private, plan).status == "done"
    history = bench.service.ledger.history(bench.name)
    assert [record.purpose for record in history] == [
        f"{part} of {name}" for name in ("b.csv", "c.csv", "d.csv") for part in ("floor", "start")
    ]
    assert sum((record.rho for record in history), ZCDP(0)) == price.rho == spent(bench)
    # 0.4 to the floor, 0.1 to the start: (0.16 + 0.01)/2 in rho for each candidate.
    assert float(price.rho.rho) == pytest.approx(3 * 0.085, rel=1e-6)
    found = assessments.assessments(bench.service, current)
    assert [line.name for line in found] == ["b.csv", "c.csv", "d.csv"]
    for line in found:
        assert line.floor is not None
        assert line.start is not None
        assert line.floor.low <= line.floor.high


def test_one_part_alone_has_all_of_epsilon(bench: Bench) -> None:
    current = study_store.study(bench.service, bench.name)
    plan = assessments.assessment_plan(current, bench.candidates[:1], epsilon="0.5", start=False)
    buying.buy(bench.service, bench.private, plan)
    (record,) = bench.service.ledger.history(bench.name)
    assert float(record.rho.rho) == pytest.approx(0.125, rel=1e-6)
    (found,) = assessments.assessments(bench.service, current)
    assert found.start is None
    assert found.floor is not None


def test_a_pool_is_a_candidate_of_its_own(bench: Bench) -> None:
    current = study_store.study(bench.service, bench.name)
    plan = releases.release_plan(bench.service, current, bench.candidates[:2], epsilon="1", rounds=3)
    outcome = buying.buy(bench.service, bench.private, plan)
    found = releases.released(bench.service, current, outcome.booking)
    assert found.name in ("b.csv + c.csv", "c.csv + b.csv")
    assert found.bundle is not None
    assert len(found.bundle.distribution().support) == len(current.support(bench.candidates[:2]))


def test_one_table_under_two_populations_needs_a_recorded_decision(bench: Bench) -> None:
    buying.buy(bench.service, bench.private, plan_of(bench))
    ledger = bench.service.ledger
    first = ledger.population(bench.name)
    ledger.register(Population("again", first.n, 1, "one person", first.epsilon, first.delta))
    body = stored_tables.content(bench.service, bench.name, bench.candidates[0])
    sha256 = study_store.add_candidate(bench.service, "again", "b.csv", body, attested=True)
    study_store.save_schema(bench.service, "again", study_store.draft_schema(bench.service, "again"))
    study_store.choose_workload(bench.service, "again", WorkloadChoice(k=2))
    private = study_store.load_private(bench.service, "again", bench.private_csv)
    current = study_store.study(bench.service, "again")
    plan = releases.release_plan(bench.service, current, [sha256], epsilon="1", rounds=3)
    with pytest.raises(TableBlocked):
        buying.buy(bench.service, private, plan)
    assert ledger.balance("again").spent == ZCDP(0)
    decided = study_store.acknowledge(bench.service, private)
    assert buying.buy(bench.service, decided, plan).status == "done"


def test_a_charged_private_table_cannot_become_a_candidate_nor_a_candidate_the_private_table(bench: Bench) -> None:
    buying.buy(bench.service, bench.private, plan_of(bench))
    with pytest.raises(FileRefused, match="private table"):
        study_store.add_candidate(bench.service, bench.name, "x.csv", bench.private_csv, attested=True)
    body = stored_tables.content(bench.service, bench.name, bench.candidates[0])
    with pytest.raises(FileRefused, match="candidates"):
        study_store.load_private(bench.service, bench.name, body)


def test_a_candidate_that_nobody_attested_is_not_used(bench: Bench) -> None:
    study_store.attest(bench.service, bench.name, bench.candidates[0], attested=False)
    with pytest.raises(FileRefused, match="Attest"):
        plan_of(bench)


def test_a_private_table_under_an_old_schema_is_not_used(bench: Bench) -> None:
    schema = study_store.study(bench.service, bench.name).schema
    assert schema is not None
    study_store.save_schema(bench.service, bench.name, schema.model_copy(update={"missing_tokens": ("zz",)}))
    for send in (
        lambda: buying.buy(bench.service, bench.private, plan_of(bench)),
        lambda: buying.buy(
            bench.service,
            bench.private,
            assessments.assessment_plan(
                study_store.study(bench.service, bench.name), bench.candidates[:1], epsilon="0.1"
            ),
        ),
    ):
        with pytest.raises(PlanError, match="load it again"):
            send()
    assert spent(bench) == ZCDP(0)


def test_a_plan_of_another_population_size_is_not_run(bench: Bench) -> None:
    plan = plan_of(bench).model_copy(update={"n": 299})
    with pytest.raises(PlanError, match="terms"):
        buying.buy(bench.service, bench.private, plan)
    assert spent(bench) == ZCDP(0)


def test_nothing_is_loaded_without_a_schema(service: Service) -> None:
    service.ledger.register(Population("bare", 5, 1, "one person", 1, "1e-6"))  # type: ignore[arg-type]
    with pytest.raises(SchemaError):
        study_store.load_private(service, "bare", b"a\n1\n")
    with pytest.raises(SchemaError):
        study_store.draft_schema(service, "bare")


def test_a_private_table_shows_nothing_of_itself(bench: Bench) -> None:
    text = repr(bench.private)
    assert "cook" not in text
    assert str(bench.private.unplaced_cells) + ")" not in text


def test_an_unforeseen_error_between_charge_and_draw_ends_as_no_result(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def out_of_memory(*_: object) -> object:
        raise MemoryError

    plan = plan_of(bench)
    with monkeypatch.context() as patch:
        patch.setattr(purchases.release_purchase, "planned_counts", out_of_memory)
        with pytest.raises(MemoryError):
            buying.buy(bench.service, bench.private, plan)
    assert [record.status for record in bench.service.ledger.history(bench.name)] == ["no result"]
    assert buying.buy(bench.service, bench.private, plan).status == "no result"


def test_a_run_on_a_single_row_is_refused_by_its_public_number(service: Service) -> None:
    service.ledger.register(Population("few", 1, 1, "one person", 1, "0.01"))  # type: ignore[arg-type]
    sha256 = study_store.add_candidate(service, "few", "b.csv", b"a\nx\ny\nx\n", attested=True)
    study_store.save_schema(service, "few", study_store.draft_schema(service, "few"))
    study_store.choose_workload(service, "few", WorkloadChoice(k=1))
    private = study_store.load_private(service, "few", b"a\n" + b"x\n")
    current = study_store.study(service, "few")
    for send in (
        lambda: buying.buy(
            service, private, releases.release_plan(service, current, [sha256], epsilon="0.5", rounds=2)
        ),
        lambda: buying.buy(service, private, assessments.assessment_plan(current, [sha256], epsilon="0.1")),
    ):
        with pytest.raises(PlanError, match="at least 2 rows"):
            send()
    assert service.ledger.history("few") == []


def test_each_variant_is_a_value_of_the_plan_with_its_own_hash_and_the_same_price_but_for_the_selection(
    bench: Bench,
) -> None:
    current = study_store.study(bench.service, bench.name)

    def plan(**variant: str) -> ReleasePlan:
        return releases.release_plan(
            bench.service,
            current,
            bench.candidates[:1],
            epsilon="1",
            rounds=4,
            **variant,  # type: ignore[arg-type]
        )

    variants = [plan(), plan(start="uniform"), plan(replay="off"), plan(output="average")]
    assert len({one.sha256 for one in variants}) == 4
    assert len({buying.price(bench.service, bench.private, one).rho for one in variants}) == 1
    assert variants[1].schedule().start is Start.UNIFORM
    assert variants[2].schedule().replay is Replay.OFF
    for one in variants[1:]:
        assert buying.buy(bench.service, bench.private, one).status == "done"


@pytest.mark.parametrize("disguise", ["as it is", "line ends", "byte order mark", "order of rows", "order of columns"])
def test_a_loaded_private_table_is_never_stored_as_a_candidate_whatever_its_bytes(bench: Bench, disguise: str) -> None:
    lines = bench.private_csv.decode().splitlines()
    body = {
        "as it is": bench.private_csv,
        "line ends": bench.private_csv.replace(b"\n", b"\r\n"),
        "byte order mark": b"\xef\xbb\xbf" + bench.private_csv,
        "order of rows": "\n".join([lines[0], *reversed(lines[1:])]).encode(),
        "order of columns": "\n".join(",".join(reversed(line.split(","))) for line in lines).encode(),
    }[disguise]
    before = bench.service.ledger.documents(bench.name, "candidate")
    with pytest.raises(FileRefused, match="rows of a private table"):
        study_store.add_candidate(bench.service, bench.name, "x.csv", body, attested=True, private=bench.private)
    assert bench.service.ledger.documents(bench.name, "candidate") == before


def test_a_reformatted_private_table_is_recognised_under_another_population(bench: Bench) -> None:
    buying.buy(bench.service, bench.private, plan_of(bench))
    bench.service.ledger.register(Population("again", 300, 1, "one person", 4, "1e-5"))  # type: ignore[arg-type]
    study_store.save_schema(bench.service, "again", study_store.study(bench.service, bench.name).schema)  # type: ignore[arg-type]
    again = study_store.load_private(bench.service, "again", bench.private_csv.replace(b"\n", b"\r\n") + b"\r\n")
    assert again.verdict.kind == "elsewhere"


def test_terms_that_changed_after_the_table_was_checked_are_refused_uncharged(bench: Bench) -> None:
    current, plan = study_store.study(bench.service, bench.name), plan_of(bench)
    bench.service.ledger.amend(bench.name, rows_per_person=3)
    with pytest.raises(LedgerError, match="changed meanwhile"):
        buying.buy(bench.service, bench.private, plan, current=current)
    with pytest.raises(PlanError, match="load it again"):
        buying.buy(bench.service, bench.private, plan_of(bench))
    assert bench.service.ledger.history(bench.name) == []


def test_a_demo_population_takes_no_other_table(service: Service) -> None:
    from pmwpub.service.inputs import demo

    name, private = demo.open_demo(service)
    assert private.table is None
    assert isinstance(private.source, bytes)
    changed = private.source.replace(private.source.splitlines()[1], b"", 1)
    with pytest.raises(FileRefused, match="demo"):
        study_store.load_private(service, name, changed)


def test_the_report_lists_every_charged_look_that_came_before(bench: Bench) -> None:
    current = study_store.study(bench.service, bench.name)
    best = best_candidate.best_plan(current, [(sha,) for sha in bench.candidates], epsilon="0.5")
    buying.buy(bench.service, bench.private, best)
    outcome = buying.buy(bench.service, bench.private, plan_of(bench))
    found = releases.released(bench.service, current, outcome.booking)
    assert found.bundle is not None
    report = found.bundle.files()["report.html"].decode()
    assert "may have guided the choice" in report
    assert "<li><bdi>best of " in report
    assert "Nothing had been charged" not in report


def test_where_the_work_cannot_be_done_on_made_up_rows_nothing_is_charged(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = plan_of(bench)

    def refuse(*_: object) -> None:
        raise NotReady("There is no memory.")

    with monkeypatch.context() as patch:
        patch.setattr(bench.service.engine.readiness, "require", refuse)
        with pytest.raises(NotReady, match=r"There is no memory\. Nothing was charged\."):
            buying.buy(bench.service, bench.private, plan)
    assert spent(bench) == ZCDP(0)
    assert bench.service.ledger.bookings(bench.name) == []
    first = buying.buy(bench.service, bench.private, plan)
    monkeypatch.setattr(bench.service.engine.readiness, "require", refuse)
    assert buying.buy(bench.service, bench.private, plan).result == first.result, "what is stored needs no work"
