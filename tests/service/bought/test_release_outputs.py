"""What a release's certificate and report know: what stood in the store before the charge, and nothing later."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import buying
import pytest
from support.planting import plant

from pmwpub.ledger import Ledger, Mark
from pmwpub.progress import Progress
from pmwpub.release import report
from pmwpub.release.bundle import CERTIFICATE, REPORT, Bundle
from pmwpub.release.checking import check, require
from pmwpub.release.rebuilding import rebuilt
from pmwpub.service import Released, purchases
from pmwpub.service.bought import assessments, releases
from pmwpub.service.inputs import stored_tables, study_store
from pmwpub.service.purchases.caveats import PRIVATE_NUMBERS_SEEN, SEEN, remarks_from
from pmwpub.service.simulations import advice as advice_simulations
from pmwpub.service.simulations import explorations
from pmwpub.tabular.files.text.read_options import ReadOptions

if TYPE_CHECKING:
    from conftest import Bench


def run(bench: Bench, *, rounds: int = 3, candidates: list[str] | None = None, epsilon: str = "1") -> Released:
    """A release of the bench's population, read back."""
    current = study_store.study(bench.service, bench.name)
    chosen = candidates or bench.candidates[:1]
    plan = releases.release_plan(bench.service, current, chosen, epsilon=epsilon, rounds=rounds)
    outcome = buying.buy(bench.service, bench.private, plan)
    return releases.released(bench.service, current, outcome.booking)


def bundle_of(found: Released) -> Bundle:
    assert found.bundle is not None
    return found.bundle


def report_of(found: Released) -> str:
    return bundle_of(found).parts[REPORT].decode()


def test_a_release_passes_its_own_check_and_is_rebuilt_from_the_stored_candidates(bench: Bench) -> None:
    bundle = bundle_of(run(bench, candidates=bench.candidates[:2]))
    files = bundle.files(rows=40)
    require(check(files))
    publics = [stored_tables.content(bench.service, bench.name, sha256) for sha256 in bench.candidates[:2]]
    certificate = bundle.stated(files, rows=40)
    for name, body in rebuilt(certificate, files["schema.json"], publics).items():
        assert files[name] == body


def test_a_public_table_read_with_confirmed_options_is_rebuilt_with_them(bench: Bench) -> None:
    body = stored_tables.content(bench.service, bench.name, bench.candidates[0]).replace(b",", b";")
    options = ReadOptions("cp1252", ";")
    sha256 = study_store.add_candidate(bench.service, bench.name, "e.csv", body, attested=True, options=options)
    bundle = bundle_of(run(bench, candidates=[sha256]))
    (candidate,) = json.loads(bundle.parts[CERTIFICATE])["candidate"]
    assert candidate == {"name": "e.csv", "sha256": sha256, "read_as": "cp1252,semicolon"}
    assert rebuilt(bundle.certificate, bundle.parts["schema.json"], [body])["weights.csv"] == bundle.weights
    assert bundle.certificate.plan is not None
    assert bundle.certificate.plan["inputs"]["read_as"] == {sha256: "cp1252,semicolon"}  # type: ignore[index,call-overload]
    require(check(bundle.files(rows=20)))


def test_later_charges_marks_and_assessments_change_no_byte_of_a_release(bench: Bench) -> None:
    found = run(bench)
    before = bundle_of(found).files(rows=30)
    current = study_store.study(bench.service, bench.name)
    plan = assessments.assessment_plan(current, bench.candidates[:1], epsilon="0.1")
    buying.buy(bench.service, bench.private, plan)
    bench.service.ledger.mark(bench.name, PRIVATE_NUMBERS_SEEN, "true errors")
    run(bench, rounds=5, epsilon="0.5")
    again = releases.released(bench.service, study_store.study(bench.service, bench.name), found.outcome.booking)
    assert bundle_of(again).files(rows=30) == before


def test_private_numbers_seen_before_are_remarked_in_certificate_and_report_and_later_ones_are_not(
    bench: Bench,
) -> None:
    first = run(bench)
    bench.service.ledger.mark(bench.name, "another kind", "nothing to see")
    bench.service.ledger.mark(bench.name, PRIVATE_NUMBERS_SEEN, "true errors of release 1")
    second = run(bench, rounds=4, epsilon="0.5")
    remark = f"{SEEN}: true errors of release 1"
    assert bundle_of(first).certificate.remarks == ()
    assert bundle_of(second).certificate.remarks == (remark,)
    assert SEEN not in report_of(first)
    assert remark in report_of(second)


