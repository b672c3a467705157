"""The exact law of PMW^Pub's transcripts on toy tables, by enumeration: what end-to-end audits compare with.

Nothing of the package takes part. The toys have one attribute, query q counts the rows whose level it asks for (one
level, or all up to one), and private rows may have no level. So an atom is a level, q(A) = sum of A(l) over the levels
of q, and a step of Algorithm 1 (Liu et al. 2021) multiplies these A(l) by exp((a - q(A))/2) and divides by the sum. A
path is a sequence of (selected query, noisy count). Given a path, the
answers r_q = floor(n A(q) + 1/2) are the same on both neighbours and at any noise, so they are enumerated once. A round
that spends h on its selection and h on its measurement then goes on by

    q  with probability proportional to  exp(|c_q - r_q| sqrt(2 h)/k)      (rate epsilon/(2k), cost epsilon^2/8 = h)
    z  with probability proportional to  exp(-(z - c_q)^2/(2 sigma^2))     (sigma = k/sqrt(2 h), cost k^2/(2 sigma^2))
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from privacy.laws import gaussian_masses
from support.statistical import Array

SPAN = 8.0
"""Noisy counts within so many scales of a true one are enumerated: all of a discrete Gaussian but 1e-14."""

MASS_LEFT = 1e-12
"""What the paths that are not enumerated weigh together at most."""

CLEAR = 1e-9
"""How far a value lies at least from where it would be rounded or compared otherwise: far more than doubles err."""

Prefix = tuple[int, ...]


@dataclass(frozen=True)
class Toy:
    """A run of PMW^Pub on two neighbours: at most three rounds, for which the replay's order is drawn at most once.

    public        rows of each level in the public table
    ours, theirs  rows of each level in the private tables; n minus their sum have no level
    rho           what the whole run is charged, in zCDP
    sensitivity   k, the rows of one person
    replay_seed   orders the replayed steps
    prefixes      whether query q asks for the levels up to q, the last one left out, and not for level q
    """

    public: tuple[int, ...]
    ours: tuple[int, ...]
    theirs: tuple[int, ...]
    n: int
    rounds: int
    rho: float
    sensitivity: int = 1
    replay_seed: int = 0
    prefixes: bool = False

    def __post_init__(self) -> None:
        changed = [abs(a - b) for a, b in zip(self.ours, self.theirs, strict=True)]
        assert self.rounds <= 3
        assert max(sum(self.ours), sum(self.theirs)) <= self.n
        assert max(changed) <= self.sensitivity
        assert sum(changed) <= 2 * self.sensitivity

    @property
    def queries(self) -> int:
        return len(self.public) - self.prefixes

    def asked(self, query: int) -> list[int]:
        """The levels that a query asks for."""
        return list(range(query + 1)) if self.prefixes else [query]

    def counts(self, of_level: tuple[int, ...]) -> tuple[int, ...]:
        """c_q of rows of each level."""
        return tuple(sum(of_level[level] for level in self.asked(query)) for query in range(self.queries))

    def share(self, shares: Array, query: int) -> Array:
        """q(A), float64 (..), of float64 (.., levels) shares."""
        return shares[..., self.asked(query)].sum(axis=-1)


@dataclass(frozen=True)
class Spending:
    """How many times its share of the charged rho a run spends on selections and on measurements; (1, 1) is right."""

    selection: float = 1.0
    measurement: float = 1.0


RIGHT = Spending()


@dataclass(frozen=True)
class Event:
    """In at least `least` rounds `query` is selected and its noisy count lies in low .. high."""

    query: int
    low: int
    high: int
    least: int

    def happens(self, transcript: Iterable[tuple[int, int]]) -> bool:
        """Whether it does, for a run's pairs of query and noisy count."""
        return sum(query == self.query and self.low <= count <= self.high for query, count in transcript) >= self.least


