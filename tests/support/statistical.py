"""What the statistical tests share: goodness of fit in both arms, and lower bounds on epsilon.

Named `statistical`, for a `statistics` on the test path would hide Python's own module.
"""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt
from scipy import stats

ALPHA = 1e-6
"""Every goodness-of-fit test: the true law fails one run in a million, and a wrong one must fail."""

CONFIDENCE = 0.999
"""Every lower bound on epsilon."""

AUDIT = int(os.environ.get("PMWPUB_AUDIT", "1"))
"""Multiplies the number of draws of audits."""

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class BinnedLaw:
    """A discrete law in bins: outcome `outcomes[i]` falls into bin `bins[i]`.

    probabilities  float64 (b,), summing to one
    rare           whether bin 0 expects too few draws for chi-square; it is then tested alone, by its binomial tail
    """

    outcomes: tuple[int, ...]
    bins: tuple[int, ...]
    probabilities: Array
    rare: bool = False

    @classmethod
    def of(cls, outcomes: Sequence[int], masses: Sequence[float], *, bins: int = 40) -> BinnedLaw:
        """Neighbouring outcomes, in the given order, joined until a bin holds 1/`bins` of the mass.

        No bin holds less than half of that share, so a rare outcome never stands alone: chi-square needs it so.
        """
        total, labels, sums = math.fsum(masses), [], [0.0]
        for mass in masses:
            if sums[-1] >= total / bins * (1 - 1e-12):
                sums.append(0.0)
            labels.append(len(sums) - 1)
            sums[-1] += mass
        if len(sums) > 1 and sums[-1] < 0.5 / bins * total:
            last = sums.pop()
            sums[-1] += last
            labels = [min(label, len(sums) - 1) for label in labels]
        return cls(tuple(outcomes), tuple(labels), np.array(sums) / total)

    @classmethod
    def by_size(cls, masses: Sequence[float], draws: int, *, expected: float = 25.0) -> BinnedLaw:
        """Outcomes 0, 1, ... each a bin of its own, but rare ones joined until a bin expects `expected` draws.

        What is left of the rarest, before outcomes that are common by themselves, is the bin `rare`.
        """
        needed = expected / draws * math.fsum(masses)
        order = sorted(range(len(masses)), key=lambda outcome: masses[outcome])
        labels, sums = [0] * len(masses), [0.0]
        for place, outcome in enumerate(order):
            if place and (sums[-1] >= needed or masses[outcome] >= needed):
                sums.append(0.0)
            labels[outcome] = len(sums) - 1
            sums[-1] += masses[outcome]
        rare = [label for label, mass in enumerate(sums) if mass < needed]
        renumbered = {label: place for place, label in enumerate(rare + [x for x in range(len(sums)) if x not in rare])}
        probabilities = np.zeros(len(sums))
        for label, mass in enumerate(sums):
            probabilities[renumbered[label]] = mass / math.fsum(masses)
        bins = tuple(renumbered[label] for label in labels)
        return cls(tuple(range(len(masses))), bins, probabilities, bool(rare))

    def counts(self, draws: Iterable[int]) -> Array:
        """How many draws fell into each bin; AssertionError for an outcome that the law does not list."""
        where = dict(zip(self.outcomes, self.bins, strict=True))
        counts = np.zeros(len(self.probabilities))
        for outcome, times in Counter(draws).items():
            assert outcome in where, f"{outcome} is outside the stated law's outcomes: the draws do not follow it"
            counts[where[outcome]] += times
        return counts

    def mass_of(self, masses: Sequence[float]) -> Array:
        """Another law's probability of each bin, its masses listed for the same outcomes."""
        return np.bincount(self.bins, weights=masses, minlength=len(self.probabilities)) / math.fsum(masses)

    def p_value(self, draws: Iterable[int]) -> float:
        """Pearson's chi-square test of the draws against this law; with a rare bin, Bonferroni's of both tests."""
        counts = self.counts(draws)
        common, share = counts[self.rare :], self.probabilities[self.rare :]
        fit = 1.0 if len(common) < 2 else float(stats.chisquare(common, share / share.sum() * common.sum()).pvalue)
        if not self.rare:
            return fit
        excess = float(stats.binom.sf(counts[0] - 1, counts.sum(), self.probabilities[0]))
        return min(1.0, 2 * min(fit, excess))

    def power(self, masses: Sequence[float], draws: int) -> float:
        """At least the probability that so many draws from another law are rejected (noncentral chi-square)."""
        share, other = self.probabilities[self.rare :], self.mass_of(masses)[self.rare :]
        if len(share) < 2:
            return 0.0
        distance = float(np.sum((other / other.sum() * share.sum() - share) ** 2 / share)) * draws
        threshold = stats.chi2.isf(ALPHA / (1 + self.rare), len(share) - 1)
        return float(stats.ncx2.sf(threshold, len(share) - 1, distance)) if distance else 0.0