def bought_in_a_run_that_read_before(bench: Bench, note: str, *, rounds: int) -> tuple[str, ...]:
    """The remarks of a release that is bought in a run of a page, in which another program records what was seen after
    the run had read all that a purchase reads."""
    ledger = bench.service.ledger
    with Ledger.open(bench.url) as another, ledger.recalling():
        current = study_store.study(bench.service, bench.name)
        plan = releases.release_plan(bench.service, current, bench.candidates[:1], epsilon="0.5", rounds=rounds)
        buying.price(bench.service, bench.private, plan)
        for read in (ledger.marks, ledger.bookings, ledger.history, ledger.balance, ledger.population):
            read(bench.name)
        another.mark(bench.name, PRIVATE_NUMBERS_SEEN, note)
        outcome = buying.buy(bench.service, bench.private, plan, current=current)
        found = releases.released(bench.service, current, outcome.booking)
    return bundle_of(found).certificate.remarks


@pytest.mark.fault("a purchase that rests on what a page had read")
def test_what_another_program_recorded_after_a_page_had_read_is_remarked(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert f"{SEEN}: true errors" in bought_in_a_run_that_read_before(bench, "true errors", rounds=3)
    plant(monkeypatch, purchases, "buy", "service.ledger.forget()", "pass")
    assert f"{SEEN}: unmapped cells" not in bought_in_a_run_that_read_before(bench, "unmapped cells", rounds=4)


def test_a_mark_made_while_the_release_runs_is_no_remark(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    from pmwpub.tasks import mechanism_work

    real = mechanism_work.release

    def marked(payload: mechanism_work.ReleaseWork, progress: Progress) -> object:
        bench.service.ledger.mark(bench.name, PRIVATE_NUMBERS_SEEN, "too late to steer this")
        return real(payload, progress)

    monkeypatch.setattr(mechanism_work, "release", marked)
    assert bundle_of(run(bench)).certificate.remarks == ()


def test_each_thing_seen_is_remarked_once() -> None:
    marks = [Mark(PRIVATE_NUMBERS_SEEN, note, "") for note in ("a", "b", "a", " ")] + [Mark("demo", "c", "")]
    assert remarks_from(marks) == (f"{SEEN}: a", f"{SEEN}: b", SEEN)
    assert remarks_from([]) == ()


def test_the_report_lists_the_assessments_that_came_before(bench: Bench) -> None:
    assert "Nothing had been charged to this population before" in report_of(run(bench))
    current = study_store.study(bench.service, bench.name)
    for sha256 in bench.candidates[:2]:
        plan = assessments.assessment_plan(current, [sha256], epsilon="0.1", floor=sha256 == bench.candidates[0])
        buying.buy(bench.service, bench.private, plan)
    text = report_of(run(bench, rounds=4, epsilon="0.5"))
    assert text.count("used in this release") == 1
    assert "<bdi>b.csv</bdi>" in text
    assert "<bdi>c.csv</bdi>" in text
    assert text.count("not bought") == 1
    assert "floor over 64 marginals" in text


def test_the_report_says_where_the_number_of_rounds_comes_from(bench: Bench) -> None:
    assert "The steward set 3; no simulation" in report_of(run(bench, epsilon="0.3"))
    assert "25 is the default" in report_of(run(bench, rounds=25, epsilon="0.3"))
    current = study_store.study(bench.service, bench.name)
    explorations.explore(bench.service, current, bench.candidates[1])
    advice = advice_simulations.advise_rounds(bench.service, current, bench.candidates[:1], "0.3")
    assert advice.truth == "c.csv"
    taken = report_of(run(bench, rounds=advice.rounds, epsilon="0.4"))
    assert "simulation in which c.csv played the private table" in taken
    other = report_of(run(bench, rounds=advice.rounds + 1, epsilon="0.3"))
    assert f"The steward set {advice.rounds + 1}." in other


def test_the_certificate_states_who_is_protected_the_budget_and_when(bench: Bench) -> None:
    found = run(bench)
    certificate = bundle_of(found).certificate
    terms = bench.service.ledger.population(bench.name)
    assert certificate.unit == "one person"
    assert certificate.budget is not None
    assert certificate.budget.epsilon <= float(terms.epsilon)
    assert certificate.charged_at == found.outcome.booking.created


def test_a_report_that_cannot_be_written_is_known_before_the_charge(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    current = study_store.study(bench.service, bench.name)
    fitted = releases.table_fit_plan(bench.service, current, bench.candidates[:1], epsilon="1")
    for version in report.TEMPLATES:
        monkeypatch.setitem(report.TEMPLATES, version, "gone.jinja")
    report.template.cache_clear()
    with pytest.raises(Exception, match=r"gone\.jinja"):
        run(bench)
    with pytest.raises(Exception, match=r"gone\.jinja"):
        buying.buy(bench.service, bench.private, fitted)
    assert bench.service.ledger.history(bench.name) == []
    monkeypatch.undo()
    report.template.cache_clear()
