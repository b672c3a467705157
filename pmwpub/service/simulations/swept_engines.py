"""What stored sweeps say of both engines with one candidate: a trial asks the same, and need not be made then."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from pmwpub.evaluation import ENGINES, PMW_PUB, TABLE_FIT, TABLE_FIT_THREE_WAY, UNCHANGED, best_lines
from pmwpub.service.choosing.error_laws import PublicPair
from pmwpub.service.choosing.simulated_pairs import key_of, pairs_of
from pmwpub.service.core import Service
from pmwpub.service.inputs.study_store import Study
from pmwpub.service.simulations.explorations import Exploration, explorations
from pmwpub.service.simulations.sweep_range import WHOLE, played, truths
from pmwpub.tasks.engine_work import Way


def swept_ways(
    service: Service, current: Study, candidates: Sequence[str], epsilon: float
) -> tuple[tuple[Way, ...], tuple[str, ...]]:
    """The table unchanged, table fit and PMW^Pub, in the mean over the truths that both engines were played on; table
    fit with tables of three columns where it was played on the same ones; and who played them, by name.

    Nothing where an engine was not simulated with these tables, or epsilon lies outside of what was.
    """
    stored = [one for one in explorations(service, current) if _with(current, one, candidates)]
    pairs = {engine: _own(current, stored, candidates, epsilon, engine) for engine in ENGINES}
    common = set(pairs[TABLE_FIT]) & set(pairs[PMW_PUB])
    if not common:
        return (), ()
    means = {engine: fmean(own[truth].error for truth in common) for engine, own in pairs.items()}
    start = fmean(pairs[TABLE_FIT][truth].start for truth in common)
    rounds = _rounds(current, stored, candidates, epsilon)
    threes = _own(current, stored, candidates, epsilon, TABLE_FIT_THREE_WAY)
    ways: tuple[Way, ...] = (
        Way(UNCHANGED, 0, start, 0.0),
        Way(TABLE_FIT, 0, means[TABLE_FIT], 0.0),
        Way(PMW_PUB, rounds, means[PMW_PUB], 0.0),
    )
    if common <= set(threes):
        ways += (Way(TABLE_FIT_THREE_WAY, 0, fmean(threes[truth].error for truth in common), 0.0),)
    return ways, tuple(name for truth, name in truths(current).items() if truth in common)


def _with(current: Study, found: Exploration, candidates: Sequence[str]) -> bool:
    """Whether these tables, all of their rows, were a candidate of a finished sweep."""
    if found.simulation is None:
        return False
    known = played(current, found.truth, found.terms).values()
    return (tuple(sorted(candidates)), WHOLE) in [(tuple(sorted(pool)), share) for pool, share in known]


def _own(
    current: Study, stored: Sequence[Exploration], candidates: Sequence[str], epsilon: float, engine: str
) -> dict[str, PublicPair]:
    """By who played the truth, what came of these tables with one engine; none where epsilon was not reached."""
    found = pairs_of(current, stored, epsilon, engine)
    if not found.reached:
        return {}
    return {pair.truth: pair for pair in found.pairs if pair.candidate == key_of(candidates)}


def _rounds(current: Study, stored: Sequence[Exploration], candidates: Sequence[str], epsilon: float) -> int:
    """T of PMW^Pub's best line at the simulated epsilon that is nearest, in the latest sweep that has one."""
    name = current.known_names(sorted(candidates))
    lines = [
        line
        for one in stored
        if one.simulation is not None
        for line in best_lines(one.simulation.errors)
        if line.candidate == name
    ]
    return min(lines, key=lambda line: abs(line.epsilon - epsilon)).rounds