def assert_follows(law: BinnedLaw, draws: Iterable[int]) -> None:
    """The first arm: draws from the stated law pass."""
    p_value = law.p_value(draws)
    assert p_value >= ALPHA, f"the draws do not follow the stated law (p = {p_value:.2g})"


def assert_rejects(law: BinnedLaw, draws: Iterable[int]) -> None:
    """The second arm: draws from a wrong law fail."""
    p_value = law.p_value(draws)
    assert p_value < ALPHA, f"a wrong law was not noticed (p = {p_value:.2g})"


def assert_both_arms(law: BinnedLaw, draw: Callable[[Fraction, int], Iterable[int]], draws: int) -> None:
    """Draws at the stated scale follow the law; a quarter as many at 0.7 and 1.3 times that scale do not.

    draw  takes (factor of the scale, number of draws)
    """
    assert_follows(law, draw(Fraction(1), draws))
    assert_rejects(law, draw(Fraction(7, 10), draws // 4))
    assert_rejects(law, draw(Fraction(13, 10), draws // 4))


def clopper_pearson(hits: int, runs: int, *, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """The exact interval of a probability, each end at (1 - confidence)/2."""
    tail = (1 - confidence) / 2
    low = 0.0 if hits == 0 else float(stats.beta.ppf(tail, hits, runs - hits + 1))
    high = 1.0 if hits == runs else float(stats.beta.ppf(1 - tail, hits + 1, runs - hits))
    return low, high


def epsilon_at_least(hits: int, neighbour_hits: int, runs: int, *, delta: float = 0.0) -> float:
    """A lower bound on epsilon from one event's hits in `runs` runs on each of two neighbours; -inf if none shows."""
    low, _ = clopper_pearson(hits, runs)
    _, high = clopper_pearson(neighbour_hits, runs)
    return math.log((low - delta) / high) if low > delta else -math.inf


@dataclass(frozen=True)
class Event:
    """A set of outcomes, chosen so that it tells two neighbours apart."""

    outcomes: frozenset[int]

    @classmethod
    def telling(
        cls,
        first: Iterable[int],
        second: Iterable[int],
        *,
        delta: float = 0.0,
        least: int = 0,
        rank: Callable[[int], float] | None = None,
    ) -> Event:
        """The set of outcomes speaking most for `first`, as many as give the largest bound on these draws.

        least  how many hits it must have on the neighbour: with few, the bound of another batch scatters widely
        rank   ascending in what speaks for `first`, where the law says it; else the draws' own ratios

        Use it on other draws than the ones that chose it.
        """
        ours, theirs = Counter(first), Counter(second)
        runs = max(ours.total(), theirs.total())
        by_draws = rank or (lambda outcome: -(ours[outcome] + 0.5) / (theirs[outcome] + 0.5))
        ranked = sorted(set(ours) | set(theirs), key=by_draws)
        best, chosen, hits, neighbour_hits = -math.inf, 1, 0, 0
        for size, outcome in enumerate(ranked, start=1):
            hits, neighbour_hits = hits + ours[outcome], neighbour_hits + theirs[outcome]
            bound = epsilon_at_least(hits, neighbour_hits, runs, delta=delta)
            if neighbour_hits >= least and bound > best:
                best, chosen = bound, size
        return cls(frozenset(ranked[:chosen]))

    def hits(self, draws: Iterable[int]) -> int:
        return sum(outcome in self.outcomes for outcome in draws)


def shown_epsilon(
    ours: Callable[[int], Sequence[int]],
    theirs: Callable[[int], Sequence[int]],
    runs: int,
    *,
    delta: float = 0.0,
    least: int = 0,
    rank: Callable[[int], float] | None = None,
) -> float:
    """The epsilon that draws on two neighbours prove at CONFIDENCE: the event from one batch, the bound from another.

    ours, theirs  give so many independent outputs, as whole numbers, on either neighbour
    least, rank   as in `Event.telling`
    """
    event = Event.telling(ours(runs), theirs(runs), delta=delta, least=least, rank=rank)
    return epsilon_at_least(event.hits(ours(runs)), event.hits(theirs(runs)), runs, delta=delta)


def expected_epsilon(
    ours: Sequence[float], theirs: Sequence[float], runs: int, *, delta: float = 0.0, least: int = 0
) -> float:
    """What `shown_epsilon` shows for laws that are known exactly, at this many runs: the best event's bound.

    ours, theirs  the two laws' masses on the same outcomes
    """
    ranked = sorted(zip(ours, theirs, strict=True), key=lambda pair: -pair[0] / max(pair[1], 1e-300))
    best, mass, neighbour = -math.inf, 0.0, 0.0
    for p, q in ranked:
        mass, neighbour = mass + p, neighbour + q
        if neighbour * runs >= least:
            hits = round(min(1.0, mass) * runs), round(min(1.0, neighbour) * runs)
            best = max(best, epsilon_at_least(*hits, runs, delta=delta))
    return best
