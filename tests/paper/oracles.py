"""Independent oracles for the paper's statements: dense, slow, and from the definitions alone."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from scipy import optimize
from support import tables

from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset, Support


def membership(workload: Workload, rows: np.ndarray) -> np.ndarray:
    """float64 (Q, rows): phi_q(x)."""
    return np.array(
        [[tables.satisfied(workload, q, row) for row in rows] for q in range(workload.queries)], dtype=float
    )


def answers(workload: Workload, dataset: Dataset) -> np.ndarray:
    """q(D) as floats, (Q,)."""
    return np.array([float(Fraction(c, len(dataset))) for c in tables.brute_counts(workload, dataset)])


def best_mixture_error(workload: Workload, truth: np.ndarray, support: Support) -> float:
    """f_{D,Q}(S): minimise t over mixtures mu with |q(D) - sum mu_x q(x)| <= t for all q, as one linear program.

    truth  q(D), (Q,)
    """
    matrix = membership(workload, support.codes)
    slack = np.full((len(truth), 1), -1.0)
    found = optimize.linprog(
        c=[0.0] * len(support) + [1.0],
        A_ub=np.block([[matrix, slack], [-matrix, slack]]),
        b_ub=np.concatenate([truth, -truth]),
        A_eq=[[1.0] * len(support) + [0.0]],
        b_eq=[1.0],
    )
    assert found.success
    return float(found.fun)
