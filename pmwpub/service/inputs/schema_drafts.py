"""A schema while it is edited, stored by population: public like the schema, so that a refresh loses nothing."""

from __future__ import annotations

from pmwpub.service.core import Service

DRAFT = "schema-draft"
CURRENT = "current"


def draft(service: Service, population: str) -> bytes | None:
    """The unfinished edit as it was kept last; None where there is none."""
    if not service.ledger.documents(population, DRAFT):
        return None
    return service.ledger.document(population, DRAFT, CURRENT)


def keep(service: Service, population: str, body: bytes) -> None:
    """Keep an unfinished edit in the place of an earlier one."""
    service.ledger.put_document(population, DRAFT, CURRENT, body)


def drop(service: Service, population: str) -> None:
    """Forget the unfinished edit: it was saved as the schema, or given up."""
    service.ledger.delete_documents(population, DRAFT)
