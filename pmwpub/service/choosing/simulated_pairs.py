"""The simulated pairs that an estimate of errors rests on: started for free, and read back from the store."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from pmwpub.evaluation import PMW_PUB, TABLE_FIT, TABLE_FIT_THREE_WAY, UNCHANGED, Simulation, Summary, summarise
from pmwpub.service.choosing.error_laws import PublicPair
from pmwpub.service.core import Service
from pmwpub.service.inputs.study_store import Study
from pmwpub.service.simulations.explorations import Exploration, explorations, explore
from pmwpub.service.simulations.sweep_range import SAMPLE_TRUTH, WHOLE, SweepRange, played, truths

Pool = tuple[str, ...]

FARTHEST = math.log(4)
"""How far from epsilon a simulated one may lie, as a logarithm, to say anything of it."""


@dataclass(frozen=True)
class SimulatedPairs:
    """What stored simulations say at one epsilon.

    pairs    by the keys of `key_of`
    truths   the names of those who played the truth
    reached  whether epsilon lies within what was simulated; else the nearest end stands for it
    part     how many of the workload's marginals were played; 0 for all
    """

    pairs: tuple[PublicPair, ...] = ()
    truths: tuple[str, ...] = ()
    reached: bool = True
    part: int = 0

    @property
    def source(self) -> str:
        """Who played the truth, as a list in words."""
        *others, last = self.truths or ("nobody",)
        return f"{', '.join(others)} and {last}" if others else last


def key_of(pool: Iterable[str]) -> str:
    """A candidate or pool as the text that a pair names it by."""
    return "+".join(sorted(pool))


def simulate_pairs(service: Service, current: Study, terms: SweepRange) -> list[Exploration]:
    """Start, or find, the sweeps that an estimate takes: each public table plays the truth in turn; free.

    In a demo its generated private table plays it, and no other one. A single table is played against its other half.
    Raises as `explorations.explore`.
    """
    return [explore(service, current, truth, terms) for truth in _wanted_truths(current)]


def pairs_at(service: Service, current: Study, epsilon: float, engine: str) -> SimulatedPairs:
    """The pairs of the engine of that name at an epsilon: between two simulated ones, by a straight line of logarithms.

    Of several sweeps of a pair the one counts that reaches epsilon, else the nearest, and of those the latest; none
    that is farther than a factor of four. Where a demo's own table played the truth no other truth counts.
    """
    return pairs_of(current, explorations(service, current), epsilon, engine)


def pairs_of(current: Study, stored: Sequence[Exploration], epsilon: float, engine: str) -> SimulatedPairs:
    """As `pairs_at`, from sweeps that were read back already, the latest first."""
    found: dict[tuple[str, str], tuple[PublicPair, float]] = {}
    for one in stored:
        if one.simulation is not None:
            for pair, away in _pairs_of(current, one, one.simulation, epsilon, engine):
                key = (pair.truth, pair.candidate)
                if away <= FARTHEST and (key not in found or away < found[key][1]):
                    found[key] = pair, away
    if any(truth == SAMPLE_TRUTH for truth, _ in found):
        found = {key: value for key, value in found.items() if key[0] == SAMPLE_TRUTH}
    names = truths(current)
    return SimulatedPairs(
        tuple(pair for pair, _ in found.values()),
        tuple(name for truth, name in names.items() if any(truth == played_by for played_by, _ in found)),
        not any(away for _, away in found.values()),
    )


def simulated_epsilons(stored: Sequence[Exploration], engine: str) -> list[float]:
    """The epsilons at which the engine of that name was simulated in any of these sweeps, ascending."""
    found = [one.simulation for one in stored if one.simulation is not None]
    return sorted({one.epsilon for simulation in found for one in simulation.errors if one.method == _method(engine)})


def _method(engine: str) -> str:
    return engine if engine in (TABLE_FIT, TABLE_FIT_THREE_WAY) else PMW_PUB


def _wanted_truths(current: Study) -> Sequence[str]:
    return [SAMPLE_TRUTH] if current.demo else list(truths(current))


def _pairs_of(
    current: Study, found: Exploration, simulation: Simulation, epsilon: float, engine: str
) -> Iterable[tuple[PublicPair, float]]:
    """Each pair of a sweep, and how far epsilon lies outside what was simulated, as a logarithm: 0 within it."""
    floors = {floor.candidate: floor.upper for floor in simulation.floors}
    lines = summarise(simulation.errors)
    starts = {line.candidate: line.mean for line in lines if line.method == UNCHANGED}
    for name, (pool, share) in played(current, found.truth, found.terms).items():
        curve: dict[float, Summary] = {}
        for line in lines:
            if line.candidate == name and line.method == _method(engine):
                curve[line.epsilon] = min(line, curve.get(line.epsilon, line), key=lambda one: one.mean)
        if pool and share == WHOLE and curve and name in floors and name in starts:
            away = max(0.0, math.log(min(curve) / epsilon), math.log(epsilon / max(curve)))
            error = _between([(at, curve[at].mean) for at in sorted(curve)], epsilon)
            rounds = curve[min(curve, key=lambda at: abs(math.log(at / epsilon)))].rounds
            yield PublicPair(found.truth, key_of(pool), floors[name], starts[name], error, rounds), away


def _between(points: Sequence[tuple[float, float]], epsilon: float) -> float:
    """The error at an epsilon on the line of logarithms through the points; at either end where it lies beyond."""
    if epsilon <= points[0][0]:
        return points[0][1]
    for (low, before), (high, after) in pairwise(points):
        if epsilon <= high:
            share = math.log(epsilon / low) / math.log(high / low)
            return before ** (1 - share) * after**share if min(before, after) > 0 else max(before, after)
    return points[-1][1]
