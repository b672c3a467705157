"""A release that is charged and drawn is kept whatever fails after the draw; its report is made when it is opened."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pmwpub.errors import CertificateError, StoreUnavailable
from pmwpub.ledger import PlanKey
from pmwpub.mechanisms.table_fit.intervals import believed_drift
from pmwpub.plans import AnyReleasePlan
from pmwpub.release import bundle as bundles
from pmwpub.release import rebuild
from pmwpub.release.bundle import ALL_FILES, CERTIFICATE, INTERVALS, MEASUREMENTS, REPORT, VALUES, Bundle
from pmwpub.release.certificates.certificate_reading import read_certificate
from pmwpub.release.checking import check, not_checked, require
from pmwpub.release.reporting import late_report
from pmwpub.release.reporting.late_report import lacking
from pmwpub.release.reporting.pending_report import PENDING, PendingReport
from pmwpub.service import Service
from pmwpub.service.bought import stored_releases
from pmwpub.service.bought.releases import release_plan, released, table_fit_plan, weighted_pool_plan
from pmwpub.service.bought.stored_releases import stored_release
from pmwpub.service.inputs import stored_tables, study_store
from pmwpub.service.policy import Policy
from pmwpub.service.purchases import buy, purchase_of
from pmwpub.tasks import mechanism_work
from tests.service.conftest import Bench

Planned = Callable[[Bench], AnyReleasePlan]


def by_rounds(bench: Bench) -> AnyReleasePlan:
    current = study_store.study(bench.service, bench.name)
    return release_plan(bench.service, current, bench.candidates[:1], epsilon="0.5", rounds=2)


def by_tables(bench: Bench) -> AnyReleasePlan:
    current = study_store.study(bench.service, bench.name)
    return table_fit_plan(bench.service, current, bench.candidates[:1], epsilon="0.5")


def with_rows_added(bench: Bench) -> AnyReleasePlan:
    current = study_store.study(bench.service, bench.name)
    return table_fit_plan(bench.service, current, bench.candidates[2:], epsilon="2", grow=True)


def of_a_pool(bench: Bench) -> AnyReleasePlan:
    current = study_store.study(bench.service, bench.name)
    return weighted_pool_plan(bench.service, current, bench.candidates[:2], epsilon="0.5")


every = pytest.mark.parametrize("planned", [by_rounds, by_tables, with_rows_added, of_a_pool])


def opened(bench: Bench, plan: AnyReleasePlan) -> Bundle:
    """The release of a plan as it is bought, or as it stands in the store."""
    current = study_store.study(bench.service, bench.name)
    (outcome,) = buy(bench.service, bench.private, [purchase_of(plan)], tick=True, free_tick=True, current=current)
    found = released(bench.service, current, outcome.booking).bundle
    assert found is not None
    return found


def fails(*_: object, **__: object) -> Any:
    raise RuntimeError("of no kind that anybody thought of")


@every
def test_a_release_whose_report_fails_is_kept_and_opened_again_has_the_very_report(
    bench: Bench, planned: Planned, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan, real, made = planned(bench), bundles.report_html, list[bytes]()

    def lost(*given: Any) -> bytes:
        made.append(real(*given))
        return fails()

    with monkeypatch.context() as patch:
        patch.setattr(bundles, "report_html", lost)
        patch.setattr(late_report, "report_html", fails)
        first = opened(bench, plan)
        assert PENDING in first.parts
        assert "RuntimeError" in lacking(first)
        files = first.files()
        assert not {REPORT, PENDING} & set(files)
        require(check(files))
        (words,) = [one for one in not_checked(check(files)) if one.startswith(REPORT)]
        assert "or both were taken out since: which of the two, no file tells" in words
    again = opened(bench, plan)
    assert again.parts[REPORT] == made[0]
    assert lacking(again) == ""
    assert list(again.parts)[-3:] == [REPORT, CERTIFICATE, VALUES]
    assert again.weights == first.weights
    require(check(again.files()))
    assert len(bench.service.bought(bench.name, plan.kind)) == 1


@every
def test_a_report_that_comes_late_leaves_the_bytes_that_one_in_time_does(
    bench: Bench, planned: Planned, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same release is put into files twice: with a report in time, and with one that fails first."""
    real, twins = Bundle._of.__func__, list[Bundle]()  # type: ignore[attr-defined]

    def both(cls: type[Bundle], *given: Any) -> Bundle:
        twins.append(real(cls, *given))
        with monkeypatch.context() as patch:
            patch.setattr(bundles, "report_html", fails)
            twins.append(real(cls, *given))
        return twins[1]

    monkeypatch.setattr(Bundle, "_of", classmethod(both))
    late = opened(bench, planned(bench))
    assert PENDING in twins[1].parts
    assert late.to_bytes() == twins[0].to_bytes()


