"""The largest error to expect of one engine with one candidate: the one source of that number for all who say it.

A sweep over the whole workload that reaches epsilon comes first; then a trial of the engines at that very epsilon; then
a sweep whose nearest epsilon is another one. Public numbers and released ones alone go in, and nothing is run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pmwpub.evaluation import TABLE_FIT, TABLE_FIT_THREE_WAY, UNCHANGED
from pmwpub.evaluation.verdicts import CLEARLY
from pmwpub.service.bought.assessments import assessments
from pmwpub.service.bought.latest_numbers import latest_of_all
from pmwpub.service.choosing.expected_error import BoughtNumbers, ExpectedError, expected_errors
from pmwpub.service.choosing.simulated_pairs import SimulatedPairs, key_of, pairs_at
from pmwpub.service.core import Service
from pmwpub.service.inputs.study import Study
from pmwpub.service.simulations.engine_trials import TRIAL, trial
from pmwpub.service.simulations.sweep_range import truths


def bought_numbers(service: Service, current: Study) -> dict[str, BoughtNumbers]:
    """The latest floor and start that were bought of each candidate, by its key."""
    known = latest_of_all(assessments(service, current), current)
    return {key_of(one): BoughtNumbers(found.floor, found.start) for one, found in known.items()}


def expected_of_engine(
    service: Service,
    current: Study,
    pool: Sequence[str],
    epsilon: float,
    engine: str,
    bought: Mapping[str, BoughtNumbers],
) -> tuple[ExpectedError | None, SimulatedPairs]:
    """What to expect, and where that comes from, of those who played the private table this candidate's own ones where
    it has any; None where nothing tells.

    engine  "table-fit", "table-fit-three-way" or "pmw-pub"; tables of three columns change the error of table fit by
            the factor that a trial found
    bought  as `bought_numbers` has them
    """
    if engine == TABLE_FIT_THREE_WAY:
        return _of_three_way(service, current, pool, epsilon, bought)
    pairs = pairs_at(service, current, epsilon, engine)
    found = next(iter(expected_errors(pairs.pairs, bought, [key_of(pool)], engine=engine)), None)
    if found is not None and found.truths:
        names = truths(current)
        pairs = replace(pairs, truths=tuple(name for key, name in names.items() if key in found.truths))
    if found is not None and pairs.reached:
        return found, pairs
    return _tried(service, current, pool, epsilon, engine) or (found, pairs)


def _of_three_way(
    service: Service, current: Study, pool: Sequence[str], epsilon: float, bought: Mapping[str, BoughtNumbers]
) -> tuple[ExpectedError | None, SimulatedPairs]:
    """That of table fit, times what its trial found tables of three columns to change; that itself where none ran."""
    plain, pairs = expected_of_engine(service, current, pool, epsilon, TABLE_FIT, bought)
    if plain is None or not service.ledger.documents(current.population.name, TRIAL):
        return plain, pairs
    known = trial(service, current, pool, epsilon)
    with_them, without = known.of(TABLE_FIT_THREE_WAY), known.of(TABLE_FIT)
    if with_them is None or without is None or without.mean <= 0.0:
        return plain, pairs
    factor = with_them.mean / without.mean
    return replace(plain, error=plain.error * factor, low=plain.low * factor, high=plain.high * factor), pairs


def _tried(
    service: Service, current: Study, pool: Sequence[str], epsilon: float, engine: str
) -> tuple[ExpectedError, SimulatedPairs] | None:
    """What a stored trial found of an engine; of a floor it says nothing, which 0 stands for."""
    if not service.ledger.documents(current.population.name, TRIAL):
        return None
    known = trial(service, current, pool, epsilon)
    way, free = known.of(engine), known.of(UNCHANGED)
    if way is None or free is None:
        return None
    bar = CLEARLY * way.standard_error
    expected = ExpectedError(
        key_of(pool), way.mean, max(0.0, way.mean - bar), way.mean + bar, 0.0, free.mean, len(known.truths)
    )
    part = 0 if known.marginals == len(current.workload().tables) else known.marginals
    return expected, SimulatedPairs((), known.truths, part=part)
