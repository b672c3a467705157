"""The paper's baselines as methods of a sweep: each says why it cannot run, or runs and is compared with the truth."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Protocol

from pmwpub.errors import PlanError, PmwPubError
from pmwpub.evaluation.measures import Errors, errors_of
from pmwpub.evaluation.truths.run_terms import Case, RunTerms, refuse_for, rows_of
from pmwpub.mechanisms.baselines.dual_query import DualQueryPlan, dual_query
from pmwpub.mechanisms.baselines.ji_elkan import ImportancePlan, Lattice, ji_elkan
from pmwpub.mechanisms.baselines.mwem import full_problem, inside, mwem, projected, refusal
from pmwpub.mechanisms.baselines.prefix_refusal import refuse_prefixes
from pmwpub.mechanisms.pmw_pub.algorithm import Schedule
from pmwpub.privacy.budget import ZCDP, shown
from pmwpub.privacy.round_share import split
from pmwpub.privacy.vector_gaussian import VectorGaussian
from pmwpub.queries.counts import count
from pmwpub.queries.incidence import PublicProblem
from pmwpub.queries.workload import Workload

MAX_COEFFICIENTS = 3_000
MAX_QUERIES = 50_000_000
MAX_SAMPLES = 10_000
MOST_ETA = 10**6
PROGRAM_SECONDS = 60.0
"""The seconds after which an integer program of DualQuery is given up. A limit of nodes, the same on every machine,
ends the program before that; the clock is for the worst case alone."""


class Baseline(Protocol):
    """A way to answer a workload, with its parameters; making one raises PlanError where they are out of range."""

    @property
    def uses_candidate(self) -> bool:
        """Whether the baseline needs a public table; else one run serves all candidates."""
        ...

    @property
    def needs_rows(self) -> bool:
        """Whether the baseline needs the rows of the truth, and not its counts alone."""
        ...

    @property
    def has_rounds(self) -> bool:
        """Whether the number of rounds is a parameter of the sweep."""
        ...

    @property
    def remark(self) -> str:
        """What a plot has to say beside its line; "" for nothing."""
        ...

    def refusal(self, terms: RunTerms, rounds: int = 0) -> str:
        """Why the baseline cannot run, in words (memory, time, budget); "" if it can. Only public sizes decide it.

        rounds  for a baseline that has them; 0 asks what holds for any number of them
        """
        ...

    def errors(self, case: Case) -> Errors:
        """Run once and compare with the truth. MethodRefused where `refusal` has a reason."""
        ...


@dataclass(frozen=True)
class Mwem:
    """MWEM on every possible row, or on those of the named attributes."""

    on: tuple[str, ...] = ()
    uses_candidate = False
    has_rounds = True

    @property
    def needs_rows(self) -> bool:
        return bool(self.on)

    @property
    def remark(self) -> str:
        return f"only the marginals inside {', '.join(self.on)}, a smaller workload" if self.on else ""

    def refusal(self, terms: RunTerms, rounds: int = 0) -> str:
        try:
            why = refusal(inside(terms.workload, self.on) if self.on else terms.workload)
            if rounds and not why:
                self._schedule(terms, rounds)
        except PmwPubError as error:
            return str(error)
        return why

    def _schedule(self, terms: RunTerms, rounds: int, seed: int = 0) -> Schedule:
        share = split(terms.budget, rounds, rows_per_person=terms.rows_per_person)
        return Schedule(rounds, share, sensitivity=terms.rows_per_person, replay_seed=seed)

    def errors(self, case: Case) -> Errors:
        refuse_for(self.refusal(case.terms, case.rounds))
        workload, counts = case.terms.workload, case.counts
        if self.on:
            workload = inside(workload, self.on)
            counts = count(workload, projected(rows_of(case), self.on))
        schedule, problem = self._schedule(case.terms, case.rounds, case.seed), _full_problem(workload)
        return errors_of(counts, problem, mwem(counts, problem, schedule, noise=case.noise).distribution)


@dataclass(frozen=True)
class DualQuery:
    """DualQuery with its step and samples; as many rounds as the budget pays for.

    samples  1 to 10,000
    eta      10^-6 to 10^6
    """

    samples: int = 100
    eta: Fraction = Fraction(3)
    uses_candidate = False
    needs_rows = False
    has_rounds = False
    remark = ""

    def __post_init__(self) -> None:
        if not 1 <= self.samples <= MAX_SAMPLES or not Fraction(1, MOST_ETA) <= self.eta <= MOST_ETA:
            raise PlanError(
                f"DualQuery takes 1 to {MAX_SAMPLES:,} samples a round and an eta from 1e-6 to 1e6; "
                f"{self.samples:.6g} and {shown(self.eta)} came."
            )

    def refusal(self, terms: RunTerms, rounds: int = 0) -> str:
        if terms.workload.queries > MAX_QUERIES:
            return (
                f"DualQuery keeps a weight for each of the workload's {terms.workload.queries:,} queries; at most "
                f"{MAX_QUERIES:,} are taken. Sample marginals or lower k."
            )
        try:
            refuse_prefixes(terms.workload)
            self._plan(terms)
        except PmwPubError as error:
            return str(error)
        return ""

    def _plan(self, terms: RunTerms, seed: int = 0) -> DualQueryPlan:
        return DualQueryPlan.within(
            terms.budget, terms.n, self.samples, self.eta, terms.rows_per_person, seconds=PROGRAM_SECONDS, tie_seed=seed
        )

    def errors(self, case: Case) -> Errors:
        refuse_for(self.refusal(case.terms))
        workload, plan = case.terms.workload, self._plan(case.terms, case.seed)
        found = dual_query(case.counts, workload, plan, noise=case.noise).distribution
        return errors_of(case.counts, PublicProblem(workload, found.support), found)


@dataclass(frozen=True)
class JiElkan:
    """Ji and Elkan's importance weights with a lambda."""

    regularisation: Fraction = Fraction(1, 100)
    uses_candidate = True
    needs_rows = True
    has_rounds = False
    remark = ""

    def __post_init__(self) -> None:
        ImportancePlan(self.regularisation, ZCDP(1))

    def refusal(self, terms: RunTerms, rounds: int = 0) -> str:
        levels = terms.workload.domain.dimension
        if levels > MAX_COEFFICIENTS:
            return (
                f"Ji and Elkan's regression has a coefficient for each of {levels:,} levels; "
                f"at most {MAX_COEFFICIENTS:,} are solved for. Bin or leave out attributes."
            )
        try:
            # The solver's tolerance is far below 1/n, so what can be drawn at this one can be drawn.
            lattice = Lattice.of(self._plan(terms), terms.n, levels, Fraction(1, terms.n))
            VectorGaussian.costing(terms.budget, lattice.squared_sensitivity)
        except PmwPubError as error:
            return str(error)
        return ""

    def _plan(self, terms: RunTerms) -> ImportancePlan:
        return ImportancePlan(self.regularisation, terms.budget, terms.rows_per_person)

    def errors(self, case: Case) -> Errors:
        refuse_for(self.refusal(case.terms))
        if case.problem is None:
            raise PlanError("Importance weights need a public table.")
        found = ji_elkan(rows_of(case), case.problem.support, self._plan(case.terms), noise=case.noise)
        return errors_of(case.counts, case.problem, found.distribution)


@lru_cache(maxsize=1)
def _full_problem(workload: Workload) -> PublicProblem:
    """The workload on every possible row. The latest one is kept for the runs of a sweep: it may fill much memory."""
    return full_problem(workload)