def without_report(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> tuple[Callable[..., Bundle], list[bytes]]:
    """A release whose report failed: what opens it in a program of its own, whose reports have some words more, and
    the words of those that were made."""
    with monkeypatch.context() as patch:
        patch.setattr(bundles, "report_html", fails)
        plan = by_tables(bench)
        buy(bench.service, bench.private, [purchase_of(plan)], tick=True, free_tick=True)
    real, key, made = late_report.report_html, PlanKey(plan.sha256, 0), list[bytes]()

    def another(words: bytes, policy: Policy = Policy()) -> Bundle:  # noqa: B008 - frozen
        service = Service(bench.service.ledger, type(bench.service.engine)(), policy=policy)

        def html(*given: Any) -> bytes:
            made.append(words)
            return real(*given) + words

        with monkeypatch.context() as patch:
            patch.setattr(late_report, "report_html", html)
            return [stored_release(service, bench.name, key) for _ in range(3)][-1]

    return another, made


def test_the_first_late_report_is_the_releases_from_then_on_whatever_version_opens_it(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened_by, made = without_report(bench, monkeypatch)
    first = opened_by(b"<!-- one -->")
    assert first.parts[REPORT].endswith(b"<!-- one -->")
    assert made == [b"<!-- one -->"]  # opened three times, made once
    later = opened_by(b"<!-- another -->")
    assert later.to_bytes() == first.to_bytes()
    assert made == [b"<!-- one -->"]
    require(check(later.files()))


def test_a_server_for_viewers_alone_keeps_no_late_report_and_makes_it_once(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened_by, made = without_report(bench, monkeypatch)
    viewed = opened_by(b"<!-- viewed -->", Policy(viewers_only=True))
    assert viewed.parts[REPORT].endswith(b"<!-- viewed -->")
    assert made == [b"<!-- viewed -->"]
    assert bench.service.ledger.documents(bench.name, stored_releases.LATE) == []
    kept = opened_by(b"<!-- kept -->")
    assert kept.parts[REPORT].endswith(b"<!-- kept -->")
    assert opened_by(b"<!-- viewed -->", Policy(viewers_only=True)).to_bytes() == kept.to_bytes()


def test_a_late_report_that_cannot_be_kept_is_not_handed_out(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    opened_by, _ = without_report(bench, monkeypatch)

    def refused(*_: object, **__: object) -> None:
        raise StoreUnavailable("The disk is full.")

    with monkeypatch.context() as patch:
        patch.setattr(bench.service.ledger, "put_document", refused)
        assert REPORT not in opened_by(b"<!-- lost -->").parts
    assert opened_by(b"<!-- kept -->").parts[REPORT].endswith(b"<!-- kept -->")


@pytest.mark.parametrize("planned", [by_tables, of_a_pool])
def test_strengths_that_fail_in_any_way_are_the_least_and_lose_no_release(
    bench: Bench,
    planned: Planned,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(believed_drift, "_believed", fails)
        patch.setattr(mechanism_work, "effective_rows", fails)
        plan = planned(bench)
        found = opened(bench, plan)
    assert INTERVALS in found.parts
    require(check(found.files()))
    least = plan.constants.least_strength  # type: ignore[union-attr]
    assert f'"pair_strength": {least}' in found.parts[INTERVALS].decode()
    assert json.loads(found.parts[INTERVALS])["believed"] is False
    assert "the least ones" in lacking(found)
    write_all(tmp_path, found)
    public = [str(tmp_path / f"{place}.csv") for place in range(2 if planned is of_a_pool else 1)]
    for path, sha256 in zip(public, bench.candidates, strict=False):
        Path(path).write_bytes(stored_tables.content(bench.service, bench.name, sha256))
    assert rebuild.main([*public, "--from", str(tmp_path)]) == 0
    assert "intervals.json: not compared" in capsys.readouterr().out


def write_all(folder: Path, found: Bundle) -> None:
    for name, body in found.files().items():
        (folder / name).write_bytes(body)


def test_strengths_that_another_machine_cannot_work_out_are_not_said_to_be_altered(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = opened(bench, by_tables(bench))
    assert "believed" not in json.loads(found.parts[INTERVALS])
    assert lacking(found) == ""
    write_all(tmp_path, found)
    (tmp_path / "p.csv").write_bytes(stored_tables.content(bench.service, bench.name, bench.candidates[0]))
    monkeypatch.setattr(believed_drift, "_believed", fails)
    assert rebuild.main([str(tmp_path / "p.csv"), "--from", str(tmp_path)]) == 0
    assert "intervals.json: not compared, for its strengths could not be worked out here" in capsys.readouterr().out


@pytest.mark.parametrize("edit", [{"pair_strength": 900.0}, {"wider": [2.0, 1.0]}, {"believed": True}])
def test_strengths_that_are_said_to_have_failed_and_are_not_the_least_do_not_pass(
    bench: Bench, edit: dict[str, object]
) -> None:
    files = opened(bench, by_tables(bench)).files()
    stated = json.loads(files[INTERVALS])
    files[INTERVALS] = json.dumps(stated | {"believed": False} | edit).encode()
    files[CERTIFICATE] = read_certificate(files[CERTIFICATE]).with_files({INTERVALS: files[INTERVALS]}).to_bytes()
    with pytest.raises(CertificateError, match=INTERVALS):
        require(check(files))


def test_a_report_of_which_nothing_can_be_kept_loses_no_release(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(bundles, "report_html", fails)
        patch.setattr(PendingReport, "to_bytes", fails)
        found = opened(bench, by_tables(bench))
    assert not {REPORT, PENDING} & set(found.parts)
    assert "report.html could not be made, nor what it needs be kept (RuntimeError)" in lacking(found)
    assert set(found.files()) == set(ALL_FILES) - {REPORT, MEASUREMENTS}
    require(check(found.files()))


def test_public_values_that_fail_are_not_offered_and_lose_no_release(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pmwpub.tabular.coding.public_values.PublicValues.to_csv", fails)
    with monkeypatch.context() as patch:
        patch.setattr(bundles, "report_html", fails)
        patch.setattr(late_report, "report_html", fails)
        plan = by_tables(bench)
        first = opened(bench, plan)
        assert not first.has_values
        assert "report.html could not be made (RuntimeError)" in lacking(first)
    found = opened(bench, plan)
    assert not found.has_values
    assert "report.html" not in lacking(found)
    assert "values.csv could not be made (RuntimeError)" in lacking(found)
    assert set(found.files()) == set(ALL_FILES) - {MEASUREMENTS}
