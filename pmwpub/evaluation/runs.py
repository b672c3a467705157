"""The parts of a sweep that workers make: one run of one method, or one certified floor.

This is the only module that hands a mechanism noise with a seed. What it runs on may be looked at: a public table
that plays the truth, or, marked `private`, a steward's own table for the steward's own eyes; the latter gets the
secure source, never leaves this machine, and is no release either.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from pmwpub.errors import BudgetError
from pmwpub.evaluation.baseline_registry import baseline_of, is_baseline, label_of, takes_weights
from pmwpub.evaluation.fits.weighted_pools import PoolErrors
from pmwpub.evaluation.measures import Errors, errors, errors_of
from pmwpub.evaluation.methods import UNCHANGED, variant_of
from pmwpub.evaluation.sweep_results import CertifiedFloor, SimulatedError
from pmwpub.evaluation.truths.run_terms import NO_ROWS, Case, RunTerms
from pmwpub.evaluation.truths.weighed_truths import TruthWeights, WeighedTruth
from pmwpub.mechanisms.best_mixture.interval import BestMixture
from pmwpub.mechanisms.pmw_pub.algorithm import Schedule, pmw_pub
from pmwpub.privacy.budget import ApproxDP, as_fraction, zcdp_of
from pmwpub.privacy.noise import SECURE, NoiseSource
from pmwpub.privacy.round_share import split
from pmwpub.privacy.seeded_noise import SimulationNoise
from pmwpub.queries.counts import PrivateCounts
from pmwpub.queries.incidence import PublicProblem
from pmwpub.queries.repeated_rows import RepeatedRows
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset, Support

FLOOR_STEPS = 60
FLOOR_WIDTH = Fraction(1, 1000)

NO_WEIGHTS = "{label} does not take weights: it is proved, and made, for rows that count as one each."


@dataclass(frozen=True)
class Run:
    """One method on one candidate; `seed` numbers the run, `rounds` is 0 where the method has none.

    candidate  "" for a baseline that uses no public table
    """

    candidate: str
    method: str
    epsilon: float
    rounds: int
    seed: int


@dataclass(frozen=True)
class FloorOf:
    """The certified floor of one candidate."""

    candidate: str


Task = Run | FloorOf
Found = SimulatedError | CertifiedFloor


@dataclass(frozen=True, eq=False, repr=False)
class Stage:
    """What all runs of a sweep share: the truth's counts, and the candidates by name.

    private  whether the counts are those of a private table: a steward's own numbers
    rows     the truth itself, for the baselines that need more of it than its counts
    weights  how the truth's rows are weighed: its counts are then of T units, and only the engines run. None where each
             row counts as one
    weighed  the weighed truth itself, as `rows`

    Each worker keeps one, with the problems that it has built.
    """

    workload: Workload
    counts: PrivateCounts
    candidates: Mapping[str, Support]
    delta: Fraction
    rows_per_person: int = 1
    private: bool = False
    rows: Dataset | RepeatedRows | None = None
    weights: TruthWeights | None = None
    weighed: WeighedTruth | None = None
    _problems: dict[str, PublicProblem] = field(default_factory=dict, init=False)

    @classmethod
    def weighing(
        cls, workload: Workload, truth: WeighedTruth, candidates: Mapping[str, Support], delta: Fraction, k: int = 1
    ) -> Stage:
        """The stage of a weighed truth of which one person may own k rows."""
        return cls(
            workload, truth.counts(workload), candidates, delta, k, weights=truth.weights, weighed=truth
        )  # fmt: skip

    @property
    def people(self) -> int:
        """n, the rows of the truth, whatever they weigh."""
        return self.counts.n if self.weights is None else self.weights.people

    @property
    def reach(self) -> int:
        """By how much one person may move a count: k rows, or k W units of weight."""
        return self.rows_per_person * (1 if self.weights is None else self.weights.cap)

    def problem(self, candidate: str) -> PublicProblem:
        """The candidate's problem, built once."""
        if candidate not in self._problems:
            self._problems[candidate] = PublicProblem(self.workload, self.candidates[candidate])
        return self._problems[candidate]

    def __getstate__(self) -> dict[str, object]:
        """The stage without the problems that it has built: a worker builds what it needs."""
        return {**vars(self), "_problems": {}}

    def terms(self, epsilon: float) -> RunTerms:
        """What is public of a run at an epsilon."""
        budget = zcdp_of(ApproxDP(as_fraction(epsilon), self.delta))
        return RunTerms(self.workload, self.counts.n, budget, self.reach, len(self.candidates), self.weights)

    def noise(self, run: Run) -> NoiseSource:
        """The run's own noise, whatever ran before it and wherever; the secure source where the stage is private."""
        if self.private:
            return SECURE
        return own_noise(run)


