"""The largest error to expect of one engine with one candidate: the one source of that number for all who say it.

A sweep over the whole workload that reaches epsilon comes first; then a trial of the engines at that very epsilon; then
a sweep whose nearest epsilon is another one. Public numbers and released ones alone go in, and nothing is run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pmwpub.evaluation import UNCHANGED
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

    engine  "table-fit" or "pmw-pub"
    bought  as `bought_numbers` has them
    """
    pairs = pairs_at(service, current, epsilon, engine)
    found = next(iter(expected_errors(pairs.pairs, bought, [key_of(pool)], engine=engine)), None)
    if found is not None and found.truths:
        names = truths(current)
        pairs = replace(pairs, truths=tuple(name for key, name in names.items() if key in found.truths))
    if found is not None and pairs.reached:
        return found, pairs
    return _tried(service, current, pool, epsilon, engine) or (found, pairs)


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
    part = 0 if known.marginals == len(current.workload().marginals) else known.marginals
    return expected, SimulatedPairs((), known.truths, part=part)
