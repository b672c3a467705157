"""What each command of the command line does: read files, call the service, return what is printed as JSON."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pmwpub.cli.assess import buy_assessments, buy_best, compared, offered_files, offered_tables
from pmwpub.cli.evaluate import evaluate as evaluate
from pmwpub.cli.inputs import no_result, progress, read, tick_of, workload_choice
from pmwpub.cli.ledger_commands import amend_terms as amend_terms
from pmwpub.cli.ledger_commands import attempts as attempts
from pmwpub.cli.ledger_commands import backup_ledger as backup_ledger
from pmwpub.cli.ledger_commands import migrate_ledger as migrate_ledger
from pmwpub.cli.ledger_commands import reconcile_ledger as reconcile_ledger
from pmwpub.cli.ledger_commands import register as register
from pmwpub.cli.ledger_commands import remaining_json, spent_json, store_files
from pmwpub.cli.ledger_commands import restore_ledger as restore_ledger
from pmwpub.cli.ledger_commands import show_ledger as show_ledger
from pmwpub.errors import FileRefused
from pmwpub.jobs import InlineEngine
from pmwpub.ledger import Booking, Ledger
from pmwpub.noisy_interval import NoisyInterval
from pmwpub.outputs import apart, writable, write_file, write_files
from pmwpub.privacy.budget import ZCDP, as_fraction
from pmwpub.release import checking
from pmwpub.release.bundle import ALL_FILES
from pmwpub.release.synthesis import check_drawn
from pmwpub.rounding import above
from pmwpub.service import Outcome, Policy, PrivateTable, Service, Study, adopting, purchases
from pmwpub.service.bought import release_errors, releases
from pmwpub.service.inputs import study_store
from pmwpub.service.inputs.shared_rows import CHANGED
from pmwpub.service.purchases import ErrorPurchase, Offer, ReleasePurchase
from pmwpub.tabular.files.given_files import Files
from pmwpub.tabular.schema.codebook import read_codebook
from pmwpub.tabular.schema.table_schema import Schema, draft

Json = dict[str, Any]
UNACKNOWLEDGED = (
    "Nothing was stored or charged. If no public file was made from the private table, say so with "
    "--overlap-acknowledged and run the command again."
)


def draft_schema(parsed: argparse.Namespace) -> Json:
    """`schema draft`: levels and bins from public tables and a codebook."""
    out = Path(parsed.out)
    apart([out], [*parsed.public, parsed.codebook, *store_files(parsed.store)])
    writable([out])
    files = Files(parsed.read, [*parsed.public, parsed.codebook])
    codebook = None
    if parsed.codebook is not None:
        with files.naming(parsed.codebook):
            codebook = read_codebook(Path(parsed.codebook), options=files.options(parsed.codebook))
    schema = draft(
        [files.table(path) for path in parsed.public],
        bins=parsed.bins,
        binning=parsed.binning,
        max_levels=parsed.max_levels,
        codebook=codebook,
    )
    write_file(out, schema.to_json().encode())
    return {
        "schema": parsed.out,
        "schema_sha256": schema.sha256,
        "attributes": len(schema.domain.attributes),
        "dimension": schema.domain.dimension,
        "ignored": [column.name for column in schema.columns if column.name not in schema.domain.names],
    }


def assess(parsed: argparse.Namespace) -> Json:
    """`assess`: a noisy floor and start for each candidate, the best of them, or what is free."""
    paths = list(dict.fromkeys(path for files in offered_files(parsed) for path in files))
    with _ledger(parsed) as ledger:
        (service, own), name = _service(parsed, ledger), parsed.population
        files = Files(parsed.read, [parsed.private, *paths])
        private = _private(service, name, files, parsed) if parsed.private is not None else None
        keys = _stored(parsed, service, files, paths, private)
        current, offered = _current(parsed, service), offered_tables(parsed, keys)
        if parsed.compare or private is None:
            return compared(parsed, service, current, offered)
        buy = buy_best if parsed.best else buy_assessments
        return buy(parsed, service, current, private, offered) | _spent(ledger, name, own)


def release(parsed: argparse.Namespace) -> Json:
    """`release`: run PMW^Pub, write its files, print the certificate."""
    folder = Path(parsed.out)
    places = [folder / name for name in ALL_FILES]
    apart(places, [parsed.private, *parsed.public, parsed.schema, *store_files(parsed.store)])
    with _ledger(parsed) as ledger:
        terms = ledger.population(parsed.population)
        check_drawn(terms.n if parsed.rows is None else parsed.rows, parsed.row_seed)
        _made(folder)
        writable(places)
        service, own = _service(parsed, ledger)
        current, private, candidates = _prepare(parsed, service)
        plan = releases.release_plan(
            service,
            current,
            candidates,
            epsilon=parsed.epsilon,
            rounds=parsed.rounds,
            selection=parsed.selection,
            output=parsed.output,
            start=parsed.start,
            replay=parsed.replay,
            private_read_as=private.read_as,
        )
        (outcome,) = purchases.buy(
            service,
            private,
            [ReleasePurchase(plan)],
            repeat=parsed.repeat,
            tick=tick_of(parsed),
            current=current,
        )
        bundle = releases.released(service, current, outcome.booking).bundle
        if bundle is None:
            raise no_result(outcome)
        files = bundle.files(parsed.rows, parsed.row_seed, parsed.cells)
        _write(folder, files)
        certificate = bundle.stated(files, parsed.rows, parsed.row_seed, parsed.cells)
        return certificate.model_dump(mode="json") | _spent(ledger, parsed.population, own) | _reused(outcome)


def error(parsed: argparse.Namespace) -> Json:
    """`error`: buy the noisy largest error of a stored release on the private table."""
    with _ledger(parsed) as ledger:
        (service, own), name = _service(parsed, ledger), parsed.population
        private = _private(service, name, Files(parsed.read, [parsed.private]), parsed)
        release = release_errors.named_release(parsed.release, parsed.draw)
        plan = release_errors.error_plan(service, name, release, epsilon=parsed.epsilon)
        (outcome,) = purchases.buy(service, private, [ErrorPurchase(plan)], repeat=parsed.repeat)
        found = release_errors.measured(service, outcome.booking)
        if found.error is None:
            raise no_result(outcome)
        stated = {"release": release.plan_sha256, "draw": release.repeat, "remarks": list(found.remarks)}
        return _number("error", found.error) | stated | _spent(ledger, name, own) | _reused(outcome)


def acknowledge(parsed: argparse.Namespace) -> Json:
    """`ledger acknowledge`: record the decision that a private table serves several populations.

    Raises PlanError in a shared service, before the table is read: nobody is answered there whether it does.
    """
    with _ledger(parsed) as ledger:
        (service, _), name = _service(parsed, ledger), parsed.population
        service.policy.refuse_unanswered()
        private = _private(service, name, Files(parsed.read, [parsed.private]), parsed)
        others = () if private.verdict is None else private.verdict.populations
        study_store.acknowledge(service, private)
        return {"population": name, "acknowledged_with": list(others)}


def check_certificate(parsed: argparse.Namespace) -> Json:
    """`certificate check`: recompute what can be recomputed from a release's own files."""
    folder = Path(parsed.folder)
    found = checking.check(checking.read_folder(folder))
    statements, unlisted = checking.require(found), checking.unlisted(folder)
    if unlisted:
        print(f"pmwpub: {len(unlisted)} more in that folder, of which nothing is stated.", file=sys.stderr)
    return {"holds": statements, "not_checked": checking.not_checked(found), "unlisted": unlisted}


