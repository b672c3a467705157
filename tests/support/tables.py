"""Small random domains, tables and workloads, and brute-force answers, shared by tests."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np

from pmwpub.domain import Attribute, Domain
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset, Support


def domain(*sizes: int) -> Domain:
    """Attributes a0, a1, ... with levels "0", "1", ..."""
    return Domain(tuple(Attribute(f"a{j}", tuple(map(str, range(size)))) for j, size in enumerate(sizes)))


def ordered(shape: Domain, *levels: int) -> Domain:
    """The same attributes, so many of whose first levels are in order; 0 for none."""
    return Domain(tuple(Attribute(a.name, a.levels, n) for a, n in zip(shape.attributes, levels, strict=True)))


def table(shape: Domain, rows: int, seed: int, *, no_level: bool = False) -> Dataset:
    """Random rows; with no_level, about one cell in ten has none."""
    rng = np.random.default_rng(seed)
    codes = np.stack([rng.integers(size, size=rows) for size in shape.shape], axis=1)
    if no_level:
        codes = np.where(rng.random(codes.shape) < 0.1, np.array(shape.shape), codes)
    return Dataset(shape, codes)


def support(shape: Domain, rows: int, seed: int) -> Support:
    """The support of a random public table."""
    return Support.of(table(shape, rows, seed))


def satisfied(workload: Workload, query: int, row: np.ndarray) -> bool:
    """Whether a row of codes satisfies a query, by the definition."""
    if workload.prefixes and query >= _first_prefix(workload):
        beside, target, attribute, most = prefix_of(workload, query)
        return int(row[attribute]) <= most and all(int(row[a]) == code for a, code in zip(beside, target, strict=True))
    marginal, target = workload.query(query)
    return all(int(row[a]) == code for a, code in zip(marginal.attributes, target, strict=True))


def prefix_of(workload: Workload, query: int) -> tuple[tuple[int, ...], tuple[int, ...], int, int]:
    """A prefix query by counting: the attributes beside with their levels, the ordered one, and its largest level."""
    place = _first_prefix(workload)
    for one in workload.prefixes:
        last = workload.domain.attributes[one.ordered].ordered - 1
        for target in itertools.product(*(range(workload.domain.shape[a]) for a in one.beside)):
            for most in range(last):
                if place == query:
                    return one.beside, target, one.ordered, most
                place += 1
    raise AssertionError(f"there is no query {query}")


def _first_prefix(workload: Workload) -> int:
    shape = workload.domain.shape
    return sum(math.prod(shape[a] for a in marginal.attributes) for marginal in workload.marginals)


def brute_counts(workload: Workload, dataset: Dataset) -> list[int]:
    """c_q by looping over rows."""
    return [sum(satisfied(workload, q, row) for row in dataset.codes) for q in range(workload.queries)]


def brute_answer(workload: Workload, atoms: Support, values: list[int], query: int) -> Fraction:
    """q(A) as an exact fraction by looping over atoms."""
    hit = sum(value for row, value in zip(atoms.codes, values, strict=True) if satisfied(workload, query, row))
    return Fraction(hit, sum(values))


def neighbour(dataset: Dataset, rows: int, seed: int) -> Dataset:
    """The table with `rows` of its rows replaced by other ones: one person's data changed."""
    rng = np.random.default_rng(seed)
    codes = dataset.codes.copy()
    shape = dataset.domain.shape
    for row in rng.choice(len(codes), size=min(rows, len(codes)), replace=False):
        codes[row] = [rng.integers(size + 1) for size in shape]
    return Dataset(dataset.domain, codes)


def all_targets(shape: Domain) -> list[tuple[int, ...]]:
    """Every possible row of a small domain."""
    return list(itertools.product(*map(range, shape.shape)))
