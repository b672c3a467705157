"""The estimate of errors, on pairs whose law is known."""

from __future__ import annotations

import pytest

from pmwpub.noisy_interval import NoisyInterval
from pmwpub.service.choosing import expected_error
from pmwpub.service.choosing.expected_error import BoughtNumbers, PublicPair, expected_errors

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
    found = {one.candidate: one.error for one in expected_errors(root_pairs(), bought, NAMES)}
    assert found["b"] == pytest.approx(0.04, rel=0.05)  # 0.2 * 0.2
    assert found["c"] == pytest.approx(0.06, rel=0.05)  # 0.2 * 0.3


def test_between_floors_that_noise_hides_the_start_decides() -> None:
    """The lowest noisy floor is b's, but its table is far off; the interval of the floors is wide."""
    bought = {
        "b": BoughtNumbers(NoisyInterval(-0.001, 0, 0.004, 0.95, "1/25"), exactly(0.12)),
        "c": BoughtNumbers(NoisyInterval(0.002, 0, 0.006, 0.95, "1/25"), exactly(0.017)),
    }
    assert [one.candidate for one in expected_errors(root_pairs(), bought, ("b", "c"))] == ["c", "b"]


def test_no_error_is_expected_below_the_floor_and_a_high_floor_comes_last() -> None:
    bought = {
        name: BoughtNumbers(exactly(floor), exactly(0.2)) for name, floor in zip(NAMES, (0.0, 0.1, 0.01), strict=True)
    }
    found = expected_errors(root_pairs(), bought, NAMES)
    assert [one.candidate for one in found] == ["b", "d", "c"]
    assert found[-1].error >= 0.0999
    assert all(one.low <= one.error <= one.high for one in found)


def test_a_number_that_is_all_noise_leaves_what_the_pairs_say() -> None:
    plain = {one.candidate: one.error for one in expected_errors(root_pairs(), {}, NAMES)}
    noisy = {name: BoughtNumbers(start=NoisyInterval(0.9, 0, 1, 0.95, "1/1000")) for name in NAMES}
    for one in expected_errors(root_pairs(), noisy, NAMES):
        assert one.error == pytest.approx(plain[one.candidate], rel=0.2)


def test_a_candidate_that_keeps_more_than_the_law_in_its_own_pairs_is_expected_to_keep_more() -> None:
    worse = [
        PublicPair(one.truth, one.candidate, one.floor, one.start, one.error * (2 if one.candidate == "d" else 1))
        for one in root_pairs()
    ]
    same = {name: BoughtNumbers(exactly(0.002), exactly(0.1)) for name in NAMES}
    assert [one.candidate for one in expected_errors(worse, same, NAMES)][-1] == "d"


def test_without_a_pair_nothing_is_expected_and_of_a_stranger_only_what_was_bought() -> None:
    bought = {"e": BoughtNumbers(exactly(0.0), exactly(0.05))}
    assert expected_errors([], bought, ("e",)) == []
    (found,) = expected_errors(root_pairs(), bought, ("e", "f"))
    assert (found.candidate, found.pairs) == ("e", 0)


def test_the_law_of_the_same_pairs_is_fitted_once() -> None:
    pairs = [PublicPair("t", "a", 0.01, 0.1, 0.03), PublicPair("t", "b", 0.02, 0.3, 0.05)]
    before = expected_error._Law.fitted.cache_info().misses
    first = expected_errors(pairs, {}, ["a"])
    assert expected_errors(list(pairs), {}, ["a"]) == first
    assert expected_error._Law.fitted.cache_info().misses == before + 1
