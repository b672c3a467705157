"""What the `ledger` commands do, as the values that are printed."""

from __future__ import annotations

import argparse
from fractions import Fraction
from pathlib import Path
from typing import Any

from pmwpub import ledger
from pmwpub.errors import BudgetError
from pmwpub.ledger import Balance, Ledger, Population, Reconciled
from pmwpub.privacy.budget import UNIT, ZCDP, epsilon_of
from pmwpub.rounding import above, below
from pmwpub.service.remarks import with_remarks

Json = dict[str, Any]


def register(parsed: argparse.Namespace) -> Json:
    """`ledger register`: fix the terms of a population."""
    delta = parsed.delta or _default_delta(parsed.n)
    population = Population(parsed.name, parsed.n, parsed.rows_per_person, parsed.unit, parsed.epsilon, delta)
    with Ledger.open(parsed.store) as store:
        store.register(population)
        return _balance(store, parsed.name)


def show_ledger(parsed: argparse.Namespace) -> Json:
    """`ledger show`: the charges, each with what a reader must know beyond epsilon, and what is left."""
    with Ledger.open(parsed.store) as store:
        charges = with_remarks(store.export(parsed.name), store.marks(parsed.name))
        return _balance(store, parsed.name) | {"charges": charges}


def spent_json(rho: ZCDP, delta: Fraction) -> Json:
    """What was charged, in rho and as epsilon, rounded up."""
    return {"rho": above(rho.rho), "epsilon": epsilon_of(rho, delta)}


def remaining_json(balance: Balance) -> Json:
    """What is left, in rho rounded down, and the epsilon that it can still buy."""
    return {"rho": below(balance.remaining.rho), "epsilon": balance.epsilon_remaining}


def backup_ledger(parsed: argparse.Namespace) -> Json:
    """`ledger backup`: a copy that holds everything that the store holds, its secret included."""
    source = ledger.backup(parsed.store, Path(parsed.file))
    return {"backup": parsed.file, "of": str(source), "keep": "as safe as the store: it holds the store's secret"}


def restore_ledger(parsed: argparse.Namespace) -> Json:
    """`ledger restore`: a backup in the store's place, and what it lacks added as spent."""
    found = ledger.restore(parsed.store, Path(parsed.file), accept_missing_witness=parsed.accept_missing_witness)
    return {"restored": parsed.file, "replaced": found.replaced and str(found.replaced)} | _added(found)


def reconcile_ledger(parsed: argparse.Namespace) -> Json:
    """`ledger reconcile`: what the witness has and the store lacks, added as spent."""
    return _added(ledger.reconcile(parsed.store, accept_missing_witness=parsed.accept_missing_witness))


def _added(found: Reconciled) -> Json:
    return {
        "added": [
            {"population": one.population, "plans": one.bookings, "rho": above(Fraction(one.units, UNIT))}
            for one in found.added
        ]
    }


def _balance(store: Ledger, name: str) -> Json:
    population, balance = store.population(name), store.balance(name)
    return {
        "population": population.name,
        "n": population.n,
        "rows_per_person": population.rows_per_person,
        "epsilon": above(population.epsilon),
        "delta": above(population.delta),
        "rho": above(balance.total.rho),
        "spent": spent_json(balance.spent, balance.delta),
        "remaining": remaining_json(balance),
    }


def _default_delta(n: int) -> Fraction:
    """1/n²; for n below 1 some delta, for the terms then refuse n in their own words."""
    if n == 1:
        raise BudgetError("For n = 1 give --delta; 1/n^2 would be 1.")
    return Fraction(1, max(2, n) ** 2)
