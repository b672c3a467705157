"""Definition 2.4 prints 1/(1 - a); Definition 2.5 and Proposition 4.3 need 1/(a - 1), which is what is used."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmwpub.theory import renyi_divergence


def _distributions(cells: int = 4) -> st.SearchStrategy[np.ndarray]:
    masses = st.lists(st.floats(0.01, 1.0), min_size=cells, max_size=cells)
    return masses.map(lambda drawn: np.array(drawn) / np.sum(drawn))


@given(_distributions(), _distributions(), st.floats(1.01, 20.0))
def test_the_divergence_is_the_printed_one_with_its_sign_turned(mu: np.ndarray, nu: np.ndarray, order: float) -> None:
    printed = math.log(float(np.sum(mu**order * nu ** (1 - order)))) / (1 - order)
    assert renyi_divergence(mu, nu, order) == pytest.approx(-printed, abs=1e-9)
    assert renyi_divergence(mu, nu, order) >= 0


@given(_distributions(), _distributions())
def test_the_proof_of_proposition_4_3_reads_it_as_the_second_moment_of_the_ratio(
    mu: np.ndarray, nu: np.ndarray
) -> None:
    ratio = mu / nu
    assert math.exp(renyi_divergence(mu, nu, 2)) == pytest.approx(float(np.sum(nu * ratio**2)))
    assert math.exp(renyi_divergence(mu, nu, math.inf)) == pytest.approx(max(1.0, float(ratio.max())))


@given(_distributions(), _distributions(), st.floats(1.1, 10.0), st.floats(0.1, 10.0))
def test_the_divergence_grows_with_its_order(mu: np.ndarray, nu: np.ndarray, order: float, more: float) -> None:
    values = [renyi_divergence(mu, nu, a) for a in (order, order + more, math.inf)]
    assert values[0] <= values[1] + 1e-9
    assert values[1] <= values[2] + 1e-9
