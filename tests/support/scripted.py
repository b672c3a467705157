"""A selection and a measurement that answer from a script and record what they were shown."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from pmwpub.mechanisms.pmw_pub.reweight import Iterate
from pmwpub.privacy.budget import ZCDP
from pmwpub.privacy.round_share import RoundShare


@dataclass
class Script:
    """Plays both halves of a round.

    queries, noisy_counts  what each round selects and measures
    scores, counts         what each round was shown
    """

    queries: list[int]
    noisy_counts: list[int]
    epsilon: Fraction = Fraction(1)
    scale: Fraction = Fraction(1)
    rho: ZCDP = field(default_factory=lambda: ZCDP(7))
    scores: list[np.ndarray] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    sensitivities: list[int] = field(default_factory=list)

    def select(self, scores: np.ndarray, sensitivity: int, *, noise: object = None) -> int:
        self.scores.append(scores.copy())
        self.sensitivities.append(sensitivity)
        return self.queries[len(self.scores) - 1]

    def choose(self, scores: object, sensitivity: int, *, noise: object = None) -> int:
        return self.select(scores.exact(), sensitivity)  # type: ignore[attr-defined]

    def measure(self, count: int, *, noise: object = None) -> int:
        self.counts.append(count)
        return self.noisy_counts[len(self.counts) - 1]

    @property
    def share(self) -> RoundShare:
        return RoundShare(Fraction(1), self, self)  # type: ignore[arg-type]


def iterate_of(weights: np.ndarray, n: int = 1000) -> Iterate:
    """An iterate with these weights, float64 (m,)."""
    iterate = Iterate(np.ones(len(weights), dtype=np.int64), n)
    iterate.values = weights * iterate.total
    iterate.settle()
    return iterate


def stepped(weights: np.ndarray, satisfied: np.ndarray, gap: float) -> np.ndarray:
    """The weights after one step with a_t - q_t(A_{t-1}) = gap."""
    iterate = iterate_of(weights)
    iterate.step(satisfied, float(iterate.weights[satisfied].sum()) + gap)
    return iterate.weights
