"""A release that is charged and drawn is kept whatever fails after the draw; its report is made when it is opened."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from pmwpub.mechanisms.table_fit.intervals import believed_drift
from pmwpub.plans import AnyReleasePlan
from pmwpub.release import bundle as bundles
from pmwpub.release.bundle import CERTIFICATE, INTERVALS, REPORT, VALUES, Bundle
from pmwpub.release.checking import check, not_checked, require
from pmwpub.release.reporting import late_report
from pmwpub.release.reporting.late_report import lacking
from pmwpub.release.reporting.pending_report import PENDING
from pmwpub.service.bought.releases import release_plan, released, table_fit_plan, weighted_pool_plan
from pmwpub.service.inputs import study_store
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
        assert any(words.startswith(REPORT) for words in not_checked(check(files)))
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


@pytest.mark.parametrize("planned", [by_tables, of_a_pool])
def test_strengths_that_fail_in_any_way_are_the_least_and_lose_no_release(
    bench: Bench, planned: Planned, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(believed_drift, "_believed", fails)
    monkeypatch.setattr(mechanism_work, "effective_rows", fails)
    plan = planned(bench)
    found = opened(bench, plan)
    assert INTERVALS in found.parts
    require(check(found.files()))
    least = plan.constants.least_strength  # type: ignore[union-attr]
    assert f'"pair_strength": {least}' in found.parts[INTERVALS].decode()


def test_public_values_that_fail_are_not_offered_and_lose_no_release(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pmwpub.tabular.coding.public_values.PublicValues.to_csv", fails)
    assert not opened(bench, by_tables(bench)).has_values
