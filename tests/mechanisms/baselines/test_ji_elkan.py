"""Importance weights against direct evaluations; what one person can move, the charge, the noise."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from support import tables
from support.fakes import FixedNoise, RecordedNoise, ScaledNoise
from support.normal_bins import LAW, binned
from support.planting import plant
from support.statistical import AUDIT, assert_both_arms, assert_follows, assert_rejects

from pmwpub.errors import BudgetError, DomainError, PlanError
from pmwpub.mechanisms.baselines import ji_elkan as ji_elkan_module
from pmwpub.mechanisms.baselines.discrimination import Discrimination, OneHotRows
from pmwpub.mechanisms.baselines.ji_elkan import LAMBDAS, ImportancePlan, Lattice, importance_weights, ji_elkan
from pmwpub.privacy.budget import ZCDP
from pmwpub.privacy.noise import SECURE, NoiseSource
from pmwpub.records import Dataset, Support

SHAPE = tables.domain(3, 2, 4)
PUBLIC = tables.support(SHAPE, 40, 11)
SILENT = FixedNoise()


def vector(row: np.ndarray) -> np.ndarray:
    """A row's one-hot vector of entries 1/sqrt(d), by the definition."""
    entries = []
    for code, size in zip(row, SHAPE.shape, strict=True):
        entries += [1.0 if code == level else 0.0 for level in range(size)]
    return np.array(entries) / math.sqrt(len(SHAPE.shape))


def objective(beta: np.ndarray, private: Dataset, public: Support, lam: float) -> float:
    """J by its formula, row by row."""
    ours = sum(math.log1p(math.exp(-beta @ vector(row))) for row in private.codes) / len(private)
    rows = np.repeat(public.codes, public.multiplicity, axis=0)
    theirs = sum(math.log1p(math.exp(beta @ vector(row))) for row in rows) / len(rows)
    return lam / 2 * float(beta @ beta) + ours + theirs


def task(private: Dataset, public: Support, lam: float) -> Discrimination:
    return Discrimination(OneHotRows.of_private(private), OneHotRows.of_public(public), lam)


@pytest.mark.parametrize("lam", [0.005, 0.1, 0.5])
def test_the_coefficients_minimise_the_stated_objective(lam: float) -> None:
    private = tables.table(SHAPE, 60, 2, no_level=True)
    found = task(private, PUBLIC, lam).minimise()
    reference = minimize(objective, np.zeros(9), (private, PUBLIC, lam), method="BFGS", options={"gtol": 1e-9})
    assert found == pytest.approx(reference.x, abs=2e-5)
    assert objective(found, private, PUBLIC, lam) <= reference.fun + 1e-12
    assert task(private, PUBLIC, lam).value(found) == pytest.approx(objective(found, private, PUBLIC, lam), abs=1e-13)


def test_the_certified_gradient_is_the_true_one_within_half_the_tolerance() -> None:
    """The true gradient in 50 digits."""
    import mpmath

    private = tables.table(SHAPE, 60, 2, no_level=True)
    discrimination = task(private, PUBLIC, 0.05)
    beta = discrimination.minimise()
    rows = np.repeat(PUBLIC.codes, PUBLIC.multiplicity, axis=0)
    with mpmath.workdps(50):
        length = 1 / mpmath.sqrt(3)
        exact = [mpmath.mpf("0.05") * mpmath.mpf(float(value)) for value in beta]
        for sign, table in ((-1, private.codes), (1, rows)):
            for row in table:
                places = np.flatnonzero(vector(row))
                score = length * mpmath.fsum(mpmath.mpf(float(beta[place])) for place in places)
                for place in places:
                    exact[place] += sign * length / (1 + mpmath.exp(-sign * score)) / len(table)
        distance = mpmath.norm(
            [one - mpmath.mpf(float(other)) for one, other in zip(exact, discrimination.gradient(beta), strict=True)]
        )
        assert distance <= discrimination.tolerance / 2
        assert mpmath.norm(exact) <= discrimination.tolerance


def test_weights_equal_a_direct_evaluation_of_the_formula() -> None:
    private = tables.table(SHAPE, 60, 2)
    found = ji_elkan(private, PUBLIC, ImportancePlan.of("0.05", ZCDP.at_most(1)), noise=SILENT)
    direct = [
        int(times) * math.exp(found.coefficients @ vector(row))
        for row, times in zip(PUBLIC.codes, PUBLIC.multiplicity, strict=True)
    ]
    assert found.distribution.weights == pytest.approx(np.array(direct) / sum(direct), rel=1e-12)
    assert found.coefficients == pytest.approx(task(private, PUBLIC, 0.05).minimise(), abs=1e-6)


