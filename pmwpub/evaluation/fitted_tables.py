"""Table fit as a method of a sweep, also on a pool with learnt weights: a release, compared with the truth."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from pmwpub.errors import PlanError, PmwPubError
from pmwpub.evaluation.baselines import Case, RunTerms, refuse_for, rows_of
from pmwpub.evaluation.measures import Errors, errors_of
from pmwpub.mechanisms.baselines.matrix.residuals import refuse_slow
from pmwpub.mechanisms.table_fit.fit_constants import FitConstants, SupportGrowth
from pmwpub.mechanisms.table_fit.measured_tables import measured_tables
from pmwpub.mechanisms.table_fit.pool_fit import equal_mixture, pool_fit
from pmwpub.mechanisms.table_fit.pool_weights import MOST_TABLES
from pmwpub.mechanisms.table_fit.table_fit import table_fit
from pmwpub.mechanisms.table_fit.table_schedule import check_least_share, schedule
from pmwpub.queries.counts import count
from pmwpub.queries.incidence import PublicProblem
from pmwpub.queries.workload import Workload


@dataclass(frozen=True)
class TableFit:
    """All 1-way and 2-way tables measured once, and the public table's weights fitted to them.

    Delta is 1/n^2 where the rule of evidence is chosen. No schema is relied on to give every cell a level.

    growth  how rows are added where noisy tables show people of whom no public row tells; None where none are
    """

    growth: SupportGrowth | None = None
    uses_candidate = True
    needs_rows = True
    has_rounds = False

    @property
    def remark(self) -> str:
        return "" if self.growth is None else "rows are added to the public table, so that its floor is no floor of it"

    def refusal(self, terms: RunTerms, rounds: int = 0) -> str:
        try:
            tables = measured_tables(terms.workload)
            refuse_slow(tables.queries)
            k, constants = terms.rows_per_person, _constants(tables, terms)
            check_least_share(tables, terms.budget, rows_per_person=k, constants=constants)
        except PmwPubError as error:
            return str(error)
        return ""

    def errors(self, case: Case) -> Errors:
        refuse_for(self.refusal(case.terms))
        if case.problem is None:
            raise PlanError("Table fit needs a public table.")
        terms, support = case.terms, case.problem.support
        tables = measured_tables(terms.workload)
        plan = schedule(
            tables, support, terms.budget, rows_per_person=terms.rows_per_person, complete=False,
            constants=_constants(tables, terms), growth=self.growth,
        )  # fmt: skip
        found = table_fit(count(tables, rows_of(case)), support, plan, noise=case.noise)
        released = found.distribution
        same = released.support is support
        problem = case.problem if same else PublicProblem(terms.workload, released.support)
        return errors_of(case.counts, problem, released)


@dataclass(frozen=True)
class PoolErrors(Errors):
    """The errors of a pool, and what each candidate contributed to it, as (name, thousandths)."""

    contributions: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class WeightedPool:
    """Table fit with all candidates of the sweep, whose weights the noisy tables say; its constants as table fit's."""

    uses_candidate = False
    needs_rows = True
    has_rounds = False
    remark = "all public tables together, their weights learnt from the noisy tables"

    def refusal(self, terms: RunTerms, rounds: int = 0) -> str:
        if not 2 <= terms.candidates <= MOST_TABLES:
            return f"A pool with learnt weights has two to {MOST_TABLES} public tables; there are {terms.candidates}."
        return TableFit().refusal(terms, rounds)

    def errors(self, case: Case) -> PoolErrors:
        refuse_for(self.refusal(case.terms))
        terms, supports = case.terms, list(case.candidates.values())
        tables = measured_tables(terms.workload)
        plan = schedule(
            tables, equal_mixture(supports), terms.budget, rows_per_person=terms.rows_per_person, complete=False,
            constants=_constants(tables, terms),
        )  # fmt: skip
        found = pool_fit(count(tables, rows_of(case)), supports, plan, noise=case.noise)
        released = found.release.distribution
        errors = errors_of(case.counts, PublicProblem(terms.workload, released.support), released)
        named = tuple(zip(case.candidates, found.parts, strict=True))
        return PoolErrors(errors.max_error, errors.mean_error, errors.rms_error, named)


def _constants(tables: Workload, terms: RunTerms) -> FitConstants:
    delta, k = Fraction(1, max(2, terms.n) ** 2), terms.rows_per_person
    return FitConstants.advised(tables, terms.budget, n=terms.n, delta=delta, rows_per_person=k)
