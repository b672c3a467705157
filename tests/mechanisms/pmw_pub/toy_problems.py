"""The toys on which PMW^Pub is audited end to end, the event of each, and how often it is run."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from mechanisms.pmw_pub.exact_law import RIGHT, Answers, Event, Law, Spending, Toy, scale
from support import tables
from support.audits import EventGate

from pmwpub.mechanisms.pmw_pub.algorithm import Schedule
from pmwpub.privacy.budget import ZCDP
from pmwpub.privacy.round_share import split
from pmwpub.queries.counts import PrivateCounts, count
from pmwpub.queries.incidence import PublicProblem
from pmwpub.queries.prefix_tables import PrefixTable
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset, Support

FAULTS = {
    "twice the charged rho in selection": Spending(selection=2.0),
    "twice the charged rho in measurement": Spending(measurement=2.0),
    "twice the charged rho in both": Spending(2.0, 2.0),
}

FULL = 10
"""What PMWPUB_AUDIT is in the full audit: so many times CI's runs."""

POWER = 0.999
"""What the right mechanism passes with, and a fault is caught with, at least."""

SURE = 4.9, 3.1
"""Deviations that half of ALPHA, and a miss in a thousand, lie beyond: the normal approximation of a gate's power."""


@dataclass(frozen=True)
class Case:
    """A toy, and what the package makes of it.

    runs  CI's, on either neighbour
    lazy  whether scores are bounded first and evaluated where it matters, as large problems have it
    """

    toy: Toy
    runs: int
    lazy: bool

    @cached_property
    def answers(self) -> Answers:
        return Answers(self.toy)

    @cached_property
    def laws(self) -> dict[tuple[bool, Spending], Law]:
        """By neighbour (whether ours) and what is truly spent."""
        return {
            (ours, spending): Law(self.answers, self.true(ours), spending)
            for ours in (True, False)
            for spending in (RIGHT, *FAULTS.values())
        }

    def true(self, ours: bool) -> tuple[int, ...]:
        """c_q on either neighbour."""
        return self.toy.counts(self.toy.ours if ours else self.toy.theirs)

    def probability(self, ours: bool, spending: Spending = RIGHT) -> float:
        """The event's, by the exact law."""
        return self.laws[ours, spending].probability(self.event)

    def gate(self, ours: bool, times: int = 1) -> EventGate:
        """At so many times CI's runs, for the law at the charged rho."""
        return EventGate(self.probability(ours), self.runs * times)

    @cached_property
    def event(self) -> Event:
        """The event that needs the fewest runs, of those around what ours truly counts.

        It is chosen by the exact laws of the right mechanism and of the faults, so no run takes part in the choice:
        the runs that are judged are a batch of their own.
        """
        reach = range(math.ceil(2 * scale(self.toy, 1.0)) + 1)
        events = [
            Event(query, true - width, true + width, least)
            for query, true in enumerate(self.true(True))
            for width in reach
            for least in range(1, self.toy.rounds + 1)
        ]
        return min(events, key=self._runs_needed)

    def _runs_needed(self, event: Event) -> float:
        needed = 0.0
        for ours in (True, False):
            right, *wrong = (self.laws[ours, spending].probability(event) for spending in (RIGHT, *FAULTS.values()))
            for other in wrong:
                spread = SURE[0] * math.sqrt(right * (1 - right)) + SURE[1] * math.sqrt(other * (1 - other))
                needed = max(needed, (spread / max(abs(other - right), 1e-9)) ** 2)
        return needed

    @cached_property
    def problem(self) -> PublicProblem:
        shape = tables.domain(len(self.toy.public))
        workload = Workload.all_kway(shape, 1)
        if self.toy.prefixes:
            workload = Workload(tables.ordered(shape, len(self.toy.public)), (), (PrefixTable(0),))
        return PublicProblem(workload, Support.of(_rows(workload, self.toy.public)))

    @cached_property
    def schedule(self) -> Schedule:
        toy = self.toy
        share = split(ZCDP.at_most(Fraction(toy.rho)), toy.rounds, rows_per_person=toy.sensitivity)
        return Schedule(toy.rounds, share, sensitivity=toy.sensitivity, replay_seed=toy.replay_seed)

    def counts(self, ours: bool) -> PrivateCounts:
        workload, of_level = self.problem.workload, self.toy.ours if ours else self.toy.theirs
        return count(workload, _rows(workload, (*of_level, self.toy.n - sum(of_level))))


def _rows(workload: Workload, of_level: tuple[int, ...]) -> Dataset:
    """So many rows of each level; those of a level beyond the last have none."""
    return Dataset(workload.domain, [[level] for level, rows in enumerate(of_level) for _ in range(rows)])


def _of_two(rounds: int, runs: int) -> Case:
    """One row that satisfies nothing gets the level that is asked for most."""
    return Case(Toy((70, 31), (2, 9), (3, 9), 17, rounds, 0.09 * rounds), runs, lazy=False)


def _of_three(rounds: int, runs: int) -> Case:
    """A person's two rows move, one from the level that is asked for most."""
    return Case(Toy((63, 26, 14), (2, 8, 3), (1, 7, 5), 19, rounds, 0.25 * rounds, sensitivity=2), runs, lazy=True)


def _of_prefixes(rounds: int, runs: int) -> Case:
    """A person's two rows move from the first of four levels to the last, so that all three prefixes move by two."""
    toy = Toy((63, 6, 14, 20), (2, 9, 3, 1), (0, 9, 3, 3), 19, rounds, 0.25 * rounds, sensitivity=2, prefixes=True)
    return Case(toy, runs, lazy=True)


CASES = {
    "two queries, T = 1": _of_two(1, 3_000),
    "two queries, T = 2": _of_two(2, 1_800),
    "two queries, T = 3": _of_two(3, 1_400),
    "three queries, T = 1": _of_three(1, 2_400),
    "three queries, T = 2": _of_three(2, 1_400),
    "three queries, T = 3": _of_three(3, 1_200),
    "three prefixes, T = 1": _of_prefixes(1, 2_400),
    "three prefixes, T = 2": _of_prefixes(2, 1_400),
}
