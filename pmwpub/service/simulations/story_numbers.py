"""What the guided story shows: numbers of the bundled, generated sample, simulated once and stored with it.

sample_data/story.py makes them, seeded; the file is public, and nothing here is typed in by hand.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from pmwpub.evaluation import PMW_PUB, TABLE_FIT, UNCHANGED, CertifiedFloor, SimulatedError, Simulation, summarise
from pmwpub.privacy.budget import ZCDP, ApproxDP, as_fraction, epsilon_of, zcdp_of
from pmwpub.service.inputs.bundled_sample import sample_file

STORY = "story.json"
NOISE_ALONE = "noise alone"
EPSILON = 1.0
"""The epsilon at which the last screen compares."""


@dataclass(frozen=True)
class Loneliness:
    """A fact that is known besides those before it, and the share of people who are then the only ones."""

    fact: str
    alone: float


@dataclass(frozen=True)
class Person:
    """An invented person who is alone with the known facts, and what the table says besides; (column, level) pairs."""

    known: tuple[tuple[str, str], ...]
    told: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Story:
    """Everything that the five screens draw.

    rows, queries, marginals, delta  of the private table and its workload, all three-way marginals
    simulation                       errors of "noise alone", and of B, C and D unchanged and by both engines; floors
    """

    rows: int
    queries: int
    marginals: int
    delta: str
    alone: tuple[Loneliness, ...]
    person: Person
    simulation: Simulation


@dataclass(frozen=True)
class Curve:
    """The mean largest error of one way at each epsilon, with one standard error. `label` is "" for noise alone."""

    label: str
    epsilons: tuple[float, ...]
    mean: tuple[float, ...]
    standard_error: tuple[float, ...]


@dataclass(frozen=True)
class Bought:
    """What the public table bought at EPSILON: errors of each way, and the epsilon that noise alone would need.

    table     the candidate of the lowest simulated error
    released  by PMW^Pub; fitted  by table fit
    """

    table: str
    alone: float
    unchanged: float
    released: float
    fitted: float
    floor: float
    epsilon_of_noise: float


@lru_cache(maxsize=1)
def story() -> Story:
    """The stored story; PmwPubError where the project was installed without its sample."""
    return story_from(sample_file(STORY))


def story_from(stored: bytes) -> Story:
    """A story from its JSON."""
    body: dict[str, Any] = json.loads(stored)
    simulation = body["simulation"]
    return Story(
        rows=body["rows"],
        queries=body["queries"],
        marginals=body["marginals"],
        delta=body["delta"],
        alone=tuple(Loneliness(**line) for line in body["alone"]),
        person=Person(*(tuple((name, level) for name, level in body["person"][part]) for part in ("known", "told"))),
        simulation=Simulation(
            [SimulatedError(**line) for line in simulation["errors"]],
            [CertifiedFloor(**line) for line in simulation["floors"]],
        ),
    )


def curves(found: Story, method: str) -> list[Curve]:
    """One curve a table (or one, for noise alone), in the story's order."""
    lines = [line for line in summarise(found.simulation.errors) if line.method == method]
    names = dict.fromkeys(line.candidate for line in lines)
    grouped = {name: sorted((line.epsilon, line) for line in lines if line.candidate == name) for name in names}
    return [
        Curve(
            name,
            tuple(epsilon for epsilon, _ in points),
            tuple(line.mean for _, line in points),
            tuple(line.standard_error for _, line in points),
        )
        for name, points in grouped.items()
    ]


def starts(found: Story) -> dict[str, float]:
    """Candidate -> the largest error of its table unchanged."""
    return {curve.label: curve.mean[0] for curve in curves(found, UNCHANGED)}


def bought(found: Story) -> Bought:
    """The last screen's numbers: PMW^Pub's best table at EPSILON beside doing without one."""
    best = min(curves(found, PMW_PUB), key=_at)
    fitted = next(_at(curve) for curve in curves(found, TABLE_FIT) if curve.label == best.label)
    (noise,) = curves(found, NOISE_ALONE)
    floor = next(one for one in found.simulation.floors if one.candidate == best.label)
    return Bought(
        table=best.label,
        alone=_at(noise),
        unchanged=starts(found)[best.label],
        released=_at(best),
        fitted=fitted,
        floor=floor.upper,
        epsilon_of_noise=noise_epsilon(_at(noise), min(fitted, _at(best)), Fraction(found.delta)),
    )


def noise_epsilon(error: float, wanted: float, delta: Fraction) -> float:
    """The epsilon at which noise alone, off by `error` at EPSILON, is off by `wanted`: errors go with 1/sqrt(rho)."""
    rho = zcdp_of(ApproxDP(as_fraction(EPSILON), delta)).rho
    return epsilon_of(ZCDP.at_least(rho * Fraction(error / wanted) ** 2), delta)


def odds(epsilon: float, reach: int = 7) -> list[tuple[int, float, float]]:
    """Noisy answers around a count of 1 or 0: (answer, probability with the person, probability without).

    The law is discrete Laplace noise of scale 1/epsilon, the simplest epsilon-DP answer to "how many?".
    """
    mass = (1.0 - math.exp(-epsilon)) / (1.0 + math.exp(-epsilon))
    return [
        (answer, mass * math.exp(-epsilon * abs(answer - 1)), mass * math.exp(-epsilon * abs(answer)))
        for answer in range(-reach, reach + 2)
    ]


def _at(curve: Curve) -> float:
    """The mean error of a curve at EPSILON."""
    return curve.mean[curve.epsilons.index(EPSILON)]
