"""What a pool with learnt weights is expected to be, from sweeps in which other public tables played the private one.

A sweep that played the pool of all its candidates says how its error was beside the least of any single table there,
unchanged or released with by either engine. That ratio, over the truths in the geometric mean, times the least error
that is expected of a single table, is what is expected of the pool. What a table contributes is what it did in the mean
over the truths that it did not play itself; the parts are scaled so that they add up to one. Public numbers and
released ones alone go in.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from pmwpub.evaluation import ENGINES, TABLE_FIT, TABLE_FIT_POOL, UNCHANGED, ExpectedPool, expected_pools
from pmwpub.mechanisms.table_fit.pool_weights import MOST_TABLES
from pmwpub.service.choosing.expected_error import ExpectedError
from pmwpub.service.choosing.simulated_pairs import FARTHEST, Pool
from pmwpub.service.core import Service
from pmwpub.service.inputs.study_store import Study
from pmwpub.service.simulations.explorations import Exploration, explorations
from pmwpub.service.simulations.sweep_range import WHOLE, SweepRange, played, truths

METHODS = (TABLE_FIT, TABLE_FIT_POOL, UNCHANGED)
CHOSEN_BELOW = 1.0
"""The error that a pool may be expected to have to be chosen beforehand, as a share of the best single table's."""


@dataclass(frozen=True)
class PlayedPool:
    """A pool of some tables beside the best single one, as far as sweeps played it.

    tables         the hashes of the tables that it is of
    ratios         its error as a share of the least one of a single table, by each truth
    contributions  (name, part of the prior), the largest first; they sum to one
    truths         who played the private table, by name
    """

    tables: tuple[str, ...]
    ratios: tuple[float, ...]
    contributions: tuple[tuple[str, float], ...]
    truths: tuple[str, ...]

    @property
    def ratio(self) -> float:
        """The geometric mean over the truths."""
        return math.exp(fmean(map(math.log, self.ratios)))

    @property
    def chosen(self) -> bool:
        """Whether the pool is chosen beforehand: it is expected to be hardly worse than the best single table, and
        which one that is it need not know."""
        return self.ratio <= CHOSEN_BELOW

    def error(self, single: ExpectedError) -> ExpectedError:
        """What is expected of the pool, by what is expected of the best single table; of its floor nothing is known,
        which 0 stands for, and its start is that table's."""
        low, high = min(self.ratios) * single.low, max(self.ratios) * single.high
        error = self.ratio * single.error
        return ExpectedError(
            "+".join(self.tables), error, min(low, error), max(high, error), 0.0, single.start, len(self.ratios)
        )


def can_be_pooled(current: Study, offered: Sequence[Pool]) -> bool:
    """Whether each truth is left with two of the single tables or more, and a pool may have them all."""
    tables = len(singles(offered))
    return tables - (0 if current.demo else 1) >= 2 and tables <= MOST_TABLES


def singles(offered: Sequence[Pool]) -> list[str]:
    """The tables that are offered by themselves."""
    return [pool[0] for pool in offered if len(pool) == 1]


def pool_terms(offered: Sequence[Pool], epsilon: float) -> SweepRange:
    """The sweep that plays all single tables together beside each of them by table fit, at one epsilon."""
    tables = tuple((sha256,) for sha256 in singles(offered))
    return SweepRange(tables, epsilons=(float(f"{epsilon:.6g}"),), methods=METHODS)


def is_pool_sweep(terms: SweepRange) -> bool:
    """Whether a sweep is one that `pool_terms` makes: it has no line of PMW^Pub."""
    return terms.methods == METHODS


def played_pool(service: Service, current: Study, tables: Sequence[str], epsilon: float) -> PlayedPool | None:
    """The pool of some tables, at the simulated epsilon that is nearest; None where no sweep played it.

    A sweep counts whose candidates were just these tables, but for the one that played the truth itself; of several
    with one truth it is the one of the nearest epsilon, and of those the latest.
    """
    wanted, names = tuple(sorted(set(tables))), truths(current)
    nearest: dict[str, tuple[float, ExpectedPool]] = {}
    for one in explorations(service, current):
        for found in _pools_of(current, one, wanted):
            away = abs(math.log(found.epsilon / epsilon))
            if away <= FARTHEST and (one.truth not in nearest or away < nearest[one.truth][0]):
                nearest[one.truth] = away, found
    if not nearest or any(found.best <= 0 or found.mean <= 0 for _, found in nearest.values()):
        return None
    ratios = tuple(found.mean / found.best for _, found in nearest.values())
    parts = _contributions([found for _, found in nearest.values()])
    return PlayedPool(wanted, ratios, parts, tuple(name for truth, name in names.items() if truth in nearest))


def _pools_of(current: Study, found: Exploration, wanted: tuple[str, ...]) -> Iterator[ExpectedPool]:
    """The pool at each epsilon of a finished sweep, beside single tables alone, where it is of the wanted tables."""
    if found.simulation is None:
        return
    candidates = list(played(current, found.truth, found.terms).values())
    tables = {sha256 for pool, _ in candidates for sha256 in pool}
    single = all(len(pool) == 1 and share == WHOLE for pool, share in candidates)
    if single and tables == set(wanted) - {found.truth}:
        kept = (TABLE_FIT_POOL, UNCHANGED, *ENGINES)
        yield from expected_pools([one for one in found.simulation.errors if one.method.partition("+")[0] in kept])


def _contributions(found: Sequence[ExpectedPool]) -> tuple[tuple[str, float], ...]:
    parts: dict[str, list[float]] = {}
    for name, part in (named for one in found for named in one.contributions):
        parts.setdefault(name, []).append(part)
    means = {name: fmean(own) for name, own in parts.items()}
    whole = sum(means.values())
    return tuple(sorted(((name, mean / whole) for name, mean in means.items()), key=lambda named: -named[1]))
