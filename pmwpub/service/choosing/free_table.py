"""Whether a public table is good enough as it is: nothing private is read for it then, and nothing is spent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pmwpub.evaluation import ENGINES
from pmwpub.noisy_interval import NoisyInterval
from pmwpub.service.bought.assessments import Assessed
from pmwpub.service.bought.latest_numbers import latest_of_all
from pmwpub.service.choosing.engine_expectation import bought_numbers, expected_of_engine
from pmwpub.service.choosing.expected_error import ExpectedError
from pmwpub.service.choosing.preselection import Preselection
from pmwpub.service.choosing.simulated_pairs import Pool, key_of
from pmwpub.service.core import Service
from pmwpub.service.inputs.study import Study


@dataclass(frozen=True)
class FreeTable:
    """A public table, or several merged, whose error unchanged is small enough as far as it is known.

    error   the largest one over the workload
    bought  whether its noisy start was bought; else the error is expected, by simulations in which `truths` played the
            private table
    """

    pool: Pool
    error: float
    bought: bool
    truths: tuple[str, ...] = ()


def start_known(service: Service, current: Study, pool: Sequence[str], epsilon: float) -> FreeTable | None:
    """What is known of the error of a public table unchanged; None where nothing is.

    epsilon  at which simulations are looked up; the error does not depend on it
    """
    bought, pool = bought_numbers(service, current), tuple(sorted(pool))
    own = bought.get(key_of(pool))
    by_engine = (expected_of_engine(service, current, pool, epsilon, engine, bought)[0] for engine in ENGINES)
    expected = next((one for one in by_engine if one is not None), None)
    return _known(pool, None if own is None else own.start, expected)


def good_enough_for_free(
    current: Study, bought: Sequence[Assessed], offered: Sequence[Pool], found: Preselection, wanted: float
) -> FreeTable | None:
    """The one of the least error unchanged among those offered, where that is at most what is wanted; else None.

    A candidate's start is the estimate that its expected error rests on, else the bought one.
    """
    known = latest_of_all(bought, current)
    starts: dict[Pool, FreeTable] = {}
    for pool in (tuple(sorted(one)) for one in offered):
        own = known.get(pool)
        if (free := _known(pool, None if own is None else own.start, found.of(pool))) is not None:
            starts[pool] = free
    best = min(starts.values(), key=lambda one: one.error, default=None)
    return best if best is not None and best.error <= wanted else None


def _known(pool: Pool, start: NoisyInterval | None, expected: ExpectedError | None) -> FreeTable | None:
    """By what its expected error rests on, else by the noisy start that was bought."""
    if expected is not None:
        return FreeTable(pool, expected.start, start is not None, expected.truths)
    return None if start is None else FreeTable(pool, start.estimate, True)
