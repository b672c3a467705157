"""Planning a look at the fit of private rows and schema, and reading back what was bought."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pmwpub.errors import SchemaError
from pmwpub.ledger import Booking
from pmwpub.plans import MisfitPlan
from pmwpub.rounding import near
from pmwpub.service.bought.stored_releases import outcomes
from pmwpub.service.core import Outcome, Service
from pmwpub.service.inputs.study import Study
from pmwpub.service.reading_back.stored_results import StoredLook, StoredShare, plan_and_result

HALF_WIDTH = "0.01"
"""Of the interval around each share of rows, where nobody asks for another."""


@dataclass(frozen=True)
class MisfitShare:
    """The noisy share of private rows whose cell in a column the schema does not fit, with its 95 % interval.

    column     None of the rows with any such cell, and of those that break a rule
    value      as drawn: noise may carry it out of [0, 1]
    low, high  within [0, 1]
    """

    column: str | None
    value: float
    low: float
    high: float

    @property
    def estimate(self) -> float:
        """The value as it is shown, between the ends."""
        return min(max(self.value, self.low), self.high)

    @property
    def evident(self) -> bool:
        """Whether the interval tells the share from none."""
        return self.low > 0


@dataclass(frozen=True)
class FitSeen:
    """A look at the fit that was bought; no share is there while it is at work or where it has no result.

    columns  the shares of each column, the largest first
    overall  the share of rows with any misfit
    rules    the share of rows that break a rule of the schema, where that was looked at
    remarks  what had been seen before the plan was sent, which epsilon does not cover
    """

    plan: MisfitPlan
    outcome: Outcome
    columns: tuple[MisfitShare, ...] = ()
    overall: MisfitShare | None = None
    confidence: float = 0.0
    remarks: tuple[str, ...] = ()
    rules: MisfitShare | None = None

    @property
    def half_width(self) -> float:
        """Of each interval, as a share of the rows."""
        return self.plan.law.rows / self.plan.n

    @property
    def words(self) -> tuple[str, ...]:
        """One sentence a column, the largest share first, one on rules where they were looked at, and one on all
        columns together; none without a result."""
        if self.overall is None:
            return ()
        own = [(one, f"a value in {one.column} that the schema does not fit") for one in self.columns]
        overall = (self.overall, "such a value in one or more of these columns")
        rules = [] if self.rules is None else [(self.rules, "levels together that break a rule of the schema")]
        return tuple(_sentence(share, self.half_width, what) for share, what in (*own, *rules, overall))


def misfit_plan(
    current: Study, columns: Sequence[str], *, half_width: str = HALF_WIDTH, rules: bool = False
) -> MisfitPlan:
    """The plan of a look at some columns of the population's schema, and at its rules where these are asked for.

    Raises SchemaError where there is no schema, no such attribute or no rule, PlanError for a half-width that is none.
    """
    schema = current.schema
    if schema is None:
        raise SchemaError("A look at the fit needs a schema; draft or load one on the Prepare page.")
    current.check_looked_at(columns, rules=rules)
    return MisfitPlan(
        n=current.population.n,
        rows_per_person=current.population.rows_per_person,
        kept_ids=schema.kept_ids,
        schema_sha256=schema.sha256,
        columns=tuple(columns),
        half_width=half_width,
        rules=rules,
    )


def looks(service: Service, population: str) -> list[FitSeen]:
    """Every look that was bought, oldest first, with what became of it."""
    return [read_look(outcome) for outcome in outcomes(service, population, "misfits")]


def fit_seen(service: Service, booking: Booking) -> FitSeen:
    """One look, read back by its booking."""
    return read_look(service.outcome(booking))


def read_look(outcome: Outcome) -> FitSeen:
    """One look as it is stored; ValueError for what is none."""
    plan, stored = plan_and_result(outcome, MisfitPlan, StoredLook)
    if stored is None:
        return FitSeen(plan, outcome)
    *columns, overall = map(_share, stored.misfits)
    if [one.column for one in columns] != list(plan.columns) or (stored.rules is not None) != bool(plan.rules):
        raise ValueError("A look has the columns that were planned.")
    ordered = tuple(sorted(columns, key=lambda share: -share.value))
    rules = None if stored.rules is None else _share(stored.rules)
    return FitSeen(plan, outcome, ordered, overall, stored.confidence, stored.remarks, rules)


def _share(stored: StoredShare) -> MisfitShare:
    return MisfitShare(stored.column, stored.value, stored.low, stored.high)


def _sentence(share: MisfitShare, half_width: float, what: str) -> str:
    if not share.evident:
        return f"At most {_points(share.high)} % of the rows have {what}; there may be none."
    return f"About {_points(share.estimate)} % (±{_points(half_width)}) of the rows have {what}."


def _points(share: float) -> str:
    """Hundredths of all rows, to a tenth; finer where that would be zero."""
    points = 100 * share
    return f"{points:.1f}" if points >= 0.1 or points == 0 else near(points, 2)
