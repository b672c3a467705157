"""The one currency: percent of the grant, and what an ε beside it means."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmwpub.ledger import Balance
from pmwpub.numerals import as_fraction
from pmwpub.privacy.budget import UNIT, ZCDP, ApproxDP, epsilon_of, zcdp_of
from pmwpub.rounding import above, up
from pmwpub.service import purchases
from pmwpub.service.bought.assessments import assessment_plan
from pmwpub.service.bought.releases import release_plan
from pmwpub.service.grant import (
    Price,
    alone,
    left_after,
    percent_left,
    percent_taken,
    price_small_print,
    price_words,
    promise_words,
    remaining,
    spent_words,
    taken,
    with_percent,
)
from pmwpub.service.inputs import study_store
from pmwpub.service.purchases import AssessmentPurchase, ReleasePurchase
from tests.service.conftest import Bench

DELTA = Fraction(1, 10**8)


def percent(words: str) -> Fraction:
    return as_fraction(words.removesuffix(" %").replace(",", ""))


@given(st.integers(1, 10**18), st.data())
def test_what_is_taken_and_what_is_left_make_a_hundred_per_cent(total: int, data: st.DataObject) -> None:
    spent = data.draw(st.integers(0, total))
    up, down = taken(ZCDP(spent), ZCDP(total)), remaining(ZCDP(total - spent), ZCDP(total))
    assert percent(up) + percent(down) == 100
    assert Fraction(spent, total) <= percent(up) / 100 < Fraction(spent, total) + Fraction(1, 10_000)
    assert Fraction(percent_taken(ZCDP(spent), ZCDP(total))) + Fraction(
        percent_left(ZCDP(total - spent), ZCDP(total))
    ) == pytest.approx(100)


@given(st.integers(1, 10**19), st.sampled_from([Fraction(1, 10**4), Fraction(1, 36_842**2), Fraction(1, 20)]))
def test_every_number_of_a_small_print_is_read_back_not_below_what_is_charged(units: int, delta: Fraction) -> None:
    epsilon, rho = epsilon_of(ZCDP(units), delta), Fraction(units, UNIT)
    price = Price(ZCDP(units), epsilon, delta, ZCDP(0), True, ZCDP(10**19))
    found = re.search("ε = (.+) at δ = (.+?)\\. .*ρ = (.+?)\\)", price_small_print(price))
    assert found is not None
    read = [as_fraction(part) for part in found.groups()]
    assert read[0] >= as_fraction(epsilon)
    assert read[1] >= delta
    assert read[2] == rho


def test_three_assessments_at_a_twentieth_are_said_to_be_pure_at_three_twentieths(bench: Bench) -> None:
    current = study_store.study(bench.service, bench.name)
    wanted = [AssessmentPurchase(assessment_plan(current, [one], epsilon="0.05")) for one in bench.candidates]
    price = purchases.price(bench.service, current, wanted, private=bench.private)
    assert price.pure == Fraction(3, 20)
    assert price.epsilon > 0.15
    assert alone(price) == "ε = 0.15 (pure)"
    # Of each: floor at 0.04 and start at 0.01, so 3 (0.04^2 + 0.01^2)/2 in rho.
    assert float(price.rho.rho) == pytest.approx(3 * (0.04**2 + 0.01**2) / 2)
    assert price_words(price) == f"{taken(price.rho, current.balance.total)} of the grant"


def test_a_release_among_the_plans_leaves_no_pure_sum(bench: Bench) -> None:
    current = study_store.study(bench.service, bench.name)
    pure = AssessmentPurchase(assessment_plan(current, bench.candidates[:1], epsilon="0.05"))
    release = ReleasePurchase(release_plan(bench.service, current, bench.candidates[:1], epsilon="0.5", rounds=3))
    price = purchases.price(bench.service, current, [pure, release], private=bench.private)
    assert price.pure is None
    assert " at δ = " in alone(price)


def test_the_smaller_of_two_valid_epsilons_is_said() -> None:
    """A pure 8 is far above what its ρ = 32 would be; a sum of many small pure ones is above its ρ's ε."""
    large = Price(
        ZCDP.at_least(32), epsilon_of(ZCDP.at_least(32), DELTA), DELTA, ZCDP(0), True, ZCDP(UNIT), Fraction(8)
    )
    assert alone(large) == "ε = 8 (pure)"
    many = ZCDP.at_least(Fraction(1000, 2 * 10**4))
    small = Price(many, epsilon_of(many, DELTA), DELTA, ZCDP(0), True, ZCDP(UNIT), Fraction(10))
    assert alone(small) == f"ε = {up(small.epsilon)} at δ = 1e-8"
    assert small.epsilon < 1.98  # rho + 2 sqrt(rho log(1/delta)) for rho = 0.05


