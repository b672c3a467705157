"""What the `ledger` commands do, as the values that are printed."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path

from pmwpub import ledger
from pmwpub.cli.inputs import RESTORING, Json, remaining_json, spent_json, store_files
from pmwpub.errors import PlanError
from pmwpub.ledger import Ledger, Population, Reconciled
from pmwpub.ledger.recovery.vouching import unvouched
from pmwpub.outputs import apart
from pmwpub.privacy.budget import UNIT
from pmwpub.rounding import above
from pmwpub.service.grant import with_percent
from pmwpub.service.households.household_unit import unit_of
from pmwpub.service.policy import Policy
from pmwpub.service.purchases.caveats import with_remarks
from pmwpub.service.terms import changes_in_words, delta_as_typed, delta_of, warnings_of

HALF_AMENDED = (
    "The unit household needs the largest household too: amend both, such as --unit 'one household of 1 to 4 persons' "
    "--rows-per-person 4, where n counts households. Nothing was changed."
)


def register(parsed: argparse.Namespace) -> Json:
    """`ledger register`: fix the terms of a population."""
    Policy.declared("localhost").refuse_viewers()
    rows, unit = _unit(parsed)
    delta = delta_of(parsed.delta, parsed.n)
    population = Population(parsed.name, parsed.n, rows, unit, parsed.epsilon, delta)
    _say(warnings_of(population))
    with Ledger.open(parsed.store) as store:
        store.register(population)
        return balance_json(store, parsed.name)


def _unit(parsed: argparse.Namespace) -> tuple[int, str]:
    """The rows of one unit, and who is protected, in words: of households H, and the words that make it households.

    Raises PlanError where --unit household and --largest-household do not stand together.
    """
    households = parsed.unit.strip().casefold() == "household"
    if households != (parsed.largest_household is not None):
        raise PlanError(
            "Whole households are protected by --unit household with --largest-household H, where n counts households; "
            "to protect rows, name the unit in other words, such as --unit 'one person'. Nothing was registered."
        )
    if not households:
        return parsed.rows_per_person, parsed.unit
    if parsed.rows_per_person != 1:
        raise PlanError("Of households say --largest-household, not --rows-per-person. Nothing was registered.")
    return parsed.largest_household, unit_of(parsed.n, parsed.largest_household)


def show_ledger(parsed: argparse.Namespace) -> Json:
    """`ledger show`: the charges, each with what a reader must know beyond epsilon, and what is left.

    closed     that and why nothing more is bought, where that is so
    unvouched  when and why it was recorded that nothing vouches for the charges
    """
    with Ledger.open(parsed.store) as store:
        marks = store.marks(parsed.name)
        doubts = [{"time": mark.time, "note": mark.note} for mark in unvouched(marks)]
        rows = with_percent(store.export(parsed.name), store.balance(parsed.name).total)
        charges, closing = with_remarks(rows, marks), store.closing(parsed.name)
        closed = {} if closing is None else {"closed": closing.words}
        return balance_json(store, parsed.name) | closed | {"unvouched": doubts, "charges": charges}


def backup_ledger(parsed: argparse.Namespace) -> Json:
    """`ledger backup`: a copy that holds everything that the store holds, its secret included."""
    apart([Path(parsed.file)], store_files(parsed.store))
    source = ledger.backup(parsed.store, Path(parsed.file))
    return {"backup": parsed.file, "of": str(source), "keep": "as safe as the store: it holds the store's secret"}


def restore_ledger(parsed: argparse.Namespace) -> Json:
    """`ledger restore`: a backup in the store's place, and what it lacks added as spent."""
    Policy.declared("localhost").refuse_viewers()
    fresh = [one for one in store_files(parsed.store) if one.name.endswith(RESTORING)]
    apart([*fresh, *(one.with_name(one.name.removesuffix(RESTORING)) for one in fresh)], [parsed.file])
    found = ledger.restore(parsed.store, Path(parsed.file), accept_missing_witness=parsed.accept_missing_witness)
    return {"restored": parsed.file, "replaced": found.replaced and str(found.replaced)} | _added(found)


def reconcile_ledger(parsed: argparse.Namespace) -> Json:
    """`ledger reconcile`: what the witness has and the store lacks, added as spent."""
    Policy.declared("localhost").refuse_viewers()
    return _added(ledger.reconcile(parsed.store, accept_missing_witness=parsed.accept_missing_witness))


def migrate_ledger(parsed: argparse.Namespace) -> Json:
    """`ledger migrate`: bring a store to this program's version, or say what that would do."""
    Policy.declared("localhost").refuse_viewers()
    found = (ledger.planned_migration if parsed.dry_run else ledger.migrate)(parsed.store)
    return {
        "store": found.store,
        "version": found.version,
        "to": found.target,
        "steps": list(found.steps),
        "migrated": bool(found.steps) and not parsed.dry_run,
        "backup": found.kept and str(found.kept),
    }


def attempts(parsed: argparse.Namespace) -> Json:
    """`ledger attempts`: every load that was recorded, and the tables that were charged under several populations.

    Privacy: exact answers about private tables, for whoever runs the store; no session is told.
    """
    with Ledger.open(parsed.store) as store:
        return {
            "attempts": [
                {
                    "id": one.id,
                    "time": one.time,
                    "population": one.population,
                    "charged_under": list(one.charged_under),
                    "also_loaded_under": list(one.loaded_under),
                }
                for one in store.attempts()
            ],
            "tables_under_several_populations": [list(names) for names in store.shared_tables()],
        }


def _added(found: Reconciled) -> Json:
    return {
        "added": [
            {"population": one.population, "plans": one.bookings, "rho": above(Fraction(one.units, UNIT))}
            for one in found.added
        ]
    }


def balance_json(store: Ledger, name: str) -> Json:
    """The terms of a population, what it spent, and what is left."""
    population, balance = store.population(name), store.balance(name)
    return {
        "population": population.name,
        "n": population.n,
        "rows_per_person": population.rows_per_person,
        "epsilon": above(population.epsilon),
        "delta": above(population.delta),
        "rho": above(balance.total.rho),
        "spent": spent_json(balance.spent, balance),
        "remaining": remaining_json(balance),
    }


def amend_terms(parsed: argparse.Namespace) -> Json:
    """`ledger amend`: terms changed as far as they still may be; each change is said on stderr."""
    Policy.declared("localhost").refuse_viewers()
    if parsed.unit is not None and parsed.unit.strip().casefold() == "household":
        raise PlanError(HALF_AMENDED)
    with Ledger.open(parsed.store) as store:
        before = store.population(parsed.name)
        delta = delta_of(parsed.delta or delta_as_typed(before), before.n if parsed.n is None else parsed.n)
        after = store.amend(
            parsed.name,
            n=parsed.n,
            rows_per_person=parsed.rows_per_person,
            unit=parsed.unit,
            epsilon=parsed.epsilon,
            delta=None if delta == before.delta else delta,
        )
        _say((*changes_in_words(before, after), *(warnings_of(after) if after != before else ())))
        return balance_json(store, parsed.name)


def _say(sentences: Iterable[str]) -> None:
    for sentence in sentences:
        print(f"pmwpub: {sentence}", file=sys.stderr)
