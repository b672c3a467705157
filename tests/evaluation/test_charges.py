"""What a method of a sweep draws at k = 3 rows a person stays within its budget: seen at the primitives themselves.

Two tables differ in one person's three rows. Both runs get the same answers, so that whatever differs between what they
draw from is that person's doing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from support import product_model, tables

from pmwpub.evaluation import (
    METHODS,
    UNCHANGED,
    Run,
    Stage,
    answering,
    baselines,
    is_baseline,
    peers,
    runs,
)
from pmwpub.evaluation.baseline_registry import (
    FAMILIES,
    TABLE_FIT,
    TABLE_FIT_GROWN,
    TABLE_FIT_POOL,
    TABLE_FIT_RANGES,
    TABLE_FIT_THREE_WAY,
    baseline_of,
)
from pmwpub.evaluation.fits import fitted_tables, weighted_pools
from pmwpub.mechanisms.table_fit.pool_fit import PoolRelease
from pmwpub.privacy.budget import ZCDP
from pmwpub.privacy.measurement import DiscreteGaussian
from pmwpub.privacy.selection import ExponentialMechanism, PermuteAndFlip
from pmwpub.privacy.vector_gaussian import VectorGaussian
from pmwpub.queries.counts import count
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset

K = 3
EPSILON = 4.0
SHAPE = tables.ordered(tables.domain(3, 2, 2), 3, 0, 0)
WORKLOAD = Workload.all_kway(SHAPE, 2)

OWN = (*(method for method in METHODS if method != UNCHANGED), "pmw-pub+permute-and-flip+average+no-replay")
WITHOUT = ("mwem", "mwem+on=a0/a1", "hdmm", "hdmm+even", "residual-planner", "residual-planner+even", "aim", "mst")
# Few rows: a step and samples for which a budget pays for several rounds; a lambda for which the bound is nearly met.
NAMES = (
    *OWN, TABLE_FIT, TABLE_FIT_GROWN, TABLE_FIT_THREE_WAY, TABLE_FIT_RANGES, TABLE_FIT_POOL, *WITHOUT,
    "dual-query+samples=5+eta=1", "ji-elkan+lambda=100",
)  # fmt: skip

RELEASES = (
    (runs, "pmw_pub"), (baselines, "mwem"), (baselines, "dual_query"), (baselines, "ji_elkan"),
    (answering, "hdmm"), (answering, "residual_planner"), (peers, "aim"), (peers, "mst"),
    (fitted_tables, "table_fit"), (weighted_pools, "pool_fit"),
)  # fmt: skip


def table(person: int, rows: int = 60) -> Dataset:
    """One person owns the first three rows: the first level of every attribute, or the last."""
    codes = tables.table(SHAPE, rows, 1).codes.copy()
    codes[:K] = [[0, 0, 0], [2, 1, 1]][person]
    return Dataset(SHAPE, codes)


def stage(person: int, method: str = "") -> Stage:
    """MST gets so many rows that it takes no level for rare; tables of three columns need a marginal that has them,
    coarse tables prefixes of their column."""
    prefixes = ["a0"] if method == TABLE_FIT_RANGES else []
    workload = Workload.all_kway(SHAPE, 3 if method == TABLE_FIT_THREE_WAY else 2, prefixes=prefixes)
    rows = table(person, 600 if method == "mst" else 60)
    candidates = {"c": tables.support(SHAPE, 40, 2), "d": tables.support(SHAPE, 30, 3)}
    return Stage(workload, count(workload, rows), candidates, Fraction(1, 10**6), K, rows=rows)


def run_of(method: str) -> Run:
    own = not is_baseline(method)
    candidate = "c" if own or baseline_of(method).uses_candidate else ""
    return Run(candidate, method, EPSILON, 4 if own or baseline_of(method).has_rounds else 0, 0)


@dataclass
class Draw:
    """What was drawn from: a vector with Gaussian noise of a scale, or scores of a stated sensitivity at a charge."""

    values: np.ndarray
    scale: Fraction = Fraction(0)
    sensitivity: int = 0
    rho: Fraction = Fraction(0)
    law: type = object


@dataclass
class Watch:
    """The draws and releases of a run; noise is nothing, and a run that repeats another gets that one's answers."""

    repeats: Watch | None = None
    draws: list[Draw] = field(default_factory=list)
    answers: list[Any] = field(default_factory=list)
    releases: list[ZCDP] = field(default_factory=list)

    def measured(self, values: Any, scale: Fraction) -> Any:
        self.draws.append(Draw(np.array(values, dtype=object).ravel(), scale=scale))
        self.answers.append(values if self.repeats is None else self.repeats.answers[len(self.answers)])
        return self.answers[-1]

    def chosen(self, law: Any, scores: np.ndarray, sensitivity: int) -> int:
        self.draws.append(Draw(np.array(scores, dtype=object), sensitivity=sensitivity, rho=law.rho.rho, law=type(law)))
        return 0


