"""Baselines where a column has a parent: each runs, ends near the truth, and those with rows contradict nothing."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import tables
from support.fakes import SeededNoise
from support.statistical import AUDIT

from pmwpub.domain import Attribute, Domain, Nesting
from pmwpub.evaluation.baseline_registry import BASELINES, PEERS, TABLE_FIT, baseline_of
from pmwpub.evaluation.truths.run_terms import Case, RunTerms
from pmwpub.mechanisms.baselines.best_response import RowOrigin, SolverLimits, best_response
from pmwpub.mechanisms.baselines.graphical.fitted_model import MISSING
from pmwpub.mechanisms.baselines.query_samples import SignedQuery
from pmwpub.privacy.budget import ZCDP
from pmwpub.queries.counts import count
from pmwpub.queries.incidence import PublicProblem
from pmwpub.queries.workload import Workload
from pmwpub.records import Codes, Dataset, Support

STATE_OF = np.array([0, 0, 1, 1])
PLACES = Domain(
    (Attribute("county", tuple("abcd")), Attribute("job", tuple("xyz")), Attribute("state", ("s", "t"))),
    (Nesting(0, 2, tuple(STATE_OF.tolist())),),
)
WORKLOAD = Workload.all_kway(PLACES, 2)


def people(rows: int, seed: int) -> Dataset:
    rng = np.random.default_rng(seed)
    county = rng.integers(4, size=rows)
    return Dataset(PLACES, np.stack([county, rng.integers(3, size=rows), STATE_OF[county]], axis=1))


@pytest.mark.parametrize("name", [TABLE_FIT, *BASELINES, *(PEERS if AUDIT > 1 else ())])
def test_each_baseline_runs_and_ends_near_the_truth(name: str) -> None:
    private = people(2_000, 1)
    terms = RunTerms(WORKLOAD, len(private), ZCDP.at_most(Fraction(20)))
    problem = PublicProblem(WORKLOAD, Support.of(people(60, 2)))
    case = Case(terms, count(WORKLOAD, private), private, problem, 60, 0, SeededNoise(1))
    baseline = baseline_of(name)
    if baseline.refusal(terms) == MISSING:
        pytest.skip(MISSING)
    assert baseline.refusal(terms) == ""
    assert baseline.errors(case).max_error < (0.1 if name in ("ji-elkan", "dual-query") else 0.02)


def rows_that_are() -> Codes:
    return Support.full(PLACES).codes


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 30), st.integers(0, 10_000))
def test_a_row_of_dual_query_has_the_parent_of_its_child_and_no_move_betters_it(size: int, seed: int) -> None:
    generator = random.Random(seed)
    sample = [SignedQuery(generator.randrange(WORKLOAD.queries), generator.random() < 0.6) for _ in range(size)]
    found = best_response(WORKLOAD, sample, SolverLimits(), ties=random.Random(seed))
    satisfied = [
        sum(tables.satisfied(WORKLOAD, one.query, row) == one.positive for one in sample) for row in rows_that_are()
    ]
    assert found.found is RowOrigin.HEURISTIC
    at = [tuple(row) for row in rows_that_are().tolist()].index(found.row)
    assert satisfied[at] == found.satisfied
    near = np.sum(rows_that_are()[:, :2] != np.array(found.row)[:2], axis=1) == 1
    assert max(np.array(satisfied)[near]) <= found.satisfied
