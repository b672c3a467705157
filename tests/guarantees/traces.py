"""A trace: everything that a run leaves behind for anybody but the steward, with the primitives forced and time frozen.

Forced are the places where noise enters: which query is selected, what a count or a table is measured as, and where a
noisy error falls (its lattice step, cell, the candidate chosen). They answer from a script, and record what is public
about the question: r_q, law, sensitivity, grid. What is left of a run may not depend on the private rows.
"""

from __future__ import annotations

import hashlib
import itertools
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from fractions import Fraction

import numpy as np
import pytest

from pmwpub.jobs import InlineEngine
from pmwpub.ledger import database
from pmwpub.mechanisms.households import household_errors
from pmwpub.mechanisms.households.household_scores import HouseholdProblem
from pmwpub.mechanisms.noisy_error import assessment
from pmwpub.mechanisms.noisy_error.choose_best import Best, best_charge
from pmwpub.mechanisms.pmw_pub import lazy_scores
from pmwpub.mechanisms.pmw_pub.lazy_scores import DriftScores
from pmwpub.privacy.lattice_noise import LatticeLaplace
from pmwpub.privacy.measurement import DiscreteGaussian
from pmwpub.privacy.selection import ExponentialMechanism, PermuteAndFlip
from pmwpub.privacy.vector_gaussian import VectorGaussian
from pmwpub.records import Ints
from pmwpub.tasks import choice_work
from pmwpub.tasks.warming import TRIED

KINDS = ("answers", "queries", "calls", "exports", "ledger", "output", "logs", "names", "pages")
"""What of two traces is compared, each by the check of that name."""


@dataclass
class Trace:
    """What was seen, by kind and then by name; see KINDS.

    answers  every array r_q
    queries  the queries in the order in which they were selected
    calls    the sequence of calls at the seam, with their public arguments
    exports  files that are handed out; stored results and documents
    ledger   history, plans, decisions, terms, witness
    output   what commands print, words of refusals
    logs     records of logging, standard error of the program
    names    of files that were written
    pages    the elements of a viewer's pages
    """

    answers: list[str] = field(default_factory=list)
    queries: list[int] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    exports: dict[str, bytes] = field(default_factory=dict)
    ledger: dict[str, object] = field(default_factory=dict)
    output: dict[str, str] = field(default_factory=dict)
    logs: str = ""
    names: list[str] = field(default_factory=list)
    pages: dict[str, object] = field(default_factory=dict)


def differences(ours: Trace, theirs: Trace) -> set[str]:
    """The kinds in which two traces differ; none for what keeps the promise."""
    return {kind for kind in KINDS if getattr(ours, kind) != getattr(theirs, kind)}


class Frozen(datetime):
    """A clock that stands still."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
        return datetime(2026, 1, 2, 3, 4, 5, tzinfo=tz)


@contextmanager
def forced(trace: Trace) -> Iterator[None]:
    """Force the primitives, freeze the clock, make random bytes equal; record into `trace`.

    The warm-up, which is on made-up rows and falls to whichever run is the first of a process, is made before.
    """
    InlineEngine().readiness.require(TRIED)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(database, "datetime", Frozen)
        patch.setattr(time, "process_time", lambda: 0.0)
        streams = itertools.count()
        patch.setattr(os, "urandom", lambda size: hashlib.shake_256(bytes([next(streams) % 256])).digest(size))
        _force_rounds(trace, patch)
        _force_errors(trace, patch)
        yield


def _force_rounds(trace: Trace, patch: pytest.MonkeyPatch) -> None:
    """Selections walk through the queries, measurements through the counts up to 40, whatever the rows are."""

    def choose(law: str) -> object:
        def answer(self: ExponentialMechanism, scores: DriftScores, sensitivity: int, *, noise: object = None) -> int:
            query = (11 * len(trace.queries) + 5) % len(scores)
            # As a lazy selection does: which scores are evaluated depends on the private rows, and may not show.
            scores.buckets()
            scores.sharpen(float(self.epsilon), 0)
            scores.resolve(query)
            trace.answers.append(hashlib.sha256(scores.answers().tobytes()).hexdigest())
            trace.calls.append(f"select {law} {self.epsilon} {sensitivity} of {len(scores)}")
            trace.queries.append(query)
            return query

        return answer

    def select(law: str) -> object:
        def answer(self: ExponentialMechanism, scores: Ints, sensitivity: int, *, noise: object = None) -> int:
            query = (11 * len(trace.queries) + 5) % len(scores)
            trace.calls.append(f"select {law} {self.epsilon} {sensitivity} of {len(scores)}")
            trace.queries.append(query)
            return query

        return answer

    def references(self: HouseholdProblem, weights: Ints, n: int, steps: int = 1) -> Ints:
        found = rounded(self, weights, n, steps)
        trace.answers.append(hashlib.sha256(str(found.tolist()).encode()).hexdigest())
        return found

    def measure(self: DiscreteGaussian, count: int, *, noise: object = None) -> int:
        trace.calls.append(f"measure {self.scale} {self.sensitivity}")
        return (7 * len(trace.calls)) % 40

    def vector(self: VectorGaussian, values: Ints, *, noise: object = None) -> Ints:
        trace.calls.append(f"vector {self.scale} {self.squared_sensitivity} of {len(values)}")
        return np.array([(7 * len(trace.calls) + 3 * place) % 40 for place in range(len(values))], dtype=np.int64)

    patch.setattr(VectorGaussian, "measure", vector)
    patch.setattr(lazy_scores, "SMALL", -(10**12))  # bounds on the smallest problems too
    patch.setattr(ExponentialMechanism, "choose", choose("exponential"))
    patch.setattr(PermuteAndFlip, "choose", choose("permute and flip"))
    patch.setattr(ExponentialMechanism, "select", select("exponential"))
    patch.setattr(PermuteAndFlip, "select", select("permute and flip"))
    rounded = HouseholdProblem.references
    patch.setattr(HouseholdProblem, "references", references)
    patch.setattr(DiscreteGaussian, "measure", measure)


def _force_errors(trace: Trace, patch: pytest.MonkeyPatch) -> None:
    def draw(self: LatticeLaplace, value: int, noise: object) -> int:
        trace.calls.append(f"lattice {self.scale} {self.steps_per_row} {self.rows_per_person}")
        return 3 * self.steps_per_row

    def cell(state: object, law: LatticeLaplace, grid: object, *, noise: object, progress: object) -> int:
        trace.calls.append(f"cell {law.scale} {grid}")
        return 2

    def best(states: list[object], epsilon: Fraction, *, private_rows: int, rows_per_person: int, **_: object) -> Best:
        trace.calls.append(f"best of {len(states)} at {epsilon} {private_rows} {rows_per_person}")
        return Best(1, best_charge(epsilon))

    patch.setattr(LatticeLaplace, "draw", draw)
    patch.setattr(assessment, "rounded_cell", cell)
    patch.setattr(choice_work, "best_release", best)
    patch.setattr(household_errors, "best_release", best)
