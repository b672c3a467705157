"""The ledger: populations, their budgets, every charge, and the stored results. The only place for SQL."""

from pmwpub.ledger.agreements import Agreement
from pmwpub.ledger.attempts import Attempt
from pmwpub.ledger.dry_ledger import DryLedger
from pmwpub.ledger.migrations.running import Migration, migrate, planned_migration
from pmwpub.ledger.model import (
    Balance,
    Booking,
    Charge,
    ChargeRecord,
    DocumentKey,
    Mark,
    Order,
    PlanKey,
    Population,
)
from pmwpub.ledger.moving.closings import Closing, Departure
from pmwpub.ledger.parts.movable import TakenIn
from pmwpub.ledger.recovery.copies import Reconciled, backup, reconcile, restore
from pmwpub.ledger.store import Ledger
from pmwpub.ledger.table_handles import TableHandle, TableVerdict

__all__ = [
    "Agreement",
    "Attempt",
    "Balance",
    "Booking",
    "Charge",
    "ChargeRecord",
    "Closing",
    "Departure",
    "DocumentKey",
    "DryLedger",
    "Ledger",
    "Mark",
    "Migration",
    "Order",
    "PlanKey",
    "Population",
    "Reconciled",
    "TableHandle",
    "TableVerdict",
    "TakenIn",
    "backup",
    "migrate",
    "planned_migration",
    "reconcile",
    "restore",
]
