"""Advice on rounds and on epsilon from stored simulations. Public tables played the truth, so it is advice only.

Rounds that did best on a public pair are taken before those of the rule that weighs the noise of a round against the
error to be found: its T was a third of the best one at epsilon 1, and the error up to 1.9 times as large.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pmwpub.evaluation import (
    PMW_PUB,
    TABLE_FIT,
    Simulation,
    Summary,
    best_lines,
    engine_lines,
    fewest_rounds,
    reach,
    summarise,
)  # fmt: skip
from pmwpub.plans.weighing import mass_of, reach_of
from pmwpub.privacy.budget import ApproxDP, as_fraction, zcdp_of
from pmwpub.service.core import Service
from pmwpub.service.inputs.study_store import Study
from pmwpub.service.simulations import explorations
from pmwpub.service.simulations.engine_trials import trial
from pmwpub.service.simulations.sweep_range import truths
from pmwpub.theory import advised_rounds

DEFAULT_ROUNDS = 25


@dataclass(frozen=True)
class Advice:
    """A number of rounds and where it comes from.

    truth    who played the truth in the simulation that it rests on; "" without one
    epsilon  the simulated epsilon, or the one that was nearest
    tried    whether it did best of several numbers of rounds there; else the paper's rule gave it from the error there
    """

    rounds: int
    truth: str = ""
    epsilon: float = 0.0
    tried: bool = False


@dataclass(frozen=True)
class EpsilonAdvice:
    """The smallest simulated epsilon at which the mean error of an engine was small enough.

    epsilon  None where none of those tried was enough
    best     the least mean error among those tried
    largest  the largest epsilon tried
    floor    certified, of that candidate in that simulation: below it no epsilon is enough; 0 if unknown
    truth    who played the truth
    engine   "table-fit" or "pmw-pub"
    """

    epsilon: float | None
    best: float
    largest: float
    floor: float
    truth: str
    engine: str = TABLE_FIT


def advise_rounds(service: Service, current: Study, candidates: Sequence[str], epsilon: str) -> Advice:
    """The T that did best on public tables: in a stored trial of the engines at this epsilon, or in a sweep that tried
    several; else the rule's T from a sweep's error; else 25. Sweeps count at their epsilon nearest to this one."""
    wanted = as_fraction(epsilon)
    found = trial(service, current, candidates, float(wanted))
    if (own := found.of(PMW_PUB)) is not None and not found.swept:
        return Advice(own.rounds, " and ".join(found.truths), found.epsilon, tried=True)
    for truth, name, simulation in _simulated(service, current, candidates, PMW_PUB):
        lines = [line for line in best_lines(simulation.errors) if line.candidate == name]
        nearest = min(lines, key=lambda line: abs(line.epsilon - float(wanted)))
        if (tried := _tried(simulation, nearest)) is not None:
            return Advice(tried, truth, nearest.epsilon, tried=True)
        counted, queries = current.counted, current.workload().queries
        rho = zcdp_of(ApproxDP(wanted, current.population.delta)).rho
        n, k = mass_of(counted), reach_of(counted)
        rounds = advised_rounds(float(rho), n, queries, nearest.mean, rows_per_person=k)
        return Advice(rounds, truth, nearest.epsilon)
    return Advice(DEFAULT_ROUNDS)


def _tried(simulation: Simulation, nearest: Summary) -> int | None:
    """The fewest rounds that do as well as the best, by PMW^Pub as a release has it; None where one number was run."""
    same = (PMW_PUB, nearest.candidate, nearest.epsilon)
    ways = [one for one in summarise(simulation.errors) if (one.method, one.candidate, one.epsilon) == same]
    return fewest_rounds(ways).rounds if len(ways) > 1 else None


def advise_epsilon(
    service: Service, current: Study, candidates: Sequence[str], error: float, *, engine: str
) -> EpsilonAdvice | None:
    """From a stored sweep of an engine with this candidate or pool; None without one.

    engine  "table-fit" or "pmw-pub": the one that the release will be made with
    """
    for truth, name, simulation in _simulated(service, current, candidates, engine):
        known = reach(simulation.errors, simulation.floors, error)
        found = next(one for one in known if (one.candidate, one.engine) == (name, engine))
        return EpsilonAdvice(found.epsilon, found.best, found.largest, found.floor, truth, engine)
    return None


def _simulated(
    service: Service, current: Study, candidates: Sequence[str], engine: str
) -> Iterator[tuple[str, str, Simulation]]:
    """Who played the truth, the candidate's name, and the sweep: those with the first truths first, then the latest."""
    known = truths(current)
    name = current.known_names(sorted(candidates))
    found = sorted(explorations.explorations(service, current), key=lambda one: list(known).index(one.truth))
    for one in found:
        if one.simulation is not None and any(
            line.candidate == name for line in engine_lines(one.simulation.errors, engine)
        ):
            yield known[one.truth], name, one.simulation
