"""DualQuery (Gaboardi, Gallego Arias, Hsu, Roth, Wu 2014): a distribution on queries, answered by one row a round.

The roles of PMW^Pub are reversed: multiplicative weights run on the queries, which are sampled, and the row that
satisfies most of the sample joins the synthetic table. No public table is needed, and nothing of the domain's size.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from pmwpub.errors import BudgetError, PlanError
from pmwpub.mechanisms.baselines.best_response import Response, RowOrigin, SolverLimits, best_response
from pmwpub.mechanisms.baselines.prefix_refusal import refuse_prefixes
from pmwpub.mechanisms.baselines.query_samples import SignedQuery
from pmwpub.privacy.budget import ZCDP, as_fraction
from pmwpub.privacy.noise import SECURE, NoiseSource
from pmwpub.privacy.selection import ExponentialMechanism
from pmwpub.progress import Progress, unwatched
from pmwpub.queries.counts import PrivateCounts
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset, Distribution, Ints, Support

SAMPLES = (500, 250, 100, 50)
ETAS = (5, 4, 3, 2)
"""The grid of Liu et al. (2021), Table "Hyperparameter selection"."""

MAX_ROUNDS = 100_000


@dataclass(frozen=True)
class DualQueryPlan:
    """What is public before a run.

    n            private rows
    samples      s, queries sampled in each round
    eta          the step of the weights, for errors as shares of n
    rounds       T, the rows of the synthetic table
    sensitivity  k, the rows that one person may own
    seconds      the time limit of each round's integer program, for experiments: rows then depend on how busy the
                 machine is. 0: the heuristic alone; without a limit `nodes` alone ends a search
    nodes        the most nodes of its search: the same on every machine
    tie_seed     public; fills attributes that no sampled query names, and starts the heuristic

    Raises PlanError for values out of range.
    """

    n: int
    samples: int
    eta: Fraction
    rounds: int
    sensitivity: int = 1
    seconds: float = math.inf
    nodes: int = 2_000
    tie_seed: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "eta", as_fraction(self.eta))
        if min(self.n, self.samples, self.rounds, self.sensitivity) < 1 or self.eta <= 0 or not self.seconds >= 0:
            raise PlanError("DualQuery needs rows, samples, rounds, rows a person and eta above zero.")

    @classmethod
    def within(
        cls, budget: ZCDP, n: int, samples: int, eta: Fraction | int, sensitivity: int = 1, **limits: Any
    ) -> DualQueryPlan:
        """As many rounds as the budget pays for; `limits` are the plan's seconds, nodes and tie_seed.

        Raises BudgetError where it pays for none but the first, which knows nothing of the data.
        """
        plan = cls(n, samples, as_fraction(eta), 1, sensitivity, **limits)
        left, rounds = budget, 1
        while rounds < MAX_ROUNDS and (cost := plan.round_cost(rounds + 1)) <= left:
            left, rounds = left - cost, rounds + 1
        if rounds == 1:
            raise BudgetError(
                "The budget pays for no sample of DualQuery's; take fewer samples, a smaller eta, or more."
            )
        return replace(plan, rounds=rounds)

    @property
    def limits(self) -> SolverLimits:
        return SolverLimits(self.seconds, self.nodes)

    def selection(self, number: int) -> ExponentialMechanism:
        """The law of one sample in round `number`, from 2: P(q) ∝ e^(u_q eta/n); u_q moves by up to (number - 1) k."""
        return ExponentialMechanism(2 * self.eta * (number - 1) * self.sensitivity / self.n)

    def round_cost(self, number: int) -> ZCDP:
        """The samples of one round, each charged on its own; the first round's are uniform and free."""
        return ZCDP(0) if number == 1 else self.selection(number).rho * self.samples

    @property
    def rho(self) -> ZCDP:
        """All rounds: s eta^2 k^2 (T - 1) T (2 T - 1)/(12 n^2), each sample's charge rounded up."""
        return sum((self.round_cost(number) for number in range(1, self.rounds + 1)), ZCDP(0))


