"""AIM and MST as methods of a sweep; they need the extra `peers`."""

from __future__ import annotations

from dataclasses import dataclass

from pmwpub.errors import MethodRefused
from pmwpub.evaluation.baselines import NO_ROWS, Case, Terms, errors_of_answers
from pmwpub.evaluation.measures import Errors
from pmwpub.mechanisms.aim import AimPlan, aim
from pmwpub.mechanisms.graphical import MISSING, available, library_version
from pmwpub.mechanisms.mst import MstPlan, mst
from pmwpub.mechanisms.residuals import ResidualSpaces

MAX_PAIR_CELLS = 2 * 10**6
MAX_CELLS = 2 * 10**6


@dataclass(frozen=True)
class Peer:
    """AIM with a limit on its model, or MST."""

    adaptive: bool
    megabytes: float = 8.0
    uses_candidate = False
    needs_rows = True
    has_rounds = False

    @property
    def remark(self) -> str:
        made = f" of mbi {library_version()}" if available() else ""
        return f"answers come from a graphical model{made}, from which rows can be drawn"

    def refusal(self, terms: Terms) -> str:
        if not available():
            return MISSING
        if self.adaptive:
            try:
                cells = ResidualSpaces(terms.workload).closure.queries
            except MethodRefused as error:
                return str(error)
            if cells > MAX_CELLS:
                return (
                    f"AIM compares its model with {cells:,} cells in every round; at most {MAX_CELLS:,} are taken. "
                    "Take fewer marginals or a smaller k."
                )
            return ""
        shape = terms.workload.domain.shape
        pairs = (sum(shape) ** 2 - sum(size * size for size in shape)) // 2
        if pairs > MAX_PAIR_CELLS:
            return f"MST scores {pairs:,} cells of pairs of attributes; at most {MAX_PAIR_CELLS:,} are taken. Bin."
        return ""

    def errors(self, case: Case) -> Errors:
        if why := self.refusal(case.terms):
            raise MethodRefused(why)
        if case.rows is None:
            raise MethodRefused(NO_ROWS)
        terms = case.terms
        if self.adaptive:
            plan = AimPlan(terms.budget, terms.rows_per_person, self.megabytes)
            found = aim(case.rows, terms.workload, plan, noise=case.noise)
        else:
            found = mst(case.rows, terms.workload, MstPlan(terms.budget, terms.rows_per_person), noise=case.noise)
        return errors_of_answers(case.counts, found.answers / case.counts.n)
