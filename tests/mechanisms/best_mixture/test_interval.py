"""The certified interval against scipy's linear program, fractions by brute force, and hand calculations."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from support import mixtures, tables
from support.mixtures import Problem
from support.statistical import AUDIT

from pmwpub.errors import DomainError
from pmwpub.mechanisms.best_mixture import interval as interval_best_mixture
from pmwpub.mechanisms.best_mixture.bounds import (
    MixtureInterval,
    dual_bound,
    forced_error,
    largest_error,
    whole_weights,
)
from pmwpub.mechanisms.best_mixture.interval import BestMixture
from pmwpub.queries.counts import PrivateCounts, count
from pmwpub.queries.incidence import PublicProblem
from pmwpub.queries.workload import Marginal, Workload
from pmwpub.records import Dataset, Support

LP_ERROR = 1e-9
CASES = 500 * AUDIT


def problem_of(private: object, public: object, k: int = 1, shape: tuple[int, ...] = (2, 2)) -> Problem:
    domain = tables.domain(*shape)
    support = Support.of(Dataset(domain, np.array(public)))
    return Problem(Dataset(domain, np.array(private)), Workload.all_kway(domain, k), support)


def check_against_scipy(cases: int, seed: int) -> None:
    for problem in mixtures.random_problems(cases, seed):
        interval = mixtures.solved(problem).interval
        expected = mixtures.optimum(problem)
        assert interval.lower - Fraction(LP_ERROR) <= expected <= interval.upper + Fraction(LP_ERROR)
        assert interval.width <= Fraction(1, 10**9)


def test_the_interval_contains_the_optimum_and_closes() -> None:
    check_against_scipy(CASES, 1)


def test_the_descent_hands_over_to_the_linear_program_and_the_interval_closes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interval_best_mixture, "SMALL", 0)
    check_against_scipy(100 * AUDIT, 2)


def unforced_problem(atoms: int) -> Problem:
    """Private rows in three clusters, atoms anywhere: no cell is empty, and what the atoms cannot reach decides."""
    generator = np.random.default_rng(5)
    domain = tables.domain(*[2] * 10)
    centres = generator.integers(0, 2, (3, 10))
    private = centres[generator.integers(0, 3, 500)] ^ (generator.random((500, 10)) < 0.05)
    support = Support.of(Dataset(domain, generator.integers(0, 2, (atoms, 10))))
    return Problem(Dataset(domain, private), Workload.all_kway(domain, 3), support)


def test_a_large_problem_that_no_empty_cell_decides_closes_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interval_best_mixture, "SMALL", 0)
    monkeypatch.setattr(interval_best_mixture, "LARGE", 0)
    problem = unforced_problem(80)
    interval = mixtures.solved(problem).interval
    assert forced_error(problem.counts, problem.incidence.sum(axis=1).astype(np.int64), len(problem.support)) < 0.01
    assert interval.lower > 0.02
    assert interval.width <= Fraction(1, 10**9)
    assert float(interval.upper) == pytest.approx(mixtures.optimum(problem), abs=LP_ERROR)


def test_a_program_that_outgrows_its_memory_leaves_the_descent_to_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interval_best_mixture, "SMALL", 0)
    monkeypatch.setattr(interval_best_mixture, "PROGRAM_ENTRIES", 0)
    monkeypatch.setattr(interval_best_mixture, "DESCENT_LIMIT", 600)
    problem = unforced_problem(80)
    interval = mixtures.solved(problem).interval
    expected = mixtures.optimum(problem)
    assert interval.lower - Fraction(LP_ERROR) <= expected <= interval.upper + Fraction(LP_ERROR)
    assert float(interval.width) < expected / 5


def test_a_program_interrupted_after_few_iterations_goes_on_where_it_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interval_best_mixture, "SIMPLEX_ITERATIONS", 3)
    check_against_scipy(50, 3)


@pytest.mark.parametrize("small", [0, 5_000])
def test_refining_only_tightens_and_never_crosses_the_optimum(small: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interval_best_mixture, "SMALL", small)
    monkeypatch.setattr(interval_best_mixture, "STEP_WORK", 1)
    for problem in mixtures.random_problems(60, 4):
        expected = mixtures.optimum(problem)
        state = BestMixture(problem.counts, problem.workload, problem.support)
        before = state.interval
        for _ in range(40):
            after = state.refine()
            assert before.lower <= after.lower <= after.upper <= before.upper
            assert after.lower <= expected + LP_ERROR
            assert after.upper >= expected - LP_ERROR
            before = after


def test_the_upper_end_is_the_error_of_the_mixture_that_comes_with_it() -> None:
    for problem in mixtures.random_problems(60, 5):
        state = BestMixture(problem.counts, problem.workload, problem.support)
        for _ in range(3):
            interval = state.interval
            assert interval.weights.shape == (len(problem.support),)
            assert mixtures.exact_error(problem, interval.weights) == interval.upper
            state.refine()


def test_disjoint_supports_have_error_one_exactly() -> None:
    problem = problem_of([[0, 0], [0, 0]], [[1, 1]], k=2)
    assert BestMixture(problem.counts, problem.workload, problem.support).interval.lower == 1


def test_a_support_that_holds_the_private_rows_has_error_zero() -> None:
    problem = problem_of([[0, 0], [0, 1], [1, 1], [1, 1]], [[0, 0], [0, 1], [1, 0], [1, 1]], k=2)
    interval = mixtures.solved(problem).interval
    assert interval.lower == 0
    assert float(interval.upper) < 1e-15


def test_two_tied_attributes_that_the_private_table_parts_leave_one_half() -> None:
    # The private rows are all (0, 1); a mixture with mass p on (0, 0) and 1 - p on (1, 1) errs by 1 - p and by p.
    problem = problem_of([[0, 1]] * 6, [[0, 0], [1, 1]], k=1)
    interval = mixtures.solved(problem).interval
    assert interval.lower <= Fraction(1, 2) <= interval.upper
    assert interval.width < Fraction(1, 10**15)


def test_an_empty_cell_forces_its_private_mass_and_a_full_one_what_it_lacks() -> None:
    counts = PrivateCounts(np.array([7, 2, 50, 0]), 60)
    assert forced_error(counts, np.array([0, 3, 1, 0]), 5) == Fraction(7, 60)
    assert forced_error(counts, np.array([1, 3, 5, 0]), 5) == Fraction(10, 60)
    assert forced_error(counts, np.array([1, 3, 1, 2]), 5) == 0


def test_private_cells_without_a_level_force_an_error_where_every_atom_has_one() -> None:
    # Attribute 0 is 0 in every atom, and three of five private rows have no level there.
    problem = problem_of([[0, 0], [0, 0], [2, 0], [2, 0], [2, 0]], [[0, 0]], k=1)
    assert BestMixture(problem.counts, problem.workload, problem.support).interval.lower == Fraction(3, 5)


def test_the_largest_error_is_exact_among_queries_that_floats_cannot_tell_apart() -> None:
    total = 2**60
    counts = PrivateCounts(np.array([1, 1, 2]), 3)
    sums = np.array([total // 2, total // 2 - 1, total // 2 + 1])
    expected = max(abs(Fraction(c, 3) - Fraction(s, total)) for c, s in zip([1, 1, 2], sums.tolist(), strict=True))
    assert largest_error(counts, sums, total) == expected


def test_any_query_weights_prove_a_bound_below_the_optimum() -> None:
    generator = np.random.default_rng(6)
    for problem in mixtures.random_problems(100, 6):
        expected = mixtures.optimum(problem)
        public = PublicProblem(problem.workload, problem.support)
        for scale in (1e-30, 1.0, 1e30):
            dual = generator.normal(size=problem.workload.queries) ** 3 * scale
            assert 0 <= dual_bound(problem.counts, public, dual) <= expected + LP_ERROR


def test_query_weights_that_are_no_numbers_prove_nothing() -> None:
    problem = problem_of([[0, 1]], [[0, 0], [1, 1]])
    public = PublicProblem(problem.workload, problem.support)
    for dual in (np.zeros(4), np.full(4, np.nan), np.full(4, np.inf)):
        assert dual_bound(problem.counts, public, dual) == 0


@pytest.mark.parametrize("n", [7, 2**20 + 1, 2**40 + 1, 2**60 + 1])
def test_a_dual_bound_is_exact_whatever_the_size_of_the_counts(n: int) -> None:
    # y = (1/2, 0, 0, 1/2): half of c_0/n + c_3/n, minus the best atom's 1/2.
    problem = problem_of([[0, 1]], [[0, 0], [1, 1]])
    counts = PrivateCounts(np.array([n - 1, 1, 2, n - 2]), n)
    bound = dual_bound(counts, PublicProblem(problem.workload, problem.support), np.array([0.5, 0, 0, 0.5]))
    assert bound == (Fraction(n - 1, n) + Fraction(n - 2, n)) / 2 - Fraction(1, 2)


def test_whole_weights_refuse_what_is_no_mixture() -> None:
    for weights in ([0.0, 0.0], [np.nan, 1.0], [-0.1, 1.1], [np.inf, 1.0]):
        with pytest.raises(DomainError):
            whole_weights(np.array(weights))


def test_atoms_that_no_query_tells_apart_are_merged_without_changing_the_answer() -> None:
    domain = tables.domain(3, 4, 5)
    generator = np.random.default_rng(7)
    for _ in range(20):
        private = Dataset(domain, np.stack([generator.integers(0, s, 30) for s in domain.shape], axis=1))
        support = Support.of(Dataset(domain, np.stack([generator.integers(0, s, 15) for s in domain.shape], axis=1)))
        problem = Problem(private, Workload(domain, (Marginal((0, 1)),)), support)
        interval = mixtures.solved(problem).interval
        assert float(interval.upper) == pytest.approx(mixtures.optimum(problem), abs=LP_ERROR)
        assert mixtures.exact_error(problem, interval.weights) == interval.upper


@pytest.mark.parametrize("rows", [1, 3])
@pytest.mark.parametrize("n", [1, 2, None])
def test_the_exact_optimum_moves_by_at_most_k_rows(rows: int, n: int | None) -> None:
    generator = np.random.default_rng(8)
    for _ in range(40 * AUDIT):
        problem = mixtures.random_problem(generator, n=n)
        neighbour = problem.neighbour(rows, generator)
        first, second = mixtures.solved(problem).interval, mixtures.solved(neighbour).interval
        moved = max(first.upper - second.lower, second.upper - first.lower)
        assert moved <= Fraction(min(rows, len(problem.private)), len(problem.private)) + Fraction(2, 10**9)


@pytest.mark.fault("early-stopped best-mixture error released as 1/n")
def test_an_early_stopped_error_moves_by_more_than_one_row() -> None:
    generator = np.random.default_rng(9)
    moves = []
    for _ in range(200):
        problem = mixtures.random_problem(generator, n=40)
        neighbour = problem.neighbour(1, generator)
        moves.append(abs(mixtures.early_stopped(problem) - mixtures.early_stopped(neighbour)) * 40)
    assert max(moves) > 1.1


def test_counts_of_another_workload_are_refused() -> None:
    problem = problem_of([[0, 1]], [[0, 0]])
    with pytest.raises(DomainError, match="queries"):
        BestMixture(PrivateCounts(np.zeros(3, dtype=np.int64), 1), problem.workload, problem.support)


def test_an_interval_out_of_order_is_refused() -> None:
    with pytest.raises(DomainError):
        MixtureInterval(Fraction(1, 2), Fraction(1, 3), np.ones(1, dtype=np.int64))


def test_nothing_private_shows_in_a_repr() -> None:
    problem = problem_of([[0, 1]] * 7, [[0, 0], [1, 1]])
    state = mixtures.solved(problem)
    for shown in (repr(state), repr(state.interval)):
        assert not any(digit in shown.split(" object at ")[0] for digit in "0123456789")


@pytest.mark.data
def test_the_census_candidates_close_to_exact_empty_cells(census: dict[str, Dataset]) -> None:
    private = census["oh_2018"]
    workload = Workload.sampled(private.domain, 3, 64, 0)
    counts = count(workload, private)
    for name, empty_cell in (("oh_2012", 109), ("il_2018", 7), ("oh_2015", 10)):
        state = BestMixture(counts, workload, Support.of(census[name]))
        while not state.exhausted:
            state.refine()
        assert state.interval.lower == state.interval.upper == Fraction(empty_cell, 11_439)


@pytest.mark.data
@pytest.mark.audit
def test_all_three_way_marginals_of_ohio_2012_close_to_110_of_11439(census: dict[str, Dataset]) -> None:
    private = census["oh_2018"]
    workload = Workload.all_kway(private.domain, 3)
    state = BestMixture(count(workload, private), workload, Support.of(census["oh_2012"]))
    while not state.exhausted:
        state.refine()
    assert state.interval.lower == state.interval.upper == Fraction(110, 11_439)


@pytest.fixture(scope="module")
def census(data_folder: object) -> dict[str, Dataset]:
    """The census tables, by name."""
    from pathlib import Path

    from pmwpub.tabular.coding.encode import encode_public
    from pmwpub.tabular.files.reading import read_table
    from pmwpub.tabular.schema.table_schema import Schema

    folder = Path(str(data_folder)) / "acs_il_oh"
    schema = Schema.from_json((folder / "schema.json").read_bytes())
    names = ("oh_2018", "oh_2012", "il_2018", "oh_2015")
    return {name: encode_public(read_table(folder / f"{name}.csv.gz"), schema).dataset for name in names}
