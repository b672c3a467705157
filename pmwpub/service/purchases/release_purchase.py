"""The purchase of a PMW^Pub release: its charge, its run, and its files."""

from __future__ import annotations

from dataclasses import dataclass

from pmwpub.errors import PlanError
from pmwpub.ledger import Booking, Charge
from pmwpub.mechanisms.pmw_pub.algorithm import Release, Start
from pmwpub.mechanisms.pmw_pub.reweight import exact_within
from pmwpub.plans import ReleasePlan
from pmwpub.plans.weighing import counted_in, mass_of, moved_by_one, planned_counts
from pmwpub.queries.workload import Workload
from pmwpub.release.bundle import Bundle
from pmwpub.release.certificate import Certificate
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
from pmwpub.tasks.mechanism_work import PublicInput, ReleaseWork

TOO_HEAVY = (
    "Public rows that count {public:,} in all, beside private ones that count {private:,}, are too many for exact sums "
    "in 64 bits: take a larger unit of weight, fewer public rows, or table fit. Nothing was charged."
)


@dataclass(frozen=True)
class ReleasePurchase(OnCandidates):
    """One release.

    Privacy: `plan.schedule().rho` in zCDP; see mechanisms.pmw_pub.algorithm.
    """

    plan: ReleasePlan
    task: str = "release"

    def charges(self, current: Study) -> tuple[Charge, ...]:
        """One charge: all rounds, each a selection and a measurement."""
        plan, schedule = self.plan, self.plan.schedule()
        return (
            Charge(
                purpose=f"release with {current.known_names(plan.inputs.candidates)}",
                mechanism=f"PMW^Pub, {plan.rounds} rounds of {plan.selection} selection and discrete Gaussian",
                sensitivity=moved_by_one(plan),
                scale=f"sigma = {float(schedule.share.measurement.scale):.6g} {counted_in(plan)}",
                rho=schedule.rho,
            ),
        )

    def prepared(self, service: Service, private: PrivateTable, current: Study, repeat: int) -> Prepared:
        """The purchase, once all that it needs belongs together."""
        plan = self.plan
        workload = current.planned(plan, private)
        current.check_usable(plan.inputs.candidates)
        known, rho = known_before(service, current, plan), plan.schedule().rho
        values = public_values(service, current, plan)
        source = public_core(service, current, plan.inputs.candidates, workload)
        refuse_unwritten(current, source.support)
        _refuse_inexact(plan, source)
        refuse_unstated(
            service,
            plan,
            repeat,
            current,
            known,
            rho,
            lambda stated: Certificate.drafted(plan, workload, stated, rho=rho).to_bytes(),
        )
        return Prepared(
            work=lambda: _work(source, plan, repeat, private, workload),
            encode=lambda booking, found: _to_bytes(service, booking, plan, found, current, workload, known, values),
        )


def _refuse_inexact(plan: ReleasePlan, source: PublicInput) -> None:
    """PlanError where public rows count so often that sums over them would not be exact; after the charge it would be
    too late. A function of public numbers."""
    support = source.support
    rows = support.rows if plan.schedule().start is Start.PUBLIC else len(support)
    if not exact_within(rows, mass_of(plan)):
        raise PlanError(TOO_HEAVY.format(public=rows, private=mass_of(plan)))


def _work(
    source: PublicInput, plan: ReleasePlan, repeat: int, private: PrivateTable, workload: Workload
) -> ReleaseWork:
    return ReleaseWork(source, planned_counts(workload, private.dataset, plan), plan.schedule(repeat))


def _to_bytes(
    service: Service,
    booking: Booking,
    plan: ReleasePlan,
    found: object,
    current: Study,
    workload: Workload,
    known: Known,
    values: PublicValues,
) -> bytes:
    if not isinstance(found, Release) or current.schema is None:
        raise PlanError("A release needs its schema and a finished run.")
    provenance = provenance_of(service, booking, plan, current, known)
    return Bundle.of(plan, found, workload, current.schema, provenance, known.choices, values).to_bytes()
