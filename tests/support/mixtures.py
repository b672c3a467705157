"""Small best-mixture problems and their answers by independent means."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import numpy.typing as npt
from scipy.optimize import linprog
from support import tables

from pmwpub.mechanisms.best_mixture.interval import BestMixture
from pmwpub.privacy.noise import SECURE, NoiseSource
from pmwpub.queries.counts import PrivateCounts, count
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset, Support

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Problem:
    """A private table, a workload on it, and a public support."""

    private: Dataset
    workload: Workload
    support: Support

    @property
    def counts(self) -> PrivateCounts:
        return count(self.workload, self.private)

    @property
    def incidence(self) -> Array:
        """float64 (Q, m): 1 where an atom satisfies a query, dense."""
        found = np.zeros((self.workload.queries, len(self.support)))
        for index in range(self.workload.queries):
            found[index] = [tables.satisfied(self.workload, index, row) for row in self.support.codes]
        return found

    def neighbour(self, rows: int, generator: np.random.Generator) -> Problem:
        """The same problem after one person's `rows` rows became others."""
        codes = np.array(self.private.codes)
        changed = generator.choice(len(codes), size=min(rows, len(codes)), replace=False)
        for attribute, size in enumerate(self.private.domain.shape):
            codes[changed, attribute] = generator.integers(0, size + 1, len(changed))
        return Problem(Dataset(self.private.domain, codes), self.workload, self.support)


def random_problem(generator: np.random.Generator, *, n: int | None = None, public_rows: int = 40) -> Problem:
    """Two to four attributes of two to four levels; private cells may have no level; 1- to 3-way marginals."""
    shape = tuple(int(size) for size in generator.integers(2, 5, generator.integers(2, 5)))
    domain = tables.domain(*shape)
    rows = int(generator.integers(1, 60)) if n is None else n
    private = np.stack([generator.integers(0, size + 1, rows) for size in shape], axis=1)
    public = _rows(generator, shape, int(generator.integers(1, public_rows)))
    workload = Workload.all_kway(domain, int(generator.integers(1, min(3, len(shape)) + 1)))
    return Problem(Dataset(domain, private), workload, Support.of(Dataset(domain, public)))


def _rows(generator: np.random.Generator, shape: tuple[int, ...], rows: int) -> npt.NDArray[np.int64]:
    return np.stack([generator.integers(0, size, rows) for size in shape], axis=1)


def random_problems(cases: int, seed: int) -> Iterator[Problem]:
    generator = np.random.default_rng(seed)
    for _ in range(cases):
        yield random_problem(generator)


def optimum(problem: Problem) -> float:
    """The best-mixture error by scipy's linear program on all queries at once."""
    counts, incidence = problem.counts, problem.incidence
    target, atoms = counts.counts / counts.n, incidence.shape[1]
    minus_one = -np.ones((len(target), 1))
    found = linprog(
        np.append(np.zeros(atoms), 1.0),
        A_ub=np.block([[incidence, minus_one], [-incidence, minus_one]]),
        b_ub=np.concatenate([target, -target]),
        A_eq=np.append(np.ones(atoms), 0.0)[None],
        b_eq=[1.0],
        method="highs",
    )
    assert found.status == 0
    return float(found.fun)


def solved(problem: Problem) -> BestMixture:
    """Refined to the end."""
    state = BestMixture(problem.counts, problem.workload, problem.support)
    while not state.exhausted:
        state.refine()
    return state


def early_stopped(problem: Problem, rounds: int = 5) -> float:
    """The recipe of the paper's plots: multiplicative weights on the worst query, stopped early (no privacy)."""
    counts, incidence = problem.counts, problem.incidence
    target = counts.counts / counts.n
    weights = problem.support.multiplicity / problem.support.rows
    for _ in range(rounds):
        residual = target - incidence @ weights
        worst = int(np.argmax(np.abs(residual)))
        weights = weights * np.exp(incidence[worst] * residual[worst] / 2)
        weights = weights / weights.sum()
    return float(np.abs(target - incidence @ weights).max())


def exact_error(problem: Problem, weights: npt.NDArray[np.int64]) -> Fraction:
    """max_q |q(D) - q(mu)| by brute force in fractions."""
    counts = problem.counts
    total = int(weights.sum())
    worst = Fraction(0)
    for satisfied, c in zip(problem.incidence.astype(bool), counts.counts.tolist(), strict=True):
        mass = Fraction(sum(weights[satisfied].tolist()), total)
        worst = max(worst, abs(Fraction(c, counts.n) - mass))
    return worst


@dataclass
class Batched:
    """A noise source that draws its zero-centred noise many at a time: the same law, faster."""

    source: NoiseSource = SECURE
    batch: int = 5_000
    stock: dict[tuple[str, Fraction], Iterator[int]] = field(default_factory=dict)

    def _next(self, name: str, scale: Fraction) -> int:
        found = next(self.stock.get((name, scale), iter(())), None)
        if found is None:
            self.stock[name, scale] = iter(getattr(self.source, name)([0] * self.batch, scale))
            return self._next(name, scale)
        return found

    def laplace(self, value: int, scale: Fraction) -> int:
        return value + self._next("laplaces", scale)

    def gaussian(self, value: int, scale: Fraction) -> int:
        return value + self._next("gaussians", scale)

    def laplaces(self, values: list[int], scale: Fraction) -> list[int]:
        return [self.laplace(value, scale) for value in values]

    def gaussians(self, values: list[int], scale: Fraction) -> list[int]:
        return [self.gaussian(value, scale) for value in values]

    def bits(self, k: int) -> int:
        return self.source.bits(k)

    def below(self, n: int) -> int:
        return self.source.below(n)

    def bernoulli_exp(self, x: Fraction) -> bool:
        return self.source.bernoulli_exp(x)
