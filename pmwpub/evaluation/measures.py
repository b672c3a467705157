"""Errors against a truth that may be looked at.

Nothing here is private: it is for public data, for simulations, and for a steward's own eyes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from pmwpub.queries.counts import PrivateCounts
from pmwpub.queries.incidence import PublicProblem, quantise
from pmwpub.records import Distribution, Ints


@dataclass(frozen=True)
class Errors:
    """|q(D) - q(A)| over the workload's queries, as shares of n."""

    max_error: float
    mean_error: float
    rms_error: float


def errors(counts: PrivateCounts, sums: Ints, total: int) -> Errors:
    """The errors of the answers sums/total against exact counts.

    sums  int64 (Q,); total  the number that stands for all rows

    Privacy: none; the result is a steward's or a simulation's number.
    """
    gaps = np.abs(counts.counts / counts.n - sums / total)
    return Errors(float(gaps.max()), float(gaps.mean()), float(math.sqrt(np.mean(gaps * gaps))))


def errors_of(counts: PrivateCounts, problem: PublicProblem, distribution: Distribution) -> Errors:
    """The errors of a distribution on the problem's support."""
    quantised = quantise(distribution.weights, counts.n)
    return errors(counts, problem.sums(quantised.values), quantised.total)
