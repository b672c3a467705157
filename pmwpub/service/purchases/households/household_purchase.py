"""The purchase of a release of households: its charge, its run, and its files."""

from __future__ import annotations

from dataclasses import dataclass

from pmwpub.errors import PlanError
from pmwpub.ledger import Booking, Charge
from pmwpub.mechanisms.households.household_atoms import HouseholdAtoms
from pmwpub.mechanisms.households.household_counts import count_households
from pmwpub.mechanisms.households.household_fit import HouseholdRelease
from pmwpub.plans import HouseholdPlan
from pmwpub.plans.household_plans import PlanOfHouseholds
from pmwpub.plans.household_question_plans import OfPublicHouseholds
from pmwpub.release.households.household_bundle import HouseholdBundle
from pmwpub.release.households.household_certificate import stated_tables
from pmwpub.release.households.reading.household_report import with_report
from pmwpub.service.core import Service
from pmwpub.service.households.household_loading import HouseholdTable
from pmwpub.service.households.household_unit import check_run
from pmwpub.service.inputs import stored_tables
from pmwpub.service.inputs.study import Study
from pmwpub.service.private_table import PrivateTable
from pmwpub.service.purchases.caveats import remarks_from
from pmwpub.service.purchases.households.household_statement import StatedHouseholds
from pmwpub.service.purchases.protocol import OnCandidates, Prepared
from pmwpub.tabular.households.grouped_persons import Households
from pmwpub.tabular.households.household_schema import HouseholdSchema
from pmwpub.tabular.households.reading_households import PublicHouseholds, public_households
from pmwpub.tasks.household_work import HouseholdWork


@dataclass(frozen=True)
class HouseholdPurchase(OnCandidates):
    """One release of households by table fit.

    Privacy: `plan.budget` in zCDP, which covers the schedule's own price; see mechanisms.households.household_fit.
    """

    plan: HouseholdPlan

    def charges(self, current: Study) -> tuple[Charge, ...]:
        """One charge, of the whole budget: the tables and the noise of each follow from the plan and public rows."""
        return (
            Charge(
                purpose=f"release of households with {current.known_names(self.plan.inputs.candidates)}",
                mechanism="table fit of households, discrete Gaussian on the tables that its certificate lists",
                sensitivity=f"one household of 1 to {self.plan.largest} persons",
                scale="by table, from public facts",
                rho=self.plan.budget,
            ),
        )

    def prepared(self, service: Service, private: PrivateTable, current: Study, repeat: int) -> Prepared:
        """The purchase, once all that it needs belongs together and its price is seen to be covered."""
        plan = self.plan
        households, schema = belonging(plan, private, current)
        current.check_usable(plan.inputs.candidates)
        public = public_of(service, current, plan.inputs.candidates[0], schema)
        schedule = plan.schedule(schema, public.households)
        if schedule.rho > plan.budget:
            raise PlanError("The tables' noise would cost more than the budget of the plan. Nothing was charged.")
        remarks = remarks_from(service.ledger.marks(current.population.name))
        bought, tables = StatedHouseholds(plan, current, schema, public, remarks), stated_tables(schedule)
        bought.refuse_unstated(service, repeat, plan.budget, tables)
        atoms = HouseholdAtoms.of(public.households)

        def to_bytes(booking: Booking, found: object) -> bytes:
            if not isinstance(found, HouseholdRelease):
                raise PlanError("A release of households needs a finished run.")
            stated = bought.booked(service, booking, tables)
            return with_report(HouseholdBundle.of(stated, schema, atoms.households, found)).to_bytes()

        return Prepared(
            work=lambda: HouseholdWork(atoms, count_households(schedule.tables, households), schedule),
            encode=to_bytes,
        )


def belonging(
    plan: PlanOfHouseholds | OfPublicHouseholds, private: PrivateTable, current: Study
) -> tuple[Households, HouseholdSchema]:
    """The private households and their schema, once plan, table and population are seen to belong together.

    Raises PlanError where they do not, before anything is charged.
    """
    terms, persons = current.population, current.schema
    check_run(terms, plan.largest)
    if not isinstance(private, HouseholdTable) or private.households is None or private.schema is None:
        raise PlanError("What is bought of households needs a private table that was loaded as households.")
    if persons is None or {persons.sha256, private.schema_sha256} != {plan.inputs.schema_sha256}:
        raise PlanError("The schema changed since this was planned; plan again.")
    if private.schema.rule != plan.household:
        raise PlanError("The private table was grouped by another household rule than the plan's; load it again.")
    if plan.inputs.workload.build(persons.domain).sha256 != plan.inputs.workload_sha256:
        raise PlanError("The plan's workload is not the one that its choice describes; plan again.")
    counted = (plan.n, private.n, len(private.households))
    if private.population != terms.name or set(counted) != {terms.n} or private.rows_per_person != plan.largest:
        raise PlanError("The plan and the private table belong to other terms than this population's; plan again.")
    return private.households, private.schema


def public_of(service: Service, current: Study, sha256: str, schema: HouseholdSchema) -> PublicHouseholds:
    """The whole households of a candidate; kept in the shared cache, for they are public.

    Raises SchemaError or FileRefused where it has none under this schema.
    """
    facts = current.candidate(sha256)
    key = f"households:{sha256}{stored_tables.spelt(facts.options)}:{schema.sha256}"
    table = stored_tables.table(service, current.population.name, sha256)
    return service.cache(key, lambda: public_households(table, schema))
