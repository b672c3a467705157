"""Choosing the best candidate for one charge, and putting noisy floors in order."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pmwpub.errors import PlanError
from pmwpub.jobs.best_work import BestWork
from pmwpub.ledger import Booking, Charge, PlanKey
from pmwpub.mechanisms.best_of import best_charge
from pmwpub.plans import BestPlan
from pmwpub.privacy.budget import shown
from pmwpub.queries.counts import count
from pmwpub.queries.workload import Workload
from pmwpub.service.assessing import NoisyNumber
from pmwpub.service.core import Outcome, Price, PrivateTable, Service
from pmwpub.service.remarks import remarks_from
from pmwpub.service.studies import Study, public_core, study

Pool = tuple[str, ...]


@dataclass(frozen=True)
class Chosen:
    """A choice that was bought: what was offered, and what was chosen, None while there is no result.

    offered, names  the candidates and pools by hash, and as people read them
    remarks         what had been seen before the plan was sent, which epsilon does not cover
    """

    offered: tuple[Pool, ...]
    names: tuple[str, ...]
    plan: BestPlan
    outcome: Outcome
    winner: Pool | None = None
    name: str = ""
    remarks: tuple[str, ...] = ()


def best_plan(
    current: Study, pools: Sequence[Sequence[str]], *, epsilon: str, setting: Literal["fast", "full"] = "fast"
) -> BestPlan:
    """The plan of one choice among candidates (pools of one) and pools, each given by its tables' hashes.

    Raises PlanError for fewer than two different ones, FileRefused for a table that nobody attested.
    """
    offered = tuple(sorted({tuple(sorted(set(pool))) for pool in pools}))
    if len(offered) < 2:
        raise PlanError(f"A choice needs at least two different candidates; {len(offered)} came.")
    return BestPlan(
        n=current.population.n,
        rows_per_person=current.population.rows_per_person,
        inputs=current.inputs([sha256 for pool in offered for sha256 in pool]),
        pools=offered,
        epsilon=epsilon,
        setting=setting,
    )


def charges_of(plan: BestPlan, names: Sequence[str]) -> list[Charge]:
    """One charge, however many candidates."""
    return [
        Charge(
            purpose=f"best of {', '.join(names)}",
            mechanism="exponential mechanism on the best-mixture errors, decided from intervals",
            sensitivity=f"{plan.rows_per_person}/{plan.n}",
            scale=f"epsilon = {shown(plan.exact_epsilon)}",
            rho=best_charge(plan.exact_epsilon),
        )
    ]


def price(service: Service, population: str, plan: BestPlan) -> Price:
    """What the plan costs; nothing if it was sent before."""
    sent = service.ledger.booking(population, PlanKey(plan.sha256)) is not None
    return service.price(population, [] if sent else charges_of(plan, ("candidates",)))


def choose(
    service: Service, private: PrivateTable, plan: BestPlan, *, repeat: int = 0, current: Study | None = None
) -> Outcome:
    """Buy one choice. A plan that was sent before returns what is stored, uncharged.

    Raises PlanError, Overspent and TableBlocked before anything is charged.

    Privacy: one exponential mechanism at sensitivity k/n, rho = epsilon^2/8; see mechanisms.best_of.
    """
    current = current or study(service, private.population)
    full = current.planned(plan, private)
    remarks = remarks_from(service.ledger.marks(private.population))
    return service.spend(
        private.population,
        PlanKey(plan.sha256, repeat),
        plan.canonical,
        charges_of(plan, [current.names(pool) for pool in plan.pools]),
        private=private,
        task="best",
        work=lambda: _work(service, plan, private, current, full),
        to_bytes=lambda booking, found: _to_bytes(plan, found, remarks),
    )


def choices(service: Service, current: Study) -> list[Chosen]:
    """Every choice that was bought, oldest first, with what became of it."""
    return [chosen(service, current, booking) for booking in service.bought(current.population.name, "best")]


def chosen(service: Service, current: Study, booking: Booking) -> Chosen:
    """One booking read back."""
    plan = BestPlan.model_validate_json(booking.plan_json)
    names = tuple(current.known_names(pool) for pool in plan.pools)
    outcome = service.outcome(booking)
    if outcome.result is None:
        return Chosen(plan.pools, names, plan, outcome)
    body = json.loads(outcome.result)
    winner = tuple(body["candidate"])
    return Chosen(plan.pools, names, plan, outcome, winner, current.known_names(winner), tuple(body["remarks"]))


def too_close(numbers: Sequence[NoisyNumber]) -> list[int | None]:
    """The group of each number that is too close to call with another, None where a number stands alone.

    In ascending order of the values, a number belongs to the group before it while its interval meets that of the
    group's first one; groups are numbered from 1 in that order. A function of what was released, hence free.
    """
    groups = [0] * len(numbers)
    group, reach = 0, float("-inf")
    for place in sorted(range(len(numbers)), key=lambda place: numbers[place].value):
        if numbers[place].low > reach:
            group, reach = group + 1, numbers[place].high
        groups[place] = group
    return [group if groups.count(group) > 1 else None for group in groups]


def _work(service: Service, plan: BestPlan, private: PrivateTable, current: Study, full: Workload) -> BestWork:
    workload = plan.workload(full)
    offered = tuple(public_core(service, current, pool, workload) for pool in plan.pools)
    return BestWork(offered, count(workload, private.dataset), plan.exact_epsilon, plan.rows_per_person)


def _to_bytes(plan: BestPlan, found: object, remarks: tuple[str, ...]) -> bytes:
    if not isinstance(found, int):
        raise TypeError("A choice returns a place among what was offered.")
    return json.dumps({"candidate": plan.pools[found], "remarks": remarks}, sort_keys=True).encode()