def own_noise(run: Run) -> NoiseSource:
    """A run's noise, whatever ran before it and wherever: it follows from what the run is."""
    named = (run.candidate, run.method, repr(run.epsilon), str(run.rounds), str(run.seed))
    return SimulationNoise("\n".join(named))


def play(stage: Stage, task: Task) -> Found:
    """Make one part of a sweep; a function of its arguments alone unless the stage is private.

    Privacy: none; the stage's counts may be looked at by whoever gets the result.
    """
    if isinstance(task, FloorOf):
        return _floor(stage, task.candidate)
    found = _errors(stage, task)
    return SimulatedError(
        task.method, task.candidate, task.epsilon, task.rounds, task.seed,
        found.max_error, found.mean_error, found.rms_error,
        found.contributions if isinstance(found, PoolErrors) else (),
    )  # fmt: skip


def _errors(stage: Stage, run: Run) -> Errors:
    if is_baseline(run.method):
        return _baseline_errors(stage, run)
    problem = stage.problem(run.candidate)
    if run.method == UNCHANGED:
        return errors(stage.counts, problem.start_sums, problem.support.rows)
    schedule = _schedule(stage, run.method, run.epsilon, run.rounds, run.seed)
    released = pmw_pub(stage.counts, problem, schedule, noise=stage.noise(run))
    return errors_of(stage.counts, problem, released.distribution)


def _baseline_errors(stage: Stage, run: Run) -> Errors:
    problem = stage.problem(run.candidate) if run.candidate else None
    terms, noise = stage.terms(run.epsilon), stage.noise(run)
    case = Case(
        terms, stage.counts, stage.rows, problem, run.rounds, run.seed, noise, stage.candidates, stage.weighed
    )  # fmt: skip
    return baseline_of(run.method).errors(case)


def refusal_of(stage: Stage, method: str, epsilon: float, rounds: int = 0) -> str:
    """Why a method cannot run, in words; "" if it can. Only public sizes decide it.

    rounds  for a method that has them; 0 asks what holds for any number of them
    """
    if is_baseline(method):
        if stage.weights is not None and not takes_weights(method):
            return NO_WEIGHTS.format(label=label_of(method))
        baseline = baseline_of(method)
        lacking = NO_ROWS if baseline.needs_rows and stage.rows is None and stage.weighed is None else ""
        return lacking or baseline.refusal(stage.terms(epsilon), rounds)
    try:
        if method != UNCHANGED and rounds:
            _schedule(stage, method, epsilon, rounds)
    except BudgetError as error:
        return str(error)
    return ""


def _schedule(stage: Stage, method: str, epsilon: float, rounds: int, seed: int = 0) -> Schedule:
    from pmwpub.privacy.selection import ExponentialMechanism, PermuteAndFlip

    variant = variant_of(method)
    law = ExponentialMechanism if variant.selection == "exponential" else PermuteAndFlip
    budget = stage.terms(epsilon).budget
    return Schedule(
        rounds=rounds,
        share=split(budget, rounds, rows_per_person=stage.reach, selection=law),
        sensitivity=stage.reach,
        output=variant.output,
        start=variant.start,
        replay=variant.replay,
        replay_seed=seed,
    )


def _floor(stage: Stage, candidate: str) -> CertifiedFloor:
    state = BestMixture(stage.counts, stage.workload, stage.candidates[candidate])
    for _ in range(FLOOR_STEPS):
        if state.exhausted or state.interval.upper - state.interval.lower <= FLOOR_WIDTH:
            break
        state.refine()
    return CertifiedFloor(candidate, float(state.interval.lower), float(state.interval.upper))