def _ledger(parsed: argparse.Namespace) -> Ledger:
    return Ledger.open(parsed.store)


def _prepare(parsed: argparse.Namespace, service: Service) -> tuple[Study, PrivateTable, list[str]]:
    """The population's state, the private table and the candidates' hashes."""
    name = parsed.population
    files = Files(parsed.read, [parsed.private, *parsed.public])
    private = _private(service, name, files, parsed)
    candidates = _stored(parsed, service, files, parsed.public, private)
    return _current(parsed, service), private, list(candidates.values())


def _current(parsed: argparse.Namespace, service: Service) -> Study:
    """The population's state under the command's own schema and workload, whatever others choose meanwhile."""
    return adopting.adopted(service, parsed.population, _schema(parsed), workload_choice(parsed))


def _schema(parsed: argparse.Namespace) -> Schema:
    return Schema.from_json(read(parsed.schema))


def _service(parsed: argparse.Namespace, ledger: Ledger) -> tuple[Service, list[Booking]]:
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


def _private(service: Service, name: str, files: Files, parsed: argparse.Namespace) -> PrivateTable:
    """The private table, before any candidate is stored, so that it cannot become one."""
    path, cluster = parsed.private, parsed.count_on
    with files.naming(path):
        private = study_store.load_private(service, name, Path(path), options=files.options(path), cluster=cluster)
    if private.verdict is not None and private.verdict.kind == "changed":
        print(f"pmwpub: for the steward only: {CHANGED}", file=sys.stderr)
    return private


def _stored(
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


def _made(folder: Path) -> None:
    """Make the folder before anything is charged."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as failure:
        raise FileRefused(f"{folder} cannot be made: {failure.strerror}. Nothing was charged.") from failure


def _write(folder: Path, files: dict[str, bytes]) -> None:
    try:
        write_files({folder / name: body for name, body in files.items()})
    except OSError as failure:
        raise FileRefused(
            f"{folder} cannot be written: {failure.strerror}. The result is stored; run the same command with another "
            "-o, and nothing more is charged."
        ) from failure


def _spent(ledger: Ledger, name: str, own: Sequence[Booking]) -> Json:
    """What this very command charged, whatever others charge meanwhile, and what is left."""
    balance = ledger.balance(name)
    ids = {charge for booking in own for charge in booking.charges}
    rho = sum((record.rho for record in ledger.history(name) if record.id in ids), ZCDP(0))
    return {
        "spent": spent_json(rho, balance.delta),
        "remaining": remaining_json(balance),
    }


def _reused(outcome: Outcome) -> Json:
    return {"stored_earlier": not outcome.fresh}


def _number(part: str, number: NoisyInterval) -> Json:
    ends = {f"{part}_low": number.low, f"{part}_high": number.high, "confidence": number.confidence}
    return {part: number.value} | ends | {"epsilon": above(as_fraction(number.epsilon))}
