"""The noise of a release of households before its price: an interval that says so, in shares as Hand over has them."""

from __future__ import annotations

import pytest

from pmwpub.service.households.household_outlook import HouseholdNoise


def test_noise_is_said_as_a_95_percent_half_width_and_as_a_share_of_persons() -> None:
    """1.96 times 0.5 is 0.98 persons per household; of 2.45 persons each that is 0.4 of them. 1.96 % of households."""
    noise = HouseholdNoise(persons=0.5, households=0.01, tables=(3, 2), size=2.45)
    assert noise.half_widths == pytest.approx({"persons_per_household": 0.98, "persons": 0.4, "households": 0.0196})
    assert noise.words == (
        "Noise of a cell in the median table (95 %): **± 40 % of persons** (± 0.98 persons per household; public "
        "ones have 2.45) and **± 2 % of households**."
    )