def test_without_noise_and_with_a_small_lambda_the_weights_undo_a_bias() -> None:
    """Two attributes, the public table biased in the first: the odds come back."""
    shape = tables.domain(2, 2)
    rows = tables.all_targets(shape)
    private = Dataset(shape, [rows[i] for i in (0, 1, 2, 3) for _ in range(25)])
    public = Support.of(Dataset(shape, [rows[i] for i in (0, 1, 2, 3) for _ in range(40 if i < 2 else 10)]))
    found = ji_elkan(private, public, ImportancePlan.of("0.00001", ZCDP.at_most(1)), noise=SILENT)
    assert found.distribution.weights == pytest.approx(np.full(4, 0.25), abs=1e-3)


def test_huge_noise_still_gives_a_distribution() -> None:
    weights = importance_weights(np.linspace(-5000, 5000, 9), PUBLIC).weights
    assert weights.sum() == pytest.approx(1)


def points_apart(one: Dataset, other: Dataset, public: Support, plan: ImportancePlan) -> tuple[int, Fraction]:
    """The squared distance of two tables' lattice points, and what the plan says it can be."""
    found = []
    for table in (one, other):
        noise = RecordedNoise(FixedNoise())
        ji_elkan(table, public, plan, noise=noise)
        found.append(np.array(noise.calls[0][1][0], dtype=object))
    tolerance = Fraction(task(one, public, float(plan.regularisation)).tolerance)
    stated = Lattice.of(plan, len(one), one.domain.dimension, tolerance).squared_sensitivity
    return int(((found[0] - found[1]) ** 2).sum()), stated


def assert_within(one: Dataset, other: Dataset, public: Support, plan: ImportancePlan) -> None:
    apart, stated = points_apart(one, other, public, plan)
    assert apart <= stated, "the coefficients moved further than the noise is made for"


@settings(max_examples=60)
@given(st.integers(1, 3), st.integers(1, 8), st.integers(0, 10_000), st.sampled_from(LAMBDAS))
def test_neighbours_lie_within_the_stated_sensitivity(k: int, rows: int, seed: int, lam: Fraction) -> None:
    private = tables.table(SHAPE, rows, seed, no_level=True)
    plan = ImportancePlan(lam, ZCDP.at_most(1), k)
    assert_within(private, tables.neighbour(private, k, seed + 1), PUBLIC, plan)


ONES, TWOS = Dataset(tables.domain(2), [[0]] * 4), Dataset(tables.domain(2), [[1]] * 3 + [[0]])
BOTH = Support.of(Dataset(tables.domain(2), [[0], [1]]))


@pytest.mark.fault("wrong sensitivity for k rows")
def test_coefficients_with_noise_for_one_row_of_three_are_caught() -> None:
    """With a large lambda a logistic value is about 1/2: three rows of four move them by 3/2 of the bound for one."""
    assert_within(ONES, TWOS, BOTH, ImportancePlan.of("10", ZCDP.at_most(1), 3))
    with pytest.raises(AssertionError, match="moved further"):
        assert_within(ONES, TWOS, BOTH, ImportancePlan.of("10", ZCDP.at_most(1), 1))


@pytest.mark.fault("a logistic regression stopped early")
def test_coefficients_of_a_regression_stopped_early_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tolerance between the gradients of two neighbours at 0: one stays there, the other goes to its minimum."""
    private, plan = tables.table(SHAPE, 60, 2), ImportancePlan.of("0.05", ZCDP.at_most(1))
    other = tables.neighbour(private, 1, 3)
    assert_within(private, other, PUBLIC, plan)
    early = sum(float(np.linalg.norm(task(t, PUBLIC, 0.05).gradient(np.zeros(9)))) for t in (private, other)) / 2
    plant(monkeypatch, Discrimination, "minimise", "self.tolerance / 2", repr(early))
    with pytest.raises(AssertionError, match="moved further"):
        assert_within(private, other, PUBLIC, plan)


def stated_reach(plan: ImportancePlan, n: int, p: int, tolerance: Fraction, bits: int) -> float:
    """sqrt(2) k/(n lambda) + 2 tau/lambda + h sqrt(p) for h = 2^-bits."""
    ideal = math.sqrt(2) * plan.sensitivity / (n * float(plan.regularisation))
    return ideal + 2 * float(tolerance) / float(plan.regularisation) + math.sqrt(p) / 2.0**bits


def assert_reach(plan: ImportancePlan, n: int, p: int, tolerance: Fraction) -> None:
    """What noise is made for, in whole lattice steps, is the formula's three terms, rounded up by little."""
    lattice = Lattice.of(plan, n, p, tolerance)
    reach = stated_reach(plan, n, p, tolerance, lattice.bits) * 2.0**lattice.bits
    found = math.sqrt(float(lattice.squared_sensitivity))
    assert reach * (1 - 1e-12) <= found <= reach * (1 + 1e-10), "the noise is not made for what the proof says"


