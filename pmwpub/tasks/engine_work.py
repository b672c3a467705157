"""Both engines, and the public table unchanged, tried on public tables alone: one table plays the truth.

PMW^Pub is tried with more and more rounds, by a factor of about 1.4, until three numbers of rounds in a row were
worse than the best one; how far that goes depends on public tables and on seeds alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from pmwpub.evaluation import PMW_PUB, TABLE_FIT, TABLE_FIT_THREE_WAY, UNCHANGED, Run, SimulatedError, Stage
from pmwpub.evaluation.runs import play, refusal_of
from pmwpub.evaluation.sweep_results import mean_of
from pmwpub.evaluation.verdicts import WORTH
from pmwpub.progress import Progress

ROUNDS = (5, 7, 10, 14, 20, 28, 40, 56, 80, 113, 160, 226)
FITS = 2
"""Runs of table fit over all truths together, one for each at least: it has no T to be found, and takes longest."""
PATIENCE = 3
"""How many numbers of rounds in a row may be worse than the best before it."""


@dataclass(frozen=True, eq=False, repr=False)
class EngineWork:
    """What is tried.

    stages     each table that plays the truth -> its counts, with one support, that of `candidate`
    epsilon    at the stages' delta
    runs       of PMW^Pub, at each number of rounds on each truth
    three_way  whether table fit is tried with tables of three columns as well
    """

    stages: Mapping[str, Stage]
    candidate: str
    epsilon: float
    runs: int
    three_way: bool = False


@dataclass(frozen=True)
class Way:
    """One way to publish, and the largest error that it had on public tables.

    engine          "table-fit", "table-fit-three-way", "pmw-pub" or "unchanged"
    rounds          of PMW^Pub; 0 for the others
    mean            of the largest error over the workload that was tried
    standard_error  of that mean over the runs; 0 for the table unchanged on one truth
    """

    engine: str
    rounds: int
    mean: float
    standard_error: float


def try_engines(work: EngineWork, progress: Progress) -> list[Way]:
    """The ways to publish: unchanged, table fit without and with tables of three columns, and PMW^Pub at its best
    rounds, as far as they are asked for and can be run."""
    total = len(ROUNDS) + 2
    progress(0, total)
    found = [_way(work, UNCHANGED, 0, 1)]
    progress(1, total)
    for fit in (TABLE_FIT, TABLE_FIT_THREE_WAY) if work.three_way else (TABLE_FIT,):
        if not _refused(work, fit, 0):
            found.append(_way(work, fit, 0, max(1, FITS // len(work.stages))))
    tried: list[Way] = []
    for way in _by_rounds(work):
        tried.append(way)
        progress(2 + len(tried), total)
    if tried:
        found.append(tried[best_place([way.mean for way in tried])])
    progress(total, total)
    return found


def best_place(means: Sequence[float]) -> int:
    """The first place within a tenth of the least error, each weighed with its neighbours.

    One lucky mean of a few runs decides nothing then. Fewer rounds are taken where they do as well: over the whole
    workload and on another table too many of them cost more than in a trial.

    means  the mean largest errors at ascending numbers of rounds, each above zero or all of one place
    """
    logs = [math.log(max(mean, 1e-12)) for mean in means]
    smooth = [fmean([logs[max(0, i - 1)], log, log, logs[min(len(logs) - 1, i + 1)]]) for i, log in enumerate(logs)]
    return next(place for place, log in enumerate(smooth) if log <= min(smooth) + math.log1p(WORTH))


def _by_rounds(work: EngineWork) -> Iterator[Way]:
    best, worse = math.inf, 0
    for rounds in ROUNDS:
        if worse == PATIENCE or _refused(work, PMW_PUB, rounds):
            return
        way = _way(work, PMW_PUB, rounds, work.runs)
        best, worse = min(best, way.mean), 0 if way.mean < best else worse + 1
        yield way


def _refused(work: EngineWork, method: str, rounds: int) -> bool:
    return any(refusal_of(stage, method, work.epsilon, rounds) for stage in work.stages.values())


def _way(work: EngineWork, method: str, rounds: int, runs: int) -> Way:
    made = [
        play(stage, Run(work.candidate, method, work.epsilon, rounds, seed))
        for stage in work.stages.values()
        for seed in range(runs)
    ]
    errors = [one.max_error for one in made if isinstance(one, SimulatedError)]
    return Way(method, rounds, *mean_of(errors))
