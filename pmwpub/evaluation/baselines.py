"""The paper's baselines as methods of a sweep: each says why it cannot run, or runs and is compared with the truth."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Protocol

import numpy as np

from pmwpub.errors import MethodRefused, PlanError, PmwPubError
from pmwpub.evaluation.measures import Errors, errors_of
from pmwpub.mechanisms.dual_query import DualQueryPlan, dual_query
from pmwpub.mechanisms.hdmm import MarginalStrategy, hdmm
from pmwpub.mechanisms.ji_elkan import ImportancePlan, ji_elkan
from pmwpub.mechanisms.mwem import full_problem, inside, mwem, projected, refusal
from pmwpub.mechanisms.pmw_pub import Schedule
from pmwpub.mechanisms.residual_planner import ResidualPlan, residual_planner
from pmwpub.mechanisms.residuals import Emphasis, ResidualSpaces, refuse_slow
from pmwpub.privacy.budget import ZCDP, split
from pmwpub.privacy.noise import NoiseSource
from pmwpub.queries.counts import PrivateCounts, count
from pmwpub.queries.incidence import PublicProblem
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset, Floats

MAX_COEFFICIENTS = 3_000
MAX_QUERIES = 50_000_000
PROGRAM_SECONDS = 60.0
"""DualQuery's integer programs end by their nodes, which are the same everywhere; a clock is there for the worst."""


@dataclass(frozen=True)
class Terms:
    """What is public of a run: the workload, n, the budget, k."""

    workload: Workload
    n: int
    budget: ZCDP
    rows_per_person: int = 1


@dataclass(frozen=True, eq=False, repr=False)
class Case:
    """What a baseline runs on: data that may be looked at, or a steward's own for the steward's own eyes.

    counts    of the workload on `rows`
    rows      the truth, for a baseline that needs more of it than its counts
    problem   the candidate, for a baseline that uses one
    rounds    for a baseline that has them
    seed      numbers the run; for public choices alone
    """

    terms: Terms
    counts: PrivateCounts
    rows: Dataset | None
    problem: PublicProblem | None
    rounds: int
    seed: int
    noise: NoiseSource


class Baseline(Protocol):
    """A way to answer a workload, with its parameters."""

    @property
    def uses_candidate(self) -> bool:
        """Whether it needs a public table; else one run serves all candidates."""
        ...

    @property
    def needs_rows(self) -> bool:
        """Whether it needs the rows of the truth, and not its counts alone."""
        ...

    @property
    def has_rounds(self) -> bool:
        """Whether the number of rounds is a parameter of the sweep."""
        ...

    @property
    def remark(self) -> str:
        """What a plot has to say beside its line; "" for nothing."""
        ...

    def refusal(self, terms: Terms) -> str:
        """Why it cannot run, in words (memory, time, budget); "" if it can. Public sizes only."""
        ...

    def errors(self, case: Case) -> Errors:
        """Run once and compare with the truth. MethodRefused where `refusal` has a reason."""
        ...


NO_ROWS = "It needs the rows of the truth, which this sweep does not hand on."
WITHOUT_ROWS = "answers the workload without synthetic rows"


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

    def refusal(self, terms: Terms) -> str:
        try:
            return refusal(inside(terms.workload, self.on) if self.on else terms.workload)
        except PmwPubError as error:
            return str(error)

    def errors(self, case: Case) -> Errors:
        workload, counts, terms = case.terms.workload, case.counts, case.terms
        if self.on:
            workload = inside(workload, self.on)
            counts = count(workload, projected(_rows(case), self.on))
        share = split(terms.budget, case.rounds, rows_per_person=terms.rows_per_person)
        schedule = Schedule(case.rounds, share, sensitivity=terms.rows_per_person, replay_seed=case.seed)
        problem = _full_problem(workload)
        return errors_of(counts, problem, mwem(counts, problem, schedule, noise=case.noise).distribution)


