"""The exact samplers choose what real numbers would choose, however few bits they start with."""

from __future__ import annotations

from fractions import Fraction

import hypothesis.strategies as st
import mpmath
import numpy as np
import pytest
from hypothesis import given
from privacy.laws import exponential_masses, permute_and_flip_masses
from support.fakes import BitStream
from support.statistical import BinnedLaw, assert_follows

from pmwpub.privacy.exp_enclosures import exp_minus, weights_by_gap
from pmwpub.privacy.noise import SECURE
from pmwpub.privacy.selection_laws import ExponentialLaw, PermuteAndFlipLaw, ScoreBuckets, gap_weights

WIDTH = 1_024
DECISIVE = 300
RATES = st.fractions(min_value=Fraction(1, 10_000), max_value=20)


@given(st.fractions(min_value=0, max_value=400), st.integers(1, 300))
def test_the_enclosure_of_e_to_minus_x_holds_it_and_is_narrow(x: Fraction, bits: int) -> None:
    low, high = exp_minus(x, bits)
    with mpmath.workprec(1_200):
        exact = mpmath.exp(-mpmath.mpf(x.numerator) / x.denominator) * mpmath.mpf(2) ** bits
        assert low <= exact <= high
    assert high - low <= 2


def test_the_enclosure_of_a_hopelessly_small_weight_is_not_zero() -> None:
    assert exp_minus(Fraction(10**40), 128) == (0, 1)


@given(st.lists(st.integers(0, 5_000), max_size=60), RATES)
def test_the_weights_by_recurrence_hold_the_true_ones(gaps: list[int], rate: Fraction) -> None:
    ascending = sorted({0, *gaps})
    for gap, (low, high) in zip(ascending, gap_weights(ascending, rate, 128), strict=True):
        with mpmath.workprec(800):
            exact = mpmath.exp(-gap * mpmath.mpf(rate.numerator) / rate.denominator) * mpmath.mpf(2) ** 128
            assert low <= exact <= high
        assert high - low <= 4 * len(ascending)


@given(RATES, st.sampled_from([38, 44, 60]), st.integers(0, 3_000), st.integers(0, 5_000))
def test_the_table_of_weights_holds_the_true_ones_also_beyond_its_end(
    rate: Fraction, bits: int, reach: int, gap: int
) -> None:
    lower, upper = weights_by_gap(rate, bits, reach)
    place = min(gap, len(lower) - 1)
    with mpmath.workprec(800):
        exact = mpmath.exp(-gap * mpmath.mpf(rate.numerator) / rate.denominator) * mpmath.mpf(2) ** bits
        assert lower[place] <= exact <= upper[place]
    assert place == len(lower) - 1 or upper[place] - lower[place] <= 64
    assert lower[-1] == 0


def test_a_table_reaches_as_far_as_is_asked_for_unless_nothing_registers_there() -> None:
    assert len(weights_by_gap(Fraction(1, 1_000_000), 40, 70_000)[0]) > 70_000
    assert len(weights_by_gap(Fraction(1), 40, 10**12)[0]) <= 66


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=40) | st.lists(st.integers(-5, 5), min_size=1))
def test_buckets_group_the_scores_best_first(scores: list[int]) -> None:
    buckets = ScoreBuckets.of(np.array(scores, dtype=np.int64))
    values = sorted(set(scores), reverse=True)
    assert [buckets.top - gap for gap in buckets.gaps.tolist()] == values
    assert buckets.sizes.tolist() == [scores.count(value) for value in values]


def _bucket_by_real_numbers(scores: list[int], rate: Fraction, leading: int) -> int:
    """The score whose stretch of the cumulative weights holds U times their sum, to 1,200 bits."""
    with mpmath.workprec(1_200):
        real_rate = mpmath.mpf(rate.numerator) / rate.denominator
        values = sorted(set(scores), reverse=True)
        weights = [scores.count(value) * mpmath.exp((value - values[0]) * real_rate) for value in values]
        rest = mpmath.ldexp(leading, -WIDTH) * mpmath.fsum(weights)
        for value, weight in zip(values, weights, strict=True):
            if rest < weight:
                return value
            rest -= weight
    raise AssertionError("U lies below one")


@given(
    st.lists(st.integers(-60, 60), min_size=1, max_size=25),
    RATES,
    st.integers(0, 2**DECISIVE - 1),
    st.sampled_from([1, 3, 64]),
)
def test_the_threshold_chooses_what_real_numbers_would(
    scores: list[int], rate: Fraction, decisive: int, first: int
) -> None:
    """U is a whole number of 2^-300, plus 2^-301: far enough from any end that 1,024 bits decide."""
    leading = (2 * decisive + 1) << (WIDTH - DECISIVE - 1)
    law = ExponentialLaw(ScoreBuckets.of(np.array(scores, dtype=np.int64)), rate, first)
    chosen = law.draw(BitStream(leading, WIDTH))  # type: ignore[arg-type]
    assert scores[chosen] == _bucket_by_real_numbers(scores, rate, leading)


@pytest.mark.parametrize("first", [1, 64])
def test_the_smallest_thresholds_open_the_tail(first: int) -> None:
    """Weights of 1, 2^-1.4, 2^-216.4 and 2^-577.1: U = 1 - 2^-b lies in the last whose weight exceeds 1.37 2^-b."""
    scores = np.array([0, -1, -150, -400], dtype=np.int64)
    law = ExponentialLaw(ScoreBuckets.of(scores), Fraction(1), first)
    for bit, expected in ((210, -1), (220, -150), (570, -150), (590, -400)):
        stream = BitStream(2**WIDTH - 2 ** (WIDTH - bit), WIDTH)
        assert scores[law.draw(stream)] == expected  # type: ignore[arg-type]


@pytest.mark.parametrize("first", [1, 4, 16])
def test_few_first_bits_change_no_law(first: int) -> None:
    scores, rate = [9, 9, 7, 4, 4, 4, 0], Fraction(1, 3)
    buckets, draws = ScoreBuckets.of(np.array(scores, dtype=np.int64)), 10_000
    for law, masses in (
        (ExponentialLaw(buckets, rate, first), exponential_masses(scores, 2 * rate, 1)),
        (PermuteAndFlipLaw(buckets, rate, first), permute_and_flip_masses(scores, 2 * rate, 1)),
    ):
        assert_follows(BinnedLaw.by_size(masses, draws), [law.draw(SECURE) for _ in range(draws)])


@given(st.integers(1, 50), st.integers(0, 30), st.integers(0, 2**64 - 1), RATES)
def test_the_enclosure_in_a_permute_and_flip_race_is_right_and_narrow(
    size: int, gap: int, start: int, rate: Fraction
) -> None:
    scores = np.array([gap] + [0] * size, dtype=np.int64)
    law, bucket = PermuteAndFlipLaw(ScoreBuckets.of(scores), rate), int(gap > 0)
    members = size if gap else size + 1
    low, high = law._enclose(bucket, start, 64)
    with mpmath.workprec(2_000):
        growth = mpmath.exp(gap * mpmath.mpf(rate.numerator) / rate.denominator)
        ends = [
            growth * (1 - (1 - mpmath.mpf(edge) / 2**64) ** (mpmath.mpf(1) / members)) for edge in (start, start + 1)
        ]
        bounds = [mpmath.mpf(n) / mpmath.mpf(d) for n, d in (map(int, x.as_integer_ratio()) for x in (low, high))]
        assert bounds[0] <= ends[0]
        assert bounds[1] >= ends[1]
        assert bounds[1] - bounds[0] <= (ends[1] - ends[0]) * (1 + mpmath.mpf(2) ** -40)
