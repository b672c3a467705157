"""Which candidate to take by all that is known, and why, in words. A function of released and public numbers alone."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from pmwpub.evaluation import ENGINES, TABLE_FIT
from pmwpub.evaluation.verdicts import WORTH
from pmwpub.rounding import in_percent, near
from pmwpub.service.bought.assessments import Assessed
from pmwpub.service.bought.best_candidate import too_close
from pmwpub.service.bought.latest_numbers import latest_of_all
from pmwpub.service.choosing.expected_error import BoughtNumbers, ExpectedError, expected_errors
from pmwpub.service.choosing.expected_pool import PlayedPool, played_pool, singles
from pmwpub.service.choosing.simulated_pairs import Pool, SimulatedPairs, key_of, pairs_at
from pmwpub.service.core import Service
from pmwpub.service.inputs.study_store import Study

NOTHING = "No candidate is chosen beforehand: nothing was bought or simulated of them. To simulate is free."


@dataclass(frozen=True)
class Preselection:
    """The candidate that is chosen beforehand, or None, and why.

    reason    a sentence or two of plain text
    expected  of each candidate of which something can be expected, the least expected error first
    engine    the engine that the expectations are of; "" where there are none
    together  what is expected of all single tables in a pool with learnt weights, where it was simulated with table fit
    reached   whether epsilon lies within what was simulated; else the nearest end stands for it
    tied      candidates that cannot be told apart from the first yet, whatever is expected of them (`tied_with_first`)
    """

    pool: Pool | None
    reason: str
    expected: tuple[tuple[Pool, ExpectedError], ...] = ()
    engine: str = ""
    together: PlayedPool | None = None
    reached: bool = True
    tied: tuple[Pool, ...] = ()

    @property
    def pooled(self) -> ExpectedError | None:
        """What to expect of the pool with learnt weights where it is chosen beforehand; None where one candidate is."""
        alone = [one for pool, one in self.expected if len(pool) == 1]
        if self.together is None or not alone or not self.together.chosen:
            return None
        return self.together.error(alone[0])

    def of(self, pool: Pool) -> ExpectedError | None:
        """What is expected of one candidate or pool."""
        return dict(self.expected).get(pool)


def preselected(
    service: Service,
    current: Study,
    bought: Sequence[Assessed],
    offered: Sequence[Pool],
    *,
    epsilon: float,
    engine: str | None = None,
) -> Preselection:
    """The candidate of the least expected error of a release at an epsilon, out of those that are offered.

    Simulations and bought numbers together decide (`expected_error`); without a simulation the floors do, and within a
    tie of floors the noisy start. It is None where that does not tell candidates apart.

    engine  that of the release; None for the one of those simulated that is expected to do best
    """
    known = latest_of_all(bought, current)
    pools = [tuple(sorted(pool)) for pool in offered]
    numbers = {key_of(pool): BoughtNumbers(one.floor, one.start) for pool, one in known.items()}
    by_key = {key_of(pool): pool for pool in pools}
    engines = ENGINES if engine is None else (engine,)
    tried = {name: pairs_at(service, current, epsilon, name) for name in engines}
    errors = {name: expected_errors(one.pairs, numbers, list(by_key), engine=name) for name, one in tried.items()}
    taken = min((name for name in engines if errors[name]), key=lambda name: errors[name][0].error, default="")
    found, simulated = errors.get(taken, []), tried.get(taken, SimulatedPairs())
    expected = tuple((by_key[one.candidate], one) for one in found)
    if len(pools) == 1:
        return Preselection(
            pools[0], f"{current.names(pools[0])} is the only candidate.", expected, taken, reached=simulated.reached
        )
    if not expected:
        pool, reason = _by_bought(current, {pool: known[pool] for pool in pools if pool in known}, len(pools))
        return Preselection(pool, reason)
    bought_too = any(pool in known for pool in pools)
    tied = () if current.demo else tied_with_first(expected, known)
    reason = _because(current, expected, simulated, epsilon, bought_too=bought_too, left=len(pools) - len(expected))
    if tied:
        reason = f"{reason} {untold(current, tied)}"
    together = _together(service, current, pools, epsilon) if taken == TABLE_FIT else None
    found_now = Preselection(expected[0][0], reason, expected, taken, together, simulated.reached, tied)
    pooled = found_now.pooled
    return found_now if pooled is None else replace(found_now, reason=f"{_pooled_words(found_now, pooled)} {reason}")


def tied_with_first(expected: Sequence[tuple[Pool, ExpectedError]], known: Collection[Pool]) -> tuple[Pool, ...]:
    """Those that cannot be told apart from the first: nothing was bought of either, no table played the private one to
    both, as where two tables play it to each other, and each error lies where the other's may."""
    (first, best), *others = expected
    return tuple(
        pool
        for pool, one in others
        if first not in known
        and pool not in known
        and best.pairs
        and one.pairs
        and not set(best.truths) & set(one.truths)
        and best.low <= one.error <= best.high
        and one.low <= best.error <= one.high
    )


