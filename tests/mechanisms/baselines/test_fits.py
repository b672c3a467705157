"""AIM's and MST's fits by the extra `peers`."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from support import tables
from support.fakes import SeededNoise

from pmwpub.mechanisms.baselines.graphical.aim import AimPlan, aim
from pmwpub.mechanisms.baselines.graphical.fitted_model import (
    FITS_KEPT,
    Noisy,
    NoisyMarginals,
    _line,
    available,
    expected_distance,
)
from pmwpub.mechanisms.baselines.graphical.level_merging import Merging
from pmwpub.mechanisms.baselines.graphical.mst import MstPlan, mst
from pmwpub.mechanisms.baselines.matrix.residual_planner import MarginalAnswers
from pmwpub.privacy.budget import ZCDP
from pmwpub.privacy.noise import SECURE, NoiseSource
from pmwpub.privacy.vector_gaussian import VectorGaussian
from pmwpub.queries.counts import count
from pmwpub.queries.workload import Marginal, Workload
from pmwpub.records import Dataset

mbi = pytest.importorskip("mbi", reason="The extra peers is not installed.")

SHAPE = tables.domain(3, 2, 4)
WORKLOAD = Workload.all_kway(SHAPE, 2)


def run_mst(private: Dataset, rho: ZCDP, noise: NoiseSource = SECURE) -> MarginalAnswers:
    return mst(private, WORKLOAD, MstPlan(rho), noise=noise)


def run_aim(private: Dataset, rho: ZCDP) -> MarginalAnswers:
    return aim(private, WORKLOAD, AimPlan(rho))


@pytest.mark.parametrize("run", [run_mst, run_aim], ids=["mst", "aim"])
def test_a_large_budget_gives_the_workload_back(run: Callable[[Dataset, ZCDP], MarginalAnswers]) -> None:
    """A chain: the second and third attribute follow from the first, so a tree holds it all."""
    first = np.random.default_rng(0).integers(3, size=400)
    rows = np.stack([first, (first > 0).astype(int), np.minimum(first + 1, 3)], axis=1)
    private = Dataset(SHAPE, rows)
    found = run(private, ZCDP.at_most(2_000))
    assert available()
    assert np.abs(found.answers - count(WORKLOAD, private).counts).max() < 8


def test_a_models_marginals_are_the_librarys() -> None:
    """Cliques that overlap, an attribute of one level, and one that was never measured."""
    shape = tables.domain(3, 2, 4, 1, 2, 3)
    private, known = tables.table(shape, 300, 1), NoisyMarginals(shape.shape, 300)
    for subset in ((0,), (0, 1), (1, 2), (0, 2), (2, 4)):
        true = count(Workload(shape, (Marginal(subset),)), private).counts
        known.measure(subset, true, VectorGaussian.costing(ZCDP.at_most(1), 2), SECURE)
    model = known.model(200)
    for size in (1, 2, 3):
        for subset in itertools.combinations(range(6), size):
            theirs = np.asarray(model.fitted.project(tuple(f"a{a}" for a in subset)).datavector())
            assert np.abs(model.counts(subset).ravel() - theirs).max() <= 1e-9 * 300


def test_a_fit_goes_all_the_way_to_what_was_measured() -> None:
    """AIM halves its noise where a measurement moves the model little, so a fit that ends early misleads it.

    Three attributes that are always alike, and little noise: the fit has far to go from independence. It ends
    nearer to the truth than the noisy table itself; after 100 steps it has hardly left.
    """
    shape, n, scale = tables.domain(7, 6, 4), 44_000, VectorGaussian.costing(ZCDP.at_most(Fraction(1, 16_000)), 2)
    first = np.random.default_rng(0).integers(4, size=n)
    private = Dataset(shape, np.stack([first, first, first], axis=1))
    known = NoisyMarginals(shape.shape, n)
    for subset in ((0,), (1,), (2,), (0, 1, 2)):
        true = count(Workload(shape, (Marginal(subset),)), private).counts
        known.measure(subset, true, scale, SeededNoise(len(subset)))
    noise = expected_distance(float(scale.scale), true.size)
    missed = [np.abs(known.model(steps).counts((0, 1, 2)).ravel() - true).sum() for steps in (100, 1_000)]
    assert missed[0] > 4 * noise
    assert missed[1] < noise / 4


def test_a_fit_goes_on_from_the_last_one_whatever_tree_comes_next() -> None:
    """A ring of four gets one chord or the other for its tree; with a chord measured, the tree may be another one.

    Before any step the model is the last one.
    """
    shape = tables.domain(2, 4, 2, 4)
    ring = [(0, 1), (1, 2), (2, 3), (0, 3)]
    for chord in ((1, 3), (0, 2)):
        private, known = tables.table(shape, 4_000, 3), NoisyMarginals(shape.shape, 4_000)
        for subset in ring:
            true = count(Workload(shape, (Marginal(subset),)), private).counts
            known.measure(subset, true, VectorGaussian.costing(ZCDP.at_most(1), 2), SECURE)
        last = known.model(1_000)
        true = count(Workload(shape, (Marginal(chord),)), private).counts
        known.measure(chord, true, VectorGaussian.costing(ZCDP.at_most(1), 2), SECURE)
        begun = known.model(0, last)
        for subset in ring:
            assert np.abs(begun.counts(subset) - last.counts(subset)).max() <= 1e-6


def test_many_fits_in_one_process_do_not_pile_up_compiled_programs() -> None:
    """Each fit has another shape, so each is compiled; without letting go, the process dies of its memory maps."""
    maps = []
    for fit in range(3 * FITS_KEPT):
        shape = tables.domain(fit + 2, 2)
        known = NoisyMarginals(shape.shape, 100)
        true = count(Workload(shape, (Marginal((0, 1)),)), tables.table(shape, 100, fit)).counts
        known.measure((0, 1), true, VectorGaussian.costing(ZCDP.at_most(1), 2), SECURE)
        known.model(50)
        maps.append(len(Path("/proc/self/maps").read_text().splitlines()))
    assert max(maps[FITS_KEPT:]) <= 1.3 * max(maps[:FITS_KEPT])


def test_a_fit_weighs_measurements_by_their_precision() -> None:
    """The same table measured twice, far apart: the fit lies between them, by the inverse squares of their scales."""
    known = NoisyMarginals((2,), 1_000)
    measured = {(700, 300): 1.0, (400, 600): 2.0}
    known._measured = [Noisy((0,), np.array(counts), scale, np.ones(2, int)) for counts, scale in measured.items()]
    weight = 1 / (1 + 1 / 4)
    assert known.model(1_000).counts((0,))[0] == pytest.approx(weight * 700 + (1 - weight) * 400, abs=0.1)


def test_a_sum_of_noisy_cells_counts_as_the_noisier_one_that_it_is() -> None:
    """Four levels that add up to 600, of which three are merged: against (700, 300), measured as merged."""
    known = NoisyMarginals((4,), 1_000)
    known._measured = [Noisy((0,), np.array([400, 200, 200, 200]), 1.0, np.ones(4, int))]
    merged = known.merged(Merging((np.array([0, 1, 1, 1]),)))
    merged._measured.append(Noisy((0,), np.array([700, 300]), 1.0, np.ones(2, int)))
    # Least squares for x and 1000 - x: (x-400)^2 + (x-400)^2/3 + 2 (x-700)^2.
    best = (400 * 4 / 3 + 700 * 2) / (4 / 3 + 2)
    assert merged.model(2_000).counts((0,))[0] == pytest.approx(best, abs=0.1)


def test_a_merged_measurement_is_the_librarys() -> None:
    known = NoisyMarginals((4,), 1_000)
    noisy = Noisy((0,), np.array([400, 210, 200, 190]), 3.0, np.ones(4, int))
    known._measured = [noisy]
    groups = np.array([1, 0, 1, 0])
    (own,) = known.merged(Merging((groups,)))._measured
    theirs = mbi.LinearMeasurement(noisy.counts.astype(float), ("a0",), 3.0).compress(
        {"a0": groups}, mbi.Domain(["a0"], (4,))
    )
    ours = _line(mbi, own)
    assert np.allclose(ours.noisy_measurement, theirs.noisy_measurement)
    assert np.allclose(ours.query.weights, theirs.query.weights)
    assert ours.stddev == theirs.stddev == 3.0


def test_mst_shares_rare_levels_out_evenly() -> None:
    """Two of four levels have nobody: together they are one level to the model, and get the same afterwards."""
    generator = np.random.default_rng(1)
    rows = np.stack([generator.integers(3, size=500), generator.integers(2, size=500), np.zeros(500)], axis=1)
    rows[:250, 2] = 1
    found = run_mst(Dataset(SHAPE, rows.astype(int)), ZCDP.at_most(1), SeededNoise(1))
    last = found.answers[WORKLOAD.offsets[2] : WORKLOAD.offsets[3]].reshape(2, 4)
    assert np.array_equal(last[:, 2], last[:, 3])
    assert abs(last[:, 1].sum() - 250) < 25
