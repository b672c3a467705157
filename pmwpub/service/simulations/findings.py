"""What a finished simulation says: whether a release beats the table unchanged, which ε an error takes, what failed."""

from __future__ import annotations

from dataclasses import dataclass

from pmwpub import evaluation
from pmwpub.evaluation import (
    UNCHANGED,
    ExpectedPool,
    Measure,
    NotBeaten,
    Reach,
    Simulation,
    baseline_of,
    is_baseline,
    label_of,
)

__all__ = [
    "DidNotRun",
    "ExpectedPool",
    "Measure",
    "NotBeaten",
    "Reach",
    "Simulation",
    "baseline_remarks",
    "expected_pools",
    "not_beaten",
    "not_run",
    "reach",
]


@dataclass(frozen=True)
class DidNotRun:
    """A method that could not run, at which ε, and why, in words."""

    label: str
    epsilons: tuple[float, ...]
    reason: str


def not_beaten(simulation: Simulation, measure: Measure = "max_error") -> list[NotBeaten]:
    """The candidates for which a release is not expected to beat publishing the table unchanged, and at which ε."""
    return evaluation.not_beaten(simulation.errors, measure)


def reach(simulation: Simulation, error: float) -> list[Reach]:
    """For each candidate the smallest ε tried whose mean largest error is at most `error`, a share of the rows."""
    return evaluation.reach(simulation.errors, simulation.floors, error)


def expected_pools(simulation: Simulation, measure: Measure = "max_error") -> list[tuple[ExpectedPool, str]]:
    """What a pool with learnt weights is expected to be, with the label of the best line beside it."""
    found = evaluation.expected_pools(simulation.errors, measure)
    return [(one, _beside(*one.beside)) for one in found]


def _beside(method: str, candidate: str) -> str:
    label = "unchanged" if method == UNCHANGED else label_of(method)
    return f"{candidate}, {label}" if candidate else label


def baseline_remarks(simulation: Simulation) -> list[tuple[str, str]]:
    """(Label, remark) of each baseline that ran and has a remark: what its line means."""
    ran = dict.fromkeys(one.method for one in simulation.errors if is_baseline(one.method))
    said = ((label_of(method), baseline_of(method).remark) for method in ran)
    return [(label, remark) for label, remark in said if remark]


def not_run(simulation: Simulation) -> list[DidNotRun]:
    """What could not run, once for each method and reason, in the sweep's order."""
    epsilons: dict[tuple[str, str], list[float]] = {}
    for one in simulation.refused:
        epsilons.setdefault((one.method, one.reason), []).append(one.epsilon)
    return [DidNotRun(label_of(method), tuple(own), reason) for (method, reason), own in epsilons.items()]
