"""The purchase of a release by table fit: its charge, its run, and its files."""

from __future__ import annotations

from dataclasses import dataclass

from pmwpub.errors import PlanError, SchemaError
from pmwpub.ledger import Booking, Charge
from pmwpub.mechanisms.table_fit.table_fit import TableRelease
from pmwpub.mechanisms.table_fit.table_schedule import TableSchedule
from pmwpub.plans import TableFitPlan
from pmwpub.queries.counts import count
from pmwpub.queries.workload import Workload
from pmwpub.release.bundle import Bundle
from pmwpub.release.certificates.table_certificate import TableCertificate
from pmwpub.service.core import Service
from pmwpub.service.inputs.study import Study
from pmwpub.service.private_table import PrivateTable
from pmwpub.service.public_cores import public_core
from pmwpub.service.purchases.protocol import Prepared
from pmwpub.service.purchases.public_numbers import public_values
from pmwpub.service.purchases.release_statement import Known, known_before, provenance_of, refuse_unstated
from pmwpub.tabular.coding.public_values import PublicValues
from pmwpub.tabular.schema.table_schema import Schema
from pmwpub.tasks.mechanism_work import PublicInput, TableFitWork


@dataclass(frozen=True)
class TableFitPurchase:
    """One release by table fit.

    Privacy: `plan.budget` in zCDP, which covers the schedule's own price; see mechanisms.table_fit.table_fit.
    """

    plan: TableFitPlan
    task: str = "table-fit"

    @property
    def public_tables(self) -> frozenset[str]:
        """The candidate, or the tables of a pool."""
        return frozenset(self.plan.inputs.candidates)

    def charges(self, current: Study) -> tuple[Charge, ...]:
        """One charge, of the whole budget: the tables and the noise of each follow from the plan and public rows."""
        plan = self.plan
        return (
            Charge(
                purpose=f"release with {current.known_names(plan.inputs.candidates)}",
                mechanism="table fit, discrete Gaussian on all 1-way and 2-way tables",
                sensitivity=f"{plan.rows_per_person} rows",
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
        source = public_core(service, current, plan.inputs.candidates, workload)
        schedule = bought.schedule(source)
        if schedule.rho > plan.budget:
            raise PlanError("The tables' noise would cost more than the budget of the plan. Nothing was charged.")
        refuse_unstated(
            service,
            plan,
            repeat,
            current,
            bought.known,
            plan.budget,
            lambda stated: TableCertificate.drafted(plan, schedule, workload, stated).to_bytes(),
        )
        return Prepared(
            work=lambda: TableFitWork(source, count(schedule.tables, private.dataset), schedule),
            encode=lambda booking, found: bought.to_bytes(service, booking, schedule, found),
        )


@dataclass(frozen=True, eq=False)
class _Bought:
    """What a purchase runs on, from the preparation to its stored bytes. Public alone."""

    plan: TableFitPlan
    current: Study
    schema: Schema
    workload: Workload
    known: Known
    values: PublicValues

    def schedule(self, source: PublicInput) -> TableSchedule:
        return self.plan.schedule(self.workload, source.support, complete=self.schema.complete)

    def to_bytes(self, service: Service, booking: Booking, schedule: TableSchedule, found: object) -> bytes:
        if not isinstance(found, TableRelease):
            raise PlanError("A release by table fit needs a finished run.")
        provenance = provenance_of(service, booking, self.plan, self.current, self.known)
        choices = self.known.choices
        made = Bundle.of_tables(
            self.plan, found, schedule, self.workload, self.schema, provenance, choices, self.values
        )
        return made.to_bytes()
