"""Table fit as a method of a sweep: a release of the other engine, compared with the truth."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from pmwpub.errors import PlanError, PmwPubError
from pmwpub.evaluation.baselines import Case, RunTerms, refuse_for, rows_of
from pmwpub.evaluation.measures import Errors, errors_of
from pmwpub.mechanisms.baselines.matrix.residuals import refuse_slow
from pmwpub.mechanisms.table_fit.fit_constants import FitConstants, SupportGrowth
from pmwpub.mechanisms.table_fit.measured_tables import measured_tables
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
            k, constants = terms.rows_per_person, constants_of(tables, terms)
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
            constants=constants_of(tables, terms), growth=self.growth,
        )  # fmt: skip
        found = table_fit(count(tables, rows_of(case)), support, plan, noise=case.noise)
        released = found.distribution
        same = released.support is support
        problem = case.problem if same else PublicProblem(terms.workload, released.support)
        return errors_of(case.counts, problem, released)


def constants_of(tables: Workload, terms: RunTerms) -> FitConstants:
    """The constants that public facts advise, as in a release."""
    delta, k = Fraction(1, max(2, terms.n) ** 2), terms.rows_per_person
    return FitConstants.advised(tables, terms.budget, n=terms.n, delta=delta, rows_per_person=k)
