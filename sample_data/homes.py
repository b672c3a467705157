"""A made survey of homes: areas drawn with known chances, homes drawn whole, each person with the home's weight.

As in people.py, only `random()` of a seeded generator, sums, products and comparisons are used.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from people import HEADER, State, household, picked

HOME_HEADER = (
    "home", "weight", "region", "relation", "age", "sex", "race", "hispanic", "marital", "household",
    "tenure", "education", "employment", "income", "disability",
)  # fmt: skip

_TAKEN = tuple(HEADER.index(name) for name in HOME_HEADER[3:])
_TENURE = HEADER.index("tenure")

AREA_WEIGHTS = {
    "City": (24, 27, 30, 33, 36, 39, 42, 45, 48, 54, 60, 66, 72, 84, 120, 160),
    "Town": (18, 20, 22, 24, 26, 28, 30, 32, 36, 40, 44, 50),
    "Country": (8, 9, 10, 11, 12, 13, 14, 16),
}
"""Of each area of a region, one over the chance at which its homes were drawn: the country is drawn more often."""

_REGIONS = {"Own": {"City": 3, "Town": 4, "Country": 4}, "Loan": {"City": 3, "Town": 5, "Country": 2},
            "Rent": {"City": 7, "Town": 3, "Country": 1}}  # fmt: skip


@dataclass(frozen=True)
class Survey:
    """The homes of a state that were drawn.

    homes  how many
    name   the first letters of their ids
    """

    state: State
    homes: int
    name: str


def surveyed(survey: Survey) -> Iterator[tuple[str, ...]]:
    """The persons of `survey.homes` homes as text cells in the order of HOME_HEADER, those of a home side by side.

    A home is kept with a chance of (the smallest weight / its own weight), whoever lives in it: so its weight is one
    over the chance of being drawn, but for a factor that all homes share.
    """
    rng = Random(survey.state.seed)
    least = min(weight for weights in AREA_WEIGHTS.values() for weight in weights)
    drawn = 0
    while drawn < survey.homes:
        members = household(rng, survey.state)
        region = picked(rng, _REGIONS[members[0][_TENURE]])
        areas = AREA_WEIGHTS[region]
        weight = areas[int(rng.random() * len(areas))]
        if rng.random() * weight < least:
            drawn += 1
            own = f"{survey.name}{drawn:05d}", str(weight), region
            yield from ((*own, *(member[place] for place in _TAKEN)) for member in members)
