"""What `ledger backup`, `ledger restore` and `ledger reconcile` do, as the values that are printed."""

from __future__ import annotations

import argparse
from fractions import Fraction
from pathlib import Path
from typing import Any

from pmwpub import ledger
from pmwpub.ledger import Reconciled
from pmwpub.privacy.budget import UNIT

Json = dict[str, Any]


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
            {"population": one.population, "plans": one.bookings, "rho": float(Fraction(one.units, UNIT))}
            for one in found.added
        ]
    }
