"""The methods that a simulation may compare, as people choose them: PMW^Pub and its variants, and baselines."""

from __future__ import annotations

from collections.abc import Sequence

from pmwpub.evaluation import (
    BASELINES,
    MOST_ROUNDS,
    PEERS,
    PMW_PUB,
    TABLE_FIT,
    TABLE_FIT_GROWN,
    TABLE_FIT_POOL,
    TABLE_FIT_RANGES,
    TABLE_FIT_THREE_WAY,
    UNCHANGED,
    baseline_of,
    is_baseline,
    label_of,
    takes_weights,
)

__all__ = [
    "MOST_ROUNDS",
    "OFFERED_BASELINES",
    "PMW_PUB",
    "TABLE_FIT",
    "UNCHANGED",
    "baseline_labels",
    "described_baseline",
    "label_of",
    "variants_beside",
]

OFFERED_BASELINES = (
    *(TABLE_FIT, TABLE_FIT_POOL, TABLE_FIT_GROWN, TABLE_FIT_THREE_WAY, TABLE_FIT_RANGES),
    *(*BASELINES, *PEERS),
)
"""The other engine and the baselines, by name; one that needs another package says so where that is missing."""


def described_baseline(method: str, *, weighed: bool = False) -> str:
    """A baseline by its label, with its remark, or else with what it needs.

    weighed  whether rows are weighed, which most baselines do not take
    """
    if weighed and not takes_weights(method):
        return f"{label_of(method)}: does not take weights"
    baseline = baseline_of(method)
    needs = "with each public table" if baseline.uses_candidate else "without a public table"
    return f"{label_of(method)}: {baseline.remark or needs}"


def baseline_labels(methods: Sequence[str]) -> list[str]:
    """The labels of the baselines among some methods, in their order."""
    return [label_of(method) for method in methods if is_baseline(method)]


def variants_beside(methods: Sequence[str]) -> int:
    """How many of some methods are variants of PMW^Pub other than the default one."""
    return sum(method not in (PMW_PUB, UNCHANGED) and not is_baseline(method) for method in methods)
