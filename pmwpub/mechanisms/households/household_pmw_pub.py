"""PMW^Pub over households: Algorithm 1 of Liu et al. (2021), its atoms whole public households."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pmwpub.errors import PlanError
from pmwpub.mechanisms.households.household_counts import HouseholdCounts
from pmwpub.mechanisms.households.household_rounds import HouseholdRounds
from pmwpub.mechanisms.households.household_scores import HouseholdProblem, household_scores, mixed_counts
from pmwpub.mechanisms.households.household_steps import HouseholdMemory, started, whole_weights
from pmwpub.mechanisms.pmw_pub.algorithm import Measurement, Output
from pmwpub.mechanisms.pmw_pub.reweight import Iterate
from pmwpub.privacy.budget import ZCDP
from pmwpub.privacy.noise import SECURE, NoiseSource
from pmwpub.progress import Progress, unwatched
from pmwpub.records import Floats


@dataclass(frozen=True, eq=False)
class HouseholdRoundRelease:
    """What is handed out: weights on public households, and the noisy answers. Nothing in it is private.

    weights     float64 (m,) on the atoms, summing to one
    transcript  a round each: the query, of persons first, and its noisy count of persons or households, not clamped
    """

    weights: Floats
    transcript: tuple[Measurement, ...]
    rho: ZCDP


def household_pmw_pub(
    counts: HouseholdCounts,
    problem: HouseholdProblem,
    schedule: HouseholdRounds,
    *,
    noise: NoiseSource = SECURE,
    progress: Progress = unwatched,
) -> HouseholdRoundRelease:
    """Select a badly answered query of either level, measure it, reweight whole public households; T times.

    Every score is computed anew in each round, from whole weights: no bound is kept, and none has to be proved.

    Raises PlanError if counts, queries and schedule do not belong together.

    Privacy: neighbours replace one household of at most H persons by another of at most H, of another size or not; n,
    the number of households, is fixed and public. Let Delta_q be H of a query of persons and 1 of one of households:
    c_q moves by at most Delta_q (`HouseholdCounts`).
    (1) Selection. The whole weights s_h are a function of public data and earlier outputs, hence so is the whole
        number r_q. u_q = (H/Delta_q)|c_q - r_q| is a whole number that moves by at most (H/Delta_q) Delta_q = H, up
        or down (`household_scores`). So P(q) proportional to e^(u_q epsilon/(2H)) has range epsilon, at epsilon^2/8,
        as over rows with k = H.
    (2) Measurement. The selected q is an output by now, and so is its level. Its count moves by at most Delta_q, and
        integer Gaussian noise of scale Delta_q/epsilon0 costs epsilon0^2/2 at either level.
    (3) Reweighting and replay look at noisy answers and public households alone: post-processing.
    With selection at 2 epsilon0 a round costs epsilon0^2, and T of them, each adaptive, T epsilon0^2: `schedule.rho`.
    The number of persons is in no scale, no size and no normalisation: answers are counts, divided by n.
    """
    if (counts.n, counts.largest, problem.largest) != (schedule.n, schedule.largest, schedule.largest):
        raise PlanError("The private households were counted under other terms than those of the schedule.")
    exact, persons = mixed_counts(counts), len(counts.persons)
    if len(exact) != problem.tables.cells or persons != problem.tables.persons.queries:
        raise PlanError("The private counts belong to other queries.")
    run = _Run(problem, schedule)
    transcript: list[Measurement] = []
    for done in range(schedule.rounds):
        progress(done, schedule.rounds)
        scores = household_scores(counts, problem.references(whole_weights(run.iterate), schedule.n))
        query = schedule.share.selection.select(scores, schedule.largest, noise=noise)
        noisy = schedule.measurement(query < persons).measure(int(exact[query]), noise=noise)
        transcript.append(Measurement(query, noisy))
        run.apply(transcript[-1])
    progress(schedule.rounds, schedule.rounds)
    return HouseholdRoundRelease(run.output, tuple(transcript), schedule.rho)


def replayed_weights(problem: HouseholdProblem, schedule: HouseholdRounds, transcript: Sequence[Measurement]) -> Floats:
    """The released weights again, from public households and the noisy answers alone."""
    run = _Run(problem, schedule)
    for measured in transcript:
        run.apply(measured)
    return run.output


class _Run:
    """The weights of a run, from the first on: a function of public data and the answers that it is given."""

    def __init__(self, problem: HouseholdProblem, schedule: HouseholdRounds) -> None:
        self.iterate: Iterate = started(problem, schedule.start, schedule.n)
        self._memory = HouseholdMemory(problem, schedule.n, schedule.replay, schedule.replay_seed)
        self._rounds = schedule.rounds
        self._sum = np.zeros(len(problem.atoms)) if schedule.output is Output.AVERAGE else None

    def apply(self, measured: Measurement) -> None:
        if self._sum is not None:
            self._sum += self.iterate.weights / self._rounds
        self._memory.update(self.iterate, measured)

    @property
    def output(self) -> Floats:
        """The last weights, or the mean of those before each round as Algorithm 1 has it."""
        return self.iterate.weights if self._sum is None else self._sum / self._sum.sum()