@given(
    st.integers(1, 3), st.integers(1, 10**6), st.integers(1, 500), st.sampled_from(LAMBDAS), st.integers(1, 10**6)
)  # fmt: skip
def test_the_noise_is_made_for_the_three_terms_of_the_proof(k: int, n: int, p: int, lam: Fraction, parts: int) -> None:
    assert_reach(ImportancePlan(lam, ZCDP.at_most(1), k), n, p, Fraction(parts, 10**6))


@pytest.mark.fault("a proof's padding left out")
@pytest.mark.parametrize("left_out", [" + 2 * tolerance / solved", " + width / 2**bits", "ideal + "])
def test_a_reach_without_one_of_its_terms_is_caught(left_out: str, monkeypatch: pytest.MonkeyPatch) -> None:
    case = ImportancePlan.of("0.05", ZCDP.at_most(1)), 60, 9, Fraction(1, 10**6)
    assert_reach(*case)
    plant(monkeypatch, Lattice, "of", left_out, "")
    with pytest.raises(AssertionError, match="not made for"):
        assert_reach(*case)


def residuals(noise: NoiseSource, draws: int) -> list[int]:
    """The bins of noisy minus exact coefficients over many runs."""
    private, plan = tables.table(SHAPE, 60, 2), ImportancePlan.of("0.1", ZCDP.at_most(Fraction(1, 10)))
    exact = task(private, PUBLIC, 0.1).minimise()
    # The stated scale of one coefficient: sqrt(2)/(n lambda)/sqrt(2 rho).
    scale = math.sqrt(2) / (60 * 0.1) / math.sqrt(0.2)
    found: list[float] = []
    while len(found) < draws:
        found += (ji_elkan(private, PUBLIC, plan, noise=noise).coefficients - exact).tolist()
    return binned(found, scale)


def test_the_noise_has_the_scale_that_the_proof_asks_for() -> None:
    assert_both_arms(LAW, lambda f, draws: residuals(SECURE if f == 1 else ScaledNoise(f), draws), 3_000 * AUDIT)


@pytest.mark.fault("half the noise")
def test_half_the_noise_on_coefficients_is_caught() -> None:
    assert_follows(LAW, residuals(SECURE, 900))
    assert_rejects(LAW, residuals(ScaledNoise(Fraction(1, 2)), 900))


def assert_charged(charged: ZCDP, noise: RecordedNoise, squared: Fraction, budget: ZCDP) -> None:
    """The charge covers every vector that was drawn, and the budget the charge."""
    drawn = [Fraction(str(args[1])) for name, args, _ in noise.calls if name == "gaussians"]
    assert drawn
    assert charged.rho >= sum((squared / (2 * scale**2) for scale in drawn), Fraction(0)), "noise was not charged"
    assert charged <= budget, "a run went beyond its budget"


def test_the_run_is_charged_for_its_noise_and_stays_within_its_budget() -> None:
    private, plan = tables.table(SHAPE, 60, 2), ImportancePlan.of("0.1", ZCDP.at_most(Fraction(1, 10)))
    noise = RecordedNoise(SECURE)
    found = ji_elkan(private, PUBLIC, plan, noise=noise)
    _, squared = points_apart(private, private, PUBLIC, plan)
    assert_charged(found.rho, noise, squared, plan.rho)
    assert plan.rho.units * (1 - 1e-6) <= found.rho.units


@pytest.mark.fault("a charge skipped")
@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("support), measurement.rho)", "support), plan.rho - measurement.rho)"),
        ("costing(plan.rho,", "costing(plan.rho * 2,"),
    ],
    ids=["the release's charge", "the noise for twice the budget"],
)
def test_coefficients_that_are_not_charged_are_caught(right: str, wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    private, plan = tables.table(SHAPE, 60, 2), ImportancePlan.of("0.1", ZCDP.at_most(Fraction(1, 10)))
    plant(monkeypatch, ji_elkan_module, "ji_elkan", right, wrong)
    noise = RecordedNoise(SECURE)
    found = ji_elkan_module.ji_elkan(private, PUBLIC, plan, noise=noise)
    _, squared = points_apart(private, private, PUBLIC, plan)
    with pytest.raises(AssertionError, match=r"not charged|beyond its budget"):
        assert_charged(found.rho, noise, squared, plan.rho)


def test_other_schemas_no_row_and_bad_plans_are_refused() -> None:
    plan = ImportancePlan.of("0.1", ZCDP.at_most(1))
    with pytest.raises(DomainError, match="different schemas"):
        ji_elkan(Dataset(tables.domain(2), [[0]]), PUBLIC, plan)
    with pytest.raises(DomainError, match="at least one private row"):
        ji_elkan(Dataset(SHAPE, np.empty((0, 3), dtype=int)), PUBLIC, plan)
    with pytest.raises(PlanError, match="lambda"):
        ImportancePlan.of("0", ZCDP(1))
    with pytest.raises(BudgetError):
        ji_elkan(tables.table(SHAPE, 5, 0), PUBLIC, ImportancePlan.of("0.1", ZCDP(0)))