@dataclass(frozen=True)
class DualQuery:
    """DualQuery with its step and samples; as many rounds as the budget pays for."""

    samples: int = 100
    eta: Fraction = Fraction(3)
    uses_candidate = False
    needs_rows = False
    has_rounds = False
    remark = ""

    def refusal(self, terms: Terms) -> str:
        if terms.workload.queries > MAX_QUERIES:
            return (
                f"DualQuery keeps a weight for each of the workload's {terms.workload.queries:,} queries; at most "
                f"{MAX_QUERIES:,} are taken. Sample marginals or lower k."
            )
        try:
            self._plan(terms)
        except PmwPubError as error:
            return str(error)
        return ""

    def _plan(self, terms: Terms, seed: int = 0) -> DualQueryPlan:
        return DualQueryPlan.within(
            terms.budget, terms.n, self.samples, self.eta, terms.rows_per_person, seconds=PROGRAM_SECONDS, tie_seed=seed
        )

    def errors(self, case: Case) -> Errors:
        _check(self.refusal(case.terms))
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

    def refusal(self, terms: Terms) -> str:
        if terms.workload.domain.dimension > MAX_COEFFICIENTS:
            return (
                f"Ji and Elkan's regression has a coefficient for each of {terms.workload.domain.dimension:,} levels; "
                f"at most {MAX_COEFFICIENTS:,} are solved for. Bin or leave out attributes."
            )
        return ""

    def errors(self, case: Case) -> Errors:
        _check(self.refusal(case.terms))
        if case.problem is None:
            raise PlanError("Importance weights need a public table.")
        plan = ImportancePlan(self.regularisation, case.terms.budget, case.terms.rows_per_person)
        found = ji_elkan(_rows(case), case.problem.support, plan, noise=case.noise).distribution
        return errors_of(case.counts, case.problem, found)


@dataclass(frozen=True)
class Marginals:
    """HDMM or ResidualPlanner: the workload's answers without rows, cut off at 0 and n."""

    residuals: bool
    emphasis: Emphasis = Emphasis.QUERIES
    uses_candidate = False
    needs_rows = True
    has_rounds = False
    remark = WITHOUT_ROWS

    def refusal(self, terms: Terms) -> str:
        try:
            spaces = ResidualSpaces(terms.workload)
            refuse_slow(sum(map(spaces.cells, spaces.subsets)))
        except MethodRefused as error:
            return str(error)
        return ""

    def errors(self, case: Case) -> Errors:
        _check(self.refusal(case.terms))
        terms = (case.terms.workload, case.terms.budget, case.terms.rows_per_person, self.emphasis)
        if self.residuals:
            plan = ResidualPlan.of(*terms)
            found = residual_planner(count(plan.spaces.closure, _rows(case)), plan, noise=case.noise)
        else:
            strategy = MarginalStrategy.of(*terms)
            found = hdmm(count(strategy.spaces.closure, _rows(case)), strategy, noise=case.noise)
        return errors_of_answers(case.counts, found.answers / case.counts.n)


def errors_of_answers(counts: PrivateCounts, answers: Floats) -> Errors:
    """The errors of plain answers, cut off at 0 and 1.

    answers  float64 (Q,)  shares of n
    """
    gaps = np.abs(np.clip(answers, 0.0, 1.0) - counts.counts / counts.n)
    return Errors(float(gaps.max()), float(gaps.mean()), float(math.sqrt(np.mean(gaps * gaps))))


@lru_cache(maxsize=1)
def _full_problem(workload: Workload) -> PublicProblem:
    """Built once for the runs of a sweep; it may fill much memory, so one at a time."""
    return full_problem(workload)


def _rows(case: Case) -> Dataset:
    if case.rows is None:
        raise MethodRefused(NO_ROWS)
    return case.rows


def _check(why: str) -> None:
    if why:
        raise MethodRefused(why)
