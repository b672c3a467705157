"""The purchase of one choice: which candidate or pool has the lowest best-mixture error."""

from __future__ import annotations

import json
from dataclasses import dataclass

from pmwpub.ledger import Charge
from pmwpub.mechanisms.noisy_error.choose_best import best_charge
from pmwpub.plans import BestPlan
from pmwpub.plans.weighing import mass_of, planned_counts, reach_of
from pmwpub.privacy.budget import shown
from pmwpub.queries.workload import Workload
from pmwpub.service.choosing.floor_part import check_part
from pmwpub.service.core import Service
from pmwpub.service.inputs.study import Study
from pmwpub.service.private_table import PrivateTable
from pmwpub.service.public_cores import public_core
from pmwpub.service.purchases.caveats import remarks_from
from pmwpub.service.purchases.protocol import OnCandidates, Prepared
from pmwpub.tasks.choice_work import BestWork


@dataclass(frozen=True)
class BestPurchase(OnCandidates):
    """One choice among candidates and pools.

    Privacy: one exponential mechanism at sensitivity k/n, rho = epsilon^2/8; see mechanisms.noisy_error.choose_best.
    """

    plan: BestPlan
    task: str = "best"

    def charges(self, current: Study) -> tuple[Charge, ...]:
        """One charge, however many candidates."""
        names = ", ".join(current.known_names(pool) for pool in self.plan.pools)
        return (
            Charge(
                purpose=f"best of {names}",
                mechanism="exponential mechanism on the best-mixture errors, decided from intervals",
                sensitivity=f"{reach_of(self.plan)}/{mass_of(self.plan)}",
                scale=f"epsilon = {shown(self.plan.exact_epsilon)}",
                rho=best_charge(self.plan.exact_epsilon),
            ),
        )

    def prepared(self, service: Service, private: PrivateTable, current: Study, repeat: int) -> Prepared:
        """The purchase, once all that it needs belongs together."""
        full = current.planned(self.plan, private)
        check_part(service, current, self.plan)
        current.check_usable(self.plan.inputs.candidates)
        remarks = remarks_from(service.ledger.marks(private.population))
        return Prepared(
            work=lambda: _work(service, self.plan, private, current, full),
            encode=lambda booking, found: _encoded(self.plan, found, remarks),
        )


def _work(service: Service, plan: BestPlan, private: PrivateTable, current: Study, full: Workload) -> BestWork:
    workload = plan.workload(full)
    offered = tuple(public_core(service, current, pool, workload) for pool in plan.pools)
    return BestWork(offered, planned_counts(workload, private.dataset, plan), plan.exact_epsilon, reach_of(plan))


def _encoded(plan: BestPlan, found: object, remarks: tuple[str, ...]) -> bytes:
    if not isinstance(found, int):
        raise TypeError("A choice returns a place among what was offered.")
    return json.dumps({"candidate": plan.pools[found], "remarks": remarks}, sort_keys=True).encode()
