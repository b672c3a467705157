"""Whole releases of households under noise of fixed seeds: what part of their intervals holds the true number."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest

from pmwpub.release.households.household_bundle import HouseholdBundle
from pmwpub.release.households.reading.household_answers import HouseholdAnswers
from pmwpub.release.households.reading.household_cells import HouseholdNumber

SIGMA, DRAWS = 2.0, 300


def numbers(answers: HouseholdAnswers) -> dict[str, list[HouseholdNumber]]:
    """Every kind of number that such a release answers, in one order."""
    cells = [(of, cell) for of, table in answers.tables() for cell in table]
    within = [answers.within(["age", "sex"], ["sex"]), answers.within(["household size", "tenure"], ["tenure"])]
    return {
        "share of households": [cell.share for of, cell in cells if of == "households"],
        "share of persons": [cell.share for of, cell in cells if of == "persons"],
        "persons per household": [cell.per_household for _, cell in cells if cell.per_household is not None],
        "within": [cell.share for table in within for cell in table],
        "number of persons": [answers.persons(), answers.mean_size()],
        "difference": [
            answers.difference({"tenure": "own"}, {"tenure": "rent"}, of) for of in ("persons", "households")
        ],
    }


def releases(bundle: HouseholdBundle, scale: float) -> Iterator[HouseholdBundle]:
    """The same release with noise of that scale on its cells, a draw a seed; 2 is what it states."""
    for seed in range(DRAWS):
        draw = np.random.default_rng(seed)
        noise = [np.rint(draw.normal(0, scale, len(cells))).astype(np.int64) for cells in (bundle.persons, bundle.own)]
        yield replace(bundle, persons=bundle.persons + noise[0], own=bundle.own + noise[1])


def covered(bundle: HouseholdBundle, scale: float) -> dict[str, float]:
    """The part of the intervals of each kind that holds the number without noise."""
    true = {kind: [one.value for one in found] for kind, found in numbers(HouseholdAnswers(bundle)).items()}
    held = dict.fromkeys(true, 0)
    for released in releases(bundle, scale):
        for kind, found in numbers(HouseholdAnswers(released)).items():
            ends = zip(found, true[kind], strict=True)
            held[kind] += sum((one.low or 0) - 1e-9 <= value <= (one.high or 0) + 1e-9 for one, value in ends)
    return {kind: held[kind] / DRAWS / len(true[kind]) for kind in true}


@pytest.mark.parametrize(
    ("scale", "fits"), [(SIGMA, lambda part: 0.94 < part < 0.995), (1.5 * SIGMA, lambda part: part < 0.93)],
    ids=["the noise that is stated", "half as much again"],
)  # fmt: skip
def test_every_kind_of_interval_covers_and_would_not_under_more_noise(
    without_noise: HouseholdBundle, scale: float, fits: Callable[[float], bool]
) -> None:
    found = covered(without_noise, scale)
    assert not {kind: part for kind, part in found.items() if not fits(part)}, found
