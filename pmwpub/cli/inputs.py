"""What several commands read and print: files, the workload's flags, the store's own files, budgets, progress."""

from __future__ import annotations

import argparse
import csv
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import platformdirs

from pmwpub.errors import FileRefused, NoResult, PlanError, StoreUnavailable
from pmwpub.ledger import Balance, Booking, Ledger
from pmwpub.ledger.dry_ledger import store_exists
from pmwpub.ledger.store_files.store_address import sqlite_path, store_url, witness_path
from pmwpub.outputs import write_files
from pmwpub.plans import WorkloadChoice
from pmwpub.privacy.budget import ZCDP, epsilon_of
from pmwpub.release.bundle import CERTIFICATE
from pmwpub.release.certificates.certificate_signature import SIGNATURE
from pmwpub.rounding import above, below
from pmwpub.service import Outcome, Policy
from pmwpub.service.grant import percent_left, percent_taken, pure_epsilon
from pmwpub.service.inputs.known_tables import refuse_known
from pmwpub.tabular.files.reading import TextTable
from pmwpub.tabular.schema.table_schema import Schema
from pmwpub.wording import no_result as wording_of

Json = dict[str, Any]

RESTORING = ".restoring"
BESIDE = ("", "-wal", "-shm", "-journal", RESTORING)


def read(path: str) -> bytes:
    """The bytes of a file; FileRefused where it cannot be read."""
    try:
        return Path(path).read_bytes()
    except OSError as failure:
        raise FileRefused(f"{path} cannot be read: {failure.strerror}.") from failure


def progress(done: int, total: int) -> None:
    """One line that grows, on a terminal."""
    if sys.stderr.isatty():
        print(f"\r{done}/{total}", end="\n" if done == total else "", file=sys.stderr, flush=True)


def no_result(outcome: Outcome) -> NoResult:
    """Why a command has nothing to show: another program is still at it, or nothing will come."""
    return wording_of(outcome, again="--repeat")


def workload_choice(parsed: argparse.Namespace) -> WorkloadChoice:
    """All, sampled or hand-picked marginals; -k is what the picked ones have. With the prefixes of --prefixes."""
    prefixes = tuple(one_line(parsed.prefixes)) if parsed.prefixes else ()
    if not parsed.marginal:
        return WorkloadChoice(k=parsed.k, marginals=parsed.marginals, seed=parsed.seed, prefixes=prefixes)
    if parsed.marginals is not None:
        raise PlanError("Marginals are sampled (--marginals) or picked by hand (--marginal), not both.")
    return WorkloadChoice.picked((one_line(text) for text in parsed.marginal), prefixes=prefixes)


def one_line(text: str) -> list[str]:
    """The columns of one --marginal, or of --prefixes; PlanError for what is not one line of CSV."""
    try:
        if len(text.splitlines()) <= 1:
            return next(csv.reader([text], strict=True), [])
    except csv.Error:
        pass
    raise PlanError(f"Columns are named in one line of CSV, such as: --marginal sex,age; {text[:40]!r} came.")


def tick_of(parsed: argparse.Namespace) -> bool | None:
    """What the steward said of the public tables by --overlap-acknowledged; None without that flag."""
    return True if parsed.overlap_acknowledged else None


def spent_json(rho: ZCDP, balance: Balance, bookings: Sequence[Booking] | None = None) -> Json:
    """What was charged: percent of the grant, ρ, and the ε of this ρ by itself; all rounded up.

    bookings  of one purchase, whose pure ε is said too where all of it is pure: the smaller one holds for it alone
    """
    found = {"percent": percent_taken(rho, balance.total), "rho": above(rho.rho)}
    found |= {"epsilon": epsilon_of(rho, balance.delta)}
    if bookings is None:
        return found
    pure = pure_epsilon(bookings)
    return found | {"pure_epsilon": None if pure is None else above(pure)}


def remaining_json(balance: Balance) -> Json:
    """What is left: percent of the grant and ρ, rounded down, and the ε that one release can still buy."""
    percent = percent_left(balance.remaining, balance.total)
    return {"percent": percent, "rho": below(balance.remaining.rho), "epsilon": balance.epsilon_remaining}


def write_released(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write a release's files, whole or none; FileRefused where that cannot be.

    A signature that lies there and is of another certificate is taken away, and that is said.
    """
    try:
        stale = _stale_signatures(folder, files)
        write_files({folder / name: body for name, body in files.items()}, gone=stale)
    except OSError as failure:
        raise FileRefused(
            f"{folder} cannot be written: {failure.strerror}. The result is stored; run the same command with another "
            "-o, and nothing more is charged."
        ) from failure
    for one in stale:
        print(f"pmwpub: {one} was taken away: it was of the certificate that was there before.", file=sys.stderr)


def _stale_signatures(folder: Path, files: Mapping[str, bytes]) -> list[Path]:
    """The signature in a folder, where the files bring none of their own and change the certificate beside it."""
    place, certificate = folder / SIGNATURE, folder / CERTIFICATE
    if SIGNATURE in files or not os.path.lexists(place):
        return []
    same = certificate.is_file() and certificate.read_bytes() == files[CERTIFICATE]
    return [] if same else [place]


def refuse_private_rows(
    url: str | None, files: Mapping[str, TextTable], consequence: str, schema: Schema | None = None
) -> None:
    """FileRefused where a file is a private table that the ledger at this address knows, if there is one.

    files        by the names that the command has
    consequence  why that matters, and what to do
    """
    if store_exists(url):
        with Ledger.open(url) as ledger:
            policy = Policy.declared("localhost").beside(ledger)
            refuse_known(ledger, policy, files, consequence, schema)


def store_files(url: str | None) -> list[Path]:
    """The ledger's own files, there or not: the store, SQLite's files beside it, its witness, the one of a restore.

    None for PostgreSQL but the witness, and for an address that is none, which whoever opens it says.
    """
    if not url and not os.environ.get("PMWPUB_STORE"):  # so that no folder is made for a ledger that nobody asked for
        url = f"sqlite:///{platformdirs.user_data_path('pmwpub') / 'ledger.sqlite3'}"
    try:
        address = store_url(url)
    except StoreUnavailable:
        return []
    store, witness = sqlite_path(address), witness_path(address)
    beside = [] if store is None else [store.with_name(store.name + ending) for ending in BESIDE]
    return beside + ([] if witness is None else [witness])
