"""What a sweep finds, as values: each run's errors, certified floors, means with their standard errors."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from statistics import fmean, stdev
from typing import Any, Literal

Measure = Literal["max_error", "mean_error", "rms_error"]
MEASURES: tuple[Measure, ...] = ("max_error", "mean_error", "rms_error")


@dataclass(frozen=True)
class SimulatedError:
    """One run of a sweep; `seed` numbers the run, `rounds` is 0 where the method has none.

    candidate      "" for a baseline that uses no public table, or all of them
    contributions  of a pool with learnt weights: what each candidate contributed, as (name, thousandths)
    """

    method: str
    candidate: str
    epsilon: float
    rounds: int
    seed: int
    max_error: float
    mean_error: float
    rms_error: float
    contributions: tuple[tuple[str, int], ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "contributions", tuple((name, part) for name, part in self.contributions))

    @property
    def written(self) -> dict[str, object]:
        """The run as it is stored: without what no other method has."""
        return {key: value for key, value in asdict(self).items() if key != "contributions" or value}


@dataclass(frozen=True)
class CertifiedFloor:
    """A candidate's best-mixture error on the truth, certified to lie in [lower, upper]."""

    candidate: str
    lower: float
    upper: float


@dataclass(frozen=True)
class RefusedMethod:
    """A method that could not run at an epsilon, and why, in words.

    rounds  0 where it holds for every number of them
    """

    method: str
    epsilon: float
    reason: str
    rounds: int = 0


@dataclass(frozen=True)
class Summary:
    """The mean of one measure over several runs, and its standard error (0 for one run)."""

    method: str
    candidate: str
    epsilon: float
    rounds: int
    runs: int
    mean: float
    standard_error: float


@dataclass(frozen=True)
class Simulation:
    """The runs of a sweep, the certified floors of its pairs, and what could not run, in the sweep's own order."""

    errors: list[SimulatedError] = field(default_factory=list)
    floors: list[CertifiedFloor] = field(default_factory=list)
    refused: list[RefusedMethod] = field(default_factory=list)

    def to_bytes(self) -> bytes:
        """The simulation as JSON, for the store of public results."""
        return json.dumps(asdict(self) | {"errors": [one.written for one in self.errors]}).encode()

    @classmethod
    def from_bytes(cls, stored: bytes) -> Simulation:
        """The simulation back from `to_bytes`."""
        body: dict[str, Any] = json.loads(stored)
        errors = [SimulatedError(**line) for line in body["errors"]]
        refused = [RefusedMethod(**line) for line in body.get("refused", [])]
        return cls(errors, [CertifiedFloor(**line) for line in body["floors"]], refused)


def summarise(results: Iterable[SimulatedError], measure: Measure = "max_error") -> list[Summary]:
    """Mean and standard error for each method, candidate, epsilon and number of rounds."""
    groups: dict[tuple[str, str, float, int], list[float]] = {}
    for result in results:
        key = (result.method, result.candidate, result.epsilon, result.rounds)
        groups.setdefault(key, []).append(getattr(result, measure))
    return [Summary(*key, len(values), *mean_of(values)) for key, values in groups.items()]


def mean_of(values: Sequence[float]) -> tuple[float, float]:
    """The mean and its standard error (0 for one value)."""
    return fmean(values), stdev(values) / math.sqrt(len(values)) if len(values) > 1 else 0.0
