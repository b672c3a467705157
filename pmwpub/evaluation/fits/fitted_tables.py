"""Table fit as a method of a sweep: a release of the other engine, compared with the truth."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from pmwpub.errors import PlanError, PmwPubError
from pmwpub.evaluation.measures import Errors, errors_of
from pmwpub.evaluation.truths.run_terms import Case, RunTerms, counts_on, refuse_for
from pmwpub.mechanisms.baselines.matrix.residuals import refuse_slow
from pmwpub.mechanisms.table_fit.coarse_tables import RangeTables, coarse_schedule, range_columns, without_ranges
from pmwpub.mechanisms.table_fit.fit_constants import FitConstants, SupportGrowth, without
from pmwpub.mechanisms.table_fit.measured_tables import measured_tables
from pmwpub.mechanisms.table_fit.table_fit import table_fit
from pmwpub.mechanisms.table_fit.table_schedule import check_least_share, schedule
from pmwpub.queries.incidence import PublicProblem
from pmwpub.queries.workload import Workload


@dataclass(frozen=True)
class TableFit:
    """All 1-way and 2-way tables measured once, and the public table's weights fitted to them.

    Delta is 1/n^2 where the rule of evidence is chosen. No schema is relied on to give every cell a level.

    growth           how rows are added where noisy tables show people of whom no public row tells; None where none are
    three_way_share  the 3-way tables' part of the budget; None where they are not measured
    ranges           whether coarse tables are measured of the columns whose prefixes the workload asks
    """

    growth: SupportGrowth | None = None
    three_way_share: Fraction | None = None
    ranges: bool = False
    uses_candidate = True
    needs_rows = True
    has_rounds = False

    @property
    def remark(self) -> str:
        return "" if self.growth is None else "rows are added to the public table, so that its floor is no floor of it"

    def refusal(self, terms: RunTerms, rounds: int = 0) -> str:
        try:
            tables = self._tables(terms)
            refuse_slow(tables.queries)
            k, constants, ranges = terms.rows_per_person, self._constants(tables, terms), self._ranges(terms)
            kept = without_ranges(terms.budget, ranges)
            check_least_share(
                tables, kept, rows_per_person=k, constants=constants, three_way_share=self.three_way_share
            )
            if ranges is not None:
                _ = coarse_schedule(tables.domain, ranges, terms.budget, rows_per_person=k).noises
        except PmwPubError as error:
            return str(error)
        return ""

    def errors(self, case: Case) -> Errors:
        refuse_for(self.refusal(case.terms))
        if case.problem is None:
            raise PlanError("Table fit needs a public table.")
        terms, support = case.terms, case.problem.support
        tables = self._tables(terms)
        plan = schedule(
            tables, support, terms.budget, rows_per_person=terms.rows_per_person, complete=False,
            constants=self._constants(tables, terms), growth=self.growth, three_way_share=self.three_way_share,
            ranges=self._ranges(terms), cap=terms.cap,
        )  # fmt: skip
        found = table_fit(counts_on(case, tables), support, plan, noise=case.noise)
        released = found.distribution
        same = released.support is support
        problem = case.problem if same else PublicProblem(terms.workload, released.support)
        return errors_of(case.counts, problem, released)

    def _tables(self, terms: RunTerms) -> Workload:
        tables = measured_tables(terms.workload, three_way=self.three_way_share is not None)
        if self.three_way_share is not None and tables.arity[-1] < 3:
            raise PlanError("No marginal of this workload has three columns.")
        return tables

    def _ranges(self, terms: RunTerms) -> RangeTables | None:
        """The coarse tables that are measured; PlanError where the workload asks no prefixes of which there are any."""
        if not self.ranges:
            return None
        columns = terms.workload.domain.attributes
        asked = {columns[table.ordered].name for table in terms.workload.prefixes} & set(range_columns(terms.workload))
        if not asked:
            raise PlanError("This workload asks no “at most” questions of a column with more than two levels in order.")
        return RangeTables(tuple(sorted(asked)))

    def _constants(self, tables: Workload, terms: RunTerms) -> FitConstants:
        """The advice is for what the coarse and the 3-way tables leave of the budget."""
        kept = without(without_ranges(terms.budget, self._ranges(terms)), self.three_way_share)
        return constants_of(tables, replace(terms, budget=kept))


def constants_of(tables: Workload, terms: RunTerms) -> FitConstants:
    """The constants that public facts advise, as in a release."""
    delta, k = Fraction(1, max(2, terms.people) ** 2), terms.rows_per_person
    return FitConstants.advised(tables, terms.budget, n=terms.n, delta=delta, rows_per_person=k)
