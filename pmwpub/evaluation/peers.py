"""AIM and MST as methods of a sweep; they need the extra `peers`."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from pmwpub.errors import PlanError, PmwPubError
from pmwpub.evaluation.answering import errors_of_answers
from pmwpub.evaluation.measures import Errors
from pmwpub.evaluation.truths.run_terms import Case, RunTerms, refuse_for, rows_of
from pmwpub.mechanisms.baselines.graphical.aim import AimPlan, aim
from pmwpub.mechanisms.baselines.graphical.fitted_model import MISSING, available, library_version
from pmwpub.mechanisms.baselines.graphical.mst import MstPlan, mst
from pmwpub.mechanisms.baselines.matrix.residuals import ResidualSpaces
from pmwpub.mechanisms.baselines.prefix_refusal import refuse_prefixes
from pmwpub.privacy.budget import shown

MAX_PAIR_CELLS = 2 * 10**6
MAX_CELLS = 2 * 10**6
MAX_MEGABYTES = 1_000


@dataclass(frozen=True)
class Peer:
    """AIM with a limit on its model, or MST.

    megabytes  above 0, up to 1,000
    """

    adaptive: bool
    megabytes: Fraction = Fraction(8)
    uses_candidate = False
    needs_rows = True
    has_rounds = False

    @property
    def remark(self) -> str:
        made = f" of mbi {library_version()}" if available() else ""
        return f"answers come from a graphical model{made}, from which rows can be drawn"

    def __post_init__(self) -> None:
        if not 0 < self.megabytes <= MAX_MEGABYTES:
            raise PlanError(
                f"AIM's model has more than 0 and at most {MAX_MEGABYTES:,} megabytes; {shown(self.megabytes)} came."
            )

    def refusal(self, terms: RunTerms, rounds: int = 0) -> str:
        if not available():
            return MISSING
        try:
            refuse_prefixes(terms.workload)
            if not (why := self._too_slow(terms)):
                self._check_budget(terms)
            return why
        except PmwPubError as error:
            return str(error)

    def _too_slow(self, terms: RunTerms) -> str:
        if self.adaptive:
            cells = ResidualSpaces(terms.workload).closure.queries
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

    def _check_budget(self, terms: RunTerms) -> None:
        """Raise BudgetError where a first measurement cannot be paid for or drawn; MST's choices cost no less."""
        if self.adaptive:
            ones = sum(len(subset) == 1 for subset in ResidualSpaces(terms.workload).subsets)
            self._aim(terms).first_share(ones).measurement(terms.rows_per_person)
        elif ones := sum(size > 1 for size in terms.workload.domain.shape):
            self._mst(terms).measurement(ones)

    def _aim(self, terms: RunTerms) -> AimPlan:
        return AimPlan(terms.budget, terms.rows_per_person, float(self.megabytes))

    def _mst(self, terms: RunTerms) -> MstPlan:
        return MstPlan(terms.budget, terms.rows_per_person)

    def errors(self, case: Case) -> Errors:
        refuse_for(self.refusal(case.terms))
        rows = rows_of(case)
        if self.adaptive:
            found = aim(rows, case.terms.workload, self._aim(case.terms), noise=case.noise)
        else:
            found = mst(rows, case.terms.workload, self._mst(case.terms), noise=case.noise)
        return errors_of_answers(case.counts, found.answers / case.counts.n)
