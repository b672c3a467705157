"""What workers compute on public tables alone: candidate against candidate, and whether an assessment would resolve."""

from __future__ import annotations

import time
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from pmwpub.evaluation import WeighedTruth, errors
from pmwpub.mechanisms.best_mixture.interval import BestMixture
from pmwpub.progress import Progress
from pmwpub.queries.counts import PrivateCounts, count
from pmwpub.queries.incidence import PublicProblem
from pmwpub.queries.repeated_rows import RepeatedRows
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset, Support

PAIR_STEPS = 40


@dataclass(frozen=True, eq=False)
class Pair:
    """A public table that plays the truth, by name, and the support that plays its candidate; all public."""

    truth: str
    candidate: str
    rows: Dataset | RepeatedRows | WeighedTruth
    support: Support


@dataclass(frozen=True, eq=False)
class ComparisonWork:
    """Pairs to compare over one workload.

    width  the width of a pair's interval, as a share of the rows, at which its work stops
    steps  the most refinements of a pair
    """

    workload: Workload
    pairs: tuple[Pair, ...]
    width: Fraction
    steps: int = PAIR_STEPS


@dataclass(frozen=True)
class PairFacts:
    """How well one public table could stand for another; all public.

    lower, upper  certified bounds of the best-mixture error
    start         the error of the candidate unchanged
    covered       the share of the truth's rows that are atoms of the candidate
    empty         queries that no atom of the candidate satisfies although a row of the truth does
    seconds       work until the interval was this narrow
    """

    truth: str
    candidate: str
    lower: float
    upper: float
    start: float
    covered: float
    empty: int
    seconds: float


def compare(work: ComparisonWork, progress: Progress) -> list[PairFacts]:
    """Compare every pair in turn."""
    found = []
    total = len(work.pairs) * work.steps
    for place, pair in enumerate(work.pairs):
        counts = _counts(work.workload, pair.rows)
        began = time.process_time()
        state = BestMixture(counts, work.workload, pair.support)
        for step in range(work.steps):
            progress(place * work.steps + step, total)
            if state.exhausted or state.interval.upper - state.interval.lower <= work.width:
                break
            state.refine()
        found.append(_facts(pair, counts, state, work.workload, time.process_time() - began))
    progress(total, total)
    return found


def _counts(workload: Workload, rows: Dataset | RepeatedRows | WeighedTruth) -> PrivateCounts:
    return rows.counts(workload) if isinstance(rows, WeighedTruth) else count(workload, rows)


def _facts(pair: Pair, counts: PrivateCounts, state: BestMixture, workload: Workload, seconds: float) -> PairFacts:
    problem = PublicProblem(workload, pair.support)
    return PairFacts(
        truth=pair.truth,
        candidate=pair.candidate,
        lower=float(state.interval.lower),
        upper=float(state.interval.upper),
        start=errors(counts, problem.start_sums, pair.support.rows).max_error,
        covered=_covered(pair.rows, pair.support),
        empty=int(np.sum((problem.start_sums == 0) & (counts.counts > 0))),
        seconds=seconds,
    )


def _covered(rows: Dataset | RepeatedRows | WeighedTruth, support: Support) -> float:
    """The share of the rows, or of their weight, that are atoms of the support."""
    repeats = None if isinstance(rows, Dataset) else rows.repeats
    both = np.concatenate([support.codes, rows.codes])
    _, kinds = np.unique(both, axis=0, return_inverse=True)
    atoms = np.isin(kinds.ravel()[len(support) :], kinds.ravel()[: len(support)])
    return float(np.average(atoms, weights=repeats))
