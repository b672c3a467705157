"""The estimate of errors, on pairs whose law is known."""

from __future__ import annotations

import pytest

from pmwpub.noisy_interval import NoisyInterval
from pmwpub.service.choosing import error_laws
from pmwpub.service.choosing.error_laws import PublicPair
from pmwpub.service.choosing.expected_error import BoughtNumbers, expected_errors

NAMES = ("b", "c", "d")


def exactly(value: float, bar: float = 1e-5) -> NoisyInterval:
    return NoisyInterval(value, max(0.0, value - bar), value + bar, 0.95, "1/20")


def root_pairs() -> list[PublicPair]:
    """E = F + 0.2 sqrt(S - F) for every pair, whoever the candidate is."""
    found = []
    for place, (truth, candidate) in enumerate([(a, b) for a in NAMES for b in NAMES if a != b]):
        floor, start = 0.002, 0.03 + 0.03 * place
        found.append(PublicPair(truth, candidate, floor, start, floor + 0.2 * (start - floor) ** 0.5))
    return found


def test_a_law_that_all_pairs_keep_gives_the_error_of_bought_numbers() -> None:
    bought = {"b": BoughtNumbers(exactly(0.0), exactly(0.04)), "c": BoughtNumbers(exactly(0.0), exactly(0.09))}
    found = {one.candidate: one.error for one in expected_errors(root_pairs(), bought, NAMES, engine="pmw-pub")}
    assert found["b"] == pytest.approx(0.04, rel=0.05)  # 0.2 * 0.2
    assert found["c"] == pytest.approx(0.06, rel=0.05)  # 0.2 * 0.3


def test_between_floors_that_noise_hides_the_start_decides() -> None:
    """The lowest noisy floor is b's, but its table is far off; the interval of the floors is wide."""
    bought = {
        "b": BoughtNumbers(NoisyInterval(-0.001, 0, 0.004, 0.95, "1/25"), exactly(0.12)),
        "c": BoughtNumbers(NoisyInterval(0.002, 0, 0.006, 0.95, "1/25"), exactly(0.017)),
    }
    assert [one.candidate for one in expected_errors(root_pairs(), bought, ("b", "c"), engine="pmw-pub")] == ["c", "b"]


def test_no_error_is_expected_below_the_floor_and_a_high_floor_comes_last() -> None:
    bought = {
        name: BoughtNumbers(exactly(floor), exactly(0.2)) for name, floor in zip(NAMES, (0.0, 0.1, 0.01), strict=True)
    }
    found = expected_errors(root_pairs(), bought, NAMES, engine="pmw-pub")
    assert [one.candidate for one in found] == ["b", "d", "c"]
    assert found[-1].error >= 0.0999
    assert all(one.low <= one.error <= one.high for one in found)


def test_the_floor_that_is_hatched_is_a_deviation_off_whatever_the_errors_at_an_epsilon_are() -> None:
    """The deviation of pairs' floors is at least half their mean, 0.002."""
    more = [PublicPair(one.truth, one.candidate, one.floor, one.start, 3 * one.error) for one in root_pairs()]
    for pairs in (root_pairs(), more):
        (found,) = expected_errors(pairs, {}, ("b",), engine="pmw-pub")
        assert (found.floor_low, found.floor, found.floor_high) == pytest.approx((0.001, 0.002, 0.003))
        assert found.floor_low <= found.low
        assert set(found.truths) == {"c", "d"}


def test_nothing_is_expected_below_the_low_end_of_a_bought_floor_though_pairs_outweigh_it() -> None:
    """Of a floor of 0.5 within 0.1 ten thousand times as precise pairs know better, but it is of the private table."""
    bought = {"b": BoughtNumbers(floor=NoisyInterval(0.5, 0.4, 0.6, 0.95, "1/25"))}
    (found,) = expected_errors(root_pairs(), bought, ("b",), engine="pmw-pub")
    assert min(found.low, found.error, found.start, found.floor, found.floor_low) >= 0.4
    assert found.high >= found.error


