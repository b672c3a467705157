"""The error that a release with each candidate is expected to have: simulated pairs and bought numbers in one estimate.

A pair is a public table that plays the private one, and a candidate. Its best-mixture error F, start S and error E of a
release are known for free. Of a candidate on the private table floor and start alone can be known, with noise and where
they were bought. The estimate was fixed before it was judged (docs/measured.md):

1. Floor f and start s of a candidate: the mean over its pairs, and the noisy value where it was bought, weighted by the
   inverse of their variances. The variance of the mean is that between pairs, and its deviation at least half the mean.
2. What a release leaves is a law of f and s, the engine's own (`error_laws`), that fits all pairs best.
3. That is multiplied by how much more the candidate's own pairs kept than the law says, drawn towards 1 as if there
   were one pair more (by table fit, whose errors on one truth lie closer together, four), which keeps to it. No
   estimate lies below f.
4. Nothing of it lies below the low end of a floor that was bought: that is out of reach on the private table itself.

Public numbers and released ones alone go in.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from pmwpub.noisy_interval import NoisyInterval
from pmwpub.service.choosing.error_laws import LEAST, ErrorLaw, PublicPair, law_of

SD_OF_BAR = math.sqrt(2) / math.log(20)
"""The standard deviation of Laplace noise, as a share of what 95 % of its draws stay within."""
DEVIATIONS = 1.0


@dataclass(frozen=True)
class BoughtNumbers:
    """What was bought about a candidate: noisy floor and start, either of them, or neither."""

    floor: NoisyInterval | None = None
    start: NoisyInterval | None = None


@dataclass(frozen=True)
class ExpectedError:
    """What to expect of a release with one candidate on the private table.

    error         the estimate
    low, high     as far from it as pairs were from what the law says of them, with floor and start a deviation off
    floor, start  the estimates that it rests on
    pairs         how many pairs of this candidate were simulated
    floor_low, floor_high  the floor a deviation off: whatever ε is, for no floor depends on it
    truths        who played the private table in those pairs, by the keys that pairs have
    """

    candidate: str
    error: float
    low: float
    high: float
    floor: float
    start: float
    pairs: int
    floor_low: float = 0.0
    floor_high: float = 0.0
    truths: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Level:
    """An error about the private table as far as it is known: mean and standard deviation."""

    mean: float
    deviation: float

    @classmethod
    def of(cls, values: Sequence[float], bought: NoisyInterval | None) -> _Level | None:
        """From a candidate's pairs and what was bought; None where there is neither."""
        levels = []
        if values:
            mean = fmean(values)
            spread = sum((value - mean) ** 2 for value in values) / max(1, len(values) - 1)
            levels.append(cls(mean, max(math.sqrt(spread), mean / 2, LEAST)))
        if bought is not None:
            bar = max(bought.high - bought.estimate, bought.estimate - bought.low)
            levels.append(cls(bought.value, max(SD_OF_BAR * bar, LEAST)))
        if not levels:
            return None
        weights = [one.deviation**-2 for one in levels]
        mean = sum(weight * one.mean for weight, one in zip(weights, levels, strict=True)) / sum(weights)
        return cls(min(1.0, max(0.0, mean)), sum(weights) ** -0.5)

    def at(self, deviations: float) -> float:
        """So many deviations off, as an error can be."""
        return min(1.0, max(0.0, self.mean + deviations * self.deviation))


def expected_errors(
    pairs: Sequence[PublicPair], bought: Mapping[str, BoughtNumbers], candidates: Sequence[str], *, engine: str
) -> list[ExpectedError]:
    """The candidates of which something can be expected, the least expected error first; none without any pair.

    bought  by candidate
    engine  "pmw-pub" or "table-fit": that of the pairs, whose law is fitted to them
    """
    if not pairs:
        return []
    law = law_of(engine, pairs)
    found = [_expected(name, law, pairs, bought.get(name, BoughtNumbers())) for name in dict.fromkeys(candidates)]
    return sorted((one for one in found if one is not None), key=lambda one: one.error)


def _expected(name: str, law: ErrorLaw, pairs: Sequence[PublicPair], bought: BoughtNumbers) -> ExpectedError | None:
    own = [pair for pair in pairs if pair.candidate == name]
    floor = _Level.of([pair.floor for pair in own], bought.floor)
    start = _Level.of([pair.start for pair in own], bought.start)
    if floor is None or start is None:
        return None
    least, more, most = _residuals(law, pairs, own)
    out_of_reach = 0.0 if bought.floor is None else bought.floor.low

    def at(deviations: float, residual: float) -> float:
        f = max(floor.at(deviations), out_of_reach)
        return min(1.0, max(f, law.error(f, max(f, start.at(deviations))) * math.exp(residual)))

    error = at(0.0, more)
    return ExpectedError(
        name,
        error,
        min(error, at(-DEVIATIONS, least)),
        max(error, at(DEVIATIONS, most)),
        max(floor.mean, out_of_reach),
        max(start.mean, floor.mean, out_of_reach),
        len(own),
        max(out_of_reach, floor.at(-DEVIATIONS)),
        max(out_of_reach, floor.at(DEVIATIONS)),
        tuple(dict.fromkeys(pair.truth for pair in own)),
    )


def _residuals(law: ErrorLaw, pairs: Sequence[PublicPair], own: Sequence[PublicPair]) -> tuple[float, float, float]:
    """By how much, as logarithms, errors of pairs lie off the law: the least, what is expected of the candidate's own,
    and the most."""
    spread = [math.log(max(pair.error, LEAST) / law.error(pair.floor, pair.start)) for pair in pairs]
    more = sum(math.log(max(pair.error, LEAST) / law.at_truth(pair)) for pair in own) / (len(own) + law.own_weight)
    return min(spread), more, max(spread)
