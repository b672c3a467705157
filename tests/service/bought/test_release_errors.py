"""The charged noisy error of a finished release: through the service, charged once, drawn once."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import TYPE_CHECKING

import buying
import numpy as np
import pytest

from pmwpub.errors import NoResult, Overspent, PlanError
from pmwpub.ledger import Ledger, PlanKey
from pmwpub.plans import ErrorPlan
from pmwpub.privacy.budget import ZCDP, pure
from pmwpub.progress import Progress
from pmwpub.queries.counts import count
from pmwpub.service import purchases
from pmwpub.service.bought import release_errors, releases
from pmwpub.service.bought.stored_releases import stored_release
from pmwpub.service.inputs import study_store
from pmwpub.service.purchases.caveats import PRIVATE_NUMBERS_SEEN, SEEN
from pmwpub.tasks import mechanism_work

if TYPE_CHECKING:
    from conftest import Bench


@pytest.fixture
def release(bench: Bench) -> PlanKey:
    """A stored release of the bench's population."""
    current = study_store.study(bench.service, bench.name)
    plan = releases.release_plan(bench.service, current, bench.candidates[:1], epsilon="1", rounds=4)
    return buying.buy(bench.service, bench.private, plan).booking.key


def spent(bench: Bench) -> ZCDP:
    return bench.service.ledger.balance(bench.name).spent


def exact_error(bench: Bench, release: PlanKey) -> float:
    """max_q |q(D) - q(A)| in floats, atom by atom."""
    bundle = release_errors.stored_release(bench.service, bench.name, release)
    workload = bundle.certificate.workload.build(bundle.schema.domain)
    counts = count(workload, bench.private.dataset).counts / 300
    released = bundle.distribution()
    worst = 0.0
    for query in range(workload.queries):
        marginal, target = workload.query(query)
        held = np.all(released.support.codes[:, list(marginal.attributes)] == np.array(target), axis=1)
        worst = max(worst, abs(float(counts[query]) - float(released.weights[held].sum())))
    return worst


def test_an_error_costs_its_price_and_lies_near_the_true_one(bench: Bench, release: PlanKey) -> None:
    before = spent(bench)
    plan = release_errors.error_plan(bench.service, bench.name, release, epsilon="0.8")
    price = buying.price(bench.service, bench.private, plan)
    outcome = buying.buy(bench.service, bench.private, plan)
    assert spent(bench) == before + price.rho
    assert price.rho >= pure(Fraction(4, 5))
    assert float(price.rho.rho) == pytest.approx(0.32, rel=1e-9)
    (found,) = release_errors.measured_errors(bench.service, bench.name, release)
    assert found.error is not None
    assert found.outcome.result == outcome.result
    # 20 noise scales of 1.25 rows each: it fails once in e^20.
    assert abs(found.error.value - exact_error(bench, release)) < 20 * 1.25 / 300
    assert found.error.low <= found.error.high
    assert found.error.epsilon == "4/5"


def test_the_files_of_a_release_keep_their_bytes_when_its_error_is_bought(bench: Bench, release: PlanKey) -> None:
    current = study_store.study(bench.service, bench.name)
    (before,) = releases.releases(bench.service, current)
    buying.buy(
        bench.service, bench.private, release_errors.error_plan(bench.service, bench.name, release, epsilon="0.8")
    )
    (after,) = releases.releases(bench.service, study_store.study(bench.service, bench.name))
    assert before.bundle is not None
    assert after.bundle is not None
    assert dict(after.bundle.parts) == dict(before.bundle.parts)


