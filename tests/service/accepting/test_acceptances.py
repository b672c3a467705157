"""Buying whether a stored release meets the criteria of its plan: rules, price, what is stored, what is said."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import buying
import numpy as np
import pytest
from service.conftest import Bench
from support.planting import plant

from pmwpub.errors import Overspent, PlanError, SchemaError
from pmwpub.ledger import Ledger, PlanKey
from pmwpub.mechanisms.acceptance import acceptance_noise
from pmwpub.plans import AcceptancePlan, AnyReleasePlan
from pmwpub.plans import criteria as criterion_kinds
from pmwpub.plans.acceptance_plans import NotMeasurable
from pmwpub.plans.criteria import Criterion, LargestWithin, MeanOfRelease, criteria_of
from pmwpub.privacy.budget import ZCDP
from pmwpub.progress import Progress
from pmwpub.records import Dataset, Distribution, Support
from pmwpub.release import checking
from pmwpub.service import purchases
from pmwpub.service.accepting import acceptances, criteria_attempts
from pmwpub.service.accepting.acceptances import acceptance_plan
from pmwpub.service.accepting.criteria_attempts import Attempts
from pmwpub.service.accepting.criteria_of_release import measured_criteria
from pmwpub.service.accepting.exact_numbers import exact_numbers
from pmwpub.service.bought import releases
from pmwpub.service.bought.stored_releases import stored_release
from pmwpub.service.choosing.expectation import handed_over
from pmwpub.service.inputs import study_store
from pmwpub.service.purchases import acceptance_purchase
from pmwpub.service.purchases.caveats import PRIVATE_NUMBERS_SEEN, SEEN
from pmwpub.tabular.schema.table_schema import Schema
from pmwpub.tasks import mechanism_work

MEAN = {"kind": "mean", "column": "age", "low": "0", "high": "90", "unit": "1", "within": "0.4"}
WANTED = [
    {"kind": "cell", "levels": {"sex": "F", "job": "cook"}, "within": "0.3"},
    {"kind": "marginal", "columns": ["sex", "job"], "within": "0.3"},
    {"kind": "largest", "within": "0.35"},
    MEAN,
]


def planned(
    bench: Bench, criteria: tuple[Criterion, ...], *, tables: bool = False, epsilon: str = "1"
) -> AnyReleasePlan:
    current, keys = study_store.study(bench.service, bench.name), bench.candidates[:1]
    plan: AnyReleasePlan = (
        releases.table_fit_plan(bench.service, current, keys, epsilon=epsilon)
        if tables
        else releases.release_plan(bench.service, current, keys, epsilon=epsilon, rounds=3)
    )
    return plan.model_copy(update={"criteria": criteria})


@pytest.fixture
def release(bench: Bench) -> PlanKey:
    """A stored release whose plan has one criterion of each kind."""
    return buying.buy(bench.service, bench.private, planned(bench, criteria_of(WANTED))).booking.key


def spent(bench: Bench) -> ZCDP:
    return bench.service.ledger.balance(bench.name).spent


def plan_of(bench: Bench, release: PlanKey, part: str = "1/2") -> AcceptancePlan:
    return acceptance_plan(bench.service, bench.name, release, part=Fraction(part))


def test_what_is_charged_is_the_sum_over_all_numbers(bench: Bench, release: PlanKey) -> None:
    before, plan = spent(bench), plan_of(bench, release)
    buying.buy(bench.service, bench.private, plan)
    records = bench.service.ledger.history(bench.name)[-5:]
    assert spent(bench) == before + sum((record.rho for record in records), ZCDP(0)) == before + plan.law.rho
    exact = sum(
        one.sensitivity**2 / (2 * own.scale**2) for one, own in zip(plan.law.numbers, plan.law.noises, strict=True)
    )
    assert exact <= plan.law.rho.rho <= exact + Fraction(5, 10**15)
    words = [record.purpose.partition(": ")[2] for record in records]
    assert words[0] == "the share of job = cook, sex = F within 30 points"
    assert words[3] == words[4] == "the mean of age, clipped to 0 to 90, within 40 %"
    assert buying.price(bench.service, bench.private, plan).rho == ZCDP(0), "it was sent"


def test_numbers_lie_near_the_exact_ones_and_verdicts_follow_from_them(bench: Bench, release: PlanKey) -> None:
    plan = plan_of(bench, release)
    outcome = buying.buy(bench.service, bench.private, plan)
    found = acceptances.accepted(bench.service, outcome.booking)
    bundle = stored_release(bench.service, bench.name, release)
    exact = exact_numbers(plan, bundle, bench.private)
    noisy = [value for one in found.results for value in one.values]
    for one, place in zip(plan.criteria, plan.places, strict=True):
        for value, sold, width in zip(exact[place], noisy[place], plan.law.half_widths[place], strict=True):
            assert abs(sold - value / one.steps(plan.n)) < 10 * width / one.steps(plan.n)
    for result in found.results:
        worst = max(result.values)
        assert result.half_width <= result.criterion.bar / 2
        if worst + result.half_width <= result.criterion.bar * Fraction(99, 100):
            assert result.verdict == "passed"
        if worst - result.half_width > result.criterion.bar:
            assert result.verdict == "missed"
    assert found.passed == all(one.verdict == "passed" for one in found.results)
    assert len(found.words) == 6
    assert found.release == release


def test_exact_numbers_are_those_of_the_tables_by_hand(bench: Bench, release: PlanKey) -> None:
    plan, bundle = plan_of(bench, release), stored_release(bench.service, bench.name, release)
    rows = [line.split(",") for line in bench.private_csv.decode().splitlines()[1:]]
    released, names = bundle.distribution(), bundle.schema.domain.names
    sex, job = (bundle.schema.domain.attributes[names.index(name)].levels for name in ("sex", "job"))
    places = [names.index("sex"), names.index("job")]
    cells = {(s, j): 0.0 for s in sex for j in job}
    for row, weight in zip(released.support.codes.tolist(), released.weights.tolist(), strict=True):
        cells[sex[row[places[0]]], job[row[places[1]]]] += 300 * weight
    counts = {cell: sum((row[0], row[2]) == cell for row in rows) for cell in cells}
    cell, largest, marginal, below, above = (float(number) for number in exact_numbers(plan, bundle, bench.private))
    assert cell / 64 == pytest.approx(abs(counts["F", "cook"] - cells["F", "cook"]), abs=1 / 64)
    assert marginal / 64 == pytest.approx(sum(abs(counts[one] - cells[one]) for one in cells) / 2, abs=len(cells) / 64)
    assert largest >= cell
    (mean,) = [one for one in plan.criteria if isinstance(one, MeanOfRelease)]
    ages = sum(int(row[1]) for row in rows)
    assert mean.rows == 300
    m = Fraction(mean.mean)
    # The first number is how far the private sum lies below the released one, the second how far above.
    assert below / 1_000 == pytest.approx(float(300 * m - ages), abs=1)
    assert above / 1_000 == pytest.approx(float(ages - 300 * m), abs=1)


def test_a_release_without_criteria_keeps_its_hash_and_cannot_be_accepted(bench: Bench) -> None:
    plan = planned(bench, ())
    assert '"criteria"' not in plan.canonical
    key = buying.buy(bench.service, bench.private, plan).booking.key
    with pytest.raises(PlanError, match="named before it is bought"):
        plan_of(bench, key)
    bundle = stored_release(bench.service, bench.name, key)
    assert b"attempts_with_criteria" not in bundle.parts["certificate.json"]


def assert_takes_no_other_criteria(bench: Bench, release: PlanKey) -> None:
    plan, before = plan_of(bench, release), spent(bench)
    wider = plan.criteria[0].model_copy(update={"within": "1/2"})
    other_mean = plan.criteria[3].model_copy(update={"mean": "40"})
    for criteria in (
        plan.criteria[:2],
        (*plan.criteria[1:],),
        (*plan.criteria, LargestWithin(within="1/2")),
        (wider, *plan.criteria[1:]),
        (*plan.criteria[:3], other_mean),
    ):
        with pytest.raises(PlanError, match="other ones than those of the release's plan"):
            buying.buy(bench.service, bench.private, plan.model_copy(update={"criteria": criteria}))
    assert spent(bench) == before


def test_no_criterion_is_left_out_added_or_changed_afterwards(bench: Bench, release: PlanKey) -> None:
    assert_takes_no_other_criteria(bench, release)


@pytest.mark.fault("criteria added afterwards")
def test_criteria_that_are_added_afterwards_are_noticed(
    bench: Bench, release: PlanKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(acceptance_purchase, "check_stands", lambda plan, bundle: None)
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        assert_takes_no_other_criteria(bench, release)


ALWAYS_ZERO = MEAN | {"low": "-90", "high": "0"}
"""Ages clipped to 0: a released mean of 0, of which no part can be measured."""

TOO_DEAR = MEAN | {"within": "0.0001"}
SCHEMA = Schema.from_json(
    json.dumps(
        {
            "version": 1,
            "columns": [
                {"name": "sex", "kind": "categorical", "levels": ["F", "M"]},
                {"name": "age", "kind": "numeric", "edges": [0, 50, 100], "outside": "clip", "missing": True},
            ],
        }
    )
)


def test_a_mean_that_cannot_be_measured_keeps_no_other_criterion_from_being_sold(bench: Bench) -> None:
    wanted = criteria_of([*WANTED, ALWAYS_ZERO, TOO_DEAR])
    key = buying.buy(bench.service, bench.private, planned(bench, wanted)).booking.key
    plan, before = plan_of(bench, key, "1"), spent(bench)
    assert [one.kind for one in plan.criteria] == ["cell", "largest", "marginal", "mean"]
    assert [one.why for one in plan.not_measurable] == ["too dear", "too narrow"]
    outcome = buying.buy(bench.service, bench.private, plan)
    assert spent(bench) == before + plan.law.rho
    found = acceptances.accepted(bench.service, outcome.booking)
    assert len(found.results) == 4
    assert found.words[4].startswith("Not measurable: the mean of age, clipped to 0 to 90, within 0.01 %: noise as")
    assert found.words[5].startswith("Not measurable: the mean of age, clipped to -90 to 0, within 40 %: such a ")
    # However well the others do, not all are passed.
    passed = replace(found, results=tuple(replace(one, verdict="passed") for one in found.results))
    assert not passed.passed
    assert replace(passed, plan=plan.model_copy(update={"not_measurable": ()})).passed


def test_which_means_cannot_be_measured_stays_as_it_was_when_the_release_was_bought(bench: Bench) -> None:
    """Later purchases leave less: the same plan is found again, and is not drawn anew."""
    key = buying.buy(bench.service, bench.private, planned(bench, criteria_of([*WANTED, ALWAYS_ZERO]))).booking.key
    plan = plan_of(bench, key)
    buying.buy(bench.service, bench.private, plan)
    buying.buy(bench.service, bench.private, planned(bench, (), epsilon="rest"))
    assert plan_of(bench, key) == plan
    assert not buying.buy(bench.service, bench.private, plan_of(bench, key)).fresh


def test_none_is_declared_not_measurable_afterwards(bench: Bench, release: PlanKey) -> None:
    plan, before = plan_of(bench, release), spent(bench)
    (mean,) = [one for one in criteria_of(WANTED) if one.kind == "mean"]
    left_out = {"criteria": plan.criteria[:3], "not_measurable": (NotMeasurable(criterion=mean, why="too dear"),)}
    with pytest.raises(PlanError, match="other ones than those of the release's plan"):
        buying.buy(bench.service, bench.private, plan.model_copy(update=left_out))
    assert spent(bench) == before


def test_where_nothing_can_be_measured_it_is_said_why_and_nothing_is_charged(bench: Bench) -> None:
    key = buying.buy(bench.service, bench.private, planned(bench, criteria_of([ALWAYS_ZERO]))).booking.key
    before = spent(bench)
    with pytest.raises(PlanError, match="less than a thousandth of a unit"):
        plan_of(bench, key)
    assert spent(bench) == before


@pytest.mark.parametrize(
    ("codes", "wanted", "why"),
    [
        ([[0, 2], [1, 2]], {}, "no rows"),
        ([[0, 0], [1, 0]], {"low": "-100", "high": "0"}, "too narrow"),
        ([[0, 1], [1, 1]], {"low": "-15000000000000", "high": "15000000000000"}, "too large"),
        ([[0, 1], [1, 1]], {"within": "0.0001"}, "too dear"),
        ([[0, 1], [1, 1]], {}, None),
    ],
)
def test_whether_a_mean_can_be_measured_follows_from_the_released_bytes_alone(
    codes: list[list[int]], wanted: dict[str, str], why: str | None
) -> None:
    """Of sex and age, 0 to 50 and 50 to 100; a third level is a row without a number."""
    given = {"kind": "mean", "column": "age", "low": "0", "high": "100", "within": "0.4"} | wanted
    stated = SimpleNamespace(
        plan={"criteria": [given]}, n=200, rows_per_person=1,
        budget=SimpleNamespace(rho="0.5"), ledger_total=SimpleNamespace(rho="0.3"),
    )  # fmt: skip
    released = Distribution(Support.of(Dataset(SCHEMA.domain, np.array(codes, dtype=np.uint8))), np.array([0.5, 0.5]))
    bundle: Any = SimpleNamespace(certificate=stated, schema=SCHEMA, distribution=lambda: released)
    found = measured_criteria(bundle)
    assert [one.why for one in found.not_measurable] == ([] if why is None else [why])
    assert len(found.measured) == (why is None)


def test_a_half_width_beyond_its_bar_is_refused_uncharged(bench: Bench, release: PlanKey) -> None:
    plan, before = plan_of(bench, release, "1"), spent(bench)
    assert plan.too_wide == ()
    cheap = plan.model_copy(update={"rho_units": plan.rho_units * 9 // 10})
    assert cheap.too_wide
    with pytest.raises(PlanError, match="wider than the bar"):
        buying.buy(bench.service, bench.private, cheap)
    for part in ("0", "1.1", "-1"):
        with pytest.raises(PlanError, match="part of its bar"):
            plan_of(bench, release, part)
    assert spent(bench) == before


@pytest.mark.parametrize(
    ("criterion", "refusal"),
    [
        ({"kind": "largest", "within": "0.00001"}, "narrower than can be measured"),
        ({"kind": "marginal", "columns": ["sex", "age"], "within": "0.0001"}, "no noise is small enough"),
        ({"kind": "marginal", "columns": ["name"], "within": "0.1"}, "no attribute"),
        ({"kind": "cell", "levels": {"sex": "X"}, "within": "0.1"}, "no level 'X'"),
        (MEAN | {"column": "sex"}, "numeric column"),
        (MEAN | {"low": "0", "high": str(10**15)}, "too large to be summed"),
    ],
)
def test_what_no_purchase_could_measure_is_refused_with_the_release(
    bench: Bench, criterion: dict[str, object], refusal: str
) -> None:
    with pytest.raises((PlanError, SchemaError), match=refusal):
        buying.buy(bench.service, bench.private, planned(bench, criteria_of([criterion])))
    assert spent(bench) == ZCDP(0)


def test_the_charge_stands_before_the_noise_is_drawn_and_an_unaffordable_one_draws_nothing(
    bench: Bench, release: PlanKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[ZCDP] = []
    real, before = mechanism_work.accept, spent(bench)

    def watched(payload: mechanism_work.AcceptanceWork, progress: Progress) -> object:
        with Ledger.open(bench.url) as other:
            seen.append(other.balance(bench.name).spent)
        return real(payload, progress)

    monkeypatch.setattr(mechanism_work, "accept", watched)
    dear, plan = plan_of(bench, release, "1/200"), plan_of(bench, release)
    with pytest.raises(Overspent):
        buying.buy(bench.service, bench.private, dear)
    assert seen == []
    buying.buy(bench.service, bench.private, plan)
    assert seen == [before + plan.law.rho]


def test_what_is_stored_is_the_noisy_numbers_and_the_attempts_alone(bench: Bench, release: PlanKey) -> None:
    outcome = buying.buy(bench.service, bench.private, plan_of(bench, release))
    assert outcome.result is not None
    body = json.loads(outcome.result)
    assert set(body) == {"confidence", "criteria", "releases", "acceptances", "remarks"}
    assert [len(one.pop("noisy")) for one in body["criteria"]] == [1, 1, 1, 2]
    plan = plan_of(bench, release)
    held = zip(plan.criteria, plan.places, strict=True)
    # All but the noisy numbers follows from the plan, so from public facts.
    assert body["criteria"] == [
        {
            "half_widths": list(plan.law.half_widths[place]),
            "bars": [number.bar for number in plan.law.numbers[place]],
            "whole": str(one.steps(plan.n)),
            "step": one.step,
        }
        for one, place in held
    ]


def test_what_was_bought_says_the_same_under_other_constants(
    bench: Bench, release: PlanKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcome = buying.buy(bench.service, bench.private, plan_of(bench, release))
    before = acceptances.accepted(bench.service, outcome.booking)
    monkeypatch.setattr(acceptance_noise, "DEVIATIONS", Fraction(5))
    monkeypatch.setattr(criterion_kinds, "STEPS_PER_ROW", 128)
    monkeypatch.setattr(criterion_kinds, "STEPS_PER_UNIT", 10)
    after = acceptances.accepted(bench.service, outcome.booking)
    assert (after.results, after.words, after.passed) == (before.results, before.words, before.passed)


def assert_counts_every_draw(bench: Bench, release: PlanKey) -> None:
    for repeat in (0, 1):
        buying.buy(bench.service, bench.private, plan_of(bench, release), repeat=repeat)
    found = acceptances.acceptances(bench.service, bench.name)
    assert [one.attempts for one in found] == [Attempts(1, 1), Attempts(1, 2)], "a draw is not counted"


def test_every_draw_of_an_acceptance_is_counted(bench: Bench, release: PlanKey) -> None:
    assert_counts_every_draw(bench, release)


@pytest.mark.fault("attempts not counted")
def test_a_draw_that_is_not_counted_is_noticed(bench: Bench, release: PlanKey, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, criteria_attempts, "attempts_by", "one.id <= booking.id", "one.id == booking.id")
    monkeypatch.setattr(acceptance_purchase, "attempts_by", criteria_attempts.attempts_by)
    with pytest.raises(AssertionError, match="not counted"):
        assert_counts_every_draw(bench, release)


def test_attempts_are_counted_and_stated(bench: Bench, release: PlanKey) -> None:
    """A missed bar refunds nothing; the next release with criteria says that it is the second."""
    first = stored_release(bench.service, bench.name, release).certificate
    assert first.attempts_with_criteria == 1  # type: ignore[union-attr]
    buying.buy(bench.service, bench.private, plan_of(bench, release))
    buying.buy(bench.service, bench.private, plan_of(bench, release), repeat=1)
    buying.buy(bench.service, bench.private, planned(bench, (), epsilon="0.1"))
    second = buying.buy(bench.service, bench.private, planned(bench, criteria_of(WANTED[:1]), epsilon="0.2"))
    bundle = stored_release(bench.service, bench.name, second.booking.key)
    assert bundle.certificate.attempts_with_criteria == 2  # type: ignore[union-attr]
    buying.buy(bench.service, bench.private, plan_of(bench, second.booking.key))
    found = acceptances.acceptances(bench.service, bench.name)
    assert [(one.attempts.releases, one.attempts.acceptances) for one in found if one.attempts] == [
        (1, 1),
        (1, 2),
        (2, 3),
    ]
    assert "2 releases with criteria and 3 acceptances" in found[-1].words[-1]
    assert [one.release for one in acceptances.acceptances(bench.service, bench.name, release)] == [release] * 2
    files = bundle.files(50, 1)
    findings = checking.check(files)
    checking.require(findings)
    assert any("2 releases with criteria" in words for words in checking.not_checked(findings))


def test_all_acceptances_are_handed_over_in_order_whatever_the_latest_says(
    bench: Bench, release: PlanKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first is missed, the second is lost, the third, at other half-widths, passes."""
    plan = plan_of(bench, release)
    bars = [number.bar for number in plan.law.numbers]
    current = study_store.study(bench.service, bench.name)
    (found,) = releases.releases(bench.service, current)
    for noisy, one, repeat in (
        (tuple(2 * bar for bar in bars), plan, 0),
        ((1,), plan, 1),
        ((0,) * 5, plan_of(bench, release, "1/3"), 0),
    ):
        monkeypatch.setattr(mechanism_work, "acceptance_release", lambda values, law, noisy=noisy: noisy)
        buying.buy(bench.service, bench.private, one, repeat=repeat)
        if noisy[0] == 2 * bars[0]:
            (first, *_) = acceptances.acceptances(bench.service, bench.name, release)
            alone = handed_over(bench.service, current, found).errors
            assert alone[-6:] == first.words, "one alone is said as it is"
    said = handed_over(bench.service, current, found).errors
    own = [words for words in said if words.startswith("Acceptance ")]
    assert [words.split(":")[0] for words in own] == [
        *["Acceptance 1 of 3. Missed"] * 4,
        "Acceptance 2 of 3. It was charged, and has no result.",
        *["Acceptance 3 of 3. Passed"] * 4,
    ]
    assert said[-2] == acceptances.OF_WEIGHTS
    assert "1 release with criteria and 3 acceptances" in said[-1]


