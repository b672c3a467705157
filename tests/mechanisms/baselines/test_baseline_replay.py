"""Only what is charged sees private rows: with these draws forced, neighbours give the same output and calls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import tables
from support.fakes import FixedNoise
from support.planting import plant

from pmwpub.mechanisms.baselines import dual_query, ji_elkan
from pmwpub.mechanisms.baselines.discrimination import Discrimination
from pmwpub.mechanisms.baselines.matrix import hdmm, residual_planner
from pmwpub.privacy.budget import ZCDP
from pmwpub.privacy.selection import ExponentialMechanism
from pmwpub.privacy.vector_gaussian import VectorGaussian
from pmwpub.queries.counts import count
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset

SHAPE = tables.domain(3, 2, 4)
WORKLOAD = Workload.all_kway(SHAPE, 2)
PUBLIC = tables.support(SHAPE, 40, 11)


@dataclass
class Forced(FixedNoise):
    """Answers that do not depend on what is asked about; how much was asked for, and at which scale, is kept."""

    seed: int = 0
    asked: list[object] = field(default_factory=list)

    def gaussians(self, values: list[int], scale: Fraction) -> list[int]:
        self.asked.append((len(values), scale))
        return [(self.seed * 31 + 7 * place) % 23 - 5 for place in range(len(values))]

    def below(self, n: int) -> int:
        self.asked.append(n)
        return (self.seed + 5 * len(self.asked)) % n


@dataclass
class ForcedLaw:
    """Draws that do not depend on the scores."""

    noise: Forced
    queries: int

    def draw(self, noise: object) -> int:
        return self.noise.below(self.queries)


Trace = tuple[object, ...]
"""All that a run gives, bit by bit, and all that it asked its noise for."""


def through_marginals(private: Dataset, k: int, seed: int, planner: bool) -> Trace:
    made = residual_planner.ResidualPlan.of if planner else hdmm.MarginalStrategy.of
    plan, noise = made(WORKLOAD, ZCDP.at_most(Fraction(1, 50)), k), Forced(seed=seed)
    mechanism: Callable[..., residual_planner.MarginalAnswers] = (
        residual_planner.residual_planner if planner else hdmm.hdmm
    )
    found = mechanism(count(plan.spaces.closure, private), plan, noise=noise)
    return found.answers.tobytes(), found.variances.tobytes(), found.rho, tuple(noise.asked)


def through_hdmm(private: Dataset, k: int, seed: int) -> Trace:
    return through_marginals(private, k, seed, planner=False)


def through_residual_planner(private: Dataset, k: int, seed: int) -> Trace:
    return through_marginals(private, k, seed, planner=True)


def through_ji_elkan(private: Dataset, k: int, seed: int) -> Trace:
    """What the lattice is made from is part of the trace: it is public, or the noise would not be."""
    noise, right = Forced(seed=seed), ji_elkan.Lattice.of

    def watched(*public: object) -> ji_elkan.Lattice:
        noise.asked.append(public)
        return right(*public)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ji_elkan.Lattice, "of", watched)
        plan = ji_elkan.ImportancePlan.of("0.05", ZCDP.at_most(1), k)
        found = ji_elkan.ji_elkan(private, PUBLIC, plan, noise=noise)
    return found.coefficients.tobytes(), found.distribution.weights.tobytes(), found.rho, tuple(noise.asked)


def through_dual_query(private: Dataset, k: int, seed: int) -> Trace:
    noise = Forced(seed=seed)

    def law(self: ExponentialMechanism, scores: object, sensitivity: int) -> ForcedLaw:
        noise.asked.append((self.epsilon, sensitivity))
        return ForcedLaw(noise, len(scores))  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ExponentialMechanism, "law", law)
        plan = dual_query.DualQueryPlan(len(private), 5, Fraction(2), 6, k, seconds=60)
        found = dual_query.dual_query(count(WORKLOAD, private), WORKLOAD, plan, noise=noise)
    return found.responses, found.distribution.weights.tobytes(), found.rho, tuple(noise.asked)


WAYS: dict[str, Callable[[Dataset, int, int], Trace]] = {
    "hdmm": through_hdmm,
    "residual planner": through_residual_planner,
    "ji-elkan": through_ji_elkan,
    "dual query": through_dual_query,
}
every = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS.keys())


def assert_alike(way: Callable[[Dataset, int, int], Trace], one: Dataset, other: Dataset, k: int, seed: int) -> None:
    ours, theirs = way(one, k, seed), way(other, k, seed)
    assert ours == theirs, "a neighbour shows beside what is charged"


@every
@settings(max_examples=25)
@given(k=st.integers(1, 3), rows=st.integers(3, 9), seed=st.integers(0, 10_000))
def test_neighbours_give_the_same_output_and_calls_where_what_is_charged_is_forced(
    way: Callable[[Dataset, int, int], Trace], k: int, rows: int, seed: int
) -> None:
    private = tables.table(SHAPE, rows, seed, no_level=True)
    assert_alike(way, private, tables.neighbour(private, k, seed + 1), k, seed)


def answered_exactly(rounds: int, seed: int) -> Dataset:
    """The rows that DualQuery's first rounds add, whatever the private ones are: on them all scores are then 0."""
    responses = through_dual_query(tables.table(SHAPE, rounds, 0), 1, seed)[0]
    return Dataset(SHAPE, [response.row for response in responses[:rounds]])  # type: ignore[index]


