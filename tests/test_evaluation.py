"""Errors by hand, and the shape of a sweep."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
import tables

from pmwpub.evaluation import PMW_PUB, UNCHANGED, errors, errors_of, halves, resampled, simulate, summarise
from pmwpub.queries.counts import PrivateCounts, count
from pmwpub.queries.incidence import PublicProblem
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset, Distribution, Support

SHAPE = tables.domain(3, 2, 2)


def test_errors_by_hand() -> None:
    """Counts 3, 1, 0 of 4 against 1/2, 1/2, 0: gaps 1/4, 1/4, 0."""
    found = errors(PrivateCounts(np.array([3, 1, 0]), 4), np.array([5, 5, 0]), 10)
    assert found.max_error == 0.25
    assert found.mean_error == pytest.approx(1 / 6)
    assert found.rms_error == pytest.approx(math.sqrt(2 / 16 / 3))


def test_the_table_itself_has_no_error_on_itself() -> None:
    dataset = tables.table(SHAPE, 64, 1)
    workload = Workload.all_kway(SHAPE, 2)
    support = Support.of(dataset)
    found = errors_of(count(workload, dataset), PublicProblem(workload, support), Distribution.empirical(support))
    assert found.max_error < 1e-12


def test_a_sweep_has_each_method_candidate_epsilon_and_run() -> None:
    workload = Workload.all_kway(SHAPE, 2)
    counts = count(workload, tables.table(SHAPE, 500, 1))
    problems = {name: PublicProblem(workload, tables.support(SHAPE, 40, seed)) for name, seed in (("b", 2), ("c", 3))}
    seen: list[tuple[int, int]] = []
    found = simulate(
        counts, problems, epsilons=(0.5, 2.0), delta=Fraction(1, 250_000), rounds=(2, 5), runs=3,
        progress=lambda done, total: seen.append((done, total)),
    )  # fmt: skip
    pmw = [line for line in found if line.method == PMW_PUB]
    unchanged = [line for line in found if line.method == UNCHANGED]
    assert len({(line.candidate, line.epsilon, line.rounds, line.seed) for line in pmw}) == 2 * 2 * 2 * 3 == len(pmw)
    assert len({(line.candidate, line.epsilon) for line in unchanged}) == 4 == len(unchanged)
    assert seen == [(done, 24) for done in range(24)]
    start = errors(counts, problems["b"].start_sums, problems["b"].support.rows).max_error
    assert {line.max_error for line in unchanged if line.candidate == "b"} == {start}


def test_a_summary_is_the_mean_and_its_standard_error() -> None:
    from pmwpub.evaluation import SimulatedError

    lines = [SimulatedError(PMW_PUB, "b", 1.0, 5, seed, value, 0, 0) for seed, value in enumerate((0.1, 0.2, 0.3))]
    (found,) = summarise(lines)
    assert (found.runs, found.mean) == (3, pytest.approx(0.2))
    assert found.standard_error == pytest.approx(0.1 / math.sqrt(3))
    assert summarise(lines[:1])[0].standard_error == 0.0


def test_resampling_and_halving_keep_to_the_table() -> None:
    dataset = tables.table(SHAPE, 41, 5)
    rows = {tuple(row) for row in dataset.codes.tolist()}
    drawn = resampled(dataset, 1000, 0)
    assert len(drawn) == 1000
    assert {tuple(row) for row in drawn.codes.tolist()} <= rows
    first, second = halves(dataset, 0)
    assert (len(first), len(second)) == (20, 21)
    together = sorted(map(tuple, [*first.codes.tolist(), *second.codes.tolist()]))
    assert together == sorted(map(tuple, Dataset(SHAPE, dataset.codes).codes.tolist()))
