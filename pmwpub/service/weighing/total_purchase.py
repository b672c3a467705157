"""The purchase of a noisy total of weights, and the totals that were bought."""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction

from pmwpub.errors import PlanError, SchemaError
from pmwpub.ledger import Booking, Charge
from pmwpub.plans import WeightTotalPlan
from pmwpub.plans.weighing import kind_of_weights
from pmwpub.queries.counts import WeighedRows
from pmwpub.queries.weighed_counts import total_weight
from pmwpub.service.bought.releases import budget
from pmwpub.service.core import Outcome, Service
from pmwpub.service.inputs.study import Study
from pmwpub.service.private_table import PrivateTable
from pmwpub.service.purchases.caveats import remarks_from
from pmwpub.service.purchases.protocol import Prepared
from pmwpub.service.reading_back.stored_results import StoredTotal, plan_and_result
from pmwpub.service.weighing.bought_totals import WEIGHT_TOTAL
from pmwpub.tasks.mechanism_work import TotalWork

TELLS_NOTHING = (
    "the interval of this total reaches 0, so it tells nothing, and a release by it would be noise. The cells of {} "
    "may not fit the schema, which expects plain numbers such as 12.5: one written otherwise, like 12,5, weighs nothing"
)


@dataclass(frozen=True)
class BoughtTotal:
    """A noisy total; None while it is at work or where it has no result.

    total, half_width  in units
    remarks            what had been seen before, and `TELLS_NOTHING` where its interval reaches 0

    Privacy: the remark on the interval is post-processing of the noisy total and the plan.
    """

    plan: WeightTotalPlan
    outcome: Outcome
    total: int | None = None
    half_width: int = 0
    remarks: tuple[str, ...] = ()

    @property
    def weight(self) -> Fraction:
        """The noisy total in the numbers that the file of weights has; PlanError where there is none."""
        if self.total is None:
            raise PlanError("This total has no result.")
        return self.total * Fraction(self.plan.unit)

    @property
    def within(self) -> Fraction:
        """The half-width of its 95 % interval, in the same numbers."""
        return self.half_width * Fraction(self.plan.unit)


@dataclass(frozen=True)
class TotalPurchase:
    """One noisy total.

    Privacy: `plan.budget` in zCDP; see mechanisms.weight_totals.total_noise.
    """

    plan: WeightTotalPlan
    task: str = "weight-total"

    @property
    def public_tables(self) -> frozenset[str]:
        """The empty set: the total is of the private table alone."""
        return frozenset()

    def charges(self, current: Study) -> tuple[Charge, ...]:
        """One charge, of the whole budget."""
        law = self.plan.law
        return (
            Charge(
                purpose="total of the weights",
                mechanism="discrete Gaussian on the total weight",
                sensitivity=f"{law.reach} units of weight",
                scale=f"{float(law.law.scale):.6g} units of weight",
                rho=self.plan.budget,
            ),
        )

    def prepared(self, service: Service, private: PrivateTable, current: Study, repeat: int) -> Prepared:
        """The purchase, once schema, private table and population belong together."""
        plan = self.plan
        schema = current.loaded_under(plan.schema_sha256, plan.n, plan.rows_per_person, plan.kept_ids, private)
        column, rows = schema.weight_column, private.dataset
        if column is None or kind_of_weights(column) != plan.weighs_as or not isinstance(rows, WeighedRows):
            raise PlanError("The plan weighs rows in another way than the schema; plan again. Nothing was charged.")
        if plan.law.law.rho > plan.budget:
            raise PlanError("The noise would cost more than the budget of the plan. Nothing was charged.")
        remarks = remarks_from(service.ledger.marks(private.population))
        return Prepared(
            work=lambda: TotalWork(total_weight(rows, plan.cap), plan.law),
            encode=lambda booking, found: _encoded(plan, found, remarks),
        )


def _encoded(plan: WeightTotalPlan, found: object, remarks: tuple[str, ...]) -> bytes:
    if not isinstance(found, int):
        raise TypeError("A total of weights is one noisy number.")
    body = {"total": found, "half_width": plan.law.half_width, "remarks": remarks}
    return json.dumps(body, sort_keys=True).encode()


def total_plan(service: Service, current: Study, *, epsilon: str) -> WeightTotalPlan:
    """The plan of a noisy total under the population's schema; `epsilon` as of a release.

    Raises SchemaError where the schema weighs no rows, PlanError where it declares their total.
    """
    schema = current.schema
    column = None if schema is None else schema.weight_column
    if schema is None or column is None:
        raise SchemaError("The schema weighs no rows: give its column of weights a cap and a unit.")
    if column.total is not None:
        raise PlanError("The schema declares the total of the weights; leave it out there to buy one.")
    name, unit, cap = kind_of_weights(column)
    return WeightTotalPlan(
        n=current.population.n,
        rows_per_person=current.population.rows_per_person,
        kept_ids=schema.kept_ids,
        schema_sha256=schema.sha256,
        column=name,
        unit=unit,
        cap=cap,
        rho_units=budget(service, current, epsilon).units,
    )


def bought_totals(service: Service, population: str) -> list[BoughtTotal]:
    """Every total that was bought, the first one first, whatever became of it."""
    return [bought_total(service, booking) for booking in service.bought(population, WEIGHT_TOTAL)]


def bought_total(service: Service, booking: Booking) -> BoughtTotal:
    """One total, read back by its booking."""
    return read_total(service.outcome(booking))


def read_total(outcome: Outcome) -> BoughtTotal:
    """One total as it is stored; ValueError for what is none."""
    plan, stored = plan_and_result(outcome, WeightTotalPlan, StoredTotal)
    if stored is None:
        return BoughtTotal(plan, outcome)
    said = (TELLS_NOTHING.format(plan.column),) if stored.total <= stored.half_width else ()
    return BoughtTotal(plan, outcome, stored.total, stored.half_width, (*stored.remarks, *said))
