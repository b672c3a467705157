"""The populations of a server: whose they are, what was granted and spent, and how each stands."""

from __future__ import annotations

from dataclasses import dataclass

from pmwpub.accounts.people import Standing
from pmwpub.ledger import Balance, Closing, Population
from pmwpub.rounding import up
from pmwpub.service.core import Service
from pmwpub.service.grant import taken
from pmwpub.service.operating.operators import refuse_others


@dataclass(frozen=True)
class PopulationFacts:
    """One population by its public terms.

    owners   by the names that are shown; none where the program itself registered it, and gave it to nobody since
    promise  the grant, as (ε, δ), rounded up
    taken    what was spent of it, in percent, rounded up
    charges  how many were made
    state    what goes on, in words
    """

    name: str
    owners: tuple[str, ...]
    n: int
    rows_per_person: int
    promise: str
    taken: str
    charges: int
    state: str


def populations(service: Service) -> list[PopulationFacts]:
    """Every population, in the order of registration."""
    refuse_others(service)
    with service.ledger.view():
        return [_facts(service, population) for population in service.ledger.populations()]


def _facts(service: Service, population: Population) -> PopulationFacts:
    name = population.name
    balance, charges = service.ledger.balance(name), len(service.ledger.history(name))
    return PopulationFacts(
        name,
        tuple(one.account.shown for one in service.ledger.members(name) if one.standing is Standing.OWNER),
        population.n,
        population.rows_per_person,
        f"ε = {up(balance.epsilon_total, 3)} at δ = {up(balance.delta, 3)}",
        taken(balance.spent, balance.total),
        charges,
        _state(balance, charges, len(service.running(name)), service.ledger.closing(name)),
    )


def _state(balance: Balance, charges: int, at_work: int, closing: Closing | None) -> str:
    if at_work:
        return f"{at_work} at work or in line"
    if closing is not None:
        return f"{'retired' if closing.departure is None else 'moved'} on {closing.time[:10]}"
    if not charges:
        return "nothing charged"
    return "in use" if balance.remaining.units else "the grant is spent"
