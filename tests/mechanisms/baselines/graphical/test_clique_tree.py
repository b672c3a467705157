"""Marginals from a junction tree against summing the whole distribution."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmwpub.mechanisms.baselines.graphical.clique_tree import CliqueTree

SHAPE = (3, 2, 4, 2, 3, 2)
LETTERS = "abcdef"
TREES = {
    "a chain": [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)],
    "a star": [(0, 2), (2, 1), (2, 3), (2, 4), (2, 5)],
    "wide cliques": [(0, 1, 2), (1, 2, 3), (2, 3, 4), (3, 5)],
    "two parts": [(0, 1), (1, 4), (2, 3), (3, 5)],
    "one clique": [(0, 1, 2, 3, 4, 5)],
    "no edge": [(0,), (1,), (2,), (3,), (4,), (5,)],
}


def joint_of(cliques: list[tuple[int, ...]], seed: int, zeros: float) -> np.ndarray:
    """A product of random tables, one a clique, that sums to one; never zero everywhere."""
    rng = np.random.default_rng(seed)
    tables = []
    for clique in cliques:
        table = rng.random([SHAPE[a] for a in clique]) + 0.01
        table[rng.random(table.shape) < zeros] = 0
        table.flat[0] = 1.0
        tables.append(table)
    names = ["".join(LETTERS[a] for a in clique) for clique in cliques]
    joint = np.einsum(",".join(names) + "->" + LETTERS, *tables)
    return np.asarray(joint / joint.sum())


def summed(joint: np.ndarray, subset: tuple[int, ...]) -> np.ndarray:
    return np.asarray(np.einsum(LETTERS + "->" + "".join(LETTERS[a] for a in subset), joint))


@pytest.mark.parametrize("name", TREES)
@given(seed=st.integers(0, 10_000), zeros=st.sampled_from([0.0, 0.3, 0.9]), total=st.sampled_from([1.0, 1e-6, 48_842]))
def test_every_marginal_is_the_sum_over_the_rest(name: str, seed: int, zeros: float, total: float) -> None:
    cliques = TREES[name]
    joint = joint_of(cliques, seed, zeros)
    tree = CliqueTree.of((clique, total * summed(joint, clique)) for clique in cliques)
    for k in (1, 2, 3):
        for subset in itertools.combinations(range(6), k):
            assert np.abs(tree.marginal(subset) - summed(joint, subset)).max() <= 1e-14
    assert np.abs(tree.marginal((5, 0)) - summed(joint, (5, 0))).max() <= 1e-14, "axes are in the order asked for"


def test_a_chain_of_many_attributes_is_short_work() -> None:
    """Far ends of 200 binary attributes that copy their neighbour with probability 0.9: 0.5 + 0.5 x 0.8^199."""
    step = np.array([[0.45, 0.05], [0.05, 0.45]])
    tree = CliqueTree.of(((a, a + 1), step) for a in range(199))
    alike = float(np.trace(tree.marginal((0, 199))))
    assert alike == pytest.approx(0.5 + 0.5 * 0.8**199, abs=1e-12)
    assert float(np.trace(tree.marginal((3, 5)))) == pytest.approx(0.5 + 0.5 * 0.8**2, abs=1e-12)
