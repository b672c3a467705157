"""What the commands share that load the private table: its population, the tables beside it, and what was spent."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from pmwpub.cli.inputs import Json, progress, read, remaining_json, spent_json, tick_of, workload_choice
from pmwpub.jobs import InlineEngine
from pmwpub.ledger import Booking, Ledger
from pmwpub.privacy.budget import ZCDP
from pmwpub.service import Outcome, Policy, PrivateTable, Service, Study, adopting, purchases
from pmwpub.service.inputs import study_store
from pmwpub.service.inputs.shared_rows import CHANGED
from pmwpub.service.purchases import Offer
from pmwpub.tabular.files.given_files import Files
from pmwpub.tabular.review.expected_file import as_written
from pmwpub.tabular.schema.table_schema import Schema

UNACKNOWLEDGED = (
    "Nothing was stored or charged. If no public file was made from the private table, say so with "
    "--overlap-acknowledged and run the command again."
)


def opened_service(parsed: argparse.Namespace, ledger: Ledger) -> tuple[Service, list[Booking]]:
    """The service, once the population is known and has the command's schema and workload; and what this command books.

    What it books is known to whoever runs the command, too, as `parsed.booked`: also where it breaks off.
    """
    own: list[Booking] = []
    parsed.booked = own
    engine = InlineEngine(lambda job: progress(job.done, job.total))
    service = Service(ledger, engine, on_booked=own.append, policy=Policy.declared("localhost").beside(ledger))
    ledger.population(parsed.population)
    if hasattr(parsed, "marginal"):
        adopting.adopt(service, parsed.population, _schema(parsed), workload_choice(parsed))
    else:
        study_store.save_schema(service, parsed.population, _schema(parsed))
    return service, own


def prepared(parsed: argparse.Namespace, service: Service) -> tuple[Study, PrivateTable, list[str]]:
    """The population's state, the private table and the candidates' hashes."""
    name = parsed.population
    files = Files(parsed.read, [parsed.private, *parsed.public])
    private = private_table(service, name, files, parsed)
    candidates = stored_tables(parsed, service, files, parsed.public, private)
    return current_study(parsed, service), private, list(candidates.values())


def current_study(parsed: argparse.Namespace, service: Service) -> Study:
    """The population's state under the command's own schema and workload, whatever others choose meanwhile."""
    return adopting.adopted(service, parsed.population, _schema(parsed), workload_choice(parsed))


def private_table(service: Service, name: str, files: Files, parsed: argparse.Namespace) -> PrivateTable:
    """The private table, before any candidate is stored, so that it cannot become one."""
    path, cluster = parsed.private, parsed.count_on
    with files.naming(path):
        private = study_store.load_private(service, name, Path(path), options=files.options(path), cluster=cluster)
    say_as_written(files, path, study_store.study(service, name).schema)
    if private.verdict is not None and private.verdict.kind == "changed":
        print(f"pmwpub: for the steward only: {CHANGED}", file=sys.stderr)
    return private


def say_as_written(files: Files, path: str, schema: Schema | None) -> None:
    """Where somebody said how the private file is read: how the schema expects its cells, whatever stands in them."""
    if files.options(path) is not None and schema is not None and (said := as_written(schema)):
        print(f"pmwpub: {said}", file=sys.stderr)


def stored_tables(
    parsed: argparse.Namespace, service: Service, files: Files, paths: Sequence[str], private: PrivateTable | None
) -> dict[str, str]:
    """SHA-256 by path of the public tables, stored once they were compared with the private one, where it is given.

    To name a file with --public is to attest it. What files share with the private table is said to the steward first.
    Raises FileRefused where they have its rows, OverlapUndecided before anything is stored.
    """
    offers = {}
    for path in dict.fromkeys(paths):
        with files.naming(path):
            offers[path] = Offer(Path(path).name, files.table(path), files.options(path), attested=True)
    shared = purchases.offer(service, parsed.population, {path: one.table for path, one in offers.items()}, private)
    for one in shared:
        print(f"pmwpub: for the steward only: {one.warning}", file=sys.stderr)
    if private is not None:
        purchases.decided(shared, tick_of(parsed), answers=service.policy.answers, refusal=UNACKNOWLEDGED)
    return dict(zip(offers, purchases.store(service, parsed.population, list(offers.values()), private), strict=True))


def spent(ledger: Ledger, name: str, own: Sequence[Booking]) -> Json:
    """What this very command charged, whatever others charge meanwhile, and what is left."""
    balance = ledger.balance(name)
    ids = {charge for booking in own for charge in booking.charges}
    rho = sum((record.rho for record in ledger.history(name) if record.id in ids), ZCDP(0))
    return {
        "spent": spent_json(rho, balance, own),
        "remaining": remaining_json(balance),
    }


def reused(outcome: Outcome) -> Json:
    """Whether the result was bought earlier, so that nothing was charged for it now."""
    return {"stored_earlier": not outcome.fresh}


def _schema(parsed: argparse.Namespace) -> Schema:
    return Schema.from_json(read(parsed.schema))
