"""Releases of a world that drifts, and wrong rules for their intervals: shared by the tests of intervals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np
from mechanisms.table_fit.toy_tables import planned
from support import tables
from support.fakes import SeededNoise

from pmwpub.mechanisms.table_fit.fit_constants import FitConstants
from pmwpub.mechanisms.table_fit.intervals.believed_drift import BelievedDrift, released_tables
from pmwpub.mechanisms.table_fit.intervals.released_tables import ReleasedTables
from pmwpub.mechanisms.table_fit.table_fit import table_fit
from pmwpub.privacy.budget import ZCDP
from pmwpub.queries.counts import count
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset, Support

SHAPE = tables.domain(3, 2, 4, 3)
PAIRS = Workload.all_kway(SHAPE, 2)
N = 4_000

Rule = Callable[[ReleasedTables, BelievedDrift], tuple[ReleasedTables, BelievedDrift]]
"""What intervals rest on, changed."""


def world(seed: int, *, strength: float = 250.0) -> tuple[Dataset, Support]:
    """Public rows, and private rows of a law that drifted from theirs, level by level and pair by pair."""
    rng = np.random.default_rng([seed, 5])
    classes = [np.stack([rng.dirichlet(np.ones(size)) for _ in range(3)]) for size in SHAPE.shape]
    mix = rng.dirichlet(np.ones(3) * 5)
    every = np.array(list(np.ndindex(*SHAPE.shape)))
    law = sum(mix[c] * np.prod([classes[a][c][every[:, a]] for a in range(4)], axis=0) for c in range(3))
    drifted = rng.dirichlet(law * strength)
    codes = [every[rng.choice(len(every), rows, p=p)] for rows, p in ((6_000, law), (N, drifted))]
    return Dataset(SHAPE, codes[1]), Support.of(Dataset(SHAPE, codes[0]))


def released(seed: int, rho: Fraction = Fraction(1, 20)) -> tuple[Dataset, ReleasedTables, BelievedDrift]:
    private, support = world(seed)
    plan = planned(PAIRS, support, ZCDP.at_most(rho), complete=True, constants=FitConstants())
    found = table_fit(count(plan.tables, private), support, plan, noise=SeededNoise(seed))
    return private, released_tables(found, plan, N), BelievedDrift.of(found, plan, N)


def without_drift(release: ReleasedTables, drift: BelievedDrift) -> tuple[ReleasedTables, BelievedDrift]:
    return release, BelievedDrift((1e12,) * 4, 1e12)


def the_fits_own(release: ReleasedTables, drift: BelievedDrift) -> tuple[ReleasedTables, BelievedDrift]:
    return release, BelievedDrift((release.choices.strength,) * 4, release.choices.pair_strength)


def half_the_noise(release: ReleasedTables, drift: BelievedDrift) -> tuple[ReleasedTables, BelievedDrift]:
    return replace(release, deviations=release.deviations / 2), drift


def exact_cells(release: ReleasedTables, drift: BelievedDrift) -> tuple[ReleasedTables, BelievedDrift]:
    return replace(release, deviations=release.deviations * 1e-3), drift


WRONG_RULES: list[Rule] = [without_drift, the_fits_own, half_the_noise, exact_cells]
