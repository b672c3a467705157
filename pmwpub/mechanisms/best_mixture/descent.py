"""Mirror descent on a softened largest error: the first-order solver for best mixtures, good at any size.

One pass costs one sweep of all marginals over all atoms, twice (answers, and their transpose). It proves
nothing by itself: it proposes mixtures and query weights, which `bounds` turns into bounds.
"""

from __future__ import annotations

import math

import numpy as np

from pmwpub.queries.cell_space import answered, spread_back
from pmwpub.queries.counts import PrivateCounts
from pmwpub.queries.incidence import PublicProblem
from pmwpub.records import Floats

SHARPNESS = 5.0
"""beta times the gap: the soft maximum's bias, about log(near-worst queries)/beta, stays in step with the gap."""
FIRST_STEP = 5.0
MOMENTUM = 0.9
GROWTH, SHRINKAGE = 1.03, 0.7
"""The step grows with each new best mixture and shrinks when the error has run away from it."""
RUNAWAY = 2.0
PATIENCE, PROGRESS = 40, 0.1
"""The descent is slow when so many passes have not narrowed what is proved by this share."""
NEAREST = 1 / 8
"""A slow descent aims at less and less of the gap that is proved, down to this share of it."""
AVERAGING = 0.05


class Descent:
    """The state of a descent on log weights, from the public table itself.

    mu is proportional to e^theta. With r_q = q(D) - q(mu), |r| its largest magnitude and L a lower bound of f,
        y_q = sign(r_q) e^(beta (|r_q| - |r|)) / sum,   beta = SHARPNESS / (best - L),
        theta <- theta + v,  v <- MOMENTUM v + step (best - L) (g - mu.g),   g_x = sum_q y_q q(x).
    Tying sharpness and step to the gap left (a Polyak step) makes the schedule tune itself at every size. When
    the error exceeds RUNAWAY gaps the descent goes back to its best mixture, without momentum, at a smaller step.
    Where L is far below f the gap is too large to be of use: a slow descent takes a smaller share of it.

    L is the larger of the proved bound that `run` is given and of what the averaged y seems to prove.

    best      the least error seen, in floats
    weights   float64 (m,), the mixture that had it
    dual      float64 (Q,), averaged query weights
    dual_gain the lower bound that `dual` seems to prove, in floats

    Privacy: everything here is an exact function of private counts; only the bounds of a lazily rounded release
    ever depend on it.
    """

    def __init__(self, counts: PrivateCounts, problem: PublicProblem) -> None:
        support, workload = problem.support, problem.workload
        self._workload, self._cells = workload, np.zeros(workload.cells)
        self._incidence = (support.columns, workload.positions, workload.strides, workload.cell_offsets)
        self._target: Floats = counts.counts / counts.n
        self._theta: Floats = np.log(support.multiplicity / support.rows)
        self._best_theta = self._theta
        self._velocity = np.zeros(len(support))
        self._step = FIRST_STEP
        self._share, self._nearest = 1.0, NEAREST
        self._best_gain = 0.0
        self._mark = (math.inf, 0)
        self._residual = np.zeros(workload.queries)
        self._signs = np.zeros(workload.queries)
        self._pulled = np.zeros(len(support))
        self._mean_pulled = np.zeros(len(support))
        self.dual = np.zeros(workload.queries)
        self.dual_gain = -math.inf
        self.best = math.inf
        self.passes = 0

    @property
    def weights(self) -> Floats:
        return _normalised(self._best_theta)

    @property
    def slow(self) -> bool:
        """It has been slow at least once: no empty cell decides f, or hardly."""
        return self._share < 1

    @property
    def residual(self) -> Floats:
        """float64 (Q,): q(D) - q(mu) of the last pass."""
        return self._residual

    def trust_bound(self) -> None:
        """Aim at the proved bound from now on, however slow it is: something else says that f is near it."""
        self._share = self._nearest = 1.0

    def run(self, passes: int, lower: float) -> None:
        """Some passes, fewer when the error meets `lower`, a proved lower bound of f."""
        for _ in range(passes):
            if self.best <= lower:
                return
            self._pass(lower)

    def _pass(self, lower: float) -> None:
        from pmwpub.mechanisms.best_mixture.mixture_kernels import inner, push_forward, residuals

        mixture = _normalised(self._theta)
        push_forward(*self._incidence, mixture, self._cells)
        self._residual = answered(self._workload, self._cells)
        error = residuals(self._target, self._residual)
        self.passes += 1
        if error < self.best:
            self.best, self._best_theta = error, self._theta
            self._step *= GROWTH
        gap = self._gap(lower)
        if gap <= 0:
            return
        if error - self.best > (RUNAWAY - 1) * gap:
            self._theta = self._best_theta
            self._velocity[:] = 0.0
            self._step *= SHRINKAGE
            return
        self._weigh_queries(error, SHARPNESS / gap)
        centred = self._pulled - inner(mixture, self._pulled)
        self._velocity = MOMENTUM * self._velocity + self._step * gap * centred
        moved = self._theta + self._velocity
        self._theta = moved - moved.max()

    def _gap(self, lower: float) -> float:
        """How far below the least error so far the descent aims."""
        proved = self.best - max(lower, self._best_gain)
        seen, since = self._mark
        if proved <= (1 - PROGRESS) * seen:
            self._mark = (proved, self.passes)
        elif self.passes - since >= PATIENCE:
            self._mark = (proved, self.passes)
            self._share = max(self._share / 2, self._nearest)
        return proved * self._share

    def _weigh_queries(self, error: float, beta: float) -> None:
        from pmwpub.mechanisms.best_mixture.mixture_kernels import inner, pull_back, soft_signs

        total = soft_signs(self._residual, error, beta, self._signs)
        self._signs /= total
        pull_back(*self._incidence, spread_back(self._workload, self._signs), self._pulled)
        share = max(AVERAGING, 1.0 / self.passes)
        self.dual += share * (self._signs - self.dual)
        self._mean_pulled += share * (self._pulled - self._mean_pulled)
        self.dual_gain = float(inner(self.dual, self._target) - self._mean_pulled.max())
        self._best_gain = max(self._best_gain, self.dual_gain)


def _normalised(theta: Floats) -> Floats:
    weights: Floats = np.exp(theta - theta.max())
    weights /= weights.sum()
    return weights
