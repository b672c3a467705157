from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from ledger.terms import charge, people

from pmwpub.errors import BudgetError, LedgerError
from pmwpub.ledger import Balance, PlanKey, Population, TableHandle
from pmwpub.privacy.budget import ZCDP, ApproxDP, as_fraction, zcdp_of


def test_a_population_reads_decimals_exactly() -> None:
    population = Population("A", 10, 1, "one person", "0.1", 1e-6)  # type: ignore[arg-type]
    assert (population.epsilon, population.delta) == (Fraction(1, 10), Fraction(1, 10**6))


def test_a_populations_total_is_the_largest_rho_within_its_epsilon() -> None:
    assert people().total == zcdp_of(ApproxDP(Fraction(1), Fraction(1, 10**6)))


@pytest.mark.parametrize(
    "bad",
    [
        {"n": 0},
        {"k": 0},
        {"n": 3, "k": 4},
        {"epsilon": "0"},
        {"epsilon": "-1"},
        {"delta": "0"},
        {"delta": "1"},
        {"n": 2**63},
        {"epsilon": "1e5"},
    ],
)
def test_numbers_out_of_range_are_refused(bad: dict[str, object]) -> None:
    with pytest.raises(BudgetError):
        people(**bad)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["", "  ", "a" * 201, "a\nb", "a\x00"])
def test_names_that_cannot_be_shown_are_refused(name: str) -> None:
    with pytest.raises(LedgerError):
        people(name)


def test_a_population_says_who_is_protected() -> None:
    with pytest.raises(LedgerError):
        Population("A", 10, 1, " ", Fraction(1), Fraction(1, 100))


@pytest.mark.parametrize("units", [0, 2**63])
def test_a_charge_costs_something_that_a_store_can_hold(units: int) -> None:
    with pytest.raises(BudgetError):
        charge(units)


def test_a_charge_has_a_purpose() -> None:
    with pytest.raises(LedgerError):
        charge(1, purpose="")


@pytest.mark.parametrize("digest", ["", "a" * 63, "A" * 64, "g" * 64])
def test_a_plan_key_is_a_sha256(digest: str) -> None:
    with pytest.raises(LedgerError):
        PlanKey(digest)


def test_a_repeat_is_not_negative() -> None:
    with pytest.raises(LedgerError):
        PlanKey("a" * 64, -1)


def test_what_remains_is_a_difference_of_rho_not_of_epsilon() -> None:
    balance = Balance(ZCDP(20_000_000_000_000), ZCDP(5_000_000_000_000), Fraction(1, 10**6))
    assert balance.remaining == ZCDP(15_000_000_000_000)
    assert balance.epsilon_remaining > balance.epsilon_total - balance.epsilon_spent


@given(st.integers(0, 10**17), st.integers(2, 10**6))
@example(1, 6217)
def test_what_is_said_to_remain_can_be_bought_and_is_hardly_less_than_there_is(units: int, n: int) -> None:
    balance = Balance(ZCDP(units), ZCDP(0), Fraction(1, n**2))
    left = balance.epsilon_remaining
    if left > 0:
        assert zcdp_of(ApproxDP(as_fraction(left), balance.delta)) <= balance.remaining
    assert 0.99 * balance.epsilon_total <= left <= balance.epsilon_total or units < 100


def test_a_table_handle_shows_nothing() -> None:
    assert "secret" not in repr(TableHandle(b"secret"))
    assert "73" not in repr(TableHandle(b"secret"))
