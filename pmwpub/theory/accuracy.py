"""The error that PMW^Pub stays within: Proposition A.1 with its constants, and Theorem 4.4 read both ways."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from pmwpub.errors import BoundError
from pmwpub.theory.checks import check
from pmwpub.theory.epsilon import epsilon_tilde_of

HYPOTHESES = (
    "It bounds the largest error over all queries of the workload, whatever the private table is; f is the "
    "best-mixture error of the public table's support.",
    "It is proved for the paper's own setting: the average of the weights over all rounds, no replay, noise before "
    "clamping, and in each round half the budget on a selection that is no better than permute-and-flip. Selection as "
    "it is done here is at least as good; the last weights and replay, which usually do better, are not covered.",
    "T is chosen for the bound, from n, m, Q and ε alone.",
    "It is a promise about the worst case. What to expect is what a simulation shows, which is usually far below; "
    "above 1 it says nothing.",
)
"""What the accuracy bound rests on, in words."""

MOST_SIGNAL = 1e18


def fewest_rounds(beta: float) -> int:
    """The T from which the accuracy bound holds: 7 log(3/beta), rounded up (Proposition A.1)."""
    check(beta=beta)
    return math.ceil(7.0 * math.log(3.0 / beta))


@dataclass(frozen=True)
class AccuracyTerms:
    """The four parts that the bound of Proposition A.1 adds up, as shares of n.

    floor      2 f: what perfect reweighting leaves, twice
    reweight   sqrt(4 log m/T + 4 T/(e n)^2 + 4 sqrt(log(3/beta))/(e n)): falls with T, as the weights settle
    selection  2 sqrt(2 T) log Q/(e n): grows with T, as the budget of a round shrinks
    chance     sqrt(log(3/beta)/(2 T)): bad luck in the rounds
    """

    floor: float
    reweight: float
    selection: float
    chance: float

    @property
    def total(self) -> float:
        """The bound; above 1 it says nothing, for no error is larger."""
        return self.floor + self.reweight + self.selection + self.chance


def accuracy_terms(
    epsilon_tilde: float, rounds: int, *, n: float, m: int, queries: int, beta: float, best_mixture: float = 0.0
) -> AccuracyTerms:
    """The error that PMW^Pub stays within with probability 1 - beta, in its parts (Proposition A.1).

    epsilon_tilde  e, where e^2/2 is the whole run's rho; best_mixture  f, the best-mixture error of the support

    What it is proved for: `HYPOTHESES`. Raises BoundError out of range, or below `fewest_rounds`.
    """
    check(beta=beta, queries=queries, epsilon_tilde=epsilon_tilde, n=n, m=m)
    if rounds < fewest_rounds(beta):
        raise BoundError(f"The bound needs at least {fewest_rounds(beta)} rounds at beta = {beta:g}; {rounds} came.")
    if not 0 <= best_mixture <= 1:
        raise BoundError(f"A best-mixture error lies in [0, 1]; {best_mixture:g} came.")
    signal, tail = epsilon_tilde * n, math.log(3.0 / beta)
    drift = 4.0 * math.log(m) / rounds + 4.0 * rounds / signal**2 + 4.0 * math.sqrt(tail) / signal
    return AccuracyTerms(
        floor=2.0 * best_mixture,
        reweight=math.sqrt(drift),
        selection=2.0 * math.sqrt(2.0 * rounds) * math.log(queries) / signal,
        chance=math.sqrt(tail / (2.0 * rounds)),
    )


def accuracy_bound(
    epsilon_tilde: float, rounds: int, *, n: float, m: int, queries: int, beta: float, best_mixture: float = 0.0
) -> float:
    """The sum of `accuracy_terms`."""
    facts = {"n": n, "m": m, "queries": queries, "beta": beta, "best_mixture": best_mixture}
    return accuracy_terms(epsilon_tilde, rounds, **facts).total  # type: ignore[arg-type]


@lru_cache(maxsize=1024)  # a page asks for the same ones on each run
def rounds_of_least_bound(epsilon_tilde: float, *, n: float, m: int, queries: int, beta: float) -> int:
    """The T >= `fewest_rounds` at which `accuracy_bound` is least: Theorem 4.4's choice, with its constants.

    The bound is convex in sqrt(T), so the first T after which it no longer falls is the best one.
    """

    def falls_after(rounds: int) -> bool:
        here, after = (
            accuracy_bound(epsilon_tilde, t, n=n, m=m, queries=queries, beta=beta) for t in (rounds, rounds + 1)
        )
        return after < here

    below = fewest_rounds(beta)
    if not falls_after(below):
        return below
    step = 1
    while falls_after(below + step):
        step *= 2
    above = below + step
    while above - below > 1:
        middle = (below + above) // 2
        below, above = (middle, above) if falls_after(middle) else (below, middle)
    return above


def signal_needed(error: float, *, m: int, queries: int, beta: float, best_mixture: float = 0.0) -> float:
    """The least e n at which the bound, at its best T, is `error`, to nine digits (Theorem 4.4 read backwards).

    The bound knows e and n by their product alone: so many private rows times e are needed. Rows: divide by e;
    e: divide by n. Raises BoundError where no e n is enough, for the bound never falls to 2 f.
    """
    check(error=error)
    if error <= 2.0 * best_mixture:
        raise BoundError(
            f"The bound never falls to twice the best-mixture error, {2.0 * best_mixture:g}; {error:g} was asked for. "
            "Another public table is needed, not more rows or a larger epsilon."
        )

    def within(signal: float) -> bool:
        rounds = rounds_of_least_bound(signal, n=1, m=m, queries=queries, beta=beta)
        facts = {"n": 1, "m": m, "queries": queries, "beta": beta, "best_mixture": best_mixture}
        return accuracy_bound(signal, rounds, **facts) <= error  # type: ignore[arg-type]

    below, above = 1.0, 2.0
    while not within(above):
        below, above = above, 2.0 * above
        if above > MOST_SIGNAL:
            raise BoundError(f"The bound reaches {error:g} only beyond e n = {MOST_SIGNAL:g}.")
    while above - below > 1e-9 * above:
        middle = (below + above) / 2.0
        below, above = (below, middle) if within(middle) else (middle, above)
    return above


@dataclass(frozen=True)
class BoundLine:
    """The accuracy bound against epsilon: points of a line, and in words what it rests on.

    epsilons    ascending; errors  the bound at each, a share of n, which may exceed 1; rounds  the T of each
    hypotheses  sentences, without which the line must not be shown
    """

    epsilons: tuple[float, ...]
    errors: tuple[float, ...]
    rounds: tuple[int, ...]
    hypotheses: tuple[str, ...]

    @property
    def says_something(self) -> bool:
        """Whether it is below 1 anywhere."""
        return min(self.errors, default=1.0) < 1.0


def accuracy_line(
    epsilons: Sequence[float],
    *,
    delta: Fraction,
    n: int,
    m: int,
    queries: int,
    rows_per_person: int = 1,
    beta: float = 0.05,
    best_mixture: float = 0.0,
) -> BoundLine:
    """The bound at each (epsilon, delta), at the T of its own that makes it least.

    best_mixture  f, or an upper bound of it, such as the certified one of a simulation

    epsilon becomes e by the conversion that the ledger uses. Raises BoundError out of range.
    """
    facts = {"n": n / rows_per_person, "m": m, "queries": queries, "beta": beta}
    order = sorted(set(epsilons))
    tildes = [epsilon_tilde_of(epsilon, delta) for epsilon in order]
    rounds = [rounds_of_least_bound(tilde, **facts) for tilde in tildes]
    errors = [
        accuracy_bound(tilde, t, best_mixture=best_mixture, **facts)  # type: ignore[arg-type]
        for tilde, t in zip(tildes, rounds, strict=True)
    ]
    words = (
        f"It holds with probability {1.0 - beta:g}, for f = {best_mixture:g} and m = {m:,} public rows.",
        *HYPOTHESES,
    )
    return BoundLine(tuple(order), tuple(errors), tuple(rounds), words)
