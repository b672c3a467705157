"""One choice among candidates and pools: its single charge, that it is never redrawn, and what is stored."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import TYPE_CHECKING

import buying
import pytest

from pmwpub.errors import FileRefused, Overspent, PlanError
from pmwpub.mechanisms.noisy_error.choose_best import best_charge
from pmwpub.noisy_interval import NoisyInterval
from pmwpub.plans import BestPlan
from pmwpub.privacy.budget import ZCDP
from pmwpub.service.bought import assessments, best_candidate
from pmwpub.service.inputs import study_store
from pmwpub.service.purchases.caveats import PRIVATE_NUMBERS_SEEN, SEEN

if TYPE_CHECKING:
    from conftest import Bench


def offered(bench: Bench) -> list[tuple[str, ...]]:
    """b, c, d, and c and d together."""
    b, c, d = bench.candidates
    return [(b,), (c,), (d,), (c, d)]


def plan_of(bench: Bench, epsilon: str = "0.5", setting: str = "fast") -> BestPlan:
    return best_candidate.best_plan(
        study_store.study(bench.service, bench.name), offered(bench), epsilon=epsilon, setting=setting
    )


def test_a_choice_among_four_is_one_charge_of_an_eighth_of_epsilon_squared(bench: Bench) -> None:
    plan = plan_of(bench)
    assert buying.price(bench.service, bench.private, plan).rho == best_charge(Fraction(1, 2))
    assert buying.buy(bench.service, bench.private, plan).status == "done"
    (charge,) = bench.service.ledger.history(bench.name)
    assert charge.rho == best_charge(Fraction(1, 2)) == ZCDP.at_least(Fraction(1, 32))
    assert charge.sensitivity == "1/300"
    assert charge.purpose.startswith("best of ")
    assert buying.price(bench.service, bench.private, plan).rho == ZCDP(0)


def test_the_winner_is_one_of_what_was_offered_and_all_that_is_stored(bench: Bench) -> None:
    outcome = buying.buy(bench.service, bench.private, plan_of(bench))
    (found,) = best_candidate.choices(bench.service, study_store.study(bench.service, bench.name))
    assert found.winner in found.offered
    assert found.name in found.names
    assert "c.csv" in " ".join(found.names)
    assert any("+" in name for name in found.names)
    assert outcome.result is not None
    assert json.loads(outcome.result) == {"candidate": list(found.winner or ()), "remarks": []}
    assert assessments.assessments(bench.service, study_store.study(bench.service, bench.name)) == []


def test_a_clear_winner_wins(bench: Bench) -> None:
    """d lacks a job that a third of the private rows have, so at a large epsilon it never wins; its pool with c may."""
    current = study_store.study(bench.service, bench.name)
    plan = best_candidate.best_plan(current, offered(bench)[1:3], epsilon="1", setting="full")
    buying.buy(bench.service, bench.private, plan)
    (found,) = best_candidate.choices(bench.service, current)
    assert found.winner == (bench.candidates[1],)


def test_the_same_choice_in_another_order_returns_the_stored_bytes_and_a_repeat_is_charged(bench: Bench) -> None:
    first = buying.buy(bench.service, bench.private, plan_of(bench))
    current = study_store.study(bench.service, bench.name)
    turned = best_candidate.best_plan(current, offered(bench)[::-1], epsilon="0.50")
    again = buying.buy(bench.service, bench.private, turned)
    assert (again.fresh, again.result) == (False, first.result)
    spent = bench.service.ledger.balance(bench.name).spent
    assert buying.buy(bench.service, bench.private, turned, repeat=1).fresh
    assert bench.service.ledger.balance(bench.name).spent == spent + best_charge(Fraction(1, 2))


def test_fast_and_full_choices_are_different_plans(bench: Bench) -> None:
    assert plan_of(bench).sha256 != plan_of(bench, setting="full").sha256


def test_too_few_candidates_nonsense_and_what_cannot_be_paid_are_refused_uncharged(bench: Bench) -> None:
    current = study_store.study(bench.service, bench.name)
    with pytest.raises(PlanError, match="two different"):
        best_candidate.best_plan(current, [bench.candidates[:1], bench.candidates[:1]], epsilon="1")
    with pytest.raises(PlanError, match="positive"):
        plan_of(bench, "0")
    with pytest.raises(Overspent):
        buying.buy(bench.service, bench.private, plan_of(bench, "50"))
    study_store.attest(bench.service, bench.name, bench.candidates[0], attested=False)
    with pytest.raises(FileRefused):
        plan_of(bench)
    assert bench.service.ledger.balance(bench.name).spent == ZCDP(0)


def test_a_plan_that_is_out_of_order_or_names_other_tables_is_refused(bench: Bench) -> None:
    plan = json.loads(plan_of(bench).canonical)
    for pools in (plan["pools"][::-1], plan["pools"][:2], [plan["pools"][0]] * 2, [*plan["pools"], ["f" * 64]]):
        with pytest.raises((PlanError, ValueError)):
            BestPlan.model_validate_json(json.dumps(plan | {"pools": pools}))


def number(value: float, low: float, high: float) -> NoisyInterval:
    return NoisyInterval(value, low, high, 0.95, "1/20")


def test_groups_end_where_an_interval_leaves_that_of_the_best() -> None:
    # In order: 0.1 [0, 0.2] and 0.15 [0.05, 0.25] meet; 0.3 [0.21, 0.39] misses 0.2, and 0.35 [0.26, 0.44] meets it.
    numbers = [number(0.3, 0.21, 0.39), number(0.1, 0.0, 0.2), number(0.35, 0.26, 0.44), number(0.15, 0.05, 0.25)]
    assert best_candidate.too_close(numbers) == [2, 1, 2, 1]
    assert best_candidate.too_close([numbers[0], numbers[1], number(0.9, 0.8, 1.0)]) == [None, None, None]
    assert best_candidate.too_close([]) == []


def test_what_was_seen_before_stands_with_the_choice_and_what_is_seen_later_does_not(bench: Bench) -> None:
    bench.service.ledger.mark(bench.name, PRIVATE_NUMBERS_SEEN, "the true errors")
    buying.buy(bench.service, bench.private, plan_of(bench))
    bench.service.ledger.mark(bench.name, PRIVATE_NUMBERS_SEEN, "more")
    (found,) = best_candidate.choices(bench.service, study_store.study(bench.service, bench.name))
    assert found.remarks == (f"{SEEN}: the true errors",)


def test_an_assessment_carries_what_was_seen_before_it(bench: Bench) -> None:
    current = study_store.study(bench.service, bench.name)
    first, second = (
        assessments.assessment_plan(current, bench.candidates[:1], epsilon=text) for text in ("0.5", "0.4")
    )
    buying.buy(bench.service, bench.private, first)
    bench.service.ledger.mark(bench.name, PRIVATE_NUMBERS_SEEN, "the true errors")
    buying.buy(bench.service, bench.private, second)
    found = assessments.assessments(bench.service, current)
    assert [one.remarks for one in found] == [(), (f"{SEEN}: the true errors",)]
    assert all(one.floor and one.start for one in found)
