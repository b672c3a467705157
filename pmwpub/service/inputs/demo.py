"""The demo: the bundled sample under a fresh population, ready to assess."""

from __future__ import annotations

import secrets
from fractions import Fraction

from pmwpub.ledger import Population
from pmwpub.plans import WorkloadChoice
from pmwpub.service.core import Service
from pmwpub.service.inputs import study_store
from pmwpub.service.inputs.bundled_sample import CANDIDATES, PRIVATE, SCHEMA, sample_file
from pmwpub.service.private_table import PrivateTable
from pmwpub.tabular.files.reading import read_table
from pmwpub.tabular.schema.table_schema import Schema

EPSILON = Fraction(2)
CHOICE = WorkloadChoice(k=3, marginals=128, seed=0)


def open_demo(service: Service) -> tuple[str, PrivateTable]:
    """Register a fresh demo population, store its public parts, and load state A; returns its name and the table."""
    service.refuse_viewers(None)
    private = sample_file(PRIVATE)
    rows = len(read_table(private))
    name = f"demo-{secrets.token_hex(4)}"
    service.ledger.register(
        Population(name, rows, 1, "one resident of the generated state A", EPSILON, Fraction(1, rows * rows))
    )
    service.ledger.mark(name, "demo", "Generated data; nobody's records.")
    study_store.save_schema(service, name, Schema.from_json(sample_file(SCHEMA)))
    for candidate in CANDIDATES:
        study_store.add_candidate(service, name, candidate, sample_file(candidate), attested=True)
    study_store.choose_workload(service, name, CHOICE)
    return name, reload_demo(service, name)


def reload_demo(service: Service, name: str) -> PrivateTable:
    """Load state A again for a demo population whose session lost it."""
    return study_store.load_private(service, name, sample_file(PRIVATE))