@dataclass
class Law:
    watch: Watch
    law: Any
    scores: np.ndarray
    sensitivity: int

    def draw(self, noise: object) -> int:
        return self.watch.chosen(self.law, self.scores, self.sensitivity)


def watched(method: str, person: int, repeats: Watch | None = None) -> Watch:
    """One run of a method, as a sweep makes it; an even model stands in for those of the extra `peers`."""
    watch = Watch(repeats)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(VectorGaussian, "measure", lambda self, values, *, noise=None: watch.measured(values, self.scale))
        patch.setattr(DiscreteGaussian, "measure", lambda self, c, *, noise=None: watch.measured(c, self.scale))
        for law in (ExponentialMechanism, PermuteAndFlip):
            patch.setattr(law, "select", lambda self, scores, k, *, noise=None: watch.chosen(self, scores, k))
            patch.setattr(law, "choose", lambda self, scores, k, *, noise=None: watch.chosen(self, scores.exact(), k))
            patch.setattr(law, "law", lambda self, scores, k: Law(watch, self, scores, k))
        for module, name in RELEASES:
            patch.setattr(module, name, _noted(getattr(module, name), watch))
        patch.setattr(peers, "available", lambda: True)
        product_model.stand_in(patch, product_model.Even)
        runs.play(stage(person, method), run_of(method))
    return watch


def _noted(mechanism: Callable[..., Any], watch: Watch) -> Callable[..., Any]:
    def noted(*arguments: Any, **named: Any) -> Any:
        release = mechanism(*arguments, **named)
        watch.releases.append(release.release.rho if isinstance(release, PoolRelease) else release.rho)
        return release

    return noted


def test_every_registered_baseline_is_watched() -> None:
    assert {name.partition("+")[0] for name in NAMES if is_baseline(name)} == set(FAMILIES)


@pytest.mark.parametrize("method", NAMES)
def test_what_three_rows_move_costs_at_most_the_budget(method: str) -> None:
    budget = stage(0, method).terms(EPSILON).budget
    one = watched(method, 0)
    other = watched(method, 1, one)
    assert one.releases == other.releases
    assert len(one.releases) == 1
    assert one.releases[0] <= budget
    choices = vectors = Fraction(0)
    moves = []
    for here, there in zip(one.draws, other.draws, strict=True):
        moved = here.values - there.values
        assert (here.scale, here.sensitivity, here.rho) == (there.scale, there.sensitivity, there.rho)
        if here.sensitivity:
            assert np.abs(moved).max() <= here.sensitivity
            moves.append(Fraction(int(np.abs(moved).max()), here.sensitivity))
            choices += here.rho
            assert here.law is (PermuteAndFlip if "permute-and-flip" in method else ExponentialMechanism)
        else:
            vectors += Fraction(int((moved * moved).sum())) / (2 * here.scale**2)
    assert choices + vectors <= budget.rho
    # The same with noise for one row a person would not pass: sensitivities a third, squared scales a ninth.
    assert not moves or 3 * max(moves) > 1
    assert not vectors or choices + 9 * vectors > budget.rho