def test_a_number_that_is_all_noise_leaves_what_the_pairs_say() -> None:
    plain = {one.candidate: one.error for one in expected_errors(root_pairs(), {}, NAMES, engine="pmw-pub")}
    noisy = {name: BoughtNumbers(start=NoisyInterval(0.9, 0, 1, 0.95, "1/1000")) for name in NAMES}
    for one in expected_errors(root_pairs(), noisy, NAMES, engine="pmw-pub"):
        assert one.error == pytest.approx(plain[one.candidate], rel=0.2)


def test_a_candidate_that_keeps_more_than_the_law_in_its_own_pairs_is_expected_to_keep_more() -> None:
    worse = [
        PublicPair(one.truth, one.candidate, one.floor, one.start, one.error * (2 if one.candidate == "d" else 1))
        for one in root_pairs()
    ]
    same = {name: BoughtNumbers(exactly(0.002), exactly(0.1)) for name in NAMES}
    assert [one.candidate for one in expected_errors(worse, same, NAMES, engine="pmw-pub")][-1] == "d"


def test_without_a_pair_nothing_is_expected_and_of_a_stranger_only_what_was_bought() -> None:
    bought = {"e": BoughtNumbers(exactly(0.0), exactly(0.05))}
    assert expected_errors([], bought, ("e",), engine="pmw-pub") == []
    (found,) = expected_errors(root_pairs(), bought, ("e", "f"), engine="pmw-pub")
    assert (found.candidate, found.pairs) == ("e", 0)


def test_the_law_of_the_same_pairs_is_fitted_once() -> None:
    pairs = [PublicPair("t", "a", 0.01, 0.1, 0.03), PublicPair("t", "b", 0.02, 0.3, 0.05)]
    before = error_laws.RootLaw.fitted.cache_info().misses
    first = expected_errors(pairs, {}, ["a"], engine="pmw-pub")
    assert expected_errors(list(pairs), {}, ["a"], engine="pmw-pub") == first
    assert error_laws.RootLaw.fitted.cache_info().misses == before + 1


def linear_pairs(**harder: float) -> list[PublicPair]:
    """E = 0.01 + F + 0.03 S, and some more on truths that are harder than others."""
    found = []
    for place, (truth, candidate) in enumerate([(a, b) for a in NAMES for b in NAMES if a != b]):
        floor, start = 0.002 + 0.003 * place, 0.03 + 0.05 * (5 - place)
        error = 0.01 + harder.get(truth, 0.0) + floor + 0.03 * start
        found.append(PublicPair(truth, candidate, floor, start, error))
    return found


def test_by_table_fit_a_law_that_all_pairs_keep_gives_the_error_of_bought_numbers() -> None:
    bought = {"b": BoughtNumbers(exactly(0.012), exactly(0.04)), "c": BoughtNumbers(exactly(0.001), exactly(0.2))}
    found = {one.candidate: one.error for one in expected_errors(linear_pairs(), bought, NAMES, engine="table-fit")}
    assert found["b"] == pytest.approx(0.0232, rel=0.02)  # 0.01 + 0.012 + 0.0012
    assert found["c"] == pytest.approx(0.017, rel=0.02)  # 0.01 + 0.001 + 0.006: the lower floor, not the lower start


def test_a_truth_that_is_hard_for_every_table_changes_no_order_and_no_error_by_much() -> None:
    bought = {name: BoughtNumbers(exactly(0.002), exactly(0.1)) for name in NAMES}
    plain = expected_errors(linear_pairs(), bought, NAMES, engine="table-fit")
    hard = expected_errors(linear_pairs(b=0.004), bought, NAMES, engine="table-fit")
    errors = [one.error for one in hard]
    assert max(errors) / min(errors) < 1.1, "bought numbers alike, so the candidates are"
    assert errors[0] == pytest.approx(plain[0].error + 0.004 / 3, rel=0.1)
    assert all(one.low <= one.error <= one.high for one in hard)
