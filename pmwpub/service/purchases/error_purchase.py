"""The purchase of the noisy largest error of a finished release on the private table."""

from __future__ import annotations

import json
from dataclasses import dataclass

from pmwpub.errors import PlanError
from pmwpub.ledger import Charge
from pmwpub.mechanisms.noisy_error.assessment import NoisyError
from pmwpub.mechanisms.noisy_error.release_error import error_charge
from pmwpub.plans import ErrorPlan
from pmwpub.plans.weighing import counted_in, mass_of, planned_counts, reach_of
from pmwpub.release.bundle import Bundle
from pmwpub.release.rebuilding import workload_of
from pmwpub.service.bought.stored_releases import release_measured_by
from pmwpub.service.core import Service
from pmwpub.service.inputs.study import Study
from pmwpub.service.private_table import PrivateTable
from pmwpub.service.purchases.assessment_purchase import number_of
from pmwpub.service.purchases.caveats import remarks_from
from pmwpub.service.purchases.protocol import Prepared
from pmwpub.tasks.mechanism_work import ErrorWork


@dataclass(frozen=True)
class ErrorPurchase:
    """The noisy largest error of one stored release.

    Privacy: the weights are read from the store before the charge and stay fixed; see
    mechanisms.noisy_error.release_error.
    """

    plan: ErrorPlan
    task: str = "error"

    @property
    def public_tables(self) -> frozenset[str]:
        """The empty set: the error is that of released weights, and no public table takes part."""
        return frozenset()

    def charges(self, current: Study) -> tuple[Charge, ...]:
        """One charge: discrete Laplace noise on the largest error."""
        plan = self.plan
        share = error_charge(plan.exact_epsilon, mass_of(plan), reach_of(plan), counted_in=counted_in(plan))
        return (
            Charge(
                purpose=f"error of release {plan.release[:12]}, draw {plan.release_repeat + 1}",
                mechanism=share.mechanism,
                sensitivity=share.sensitivity,
                scale=share.scale_text,
                rho=share.rho,
            ),
        )

    def prepared(self, service: Service, private: PrivateTable, current: Study, repeat: int) -> Prepared:
        """The purchase, once release, private table and population are seen to belong together."""
        bundle = release_measured_by(service, private, self.plan, current.population)
        remarks = remarks_from(service.ledger.marks(private.population))
        return Prepared(
            work=lambda: _work(bundle, self.plan, private), encode=lambda booking, found: _encoded(found, remarks)
        )


def _work(bundle: Bundle, plan: ErrorPlan, private: PrivateTable) -> ErrorWork:
    workload = workload_of(bundle.certificate, bundle.schema)
    counts = planned_counts(workload, private.dataset, plan)
    return ErrorWork(workload, bundle.distribution(), counts, plan.exact_epsilon, reach_of(plan))


def _encoded(found: object, remarks: tuple[str, ...]) -> bytes:
    if not isinstance(found, NoisyError):
        raise PlanError("An error's task returns a noisy error.")
    return json.dumps({"error": number_of(found), "remarks": remarks}, sort_keys=True).encode()
