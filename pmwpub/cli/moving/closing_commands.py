"""`ledger address`, `export`, `import`, `arrived` and `retire`, as the values that are printed."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from pmwpub.cli.inputs import Json, store_files
from pmwpub.cli.ledger_commands import balance_json
from pmwpub.errors import LedgerError
from pmwpub.ledger import Ledger
from pmwpub.outputs import apart
from pmwpub.service.moving.population_moves import export_population, import_population
from pmwpub.service.moving.retirement import FINAL
from pmwpub.service.policy import Policy

NOT_RECOGNISED = (
    "the private table is not recognised here until something is charged on it: which tables were charged is kept "
    "under a key that stays with the other store"
)


def address(parsed: argparse.Namespace) -> Json:
    """`ledger address`: where another server's population of that name is to be sent."""
    Policy.declared("localhost").refuse_viewers()
    with Ledger.open(parsed.store) as store:
        found = store.address(parsed.name)
    return {
        "population": parsed.name,
        "address": found,
        "next": f"on the server that has it: pmwpub ledger export {shlex.quote(parsed.name)} --to {found} -o FILE",
    }


def export(parsed: argparse.Namespace) -> Json:
    """`ledger export`: a population closed here, and all of it in one file for one other store."""
    Policy.declared("localhost").refuse_viewers()
    target = Path(parsed.output)
    apart([target], store_files(parsed.store))
    with Ledger.open(parsed.store) as store:
        gone = export_population(store, parsed.name, parsed.to, target)
    return {
        "population": parsed.name,
        "exported": parsed.output,
        "sum": gone.total,
        "closed": "nothing more is bought here",
        "next": f"on the server of that address: pmwpub ledger import {shlex.quote(target.name)} --sum {gone.total}",
    }


def take_in(parsed: argparse.Namespace) -> Json:
    """`ledger import`: a population from another server, with its budget; once."""
    Policy.declared("localhost").refuse_viewers()
    with Ledger.open(parsed.store) as store:
        found = import_population(store, Path(parsed.file), total=parsed.sum)
        closing = store.closing(found.population)
        return balance_json(store, found.population) | {
            "imported": parsed.file,
            "sum": found.total,
            "again": found.again,
            **({} if closing is None else {"closed": closing.words}),
            "receipt": found.receipt,
            "note": NOT_RECOGNISED,
            "next": f"on the server that it came from: pmwpub ledger arrived {shlex.quote(found.population)} "
            f"{found.receipt}",
        }


def arrived(parsed: argparse.Namespace) -> Json:
    """`ledger arrived`: the other store's receipt, recorded where the population came from."""
    Policy.declared("localhost").refuse_viewers()
    with Ledger.open(parsed.store) as store:
        gone = store.confirm_arrival(parsed.name, parsed.receipt)
    return {"population": parsed.name, "sum": gone.total, "arrived": True}


def retire(parsed: argparse.Namespace) -> Json:
    """`ledger retire`: no purchase any more, for good; it has to be said that this is meant."""
    Policy.declared("localhost").refuse_viewers()
    with Ledger.open(parsed.store) as store:
        store.population(parsed.name)
        if not parsed.final:
            raise LedgerError(f"{FINAL} Say --final where that is meant. Nothing was changed.")
        closing = store.retire(parsed.name)
        return balance_json(store, parsed.name) | {"closed": closing.words}
