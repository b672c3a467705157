"""Advice on rounds and on epsilon from stored simulations. Public tables played the truth, so it is advice only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pmwpub.evaluation import Simulation, best_lines, reach
from pmwpub.privacy.budget import ApproxDP, as_fraction, zcdp_of
from pmwpub.service.core import Service
from pmwpub.service.inputs.study_store import Study
from pmwpub.service.simulations import explorations
from pmwpub.service.simulations.sweep_range import truths
from pmwpub.theory import advised_rounds

DEFAULT_ROUNDS = 25


@dataclass(frozen=True)
class Advice:
    """A number of rounds and where it comes from.

    truth    who played the truth in the sweep that it rests on; "" without a sweep
    epsilon  the simulated epsilon that was nearest
    """

    rounds: int
    truth: str = ""
    epsilon: float = 0.0


@dataclass(frozen=True)
class EpsilonAdvice:
    """The smallest simulated epsilon whose mean error was small enough.

    epsilon  None where none of those tried was enough
    best     the least mean error among those tried
    largest  the largest epsilon tried
    floor    certified, of that candidate in that simulation: below it no epsilon is enough; 0 if unknown
    truth    who played the truth
    """

    epsilon: float | None
    best: float
    largest: float
    floor: float
    truth: str


def advise_rounds(service: Service, current: Study, candidates: Sequence[str], epsilon: str) -> Advice:
    """The rule's T from a stored sweep of this candidate, at the nearest simulated epsilon; else 25."""
    wanted = as_fraction(epsilon)
    for truth, name, simulation in _simulated(service, current, candidates):
        lines = [line for line in best_lines(simulation.errors) if line.candidate == name]
        nearest = min(lines, key=lambda line: abs(line.epsilon - float(wanted)))
        people, queries = current.population, current.workload().queries
        rho = zcdp_of(ApproxDP(wanted, people.delta)).rho
        rounds = advised_rounds(float(rho), people.n, queries, nearest.mean, rows_per_person=people.rows_per_person)
        return Advice(rounds, truth, nearest.epsilon)
    return Advice(DEFAULT_ROUNDS)


def advise_epsilon(service: Service, current: Study, candidates: Sequence[str], error: float) -> EpsilonAdvice | None:
    """From a stored sweep of this candidate or pool; None without one."""
    for truth, name, simulation in _simulated(service, current, candidates):
        found = next(one for one in reach(simulation.errors, simulation.floors, error) if one.candidate == name)
        return EpsilonAdvice(found.epsilon, found.best, found.largest, found.floor, truth)
    return None


def _simulated(service: Service, current: Study, candidates: Sequence[str]) -> Iterator[tuple[str, str, Simulation]]:
    """Who played the truth, the candidate's name, and the sweep: those with the first truths first, then the latest."""
    known = truths(current)
    name = current.known_names(sorted(candidates))
    found = sorted(explorations.explorations(service, current), key=lambda one: list(known).index(one.truth))
    for one in found:
        if one.simulation is not None and any(line.candidate == name and line.rounds for line in one.simulation.errors):
            yield known[one.truth], name, one.simulation
