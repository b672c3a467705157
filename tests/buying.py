"""Buying one plan, as tests do it: the kind of purchase that fits the plan, through the one path."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pmwpub.ledger import Charge
from pmwpub.service import Outcome, Price, PrivateTable, Service, Study, purchases
from pmwpub.service.inputs import study_store
from pmwpub.service.purchases import purchase_of
from pmwpub.service.purchases.protocol import Plan


def buy(service: Service, private: PrivateTable, plan: Plan, **how: Any) -> Outcome:
    """Buy one plan, whatever it is expected to be worth beside the free table."""
    return purchases.buy(service, private, [purchase_of(plan)], **({"free_tick": True} | how))[0]


def price(service: Service, private: PrivateTable, plans: Plan | Sequence[Plan], *, repeat: int = 0) -> Price:
    """What plans cost together."""
    wanted = [purchase_of(plan) for plan in ([plans] if isinstance(plans, Plan) else plans)]
    return purchases.price(service, current(service, private.population), wanted, private=private, repeat=repeat)


def current(service: Service, population: str) -> Study:
    """A population's public state."""
    return study_store.study(service, population)


def charges(service: Service, population: str, plan: Plan) -> tuple[Charge, ...]:
    """What a plan is charged."""
    return purchase_of(plan).charges(current(service, population))
