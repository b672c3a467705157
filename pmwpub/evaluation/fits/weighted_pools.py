"""A pool with learnt weights as a method of a sweep: one release with all candidates, compared with the truth."""

from __future__ import annotations

from dataclasses import dataclass

from pmwpub.evaluation.fits.fitted_tables import TableFit, constants_of
from pmwpub.evaluation.measures import Errors, errors_of
from pmwpub.evaluation.truths.run_terms import Case, RunTerms, counts_on, refuse_for
from pmwpub.mechanisms.table_fit.measured_tables import measured_tables
from pmwpub.mechanisms.table_fit.pool_fit import equal_mixture, pool_fit
from pmwpub.mechanisms.table_fit.pool_weights import MOST_TABLES
from pmwpub.mechanisms.table_fit.table_schedule import schedule
from pmwpub.queries.incidence import PublicProblem


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
            constants=constants_of(tables, terms), cap=terms.cap,
        )  # fmt: skip
        found = pool_fit(counts_on(case, tables), supports, plan, noise=case.noise)
        released = found.release.distribution
        errors = errors_of(case.counts, PublicProblem(terms.workload, released.support), released)
        named = tuple(zip(case.candidates, found.parts, strict=True))
        return PoolErrors(errors.max_error, errors.mean_error, errors.rms_error, named)