EQUAL_ROWS = Dataset(SHAPE, [[1, 0, 2]] * 4)
"""One distinct row, in one cell of each marginal; any neighbour has two and fills more cells."""

PAIRS = [EQUAL_ROWS, *(answered_exactly(rounds, seed) for seed in (0, 3) for rounds in (1, 2, 3, 4))]


@every
def test_tables_that_a_run_could_treat_as_special_do_not_show(way: Callable[[Dataset, int, int], Trace]) -> None:
    for number, private in enumerate(PAIRS):
        seed = 0 if number < 5 else 3
        assert_alike(way, private, tables.neighbour(private, 1, number), 1, seed)


def assert_noticed(way: Callable[[Dataset, int, int], Trace]) -> None:
    """Neighbours that go alike through the right code do not any more."""
    with pytest.raises(AssertionError, match="beside what is charged"):
        test_tables_that_a_run_could_treat_as_special_do_not_show(way)


@pytest.mark.fault("no noise where no private row is")
@pytest.mark.parametrize("way", [through_hdmm, through_residual_planner])
def test_noise_that_leaves_empty_cells_alone_is_caught(
    way: Callable[[Dataset, int, int], Trace], monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = "reshape(np.shape(values)) * (np.asarray(values) != 0)"
    plant(monkeypatch, VectorGaussian, "measure", "reshape(np.shape(values))", wrong)
    assert_noticed(way)


@pytest.mark.fault("no noise where no private row is")
def test_an_hdmm_without_noise_on_empty_cells_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, hdmm, "hdmm", ".astype(float)\n", ".astype(float) * (tables[subset] > 0)\n")
    assert_noticed(through_hdmm)


@pytest.mark.fault("rounds that depend on private counts")
@pytest.mark.parametrize("first", [1, 2, 3])
def test_a_dual_query_that_stops_once_all_scores_are_nothing_is_caught(
    first: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop = f"if number > {first} and not np.any((number - 1) * counts.counts - counts.n * hits):\n            break\n"
    plant(monkeypatch, dual_query, "dual_query", "sample = sample_queries", f"{stop}        sample = sample_queries")
    assert_noticed(through_dual_query)


@pytest.mark.fault("ties broken by private rows")
def test_a_dual_query_whose_ties_are_seeded_by_private_counts_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    right = "random.Random(plan.tie_seed)"
    wrong = "random.Random(int(counts.counts @ np.arange(workload.queries)))"
    plant(monkeypatch, dual_query, "dual_query", right, wrong)
    assert_noticed(through_dual_query)


@pytest.mark.fault("noise by the number of distinct private rows")
def test_a_ji_elkan_whose_noise_is_made_for_the_distinct_rows_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    right, wrong = "Lattice.of(plan, len(private),", "Lattice.of(plan, len(np.unique(private.codes, axis=0)),"
    plant(monkeypatch, ji_elkan, "ji_elkan", right, wrong)
    assert_noticed(through_ji_elkan)


@pytest.mark.fault("noise by the number of distinct private rows")
def test_a_tolerance_that_grows_with_the_distinct_rows_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    right, wrong = "self.ours.total + self", "5_000 * len(self.ours.shares) + self"
    plant(monkeypatch, Discrimination, "tolerance", right, wrong)
    assert_noticed(through_ji_elkan)


@pytest.mark.fault("weights from coefficients without noise")
def test_weights_from_exact_coefficients_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    right = "importance_weights(coefficients, support)"
    plant(monkeypatch, ji_elkan, "ji_elkan", right, "importance_weights(task.minimise(), support)")
    assert_noticed(through_ji_elkan)
