"""Proposition A.1 and Theorem 4.4: the error bound with its constants, held by runs in the paper's setting."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from paper import oracles
from scipy import stats
from support import tables

from pmwpub.mechanisms.pmw_pub.algorithm import Output, Replay, Schedule, pmw_pub
from pmwpub.privacy.budget import ZCDP
from pmwpub.privacy.round_share import split
from pmwpub.privacy.selection import PermuteAndFlip
from pmwpub.queries.counts import count
from pmwpub.queries.incidence import PublicProblem
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset
from pmwpub.theory import accuracy_bound

SHAPE = tables.domain(2, 3, 2)
WORKLOAD = Workload.all_kway(SHAPE, 2)
BETA, ROUNDS, RUNS = 0.05, 100, 20
N = 200_000


def test_runs_in_the_papers_setting_stay_within_the_bound() -> None:
    rng = np.random.default_rng(3)
    cells = np.array(tables.all_targets(SHAPE))
    private = Dataset(SHAPE, cells[rng.choice(len(cells), size=N, p=rng.dirichlet(np.ones(len(cells))))])
    support = tables.support(SHAPE, 12, 11)
    problem, counts = PublicProblem(WORKLOAD, support), count(WORKLOAD, private)
    truth, matrix = counts.counts / N, oracles.membership(WORKLOAD, support.codes)
    floor = oracles.best_mixture_error(WORKLOAD, truth, support)
    bound = accuracy_bound(1.0, ROUNDS, n=N, m=support.rows, queries=WORKLOAD.queries, beta=BETA, best_mixture=floor)
    share = split(ZCDP.at_most(Fraction(1, 2)), ROUNDS, selection=PermuteAndFlip)
    schedule = Schedule(ROUNDS, share, output=Output.AVERAGE, replay=Replay.OFF)
    averages = [pmw_pub(counts, problem, schedule).distribution.weights for _ in range(RUNS)]
    failures = sum(float(np.abs(truth - matrix @ weights).max()) > bound for weights in averages)
    assert bound < 1, "the bound says something here"
    assert stats.binom.sf(failures - 1, RUNS, BETA) > 1e-6


def test_the_bound_rises_with_queries_and_floor_and_falls_with_private_rows() -> None:
    def at(**changed: float) -> float:
        facts = {"n": 10**6, "m": 10**4, "queries": 10**4, "beta": 0.05, "best_mixture": 0.01} | changed
        return accuracy_bound(1.0, 100, **facts)

    assert at(queries=10**6) > at()
    assert at(best_mixture=0.02) - at() == pytest.approx(2 * 0.01)
    assert at(n=10**7) < at()
    assert at(m=10**6) > at()
    assert at(beta=0.01) > at()
