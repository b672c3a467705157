"""AIM and MST: what they draw and are charged, seen without the extra through a model that stands in."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import ModuleType

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from privacy.laws import exponential_masses
from support import product_model, tables
from support.fakes import RecordedNoise, ScaledNoise, SeededNoise
from support.normal_bins import LAW, binned
from support.planting import plant
from support.statistical import ALPHA, AUDIT, BinnedLaw, assert_both_arms, assert_follows, assert_rejects

from pmwpub.errors import MethodRefused, PlanError
from pmwpub.mechanisms.baselines.graphical import aim as aim_module
from pmwpub.mechanisms.baselines.graphical import mst as mst_module
from pmwpub.mechanisms.baselines.graphical.aim import AimPlan, Purse, Share
from pmwpub.mechanisms.baselines.graphical.fitted_model import NoisyMarginals, distances, expected_distance
from pmwpub.mechanisms.baselines.graphical.mst import MstPlan, mst, selection_costing
from pmwpub.mechanisms.baselines.matrix.residual_planner import MarginalAnswers
from pmwpub.privacy.budget import ZCDP
from pmwpub.privacy.noise import SECURE, NoiseSource
from pmwpub.privacy.selection import ExponentialMechanism
from pmwpub.queries.counts import count
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset

SHAPE = tables.domain(3, 2, 4)
WORKLOAD = Workload.all_kway(SHAPE, 2)
BUDGET = ZCDP.at_most(Fraction(1, 50))
Mechanism = Callable[..., MarginalAnswers]


def run_mst(private: Dataset, k: int = 1, noise: NoiseSource = SECURE, rho: ZCDP = BUDGET) -> MarginalAnswers:
    return mst(private, WORKLOAD, MstPlan(rho, k), noise=noise)


def run_aim(private: Dataset, k: int = 1, noise: NoiseSource = SECURE, rho: ZCDP = BUDGET) -> MarginalAnswers:
    return aim_module.aim(private, WORKLOAD, AimPlan(rho, k), noise=noise)


both = pytest.mark.parametrize("run", [run_mst, run_aim], ids=["mst", "aim"])


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    product_model.stand_in(monkeypatch)


@dataclass
class Watch:
    """What a run selected from and measured, with answers forced so that neighbours answer alike."""

    scores: list[np.ndarray]
    sensitivities: list[int]
    epsilons: list[Fraction]
    output: tuple[object, ...] = ()
    """What comes out, and what was asked of the noise, in the end."""


class Frozen(SeededNoise):
    """Noise that hides the value: every noisy count is a fixed number, so that runs on neighbours go alike.

    rare  whether all levels but the first have a noisy count of 0
    """

    def __init__(self, rare: bool) -> None:
        super().__init__(3)
        self.rare = rare
        self.seen: list[tuple[np.ndarray, Fraction]] = []

    def gaussians(self, values: list[int], scale: Fraction) -> list[int]:
        self.seen.append((np.array(values, dtype=object), scale))
        return [0 if self.rare and i else 700 + 100 * i for i in range(len(values))]


def watched(
    run: Mechanism, private: Dataset, k: int, monkeypatch: pytest.MonkeyPatch, rare: bool = False
) -> tuple[Watch, list[tuple[np.ndarray, Fraction]], ZCDP]:
    watch, noise = Watch([], [], []), Frozen(rare)

    def select(self: ExponentialMechanism, scores: np.ndarray, sensitivity: int, *, noise: object = None) -> int:
        watch.scores.append(scores.copy())
        watch.sensitivities.append(sensitivity)
        watch.epsilons.append(self.epsilon)
        return len(watch.scores) % len(scores)

    with monkeypatch.context() as patch:
        patch.setattr(ExponentialMechanism, "select", select)
        found = run(private, k, noise=noise)
    asked = tuple((len(values), scale) for values, scale in noise.seen)
    watch.output = found.answers.tobytes(), found.variances.tobytes(), found.rho, asked, tuple(watch.epsilons)
    return watch, noise.seen, found.rho


def assert_scores_within(ours: Watch, theirs: Watch) -> None:
    for one, other, sensitivity in zip(ours.scores, theirs.scores, ours.sensitivities, strict=True):
        assert np.abs(one - other).max() <= sensitivity, "a score moved further than its sensitivity"


def assert_charged(
    ours: Watch, drawn: Sequence[tuple[np.ndarray, Fraction]], others: Sequence[tuple[np.ndarray, Fraction]], rho: ZCDP
) -> None:
    """All selections and, on these neighbours, all measurements together cost no more than is charged."""
    spent = sum((epsilon**2 / 8 for epsilon in ours.epsilons), Fraction(0))
    for (one, scale), (other, _) in zip(drawn, others, strict=True):
        spent += Fraction(int(((one - other) ** 2).sum())) / (2 * scale**2)
    assert spent <= rho.rho, "more was drawn than is charged"


@both
@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(k=st.integers(1, 3), rows=st.integers(3, 9), seed=st.integers(0, 10_000), rare=st.booleans())
def test_neighbours_that_answer_alike_stay_within_sensitivity_and_charge_and_give_the_same(
    run: Mechanism, k: int, rows: int, seed: int, rare: bool, stand_in: None
) -> None:
    private = tables.table(SHAPE, rows, seed, no_level=True)
    with pytest.MonkeyPatch.context() as patch:
        ours, drawn, rho = watched(run, private, k, patch, rare)
        theirs, others, _ = watched(run, tables.neighbour(private, k, seed + 1), k, patch, rare)
    assert ours.output == theirs.output
    assert_scores_within(ours, theirs)
    assert_charged(ours, drawn, others, rho)


@both
@pytest.mark.parametrize("k", [1, 3])
def test_the_dearest_neighbours_use_nearly_the_whole_charge(
    run: Mechanism, k: int, stand_in: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """k rows that differ everywhere move every table by sqrt(2) k."""
    one, other = Dataset(SHAPE, [[0, 0, 0]] * k), Dataset(SHAPE, [[1, 1, 1]] * k)
    ours, drawn, rho = watched(run, one, k, monkeypatch)
    _, others, _ = watched(run, other, k, monkeypatch)
    assert_charged(ours, drawn, others, rho)
    with pytest.raises(AssertionError, match="more was drawn"):
        assert_charged(ours, drawn, others, ZCDP(int(rho.units * 0.95)))
    assert rho <= BUDGET


@both
@pytest.mark.fault("wrong sensitivity for k rows")
def test_a_peer_made_for_one_row_of_three_is_caught(
    run: Mechanism, stand_in: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The model has a little less than a third on each first level, so rows that move there add to every distance.
    every = [list(row) for row in tables.all_targets(SHAPE)] * 10
    moved = [row if row != [2, 1, 3] or place > 24 * 3 else [0, 0, 0] for place, row in enumerate(every)]
    one, other = Dataset(SHAPE, every), Dataset(SHAPE, moved)
    assert sum(a != b for a, b in zip(every, moved, strict=True)) == 3
    ours, drawn, rho = watched(run, one, 1, monkeypatch)
    theirs, others, _ = watched(run, other, 1, monkeypatch)
    with pytest.raises(AssertionError, match="further than its sensitivity"):
        assert_scores_within(ours, theirs)
    with pytest.raises(AssertionError, match="more was drawn"):
        assert_charged(ours, drawn, others, rho)


@pytest.mark.fault("a charge skipped")
@pytest.mark.parametrize(
    ("run", "owner", "name", "right", "wrong"),
    [
        (run_aim, Share, "rho", "self.measuring + self.selecting", "self.measuring"),
        (run_aim, aim_module, "aim", "purse.spend(share.measuring)", "pass"),
        (run_aim, aim_module, "aim", "purse.spend(share.rho)", "purse.spend(share.selecting)"),
        (run_mst, MstPlan, "selection", "// (3 * edges)", "// 3"),
        (run_mst, MstPlan, "measurement", "// (3 * marginals)", "// 3"),
    ],
    ids=[
        "aim's selections",
        "aim's first marginals",
        "aim's measurements",
        "mst's other edges",
        "mst's other marginals",
    ],
)
def test_a_peer_that_does_not_spend_on_all_that_it_draws_is_caught(
    run: Mechanism,
    owner: type | ModuleType,
    name: str,
    right: str,
    wrong: str,
    stand_in: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one, other = Dataset(SHAPE, [[0, 0, 0]]), Dataset(SHAPE, [[1, 1, 1]])
    plant(monkeypatch, owner, name, right, wrong)
    ours, drawn, rho = watched(run, one, 1, monkeypatch)
    _, others, _ = watched(run, other, 1, monkeypatch)
    with pytest.raises(AssertionError, match="more was drawn"):
        assert_charged(ours, drawn, others, rho)


def test_a_purse_never_goes_below_nothing() -> None:
    from pmwpub.errors import BudgetError

    purse = Purse(ZCDP(5))
    purse.spend(ZCDP(5))
    with pytest.raises(BudgetError):
        purse.spend(ZCDP(1))


def test_msts_edges_make_a_tree(stand_in: None) -> None:
    shape = tables.domain(2, 3, 2, 2, 3)
    noise = RecordedNoise(SeededNoise(2))
    mst(tables.table(shape, 200, 0), Workload.all_kway(shape, 2), MstPlan(BUDGET), noise=noise)
    sizes = [len(args[0]) for name, args, _ in noise.calls if name == "gaussians"]  # type: ignore[arg-type]
    assert sizes[:5] == [2, 3, 2, 2, 3]
    assert len(sizes) == 5 + 4


def test_a_selection_for_a_budget_costs_no_more_and_hardly_less() -> None:
    for units in (10, 12_345, 10**13, 10**16):
        law = selection_costing(ZCDP(units))
        assert units * (1 - 2**-30) - 1 <= law.rho.units <= units


def test_distances_are_between_whole_tables_and_noise_alone_is_expected_to_make_some() -> None:
    known = NoisyMarginals(SHAPE.shape, 10)
    model = product_model.Product(known)
    private = {(1,): np.array([10, 0]), (0, 1): np.zeros((3, 2), dtype=int)}
    assert distances(private, model, [(1,), (0, 1)]).tolist() == [10, 12]  # type: ignore[arg-type]
    assert expected_distance(10.0, 6) == 47


def residuals(run: Mechanism, noise: NoiseSource, draws: int) -> list[int]:
    """The one-way measurements, in equally likely bins of the stated law.

    sigma^2 = 2 k^2/(2 rho') for MST's rho' = rho/9, a third for three, and AIM's 9/10 of rho/48.
    """
    private, found = tables.table(SHAPE, 50, 1), []
    truth = [count(Workload.all_kway(SHAPE, 1), private).counts[i] for i in range(9)]
    rho, share = ZCDP.at_most(Fraction(1, 10**6)), 1 / 9 if run is run_mst else 0.9 / 48
    while len(found) < draws:
        stopping = Stopping(noise, after=3)
        with pytest.raises(Stopped):
            run(private, noise=stopping, rho=rho)
        found += [one - true for one, true in zip(stopping.drawn, truth, strict=True)]
    return binned(found, float(1 / np.sqrt(1e-6 * share)))


class Stopped(Exception):
    """A run has drawn what a test wants to see."""


class Stopping(ScaledNoise):
    """Ends the run at the first vector after so many; the last one's entries are not drawn, `stopped_at` is its size.

    forced  whether every entry of the vectors before is `value`, whatever was asked about
    """

    def __init__(self, source: NoiseSource, after: int, forced: int | None = None) -> None:
        super().__init__(Fraction(1), source)
        self.after, self.forced, self.vectors = after, forced, 0
        self.drawn: list[int] = []
        self.stopped_at = 0

    def gaussians(self, values: list[int], scale: Fraction) -> list[int]:
        self.vectors += 1
        if self.vectors > self.after:
            self.stopped_at = len(values)
            raise Stopped
        noisy = super().gaussians(values, scale) if self.forced is None else [self.forced] * len(values)
        self.drawn += noisy
        return noisy


@both
def test_measurements_have_the_stated_law(run: Mechanism, stand_in: None) -> None:
    assert_both_arms(LAW, lambda f, draws: residuals(run, SECURE if f == 1 else ScaledNoise(f), draws), 4_000 * AUDIT)


@both
@pytest.mark.fault("half the noise")
def test_a_peer_with_half_the_noise_is_caught(run: Mechanism, stand_in: None) -> None:
    assert_rejects(LAW, residuals(run, ScaledNoise(Fraction(1, 2)), 600))


SKEWED = Dataset(SHAPE, [[0, 0, 0]] * 5 + [[1, 1, 2]] * 3)
OFFERED: dict[str, list[tuple[int, ...]]] = {
    "mst": [(0, 1), (0, 2), (1, 2)],
    "aim": [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2)],
}


def first_masses(peer: str, rho: float) -> list[float]:
    """The exact law of the first selection where each one-way marginal was measured as evenly filled.

    The model is then uniform, its tables hold 8/N rows a cell, and the exponential mechanism's scores are MST's L1
    distances d_r, sensitivity 2, or AIM's w_r (d_r - floor(sqrt(2/pi) sigma N)), sensitivity 2 max w; w_r counts the
    attributes that r shares with each of the three marginals.
    """
    scores, weights = [], []
    for offered in OFFERED[peer]:
        cells = list(itertools.product(*(range(SHAPE.shape[a]) for a in offered)))
        rows = [tuple(row[list(offered)].tolist()) for row in SKEWED.codes]
        distance = sum(abs(rows.count(cell) - math.floor(8 / len(cells) + 0.5)) for cell in cells)
        weights.append(sum(len({*offered} & {*pair}) for pair in ((0, 1), (0, 2), (1, 2))) if peer == "aim" else 1)
        sigma = math.sqrt(48 / (0.9 * rho))
        noise = math.floor(math.sqrt(2 / math.pi) * sigma * len(cells)) if peer == "aim" else 0
        scores.append(weights[-1] * (distance - noise))
    share = 0.1 * rho / 48 if peer == "aim" else rho / 6
    epsilon = math.sqrt(8 * share)
    return exponential_masses(scores, Fraction(epsilon), 2 * max(weights))


def first_choices(peer: str, rho: ZCDP, factor: Fraction, draws: int) -> list[int]:
    """What so many runs select first, with every epsilon divided by a factor."""
    run, module = (run_aim, aim_module) if peer == "aim" else (run_mst, mst_module)
    sizes = [math.prod(SHAPE.shape[a] for a in offered) for offered in OFFERED[peer]]
    found = []
    with pytest.MonkeyPatch.context() as patch:
        right = selection_costing
        patch.setattr(module, "selection_costing", lambda rho: ExponentialMechanism(right(rho).epsilon / factor))
        for _ in range(draws):
            noise = Stopping(SECURE, after=3, forced=1_000)
            with pytest.raises(Stopped):
                run(SKEWED, noise=noise, rho=rho)
            found.append(sizes.index(noise.stopped_at))
    return found


@pytest.mark.parametrize(("peer", "rho"), [("aim", Fraction(100)), ("mst", Fraction(3, 2))])
@pytest.mark.fault("half the noise")
def test_a_first_selection_has_the_exact_law_and_one_of_half_or_twice_the_noise_has_not(
    peer: str, rho: Fraction, stand_in: None
) -> None:
    """Half and twice the noise are noticed but for less than one run in a million."""
    draws, masses = 1_000, first_masses(peer, float(rho))
    law = BinnedLaw.by_size(masses, draws)
    assert_follows(law, first_choices(peer, ZCDP.at_most(rho), Fraction(1), draws * AUDIT))
    for factor in (Fraction(1, 2), Fraction(2)):
        assert law.power([mass ** (1 / float(factor)) for mass in masses], draws) > 1 - ALPHA
        assert_rejects(law, first_choices(peer, ZCDP.at_most(rho), factor, draws))


@both
def test_every_fit_takes_the_plans_steps_and_the_last_one_its_own(
    run: Mechanism, stand_in: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[int] = []
    fit = NoisyMarginals.model

    def recorded(known: NoisyMarginals, iterations: int, start: object = None) -> object:
        steps.append(iterations)
        return fit(known, iterations)

    monkeypatch.setattr(NoisyMarginals, "model", recorded)
    run(tables.table(SHAPE, 200, 0))
    assert len(steps) >= 2
    assert set(steps[:-1]) == {1_000}
    assert steps[-1] == (2_500 if run is run_aim else 5_000)


def test_bad_plans_are_refused() -> None:
    for plan in (MstPlan, AimPlan):
        with pytest.raises(PlanError, match="at least one row"):
            plan(BUDGET, 0)


def test_without_the_extra_both_say_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pmwpub.mechanisms.baselines.graphical.fitted_model.available", lambda: False)
    for run in (run_mst, run_aim):
        with pytest.raises(MethodRefused, match=r"pmwpub\[peers\]"):
            run(tables.table(SHAPE, 5, 0))
