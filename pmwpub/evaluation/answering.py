"""Baselines that answer a workload without rows, and the errors of such answers."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from pmwpub.errors import PmwPubError
from pmwpub.evaluation.measures import Errors
from pmwpub.evaluation.truths.run_terms import Case, RunTerms, refuse_for, rows_of
from pmwpub.mechanisms.baselines.matrix.hdmm import MarginalStrategy, hdmm
from pmwpub.mechanisms.baselines.matrix.residual_planner import ResidualPlan, residual_planner
from pmwpub.mechanisms.baselines.matrix.residuals import Emphasis, ResidualSpaces, refuse_slow
from pmwpub.privacy.noise import float_above
from pmwpub.queries.counts import PrivateCounts, count
from pmwpub.records import Floats

WITHOUT_ROWS = "answers the workload without synthetic rows"


@dataclass(frozen=True)
class Marginals:
    """HDMM or ResidualPlanner: the workload's answers without rows, cut off at 0 and n."""

    residuals: bool
    emphasis: Emphasis = Emphasis.QUERIES
    uses_candidate = False
    needs_rows = True
    has_rounds = False
    remark = WITHOUT_ROWS

    def refusal(self, terms: RunTerms, rounds: int = 0) -> str:
        try:
            spaces = ResidualSpaces(terms.workload)
            refuse_slow(sum(map(spaces.cells, spaces.subsets)))
            if self.residuals:
                plan = self._residual_plan(terms)
                for subset, scale in zip(spaces.subsets, plan.scales, strict=True):
                    float_above(scale * spaces.cells(subset))
            else:
                strategy = self._strategy(terms)
                for subset in strategy.scales:
                    strategy.measurement(subset)
        except PmwPubError as error:
            return str(error)
        return ""

    def _residual_plan(self, terms: RunTerms) -> ResidualPlan:
        return ResidualPlan.of(terms.workload, terms.budget, terms.rows_per_person, self.emphasis)

    def _strategy(self, terms: RunTerms) -> MarginalStrategy:
        return MarginalStrategy.of(terms.workload, terms.budget, terms.rows_per_person, self.emphasis)

    def errors(self, case: Case) -> Errors:
        refuse_for(self.refusal(case.terms))
        if self.residuals:
            plan = self._residual_plan(case.terms)
            found = residual_planner(count(plan.spaces.closure, rows_of(case)), plan, noise=case.noise)
        else:
            strategy = self._strategy(case.terms)
            found = hdmm(count(strategy.spaces.closure, rows_of(case)), strategy, noise=case.noise)
        return errors_of_answers(case.counts, found.answers / case.counts.n)


def errors_of_answers(counts: PrivateCounts, answers: Floats) -> Errors:
    """The errors of plain answers, cut off at 0 and 1.

    answers  float64 (Q,)  shares of n
    """
    gaps = np.abs(np.clip(answers, 0.0, 1.0) - counts.counts / counts.n)
    return Errors(float(gaps.max()), float(gaps.mean()), float(math.sqrt(np.mean(gaps * gaps))))
