"""Marginals by dense linear algebra on the whole domain: what residuals, strategies and costs are compared with."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from pmwpub.domain import Domain
from pmwpub.queries.workload import Workload

Subset = tuple[int, ...]


def table_of(shape: Domain, subset: Subset) -> np.ndarray:
    """0/1 (cells of the subset, cells of the domain): sums a vector over the domain to the subset's marginal."""
    matrix = np.ones((1, 1))
    for attribute, size in enumerate(shape.shape):
        matrix = np.kron(matrix, np.eye(size) if attribute in subset else np.ones((1, size)))
    return matrix


def projection(sizes: Sequence[int]) -> np.ndarray:
    """P_A by its definition: the Kronecker product of I - 11'/m."""
    matrix = np.ones((1, 1))
    for size in sizes:
        matrix = np.kron(matrix, np.eye(size) - 1 / size)
    return matrix


def least_squares_variances(workload: Workload, precision: np.ndarray) -> np.ndarray:
    """The variance of each query's answer where the domain's vector has this precision matrix, and its sum is known.

    precision  (cells, cells): sum over measurements of M' M/sigma^2
    """
    cells = len(precision)
    # A very sure measurement of the sum stands for knowing it.
    known = precision + 1e6 * precision.max() * np.ones((cells, cells))
    queries = np.concatenate([table_of(workload.domain, marginal.attributes) for marginal in workload.marginals])
    # What the workload does not touch may be unknown: the pseudo-inverse leaves it out.
    covariance = np.linalg.pinv(known, rcond=1e-13, hermitian=True)
    return np.einsum("qi,ij,qj->q", queries, covariance, queries)


def row_moves(shape: Domain, subset: Subset) -> dict[tuple[int, ...], np.ndarray]:
    """Every row with and without levels -> what it adds to the subset's table, flattened."""
    sizes = [shape.shape[a] for a in subset]
    moves = {}
    for row in itertools.product(*(range(size + 1) for size in shape.shape)):
        vector = np.zeros(math.prod(sizes))
        if all(row[a] < shape.shape[a] for a in subset):
            vector[np.ravel_multi_index([row[a] for a in subset], sizes)] = 1.0
        moves[row] = vector
    return moves


def residual_costs(shape: Domain, theta: Mapping[Subset, float]) -> Iterator[tuple[tuple[int, ...], np.ndarray]]:
    """Every row -> its weighted residuals in one vector v: replacing x by x' costs |v_x - v_x'|^2/2."""
    moves = {subset: row_moves(shape, subset) for subset in theta}
    projections = {subset: projection([shape.shape[a] for a in subset]) for subset in theta}
    for row in next(iter(moves.values())):
        yield (
            row,
            np.concatenate(
                [math.sqrt(weight) * projections[subset] @ moves[subset][row] for subset, weight in theta.items()]
            ),
        )
