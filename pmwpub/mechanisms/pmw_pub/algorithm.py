"""PMW^Pub: Algorithm 1 of Liu, Vietri, Steinke, Ullman and Wu (2021), with replay and a choice of output."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from pmwpub.errors import PlanError
from pmwpub.mechanisms.pmw_pub.lazy_scores import DriftScores
from pmwpub.mechanisms.pmw_pub.reweight import Iterate, Memory
from pmwpub.privacy.budget import ZCDP
from pmwpub.privacy.noise import SECURE, NoiseSource
from pmwpub.privacy.round_share import RoundShare
from pmwpub.progress import Progress, unwatched
from pmwpub.queries.counts import PrivateCounts
from pmwpub.queries.incidence import PublicProblem
from pmwpub.queries.threads import Threads
from pmwpub.records import Distribution, Floats, Ints


class Output(StrEnum):
    """Which distribution is released: A_T, or the mean of A_0 .. A_{T-1} as Algorithm 1 has it."""

    LAST = "last"
    AVERAGE = "average"


class Start(StrEnum):
    """A_0: the public table itself, or equal weight on its support."""

    PUBLIC = "public"
    UNIFORM = "uniform"


class Replay(StrEnum):
    """Whether past measurements are applied again in each round."""

    HALF = "half-of-newest"
    OFF = "off"


@dataclass(frozen=True)
class Schedule:
    """How a run spends its budget: `rounds` rounds, each at the cost of `share`.

    sensitivity  k, the rows that one person may own
    replay_seed  public; orders the replayed steps
    """

    rounds: int
    share: RoundShare
    sensitivity: int = 1
    output: Output = Output.LAST
    start: Start = Start.PUBLIC
    replay: Replay = Replay.HALF
    replay_seed: int = 0

    def __post_init__(self) -> None:
        if self.rounds < 1 or self.sensitivity < 1:
            raise PlanError("A run needs at least one round and at least one row a person.")

    @property
    def rho(self) -> ZCDP:
        """What the whole run costs: T times one selection and one measurement."""
        return self.share.rho * self.rounds


@dataclass(frozen=True)
class Measurement:
    """One line of the transcript: a query's number, and its noisy count of private rows."""

    query: int
    noisy_count: int


@dataclass(frozen=True, eq=False)
class Release:
    """What PMW^Pub hands out: public atoms, weights, noisy measurements. Nothing in it is private."""

    distribution: Distribution
    transcript: tuple[Measurement, ...]
    rho: ZCDP


def pmw_pub(
    counts: PrivateCounts,
    problem: PublicProblem,
    schedule: Schedule,
    *,
    noise: NoiseSource = SECURE,
    progress: Progress = unwatched,
    threads: int = 1,
) -> Release:
    """Run PMW^Pub: select a badly answered query, measure it, reweight the support; T times.

    threads  that share the sums; the result does not depend on them

    Raises PlanError if the counts do not belong to the problem's workload.

    Privacy: neighbours replace one person's at most k rows (n fixed). Each query, a cell or a prefix, is a counting
    query, and one is measured a round: how many prefixes a row is in has no part in what follows. For weights
    that are a function of the earlier outputs, r_q = floor(n q(A) + 1/2) is too; so |c_q - r_q| moves by at
    most k and c_q by at most k. Each round is one exponential mechanism and one discrete Gaussian on these, at
    the rho that `schedule.share` declares; reweighting and replay are post-processing. By adaptive composition
    the run is (T * share.rho)-zCDP: with selection at 2 eps0 (bounded range, (2 eps0)^2/8) and sigma = k/eps0
    (eps0^2/2), T eps0^2 = ½ε̃², the total of Theorem 4.5.
    """
    if len(counts.counts) != problem.workload.queries:
        raise PlanError("The private counts belong to another workload.")
    iterate = _start(problem, schedule.start, counts.n)
    memory = Memory(problem, counts.n, schedule.replay_seed)
    mean = _Mean(schedule, len(problem.support))
    transcript: list[Measurement] = []
    with Threads(threads) as started:
        scores = DriftScores(counts, problem, iterate, _start_sums(problem, schedule.start), started)
        for done in range(schedule.rounds):
            progress(done, schedule.rounds)
            mean.add(iterate)
            query = schedule.share.selection.choose(scores, schedule.sensitivity, noise=noise)
            noisy_count = schedule.share.measurement.measure(int(counts.counts[query]), noise=noise)
            transcript.append(Measurement(query, noisy_count))
            _update(iterate, memory, transcript[-1], schedule.replay)
            scores.advance(iterate)
    progress(schedule.rounds, schedule.rounds)
    return Release(Distribution(problem.support, mean.output(iterate)), tuple(transcript), schedule.rho)


def rebuild(problem: PublicProblem, schedule: Schedule, transcript: tuple[Measurement, ...], n: int) -> Distribution:
    """The released distribution again, from public data and the noisy measurements alone."""
    iterate = _start(problem, schedule.start, n)
    memory = Memory(problem, n, schedule.replay_seed)
    mean = _Mean(schedule, len(problem.support))
    for measurement in transcript:
        mean.add(iterate)
        _update(iterate, memory, measurement, schedule.replay)
    return Distribution(problem.support, mean.output(iterate))


class _Mean:
    """What is released of the iterates: the last, or the mean of those that were added."""

    def __init__(self, schedule: Schedule, atoms: int) -> None:
        self._rounds = schedule.rounds
        self._sum = np.zeros(atoms) if schedule.output is Output.AVERAGE else None

    def add(self, iterate: Iterate) -> None:
        if self._sum is not None:
            self._sum += iterate.weights / self._rounds

    def output(self, last: Iterate) -> Floats:
        return last.weights if self._sum is None else self._sum / self._sum.sum()


def _start(problem: PublicProblem, start: Start, n: int) -> Iterate:
    support = problem.support
    return Iterate(support.multiplicity if start is Start.PUBLIC else np.ones(len(support), dtype=np.int64), n)


def _start_sums(problem: PublicProblem, start: Start) -> Ints:
    return problem.start_sums if start is Start.PUBLIC else problem.coverage


def _update(iterate: Iterate, memory: Memory, measurement: Measurement, replay: Replay) -> None:
    newest = memory.add(measurement.query, measurement.noisy_count)
    memory.step(iterate, newest)
    if replay is Replay.HALF:
        memory.replay(iterate, newest)
    iterate.settle()
