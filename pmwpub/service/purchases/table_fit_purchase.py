"""The purchase of a release by table fit, also on a pool with learnt weights: its charge, its run, and its files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from pmwpub.errors import PlanError, SchemaError
from pmwpub.ledger import Booking, Charge
from pmwpub.mechanisms.table_fit.pool_fit import equal_mixture
from pmwpub.mechanisms.table_fit.pool_weights import PoolConstants
from pmwpub.mechanisms.table_fit.table_fit import TableRelease
from pmwpub.mechanisms.table_fit.table_schedule import TableSchedule
from pmwpub.plans import AnyTablePlan, WeightedPoolPlan
from pmwpub.plans.weighing import moved_by_one, planned_counts
from pmwpub.queries.counts import PrivateCounts
from pmwpub.queries.workload import Workload
from pmwpub.records import Support
from pmwpub.release.bundle import Bundle
from pmwpub.release.certificates.table_certificate import certificate_class
from pmwpub.service.core import Service
from pmwpub.service.inputs.study import Study
from pmwpub.service.private_table import PrivateTable
from pmwpub.service.public_cores import public_core
from pmwpub.service.purchases.protocol import OnCandidates, Prepared
from pmwpub.service.purchases.release_statement import (
    Known,
    known_before,
    provenance_of,
    public_values,
    refuse_unstated,
    refuse_unwritten,
)
from pmwpub.tabular.coding.public_values import PublicValues
from pmwpub.tabular.schema.table_schema import Schema
from pmwpub.tasks.mechanism_work import FittedTables, PoolFitWork, PublicInput, TableFitWork


@dataclass(frozen=True)
class TableFitPurchase(OnCandidates):
    """One release by table fit.

    Privacy: `plan.budget` in zCDP, which covers the schedule's own price; see mechanisms.table_fit.table_fit.
    """

    plan: AnyTablePlan

    def charges(self, current: Study) -> tuple[Charge, ...]:
        """One charge, of the whole budget: the tables and the noise of each follow from the plan and public rows."""
        plan = self.plan
        measured = "1-way and 2-way tables" if plan.three_way_share is None else "1-way, 2-way and 3-way tables"
        measured += " and coarse tables of ordered columns" if plan.ranges is not None else ""
        learnt = ", weights learnt" if isinstance(plan, WeightedPoolPlan) else ""
        return (
            Charge(
                purpose=f"release with {current.known_names(plan.inputs.candidates)}{learnt}",
                mechanism=f"table fit, discrete Gaussian on all {measured}",
                sensitivity=moved_by_one(plan),
                scale="by table, from public facts",
                rho=plan.budget,
            ),
        )

    def prepared(self, service: Service, private: PrivateTable, current: Study, repeat: int) -> Prepared:
        """The purchase, once all that it needs belongs together and its price is seen to be covered."""
        plan = self.plan
        workload = current.planned(plan, private)
        current.check_usable(plan.inputs.candidates)
        if current.schema is None:
            raise SchemaError("A release needs a schema; draft or load one on the Prepare page.")
        known, values = known_before(service, current, plan), public_values(service, current, plan)
        bought = _Bought(plan, current, current.schema, workload, known, values)
        source = _source(service, current, plan, workload)
        refuse_unwritten(current, source.shared)
        schedule = plan.schedule(workload, source.shared, complete=current.schema.complete)
        if schedule.rho > plan.budget:
            raise PlanError("The tables' noise would cost more than the budget of the plan. Nothing was charged.")
        refuse_unstated(
            service,
            plan,
            repeat,
            current,
            bought.known,
            plan.budget,
            lambda stated: certificate_class(plan).drafted(plan, schedule, workload, stated).to_bytes(),
        )
        return Prepared(
            work=lambda: source.work(planned_counts(schedule.tables, private.dataset, plan), schedule),
            encode=lambda booking, found: bought.to_bytes(service, booking, schedule, found, source),
        )


class _Source(Protocol):
    """What a purchase runs on: public tables.

    shared  by which the budget is shared among the tables
    """

    @property
    def shared(self) -> Support: ...

    def work(self, counts: PrivateCounts, schedule: TableSchedule) -> object: ...


@dataclass(frozen=True, eq=False)
class _OneTable:
    """One public table, or several merged into one."""

    public: PublicInput

    @property
    def shared(self) -> Support:
        return self.public.support

    def work(self, counts: PrivateCounts, schedule: TableSchedule) -> TableFitWork:
        return TableFitWork(self.public, counts, schedule)


@dataclass(frozen=True, eq=False)
class _WeightedPool:
    """Several public tables, whose weights are learnt; known before is none of these, so all count alike until then."""

    supports: tuple[Support, ...]
    constants: PoolConstants

    @property
    def shared(self) -> Support:
        return equal_mixture(self.supports)

    def work(self, counts: PrivateCounts, schedule: TableSchedule) -> PoolFitWork:
        return PoolFitWork(self.supports, counts, schedule, self.constants)


def _source(service: Service, current: Study, plan: AnyTablePlan, workload: Workload) -> _Source:
    if isinstance(plan, WeightedPoolPlan):
        return _WeightedPool(tuple(current.support([one]) for one in plan.inputs.candidates), plan.learning)
    return _OneTable(public_core(service, current, plan.inputs.candidates, workload))


@dataclass(frozen=True, eq=False)
class _Bought:
    """What a purchase runs on, from the preparation to its stored bytes. Public alone."""

    plan: AnyTablePlan
    current: Study
    schema: Schema
    workload: Workload
    known: Known
    values: PublicValues

    def to_bytes(
        self, service: Service, booking: Booking, schedule: TableSchedule, found: object, source: _Source
    ) -> bytes:
        if not isinstance(found, FittedTables):
            raise PlanError("A release by table fit needs a finished run.")
        provenance = provenance_of(service, booking, self.plan, self.current, self.known)
        grown = isinstance(found.found, TableRelease) and found.found.choices.grown
        made = Bundle.of_tables(
            self.plan,
            found.found,
            found.drift,
            schedule,
            self.workload,
            self.schema,
            provenance,
            self.known.choices,
            self.values,
            source.shared if grown else None,
        )
        return made.to_bytes()
