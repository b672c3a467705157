"""Small problems of table fit, shared by its tests, and its stated noise, computed without the package."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
from support import tables
from support.fakes import FixedNoise, RecordedNoise

from pmwpub.domain import Attribute, Domain
from pmwpub.mechanisms.table_fit import coarse_tables
from pmwpub.mechanisms.table_fit.coarse_tables import RangeTables
from pmwpub.mechanisms.table_fit.fit_constants import FitConstants
from pmwpub.mechanisms.table_fit.measured_tables import measured_tables
from pmwpub.mechanisms.table_fit.table_fit import TableRelease, measure, table_fit
from pmwpub.mechanisms.table_fit.table_schedule import TableSchedule, schedule
from pmwpub.privacy.budget import ZCDP
from pmwpub.privacy.noise import SECURE, NoiseSource
from pmwpub.queries.counts import count
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset, Support

SHAPE = tables.domain(3, 2, 4)
WORKLOAD = Workload.all_kway(SHAPE, 3)
PUBLIC = tables.support(SHAPE, 60, 11)
BUDGET = ZCDP.at_most(Fraction(1, 20))
CONSTANTS = FitConstants()


def in_order(*sizes: int, outside: int = 0) -> Domain:
    """The same attributes as `tables.domain`, whose levels stand in order but for the last so many."""
    found = tables.domain(*sizes).attributes
    return Domain(tuple(Attribute(one.name, one.levels, one.size - outside) for one in found))


def planned(
    workload: Workload = WORKLOAD,
    support: Support = PUBLIC,
    budget: ZCDP = BUDGET,
    k: int = 1,
    *,
    complete: bool = False,
    constants: FitConstants = CONSTANTS,
    three_way: Fraction | None = None,
    ranges: RangeTables | None = None,
) -> TableSchedule:
    return schedule(
        measured_tables(workload, three_way=three_way is not None),
        support,
        budget,
        rows_per_person=k,
        complete=complete,
        constants=constants,
        three_way_share=three_way,
        ranges=ranges,
    )


def released(
    private: Dataset, plan: TableSchedule, support: Support = PUBLIC, noise: NoiseSource = SECURE
) -> TableRelease:
    return table_fit(count(plan.tables, private), support, plan, noise=noise)


def drawn(plan: TableSchedule, private: Dataset) -> list[tuple[np.ndarray, Fraction]]:
    """The whole vectors that noise is added to, each with its scale."""
    noise = RecordedNoise(FixedNoise())
    counts = count(plan.tables, private)
    measure(counts, plan, noise=noise)
    if plan.coarse is not None:
        coarse_tables.measure_coarse(counts, plan.tables, plan.coarse, noise)
    assert {name for name, _, _ in noise.calls} == {"gaussians"}
    return [(np.array(values, dtype=object), scale) for _, (values, scale), _ in noise.calls]  # type: ignore[misc]


def cost_between(plan: TableSchedule, one: Dataset, other: Dataset) -> Fraction:
    """sum over tables of |a - b|^2/(2 sigma^2), exact: what the draws for two neighbours cost in zCDP."""
    total = Fraction(0)
    for (ours, scale), (theirs, _) in zip(drawn(plan, one), drawn(plan, other), strict=True):
        total += Fraction(int(((ours - theirs) ** 2).sum())) / (2 * scale**2)
    return total


def stated_scales(workload: Workload, public: Dataset, rho: float, k: int, three_way: float = 0.0) -> list[float]:
    """sigma_j = k/sqrt(rho_j), by loops: half of rho in equal parts, half by the root of the product of two spreads.

    three_way  of rho: the 3-way tables' part, in equal parts, before the others share what is left
    """
    attributes = sorted({a for marginal in workload.marginals for a in marginal.attributes})
    together = [set(marginal.attributes) for marginal in workload.marginals]
    pairs = [(a, b) for a in attributes for b in attributes if a < b and any({a, b} <= s for s in together)]
    spread = {}
    for a in attributes:
        shares = [float(np.mean(public.codes[:, a] == level)) for level in range(workload.domain.shape[a])]
        spread[a] = max(1e-4, *(p * (1 - p) for p in shares))
    threes = [s for s in itertools.combinations(attributes, 3) if three_way and any({*s} <= t for t in together)]
    last, rho = [three_way * rho / len(threes) for _ in threes], (1.0 - three_way) * rho
    roots = [math.sqrt(spread[a] * spread[b]) for a, b in pairs]
    part = 0.5 if pairs else 1.0
    shares = [part / len(attributes)] * len(attributes) + [0.5 * root / sum(roots) for root in roots]
    return [k / math.sqrt(part) for part in [*(rho * share for share in shares), *last]]
