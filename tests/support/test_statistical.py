"""The shared statistics: a goodness-of-fit test whose false alarms are as rare as it says."""

from __future__ import annotations

import math

import pytest
from support.statistical import BinnedLaw

COARSE = ([*range(-90, 90)], [math.exp(-abs(z + 0.5)) for z in range(-90, 90)])
FINE = ([*range(-400, 401)], [math.exp(-abs(z) / 20) for z in range(-400, 401)])


@pytest.mark.parametrize(("outcomes", "masses"), [COARSE, FINE])
@pytest.mark.parametrize("bins", [2, 20, 40])
def test_no_bin_is_so_rare_that_one_draw_decides_the_chi_square(
    outcomes: list[int], masses: list[float], bins: int
) -> None:
    law = BinnedLaw.of(outcomes, masses, bins=bins)
    assert law.probabilities.min() >= 0.5 / bins * (1 - 1e-9)
    assert math.isclose(law.probabilities.sum(), 1.0)


def test_a_single_draw_from_far_out_does_not_reject_a_true_law() -> None:
    law = BinnedLaw.of(*COARSE, bins=20)
    expected = [z for z, mass in zip(*COARSE, strict=True) for _ in range(round(20_000 * mass / math.fsum(COARSE[1])))]
    assert law.p_value([*expected, 16]) > 0.01