def test_the_promise_is_the_grants_and_what_was_spent_says_that_it_is_accounting() -> None:
    total = zcdp_of(ApproxDP(Fraction(2), DELTA))
    balance = Balance(total, ZCDP(total.units // 4), DELTA)
    assert promise_words(balance) == "Promised for everything together: ε = 2 at δ = 1e-8"
    assert "accounting, not a promise" in spent_words(balance)
    left = left_after(Price(ZCDP(0), 0.0, DELTA, balance.remaining, True, total))
    assert left.startswith(f"{remaining(balance.remaining, total)} of the grant, enough for one release at ε = 1.")


def test_a_history_says_what_each_charge_took_and_keeps_its_other_columns() -> None:
    (row,) = with_percent([{"id": 7, "purpose": "floor", "rho": 0.00125}], ZCDP.at_least("0.05"))
    assert row == {"id": 7, "percent_of_grant": 2.5, "purpose": "floor", "rho": 0.00125}


@given(st.lists(st.integers(0, 10**16), min_size=1, max_size=8), st.data())
def test_no_charge_of_a_history_is_shown_as_less_than_it_is_and_each_is_within_a_hundredth(
    units: list[int], data: st.DataObject
) -> None:
    total = ZCDP(max(1, sum(units)) + data.draw(st.integers(0, 10**17)))
    rows = [{"id": number, "rho": repr(above(Fraction(one, UNIT)))} for number, one in enumerate(units, 1)]
    read = [ZCDP(round(Fraction(row["rho"]) * UNIT)) for row in rows]
    found = with_percent(rows[::-1], total)
    shares = {row["id"]: Fraction(str(row["percent_of_grant"])) for row in found}
    assert [row["id"] for row in found] == [row["id"] for row in rows[::-1]], "in the order in which they came"
    taken_of_all = Fraction(str(percent_taken(sum(read, ZCDP(0)), total)))
    assert taken_of_all <= sum(shares.values()) < taken_of_all + Fraction(len(read), 100), "never less than the whole"
    for number, one in enumerate(read, 1):
        exact = Fraction(100 * one.units, total.units)
        assert exact <= shares[number] < exact + Fraction(1, 100)


def test_small_charges_after_one_another_are_not_shown_as_nothing() -> None:
    """Of 1e8 units 5,000 are 0.005 %, and 19,800 are 0.0198 %; the first two are one hundredth together."""
    units, total = (5_000, 5_000, 19_800), ZCDP(10**8)
    rows = [{"id": number, "rho": repr(above(Fraction(one, UNIT)))} for number, one in enumerate(units, 1)]
    assert [row["percent_of_grant"] for row in with_percent(rows, total)] == [0.01, 0.01, 0.02]
    last = Price(ZCDP(19_800), 0.0, DELTA, ZCDP(10**8 - 29_800), True, total)
    assert price_words(last) == "0.02 % of the grant"


@given(st.integers(1, 10**18), st.data())
def test_a_price_is_rounded_up_so_that_what_is_left_falls_by_no_more(total: int, data: st.DataObject) -> None:
    spent = data.draw(st.integers(0, total - 1))
    rho = data.draw(st.integers(1, total - spent))
    after = ZCDP(total - spent - rho)
    words = price_words(Price(ZCDP(rho), 0.0, DELTA, after, True, ZCDP(total)))
    falls = percent(remaining(ZCDP(total - spent), ZCDP(total))) - percent(remaining(after, ZCDP(total)))
    said, exact = percent(words.removesuffix(" of the grant")), Fraction(100 * rho, total)
    assert max(falls, exact, Fraction(1, 100)) <= said < exact + Fraction(1, 100)