def test_it_is_drawn_once_and_again_only_at_a_price(bench: Bench, release: PlanKey) -> None:
    plan = plan_of(bench, release)
    first = buying.buy(bench.service, bench.private, plan)
    once = spent(bench)
    again = buying.buy(bench.service, bench.private, plan)
    assert (first.fresh, again.fresh, again.result) == (True, False, first.result)
    assert spent(bench) == once
    assert buying.buy(bench.service, bench.private, plan, repeat=1).result != first.result
    assert spent(bench) == once + plan.law.rho


def test_a_lost_draw_is_no_result_and_refunds_nothing(
    bench: Bench, release: PlanKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(payload: object, progress: Progress) -> object:
        return (1, 2)

    monkeypatch.setattr(mechanism_work, "accept", broken)
    plan, before = plan_of(bench, release), spent(bench)
    assert buying.buy(bench.service, bench.private, plan).status == "no result"
    assert spent(bench) == before + plan.law.rho
    (found,) = acceptances.acceptances(bench.service, bench.name)
    assert (found.outcome.status, found.words, found.passed) == ("no result", (), False)


def test_another_schema_or_other_terms_are_refused_uncharged(bench: Bench, release: PlanKey) -> None:
    plan, before = plan_of(bench, release), spent(bench)
    with pytest.raises(PlanError, match="terms"):
        buying.buy(bench.service, bench.private, plan.model_copy(update={"n": 299}))
    with pytest.raises(PlanError, match="no release"):
        plan_of(bench, PlanKey("0" * 64))
    current = study_store.study(bench.service, bench.name)
    assert current.schema is not None
    study_store.save_schema(
        bench.service, bench.name, current.schema.model_copy(update={"columns": current.schema.columns[:2]})
    )
    private = study_store.load_private(bench.service, bench.name, bench.private_csv)
    with pytest.raises(PlanError, match="another schema"):
        buying.buy(bench.service, private, plan)
    assert spent(bench) == before


def test_one_that_was_bought_after_private_numbers_were_seen_says_so(bench: Bench, release: PlanKey) -> None:
    buying.buy(bench.service, bench.private, plan_of(bench, release))
    bench.service.ledger.mark(bench.name, PRIVATE_NUMBERS_SEEN, "the true errors")
    buying.buy(bench.service, bench.private, plan_of(bench, release, "1/3"))
    found = acceptances.acceptances(bench.service, bench.name)
    assert [one.remarks for one in found] == [(), (f"{SEEN}: the true errors",)]


def test_no_public_table_takes_part_so_the_steward_is_asked_nothing(bench: Bench, release: PlanKey) -> None:
    wanted = [purchases.purchase_of(plan_of(bench, release))]
    assert not purchases.asks(study_store.study(bench.service, bench.name), wanted)


def test_a_payload_shows_nothing_private(bench: Bench, release: PlanKey) -> None:
    current = study_store.study(bench.service, bench.name)
    prepared = purchases.purchase_of(plan_of(bench, release)).prepared(bench.service, bench.private, current, 0)
    assert "values" not in repr(prepared.work())


def test_the_price_before_the_release_is_that_of_all_but_means(bench: Bench) -> None:
    current = study_store.study(bench.service, bench.name)
    # The bar is 105 rows and half-widths, 1.96 sigma, are half of it: rho = (1.96 * 2/105)^2/2, but for whole steps.
    price = acceptances.price_before(criteria_of(WANTED[2:3]), current)
    assert price is not None
    assert float(price.rho) == pytest.approx((1.96 * 2 / 105) ** 2 / 2, rel=0.01)
    assert acceptances.price_before(criteria_of([MEAN]), current) == ZCDP(0)


def test_words_say_what_passed_and_what_did_not(
    bench: Bench, release: PlanKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = plan_of(bench, release)
    bars = [number.bar for number in plan.law.numbers]
    monkeypatch.setattr(
        mechanism_work, "acceptance_release", lambda values, law: (0, bars[1], bars[2] * 2, 0, bars[4] * 2)
    )
    outcome = buying.buy(bench.service, bench.private, plan)
    found = acceptances.accepted(bench.service, outcome.booking)
    assert [one.verdict for one in found.results] == ["passed", "open", "missed", "missed"]
    assert (found.passed, found.missed) == (False, True)
    assert found.headline == ("Of 4 criteria: 2 missed, 1 undecided, for the noise is too wide to tell, 1 passed")
    open_alone = replace(found, results=found.results[:2])
    assert (open_alone.passed, open_alone.missed) == (False, False)
    assert "missed" not in open_alone.headline
    assert replace(found, results=found.results[:1]).headline == "All criteria are passed"
    assert found.words[0].startswith("Passed: the share of job = cook, sex = F within 30 points. Noisy: 0 points, ± ")
    assert found.words[1].startswith(
        "Undecided, for the noise is too wide to tell: the largest error over the workload within 35 points. Noisy: 35"
    )
    assert found.words[3].startswith(
        "Missed: the mean of age, clipped to 0 to 90, within 40 %. Noisy: the private mean lies "
    )
    assert " inside the lower end of what is allowed and " in found.words[3]
    assert " beyond the upper end, each ± " in found.words[3]
    assert "so it is beyond an end by more than the noise." in found.words[3]
    sold = acceptances.noisy_largest([found])
    assert sold == found.results[1]
    assert acceptances.noisy_largest_words([found]).startswith("A noisy largest error of 35 points, ± ")
    assert acceptances.noisy_largest_words([replace(found, results=())]) == ""
    mean = replace(found.results[3], values=(Fraction(141, 10_000), Fraction(-279, 10_000)), verdict="passed")
    within = replace(mean, criterion=mean.criterion.model_copy(update={"within": "3/100"}), half_width=Fraction(3, 200))
    assert (  # 3 - 1.41, and 3 - -2.79
        "lies 1.59 % inside the lower end of what is allowed and 5.79 % inside the upper end, each ± 1.5 %, so it is "
        "inside both ends by more than the noise." in within.sentence
    )
    assert found.words[3].endswith("if as many private rows have a number as released ones, 300.")
    assert "released weights" in found.words[4]
