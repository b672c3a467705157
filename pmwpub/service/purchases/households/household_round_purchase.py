"""The purchase of a release of households by PMW^Pub: its charge, its run, and its files."""

from __future__ import annotations

from dataclasses import dataclass

from pmwpub.errors import PlanError
from pmwpub.ledger import Booking, Charge
from pmwpub.mechanisms.households.household_atoms import HouseholdAtoms
from pmwpub.mechanisms.households.household_counts import HouseholdTables, count_households
from pmwpub.mechanisms.households.household_pmw_pub import HouseholdRoundRelease
from pmwpub.mechanisms.households.household_scores import HouseholdProblem
from pmwpub.mechanisms.households.household_steps import started
from pmwpub.plans import HouseholdRoundPlan, household_plans
from pmwpub.plans.household_plans import asked_tables, check_entries
from pmwpub.release.households.household_bundle import HouseholdBundle
from pmwpub.release.households.household_rounds_stated import RoundsStated, lines_of
from pmwpub.service.core import Service
from pmwpub.service.inputs.study import Study
from pmwpub.service.private_table import PrivateTable
from pmwpub.service.purchases.caveats import remarks_from
from pmwpub.service.purchases.households.household_purchase import belonging, public_of
from pmwpub.service.purchases.households.household_statement import StatedHouseholds
from pmwpub.service.purchases.protocol import OnCandidates, Prepared
from pmwpub.tasks.household_work import HouseholdRoundWork


@dataclass(frozen=True)
class HouseholdRoundPurchase(OnCandidates):
    """One release of households by PMW^Pub.

    Privacy: `plan.schedule().rho` in zCDP, at most the plan's budget; see mechanisms.households.household_pmw_pub.
    """

    plan: HouseholdRoundPlan

    def charges(self, current: Study) -> tuple[Charge, ...]:
        """One charge: all rounds, each a selection and a measurement."""
        plan, schedule = self.plan, self.plan.schedule()
        sigmas = [float(schedule.measurement(of_persons).scale) for of_persons in (True, False)]
        return (
            Charge(
                purpose=f"release of households with {current.known_names(plan.inputs.candidates)}",
                mechanism=f"PMW^Pub of households, {plan.rounds} rounds of {plan.selection} selection and discrete "
                "Gaussian",
                sensitivity=f"one household of 1 to {plan.largest} persons",
                scale=f"sigma = {sigmas[0]:.6g} persons, {sigmas[1]:.6g} households",
                rho=schedule.rho,
            ),
        )

    def prepared(self, service: Service, private: PrivateTable, current: Study, repeat: int) -> Prepared:
        """The purchase, once all that it needs belongs together and its price is seen to be covered."""
        plan = self.plan
        households, schema = belonging(plan, private, current)
        public = public_of(service, current, plan.inputs.candidates[0], schema)
        queries = asked_tables(schema, plan.inputs.workload.build(schema.persons.domain))
        check_entries(queries, [public.households], household_plans.MOST_ENTRIES)
        atoms, schedule = HouseholdAtoms.of(public.households), plan.schedule(repeat)
        started(HouseholdProblem(queries, atoms), plan.start, plan.n)  # that sums are exact, before a charge
        if schedule.rho > plan.budget:
            raise PlanError("The rounds would cost more than the budget of the plan. Nothing was charged.")
        remarks = remarks_from(service.ledger.marks(current.population.name))
        bought = StatedHouseholds(plan, current, schema, public, remarks)
        bought.refuse_unstated(service, repeat, schedule.rho, RoundsStated.of(plan, repeat))
        return Prepared(
            work=lambda: HouseholdRoundWork(atoms, queries, count_households(queries, households), schedule),
            encode=lambda booking, found: _to_bytes(service, bought, plan, atoms, queries, booking, found),
        )


def _to_bytes(
    service: Service,
    bought: StatedHouseholds,
    plan: HouseholdRoundPlan,
    atoms: HouseholdAtoms,
    queries: HouseholdTables,
    booking: Booking,
    found: object,
) -> bytes:
    if not isinstance(found, HouseholdRoundRelease):
        raise PlanError("A release of households needs a finished run.")
    rounds = RoundsStated.of(plan, booking.key.repeat, lines_of(queries, found.transcript))
    stated = bought.booked(service, booking, rounds)
    return HouseholdBundle.of_rounds(stated, bought.schema, atoms.households, found).to_bytes()