@dataclass(frozen=True, eq=False)
class DualQueryRelease:
    """The synthetic rows as a distribution, and how each round's row was found; nothing in it is private."""

    distribution: Distribution
    responses: tuple[Response, ...]
    rho: ZCDP

    @property
    def found(self) -> dict[RowOrigin, int]:
        """How many rows were proved best, came from a program cut short, or from the heuristic."""
        return dict(Counter(response.found for response in self.responses))


def dual_query(
    counts: PrivateCounts,
    workload: Workload,
    plan: DualQueryPlan,
    *,
    noise: NoiseSource = SECURE,
    progress: Progress = unwatched,
) -> DualQueryRelease:
    """Run DualQuery: sample queries that the rows so far answer badly, add the row that satisfies most; T times.

    Queries come with their negations. After t - 1 rows x, query q has the weight exp(eta sum over x of (q(D) - q(x)))
    = exp(eta/n u_q) for the whole number u_q = (t - 1) c_q - n (rows among them that satisfy q); its negation has -u_q.

    Privacy: neighbours replace one person's at most k rows, n fixed, so c_q moves by at most k. For rows x that are a
    function of earlier samples, u_q and -u_q move by at most (t - 1) k. Each of the s samples of round t is an
    exponential mechanism on them with e^(u_q eta/n), so epsilon_t = 2 eta (t - 1) k/n, of bounded range, and costs
    epsilon_t^2/8 (`ExponentialMechanism`); the first round's samples are uniform. The row is a function of the samples
    and of public numbers, whatever the solver does within its time: post-processing. By adaptive composition the run is
    rho-zCDP for `plan.rho`. (Gaboardi et al. compose T s pure-DP samples by advanced composition; zCDP is tighter.)

    Raises PlanError if the counts do not belong to the workload or to the plan's n, MethodRefused for prefixes.
    """
    refuse_prefixes(workload)
    if len(counts.counts) != workload.queries or counts.n != plan.n:
        raise PlanError("The private counts belong to another workload or number of rows.")
    ties = random.Random(plan.tie_seed)
    hits: Ints = np.zeros(workload.queries, dtype=np.int64)
    responses: list[Response] = []
    for number in range(1, plan.rounds + 1):
        progress(number - 1, plan.rounds)
        sample = sample_queries(counts, hits, plan, number, noise)
        responses.append(best_response(workload, sample, plan.limits, ties=ties))
        hits[_cells(workload, responses[-1].row)] += 1
    progress(plan.rounds, plan.rounds)
    rows = Support.of(Dataset(workload.domain, np.array([response.row for response in responses])))
    return DualQueryRelease(Distribution.empirical(rows), tuple(responses), plan.rho)


def sample_queries(
    counts: PrivateCounts, hits: Ints, plan: DualQueryPlan, number: int, noise: NoiseSource
) -> list[SignedQuery]:
    """The samples of round `number`.

    hits  int64 (Q,)  rows so far that satisfy each query

    Privacy: each sample costs `plan.selection(number).rho`, as `dual_query` shows; nothing in the first round.
    """
    queries = len(hits)
    if number == 1:
        places = [noise.below(2 * queries) for _ in range(plan.samples)]
    else:
        scores = (number - 1) * counts.counts - counts.n * hits
        law = plan.selection(number).law(np.concatenate([scores, -scores]), (number - 1) * plan.sensitivity)
        places = [law.draw(noise) for _ in range(plan.samples)]
    return [SignedQuery(place % queries, place < queries) for place in places]


def _cells(workload: Workload, row: tuple[int, ...]) -> Ints:
    """The one query of each marginal that a row satisfies, int64 (W,)."""
    cells: Ints = workload.offsets[:-1] + (np.array(row)[workload.positions] * workload.strides).sum(axis=1)
    return cells
