"""Multiplicative-weights steps on whole public households. Noisy answers and public data alone."""

from __future__ import annotations

import random

import numpy as np

from pmwpub.errors import DomainError
from pmwpub.mechanisms.households.household_scores import HouseholdProblem
from pmwpub.mechanisms.pmw_pub.algorithm import Measurement, Replay, Start
from pmwpub.mechanisms.pmw_pub.reweight import Iterate
from pmwpub.records import Floats, Ints

FINEST = 1 << 16
"""The least whole units that a public household has at the start, on average."""


def started(problem: HouseholdProblem, start: Start, n: int) -> Iterate:
    """A_0 on the public households, in whole units so fine that (2 n H + 1) S < 2^63 of their sum S.

    Raises DomainError where n, H and the public households leave too few units.
    """
    atoms, most = problem.atoms, n * problem.largest
    multiplicity = atoms.multiplicity if start is Start.PUBLIC else np.ones(len(atoms), dtype=np.int64)
    found = Iterate(multiplicity, most)
    if found.unit * int(multiplicity.sum()) < FINEST * len(atoms):
        raise DomainError(
            f"{most:,} private persons at most and {len(atoms):,} public households are too many for exact 64-bit "
            "sums. Take table fit, or a smaller public table."
        )
    return found


def whole_weights(iterate: Iterate) -> Ints:
    """int64 (m,): the weights rounded down to whole units, of which every sum is exact."""
    found: Ints = np.floor(iterate.values).astype(np.int64)
    return found


class HouseholdMemory:
    """The noisy answers of a run and the steps towards them, in the order in which each query was first measured.

    With M_q the most persons of one public household that satisfy q, x_h(q)/M_q lies in [0, 1] on every public
    household: it is a query as Algorithm 1 of Liu et al. (2021) has them, and its step towards the noisy answer a is

        A(h) proportional to A(h) exp(x_h(q)/M_q (a - q(A))/(2 M_q)),

    a and q(A) in persons (or households) per household, a clamped to [0, M_q]. Where M_q = 1, as of every query of
    households, that is the step on rows. M_q is public, and at most H: dividing by H instead would be as valid, with
    steps up to H^2 times smaller. A query that no public household satisfies moves nothing.

    Privacy: post-processing of noisy answers and public data.
    """

    def __init__(self, problem: HouseholdProblem, n: int, replay: Replay, seed: int) -> None:
        self._problem = problem
        self._n = n
        self._replays = replay is Replay.HALF
        self._order = random.Random(seed)
        self._noisy: dict[int, list[int]] = {}
        self._members: dict[int, tuple[Ints, Floats, float]] = {}

    def update(self, iterate: Iterate, measured: Measurement) -> None:
        """Step towards the newest answer; then, in an order by the public seed, towards all answers that are at least
        half as wrong as the newest is by then. Errors are in units of H/Delta_q, as in the scores."""
        query = measured.query
        if query not in self._noisy:
            self._noisy[query] = []
            self._members[query] = self._of(query)
        self._noisy[query].append(measured.noisy_count)
        self._step(iterate, query)
        if self._replays:
            errors = {each: abs(self._gap(iterate, each)) * self._worth(each) for each in self._noisy}
            due = [each for each, error in errors.items() if error >= errors[query] / 2.0]
            self._order.shuffle(due)
            for each in due:
                self._step(iterate, each)
        iterate.settle()

    def _of(self, query: int) -> tuple[Ints, Floats, float]:
        """The public households that satisfy a query, their x_h(q)/M_q, and M_q; 1 where there are none."""
        x = self._problem.incidence
        some = slice(int(x.indptr[query]), int(x.indptr[query + 1]))
        most = float(x.data[some].max(initial=1))
        return x.indices[some].astype(np.int64), x.data[some] / most, most

    def _worth(self, query: int) -> float:
        return self._members[query][2] * float(self._problem.units[query])

    def _gap(self, iterate: Iterate, query: int) -> float:
        """a - q(A), both divided by M_q; the answer is the mean of all noisy ones of the query, clamped to [0, 1]."""
        noisy, (members, parts, most) = self._noisy[query], self._members[query]
        answer = min(1.0, max(0.0, sum(noisy) / len(noisy) / self._n / most))
        return answer - float((iterate.values[members] * parts).sum()) / iterate.total

    def _step(self, iterate: Iterate, query: int) -> None:
        members, parts, _ = self._members[query]
        if len(members):
            iterate.values[members] *= np.exp(parts * (self._gap(iterate, query) / 2.0))
            iterate.total = float(iterate.values.sum())
