"""The purchase of one candidate's noisy best-mixture error (floor) and noisy start."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from fractions import Fraction

from pmwpub.ledger import Charge
from pmwpub.mechanisms.noisy_error.assessment import NoisyError
from pmwpub.noisy_interval import NoisyInterval
from pmwpub.plans import AssessmentPlan
from pmwpub.plans.weighing import planned_counts, reach_of
from pmwpub.queries.workload import Workload
from pmwpub.service.bought.assessments import shares_of
from pmwpub.service.choosing.floor_part import check_part
from pmwpub.service.core import Service
from pmwpub.service.inputs.study import Study
from pmwpub.service.private_table import PrivateTable
from pmwpub.service.public_cores import public_core
from pmwpub.service.purchases.caveats import remarks_from
from pmwpub.service.purchases.protocol import OnCandidates, Prepared
from pmwpub.tasks.mechanism_work import AssessmentWork, PublicInput


@dataclass(frozen=True)
class AssessmentPurchase(OnCandidates):
    """One candidate's floor and start, or either alone.

    Privacy: floor and start are two mechanisms with two charges, each k/n-sensitive; see
    mechanisms.noisy_error.assessment.
    """

    plan: AssessmentPlan
    task: str = "assess"

    def charges(self, current: Study) -> tuple[Charge, ...]:
        """One charge for the floor and one for the start."""
        name = current.known_names(self.plan.inputs.candidates)
        return tuple(
            Charge(
                purpose=f"{share.purpose} of {name}",
                mechanism=share.mechanism,
                sensitivity=share.sensitivity,
                scale=share.scale_text,
                rho=share.rho,
            )
            for share in shares_of(self.plan)
        )

    def prepared(self, service: Service, private: PrivateTable, current: Study, repeat: int) -> Prepared:
        """The purchase, once all that it needs belongs together."""
        full = current.planned(self.plan, private)
        check_part(service, current, self.plan)
        current.check_usable(self.plan.inputs.candidates)
        remarks = remarks_from(service.ledger.marks(private.population))
        return Prepared(
            work=lambda: _work(service, self.plan, private, current, full),
            encode=lambda booking, found: _encoded(found, remarks),
        )


def _work(
    service: Service, plan: AssessmentPlan, private: PrivateTable, current: Study, full: Workload
) -> AssessmentWork:
    epsilons: dict[str, Fraction] = {share.purpose: share.epsilon for share in shares_of(plan)}

    def part(purpose: str) -> tuple[PublicInput, object, Fraction] | None:
        if purpose not in epsilons:
            return None
        workload = plan.workload(full) if purpose == "floor" else full
        source = public_core(service, current, plan.inputs.candidates, workload)
        return source, planned_counts(workload, private.dataset, plan), epsilons[purpose]

    return AssessmentWork(reach_of(plan), part("floor"), part("start"))  # type: ignore[arg-type]


def _encoded(found: object, remarks: tuple[str, ...]) -> bytes:
    if not isinstance(found, dict):
        raise TypeError("An assessment returns its parts by name.")
    parts = {part: number_of(noisy) for part, noisy in sorted(found.items())}
    return json.dumps(parts | {"remarks": remarks}, sort_keys=True).encode()


def number_of(noisy: NoisyError) -> dict[str, float | str]:
    """A noisy error as it is stored: the fields of a `NoisyInterval` by name."""
    epsilon = Fraction(0) if noisy.epsilon is None else noisy.epsilon
    ends = (float(noisy.value), float(noisy.low), float(noisy.high))
    return asdict(NoisyInterval(*ends, float(noisy.confidence), str(epsilon)))