def test_the_error_of_the_same_release_is_drawn_once_and_again_only_at_a_price(
    bench: Bench, release: PlanKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = release_errors.error_plan(bench.service, bench.name, release, epsilon="0.1")
    same = release_errors.error_plan(bench.service, bench.name, release, epsilon="1e-1")
    first = buying.buy(bench.service, bench.private, plan)
    once = spent(bench)
    again = buying.buy(bench.service, bench.private, same)
    assert (first.fresh, again.fresh, again.result) == (True, False, first.result)
    assert spent(bench) == once
    assert buying.price(bench.service, bench.private, plan).rho == ZCDP(0)
    drawn: list[object] = []
    real = mechanism_work.error

    def watched(payload: mechanism_work.ErrorWork, progress: Progress) -> object:
        drawn.append(payload)
        return real(payload, progress)

    monkeypatch.setattr(mechanism_work, "error", watched)
    assert (buying.buy(bench.service, bench.private, same).fresh, len(drawn)) == (False, 0)
    assert (buying.buy(bench.service, bench.private, plan, repeat=1).fresh, len(drawn)) == (True, 1)
    assert spent(bench) > once


def test_the_charge_stands_before_the_noise_is_drawn(
    bench: Bench, release: PlanKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[ZCDP] = []
    real, before = mechanism_work.error, spent(bench)

    def watched(payload: mechanism_work.ErrorWork, progress: Progress) -> object:
        with Ledger.open(bench.url) as other:
            seen.append(other.balance(bench.name).spent)
        return real(payload, progress)

    monkeypatch.setattr(mechanism_work, "error", watched)
    plan = release_errors.error_plan(bench.service, bench.name, release, epsilon="0.1")
    price = buying.price(bench.service, bench.private, plan)
    buying.buy(bench.service, bench.private, plan)
    assert seen == [before + price.rho]


def test_an_unaffordable_error_is_refused_before_anything_is_drawn(
    bench: Bench, release: PlanKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mechanism_work, "error", lambda *_: pytest.fail("drawn without a charge"))
    before = spent(bench)
    plan = release_errors.error_plan(bench.service, bench.name, release, epsilon="9")
    with pytest.raises(Overspent):
        buying.buy(bench.service, bench.private, plan)
    assert spent(bench) == before


def test_only_a_stored_release_of_this_population_can_be_measured(bench: Bench, release: PlanKey) -> None:
    with pytest.raises(PlanError, match="no release"):
        release_errors.error_plan(bench.service, bench.name, PlanKey("0" * 64), epsilon="1")
    with pytest.raises(PlanError, match="no release"):
        release_errors.error_plan(bench.service, bench.name, PlanKey(release.plan_sha256, 1), epsilon="1")
    lost = bench.service.ledger.book(
        bench.name,
        PlanKey("1" * 64),
        '{"kind": "release"}',
        buying.charges(bench.service, bench.name, _any_plan(bench)),
    )
    bench.service.ledger.void(lost.id)
    with pytest.raises(NoResult):
        release_errors.error_plan(bench.service, bench.name, lost.key, epsilon="1")


def _any_plan(bench: Bench) -> releases.ReleasePlan:
    current = study_store.study(bench.service, bench.name)
    return releases.release_plan(bench.service, current, bench.candidates[:1], epsilon="0.1", rounds=2)


def test_a_table_under_another_schema_or_other_terms_is_refused_uncharged(bench: Bench, release: PlanKey) -> None:
    plan = release_errors.error_plan(bench.service, bench.name, release, epsilon="0.1")
    before = spent(bench)
    with pytest.raises(PlanError, match="terms"):
        buying.buy(bench.service, bench.private, plan.model_copy(update={"n": 299}))
    current = study_store.study(bench.service, bench.name)
    assert current.schema is not None
    study_store.save_schema(
        bench.service, bench.name, current.schema.model_copy(update={"columns": current.schema.columns[:2]})
    )
    private = study_store.load_private(bench.service, bench.name, bench.private_csv)
    with pytest.raises(PlanError, match="another schema"):
        buying.buy(bench.service, private, plan)
    assert spent(bench) == before


def test_an_error_bought_after_private_numbers_were_seen_says_so(bench: Bench, release: PlanKey) -> None:
    plan = release_errors.error_plan(bench.service, bench.name, release, epsilon="0.1")
    buying.buy(bench.service, bench.private, plan)
    bench.service.ledger.mark(bench.name, PRIVATE_NUMBERS_SEEN, "the true errors")
    later = release_errors.error_plan(bench.service, bench.name, release, epsilon="0.2")
    buying.buy(bench.service, bench.private, later)
    found = release_errors.measured_errors(bench.service, bench.name)
    assert [one.remarks for one in found] == [(), (f"{SEEN}: the true errors",)]


def test_what_is_stored_of_an_error_is_the_noisy_number_alone(bench: Bench, release: PlanKey) -> None:
    plan = release_errors.error_plan(bench.service, bench.name, release, epsilon="0.1")
    outcome = buying.buy(bench.service, bench.private, plan)
    assert outcome.result is not None
    body = json.loads(outcome.result)
    assert set(body) == {"error", "remarks"}
    assert set(body["error"]) == {"value", "low", "high", "confidence", "epsilon"}


def test_a_payload_shows_nothing_private(bench: Bench, release: PlanKey) -> None:
    plan = release_errors.error_plan(bench.service, bench.name, release, epsilon="0.1")
    payload = purchases.error_purchase._work(stored_release(bench.service, bench.name, release), plan, bench.private)
    assert repr(payload).startswith("<") or "hidden" in repr(payload)
    assert "counts" not in repr(payload)
    assert "array" not in repr(payload)


def test_an_epsilon_that_is_none_is_refused() -> None:
    for epsilon in ("0", "-1"):
        with pytest.raises(PlanError, match="positive"):
            ErrorPlan(n=10, rows_per_person=1, release="0" * 64, epsilon=epsilon)
