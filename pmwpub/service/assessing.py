"""Buying the noisy best-mixture error and the noisy start of candidates."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Literal, NoReturn

from pmwpub.errors import Overspent
from pmwpub.jobs.work import AssessmentWork, PublicInput
from pmwpub.ledger import Booking, Charge, PlanKey
from pmwpub.mechanisms.assessment import AssessmentShare, NoisyError, assessment_charges
from pmwpub.plans import AssessmentPlan
from pmwpub.queries.counts import count
from pmwpub.queries.workload import Workload
from pmwpub.rounding import up
from pmwpub.service.core import Outcome, Price, PrivateTable, Service
from pmwpub.service.remarks import remarks_from
from pmwpub.service.studies import Study, public_core, study


@dataclass(frozen=True)
class NoisyNumber:
    """A noisy error as it is stored and shown; [low, high] holds the true one at `confidence`."""

    value: float
    low: float
    high: float
    confidence: float
    epsilon: str


@dataclass(frozen=True)
class Assessed:
    """One candidate's stored assessment; `floor` and `start` are None where not bought or not there.

    remarks  what a reader must know beyond epsilon: what had been seen before the plan was sent
    """

    candidates: tuple[str, ...]
    name: str
    plan: AssessmentPlan
    outcome: Outcome
    floor: NoisyNumber | None = None
    start: NoisyNumber | None = None
    remarks: tuple[str, ...] = ()


def assessment_plan(
    current: Study,
    candidates: Sequence[str],
    *,
    epsilon: str,
    floor: bool = True,
    start: bool = True,
    setting: Literal["fast", "full"] = "fast",
) -> AssessmentPlan:
    """The plan of one candidate, or of a pool of several."""
    return AssessmentPlan(
        n=current.population.n,
        rows_per_person=current.population.rows_per_person,
        inputs=current.inputs(candidates),
        epsilon=epsilon,
        floor=floor,
        start=start,
        setting=setting,
    )


def charges_of(plan: AssessmentPlan, name: str) -> list[Charge]:
    """One charge for the floor and one for the start; what each mechanism's own accounting says."""
    return [
        Charge(
            purpose=f"{share.purpose} of {name}",
            mechanism=share.mechanism,
            sensitivity=share.sensitivity,
            scale=share.scale_text,
            rho=share.rho,
        )
        for share in shares_of(plan)
    ]


def price(service: Service, population: str, plans: Sequence[AssessmentPlan]) -> Price:
    """What the plans that were not sent yet cost together; a plan that was sent before costs nothing."""
    due = [plan for plan in plans if service.ledger.booking(population, PlanKey(plan.sha256)) is None]
    return service.price(population, [charge for plan in due for charge in charges_of(plan, "candidate")])


def refuse(price: Price, plans: int) -> NoReturn:
    """Overspent, before the first of several plans is charged."""
    raise Overspent(
        f"{plans} assessments cost rho = {up(price.rho.rho, 6)}, more than this population has left; "
        "lower their epsilon or assess fewer candidates. Nothing was charged."
    )


def assess(
    service: Service, private: PrivateTable, plan: AssessmentPlan, *, repeat: int = 0, current: Study | None = None
) -> Outcome:
    """Buy one candidate's floor and start. A plan that was sent before returns what is stored, uncharged.

    Raises PlanError, Overspent and TableBlocked before anything is charged.

    Privacy: floor and start are two mechanisms with two charges, each k/n-sensitive; see mechanisms.assessment.
    """
    current = current or study(service, private.population)
    full = current.planned(plan, private)
    name = current.names(plan.inputs.candidates)
    remarks = remarks_from(service.ledger.marks(private.population))
    return service.spend(
        private.population,
        PlanKey(plan.sha256, repeat),
        plan.canonical,
        charges_of(plan, name),
        private=private,
        task="assess",
        work=lambda: _work(service, plan, private, current, full),
        to_bytes=lambda booking, found: _to_bytes(found, remarks),
    )


def assessments(service: Service, current: Study) -> list[Assessed]:
    """Every assessment that was bought, oldest first, with what became of it."""
    return [assessed(service, current, booking) for booking in service.bought(current.population.name, "assessment")]


def assessed(service: Service, current: Study, booking: Booking) -> Assessed:
    """One booking read back."""
    plan = AssessmentPlan.model_validate_json(booking.plan_json)
    name = current.known_names(plan.inputs.candidates)
    outcome = service.outcome(booking)
    body = {} if outcome.result is None else json.loads(outcome.result)
    floor, start = (NoisyNumber(**body[part]) if part in body else None for part in ("floor", "start"))
    return Assessed(plan.inputs.candidates, name, plan, outcome, floor, start, tuple(body.get("remarks", ())))


def shares_of(plan: AssessmentPlan) -> list[AssessmentShare]:
    """The mechanisms that a plan buys, each with its share of epsilon."""
    return assessment_charges(
        plan.exact_epsilon, plan.n, plan.rows_per_person, with_floor=plan.floor, with_start=plan.start
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
        return source, count(workload, private.dataset), epsilons[purpose]

    return AssessmentWork(plan.rows_per_person, part("floor"), part("start"))  # type: ignore[arg-type]


def _to_bytes(found: object, remarks: tuple[str, ...]) -> bytes:
    if not isinstance(found, dict):
        raise TypeError("An assessment returns its parts by name.")
    parts = {part: asdict(_number(noisy)) for part, noisy in sorted(found.items())}
    return json.dumps(parts | {"remarks": remarks}, sort_keys=True).encode()


def _number(noisy: NoisyError) -> NoisyNumber:
    return NoisyNumber(
        float(noisy.value), float(noisy.low), float(noisy.high), float(noisy.confidence), str(noisy.epsilon)
    )