def untold(current: Study, tied: Sequence[Pool]) -> str:
    """That the candidate that is preselected cannot be told apart from these, and what would do it."""
    names = ", ".join(current.names(pool) for pool in tied)
    return f"It and {names} cannot be told apart until a start is bought: no table played the private one to both."


def _together(service: Service, current: Study, pools: Sequence[Pool], epsilon: float) -> PlayedPool | None:
    """All single tables that are offered in one pool with learnt weights, as far as it was simulated."""
    tables = singles(pools)
    return played_pool(service, current, tables, epsilon) if len(tables) > 1 else None


def _pooled_words(found: Preselection, pooled: ExpectedError) -> str:
    parts = () if found.together is None else found.together.contributions
    named = ", ".join(f"{name} {100 * part:.0f} %" for name, part in parts)
    return (
        f"A pool with learnt weights is expected to be best by table fit, with an error of {in_percent(pooled.error)}; "
        f"in the mean over the simulations its tables contributed {named}."
    )


def _because(
    current: Study,
    expected: Sequence[tuple[Pool, ExpectedError]],
    simulated: SimulatedPairs,
    epsilon: float,
    *,
    bought_too: bool,
    left: int,
) -> str:
    """Why the first of the candidates comes first."""
    (pool, best), *others = expected
    basis = f"simulations with {simulated.source} as the private table"
    bought = (
        ", and by the noisy floors and starts that were bought"
        if bought_too
        else "; no floor or start of them was bought"
    )
    at = f"ε = {near(epsilon)}" if simulated.reached else f"the simulated ε nearest to {near(epsilon)}"
    said = [
        f"{current.names(pool)} has the least expected error at {at}: {in_percent(best.error)}, by {basis}{bought}."
    ]
    if others:
        near_by = [current.names(other) for other, one in others if one.error <= best.error * (1 + WORTH)]
        second = f"{current.names(others[0][0])} follows with {in_percent(others[0][1].error)}"
        said.append(f"{second}; {', '.join(near_by)} may do as well." if near_by else f"{second}.")
    if left:
        said.append(f"Of {left} more nothing is known.")
    return " ".join(said)


def _by_bought(current: Study, known: Mapping[Pool, Assessed], offered: int) -> tuple[Pool | None, str]:
    """By bought numbers alone: the lowest floor, and within a tie the lowest start."""
    floors = {pool: one.floor for pool, one in known.items() if one.floor is not None}
    starts = {pool: one.start for pool, one in known.items() if one.start is not None}
    if not floors and not starts:
        return None, NOTHING
    if len({scope_of(known[pool]) for pool in floors}) > 1:
        return None, "No candidate is chosen beforehand: their floors are over different parts of the workload."
    tied = list(starts) if not floors else _lowest(floors)
    if len(tied) == 1 and floors:
        return tied[0], f"{current.names(tied[0])} has the lowest noisy floor, clear of the others. {_FREE}"
    if any(pool not in starts for pool in tied):
        names = ", ".join(current.names(pool) for pool in tied)
        return None, f"No candidate is chosen beforehand: the floors of {names} are too close to call. {_FREE}"
    pool = min(tied, key=lambda one: starts[one].value)
    if len(tied) == 1 < offered:
        return pool, f"Only of {current.names(pool)} something was bought. {_FREE}"
    tie = "Their floors are too close to call; " if floors else ""
    return pool, f"{tie}{current.names(pool)} has the lowest noisy start, {in_percent(starts[pool].estimate)}. {_FREE}"


_FREE = "Simulating the candidates against each other, for free, would say what error to expect."


def _lowest(floors: Mapping[Pool, object]) -> list[Pool]:
    """The candidates that are too close to call with the lowest floor, that one included."""
    pools = list(floors)
    groups = too_close([floors[pool] for pool in pools])  # type: ignore[misc]
    first = min(range(len(pools)), key=lambda place: floors[pools[place]].value)  # type: ignore[attr-defined]
    group = groups[first]
    return [pool for pool, own in zip(pools, groups, strict=True) if group is not None and own == group] or [
        pools[first]
    ]


def scope_of(one: Assessed) -> str:
    """What a floor is taken over: floors of two scopes are not ranked against each other."""
    return f"{one.plan.setting} {one.plan.part}"
