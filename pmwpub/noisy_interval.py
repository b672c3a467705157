"""A noisy error and the interval around it: stored, drawn, printed and reported as one type."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class NoisyInterval:
    """A noisy error as it was released, in shares of the private rows; [low, high] holds the true one at `confidence`.

    value    as drawn: noise may carry it out of [low, high]
    epsilon  what it cost, an exact fraction as text, such as "1/25"; "0" where it was no pure epsilon
    """

    value: float
    low: float
    high: float
    confidence: float
    epsilon: str

    @property
    def estimate(self) -> float:
        """The value as it is shown: noise may carry it below 0 or above 1, where no error lies."""
        return min(max(self.value, self.low), self.high)