@dataclass(frozen=True)
class Answers:
    """r_q after every path of a toy that may precede a selection, float64 (Z, .., Z, Q) by the queries selected.

    counts  int64 (Z,)  the noisy counts that are enumerated in each round; one axis a round
    """

    toy: Toy

    @cached_property
    def counts(self) -> Array:
        toy = self.toy
        reach, true = math.ceil(SPAN * scale(toy, 1.0)), (*toy.counts(toy.ours), *toy.counts(toy.theirs))
        return np.arange(min(true) - reach, max(true) + reach + 1)

    @cached_property
    def before(self) -> dict[Prefix, Array]:
        start = np.array(self.toy.public) / sum(self.toy.public)
        shares: dict[Prefix, Array] = {(): start}
        for length in range(1, self.toy.rounds):
            for prefix in itertools.product(range(self.toy.queries), repeat=length):
                shares[prefix] = self._updated(shares[prefix[:-1]][..., None, :], prefix)
        return {prefix: _rounded(self.toy.n * self._of_queries(share)) for prefix, share in shares.items()}

    def _of_queries(self, shares: Array) -> Array:
        return np.stack([self.toy.share(shares, query) for query in range(self.toy.queries)], axis=-1)

    def _updated(self, shares: Array, queries: Prefix) -> Array:
        """The step towards the newest answer, then those of Liu et al. 2021, "Empirical Optimizations".

        Measurements with at least half the newest one's error are stepped towards again, in a random order; several
        of one query count as their mean.
        """
        answers, newest = self._answers(queries), queries[-1]
        shares = self._step(shares, newest, answers[newest])
        errors = {query: np.abs(answer - self.toy.share(shares, query)) for query, answer in answers.items()}
        due = {query: _at_least(errors[query], errors[newest] / 2) for query in answers if query != newest}
        order = list(answers)
        random.Random(self.toy.replay_seed).shuffle(order)
        for query in order:
            again = self._step(shares, query, answers[query])
            shares = again if query == newest else np.where(due[query][..., None], again, shares)
        return shares

    def _step(self, shares: Array, query: int, answer: Array) -> Array:
        """One multiplicative-weights step of float64 (.., levels) shares towards answers (..)."""
        factor = np.exp((answer - self.toy.share(shares, query)) / 2)
        stepped = np.broadcast_to(shares, (*factor.shape, shares.shape[-1])).copy()
        stepped[..., self.toy.asked(query)] *= factor[..., None]
        return stepped / stepped.sum(axis=-1, keepdims=True)

    def _answers(self, queries: Prefix) -> dict[int, Array]:
        """Query -> the mean of its noisy counts over n, within [0, 1]; queries in the order of their first rounds."""
        found = {}
        for query in dict.fromkeys(queries):
            rounds = [place for place, other in enumerate(queries) if other == query]
            counts = [_along(self.counts, place, len(queries)) for place in rounds]
            found[query] = np.clip(sum(counts) / len(counts) / self.toy.n, 0, 1)
        return found


@dataclass(frozen=True)
class Law:
    """The law of a toy's transcripts on one neighbour, at what a run truly spends.

    true  c_q, the rows that satisfy each query
    """

    answers: Answers
    true: tuple[int, ...]
    spending: Spending = RIGHT

    def probability(self, event: Event) -> float:
        """Of an event: the sum over all paths, the last round's in closed form."""
        toy, counts = self.answers.toy, self.answers.counts
        within = (counts >= event.low) & (counts <= event.high)
        last = float(self._noise[event.query][within].sum())
        total = 0.0
        for prefix in itertools.product(range(len(self.true)), repeat=toy.rounds - 1):
            hits = np.zeros([len(counts)] * len(prefix))
            for axis, query in enumerate(prefix):
                if query == event.query:
                    hits += _along(within, axis, len(prefix))
            goes_on = self._selected(prefix)[..., event.query] * last
            chance = np.where(hits >= event.least, 1.0, np.where(hits + 1 >= event.least, goes_on, 0.0))
            total += float((self._paths[prefix] * chance).sum())
        return total

    @cached_property
    def _noise(self) -> list[Array]:
        """float64 (Z,) for each query: the law of its noisy count."""
        outcomes, masses = gaussian_masses(scale(self.answers.toy, self.spending.measurement))
        law = dict(zip(outcomes, masses, strict=True))
        found = [np.array([law.get(count - true, 0.0) for count in self.answers.counts.tolist()]) for true in self.true]
        assert all(1 - masses.sum() < MASS_LEFT / 4 for masses in found)
        return found

    @cached_property
    def _paths(self) -> dict[Prefix, Array]:
        """The probability of every path that may precede a selection, float64 (Z, .., Z) by the queries selected."""
        paths: dict[Prefix, Array] = {(): np.array(1.0)}
        for prefix in self.answers.before:
            if prefix:
                parent, query = prefix[:-1], prefix[-1]
                paths[prefix] = (paths[parent] * self._selected(parent)[..., query])[..., None] * self._noise[query]
        longest = [path.sum() for prefix, path in paths.items() if len(prefix) == self.answers.toy.rounds - 1]
        assert abs(1 - sum(longest)) < MASS_LEFT
        return paths

    def _selected(self, prefix: Prefix) -> Array:
        """float64 (Z, .., Z, Q): the law of the selection that follows."""
        toy = self.answers.toy
        rate = math.sqrt(toy.rho / toy.rounds * self.spending.selection) / toy.sensitivity
        weights = np.exp(rate * np.abs(np.array(self.true) - self.answers.before[prefix]))
        return weights / weights.sum(axis=-1, keepdims=True)


def scale(toy: Toy, spending: float) -> float:
    """sigma = k/sqrt(2 h), of which half a round's share of rho, times the spending, is h."""
    return toy.sensitivity / math.sqrt(toy.rho / toy.rounds * spending)


def _along(values: Array, axis: int, axes: int) -> Array:
    """One-dimensional values as the given one of so many axes."""
    return values.reshape([-1 if place == axis else 1 for place in range(axes)])


def _rounded(values: Array) -> Array:
    """floor(v + 1/2); AssertionError where a double's error could decide."""
    assert np.abs(values + 0.5 - np.round(values + 0.5)).min() > CLEAR
    return np.floor(values + 0.5)


def _at_least(left: Array, right: Array) -> Array:
    """left >= right; AssertionError where a double's error could decide."""
    assert np.abs(left - right).min() > CLEAR
    return left >= right
