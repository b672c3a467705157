"""Floors and starts over workloads with prefixes: against scipy's linear program, brute force, and all neighbours."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from support import mixtures, tables
from support.mixtures import Problem
from support.statistical import AUDIT

from pmwpub.mechanisms.best_mixture import interval as interval_best_mixture
from pmwpub.mechanisms.best_mixture.interval import BestMixture
from pmwpub.mechanisms.noisy_error.assessment import start_steps
from pmwpub.mechanisms.noisy_error.release_error import error_steps
from pmwpub.queries.incidence import PublicProblem
from pmwpub.queries.prefix_tables import PrefixTable
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset, Distribution, Support

LP_ERROR = Fraction(1, 10**9)


def random_problem(generator: np.random.Generator) -> Problem:
    """Two or three attributes, the first ordered, perhaps with a level behind; prefixes alone, or cells too."""
    sizes = [int(size) for size in generator.integers(2, 6, generator.integers(2, 4))]
    shape = tables.ordered(tables.domain(*sizes), int(generator.integers(2, sizes[0] + 1)), *[0] * (len(sizes) - 1))
    workload = Workload.all_kway(shape, int(generator.integers(1, 3)), prefixes=["a0"])
    if generator.random() < 0.3:
        workload = Workload(shape, (), workload.prefixes)
    seed = int(generator.integers(10**6))
    private = tables.table(shape, int(generator.integers(1, 50)), seed, no_level=True)
    return Problem(private, workload, tables.support(shape, int(generator.integers(1, 30)), seed + 1))


def problems(cases: int, seed: int) -> list[Problem]:
    generator = np.random.default_rng(seed)
    return [random_problem(generator) for _ in range(cases)]


@pytest.mark.parametrize("small", [0, 5_000], ids=["descent first", "program first"])
def test_the_interval_contains_the_optimum_and_closes(small: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interval_best_mixture, "SMALL", small)
    for problem in problems(80 * AUDIT, 1):
        found, expected = mixtures.solved(problem).interval, mixtures.optimum(problem)
        assert found.lower - LP_ERROR <= expected <= found.upper + LP_ERROR
        assert found.width <= LP_ERROR
        assert mixtures.exact_error(problem, found.weights) == found.upper


def test_a_floor_over_prefixes_alone_by_hand() -> None:
    """One private row at each of ten levels, atoms at 0, 2, 4, 6, 8 and 9: "at most 0" and "at most 1" have the same
    weight in a mixture and are .1 and .2, so one of them is off by .05; .15, .2, .2, .2, .15 and .1 are off by no more.
    """
    shape, levels = tables.ordered(tables.domain(10), 10), [[0], [2], [4], [6], [8], [9]]
    private, support = Dataset(shape, [[x] for x in range(10)]), Support.of(Dataset(shape, levels))
    problem = Problem(private, Workload(shape, (), (PrefixTable(0),)), support)
    assert mixtures.exact_error(problem, np.array([15, 20, 20, 20, 15, 10])) == Fraction(1, 20)
    found = mixtures.solved(problem).interval
    assert found.lower - LP_ERROR <= Fraction(1, 20) <= found.upper + LP_ERROR


@pytest.mark.parametrize("k", [1, 3])
def test_floors_and_starts_move_by_at_most_k_over_n(k: int) -> None:
    generator = np.random.default_rng(3)
    for problem in problems(60 * AUDIT, 4):
        n, other = len(problem.private), problem.neighbour(k, generator)
        ours, theirs = (mixtures.solved(one).interval for one in (problem, other))
        assert ours.lower - theirs.upper <= Fraction(k, n)
        assert theirs.lower - ours.upper <= Fraction(k, n)
        public = PublicProblem(problem.workload, problem.support)
        assert abs(start_steps(problem.counts, public, 64) - start_steps(other.counts, public, 64)) <= 64 * k


def test_starts_and_errors_of_releases_equal_brute_force() -> None:
    for problem in problems(40, 6):
        rows, n = problem.support.rows, len(problem.private)
        public = PublicProblem(problem.workload, problem.support)
        steps = [
            abs(64 * c - (64 * 2 * n * s + rows) // (2 * rows))
            for c, s in zip(
                tables.brute_counts(problem.workload, problem.private),
                (problem.incidence @ problem.support.multiplicity).astype(int).tolist(),
                strict=True,
            )
        ]
        assert start_steps(problem.counts, public, 64) == max(steps)
        released = Distribution.uniform(problem.support)
        answers = problem.incidence.mean(axis=1)
        gaps = np.abs(np.array(tables.brute_counts(problem.workload, problem.private)) / n - answers)
        assert error_steps(problem.counts, problem.workload, released, 64) == pytest.approx(64 * n * gaps.max(), abs=1)


def test_atoms_that_no_query_tells_apart_are_merged_by_all_tables() -> None:
    """A prefix table alone names its columns: an atom that differs in one of them stays."""
    shape = tables.ordered(tables.domain(3, 2, 2), 3, 0, 0)
    support = Support.full(shape)
    private = Dataset(shape, [[2, 1, 0]])
    workload = Workload(shape, (), (PrefixTable(0, (1,)),))
    found = BestMixture(Problem(private, workload, support).counts, workload, support)
    assert mixtures.exact_error(Problem(private, workload, support), found.interval.weights) == found.interval.upper
    assert mixtures.solved(Problem(private, workload, support)).interval.upper == 0
