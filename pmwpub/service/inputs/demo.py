"""The demo: a bundled sample under a fresh population, ready to assess."""

from __future__ import annotations

import secrets
from fractions import Fraction

from pmwpub.ledger import Population
from pmwpub.service.core import Service
from pmwpub.service.inputs import study_store
from pmwpub.service.inputs.bundled_sample import STATES, SURVEY, DemoSample, sample_file
from pmwpub.service.private_table import PrivateTable
from pmwpub.tabular.files.reading import read_table
from pmwpub.tabular.schema.table_schema import Schema

__all__ = ["CHOICE", "EPSILON", "STATES", "SURVEY", "open_demo", "reload_demo"]

EPSILON = Fraction(2)
CHOICE = STATES.choice


def open_demo(service: Service, sample: DemoSample = STATES) -> tuple[str, PrivateTable]:
    """Register a fresh demo population, store its public parts, and load state A; returns its name and the table."""
    service.refuse_viewers(None)
    private = sample_file(sample.private)
    rows = len(read_table(private))
    name = f"{sample.name}-{secrets.token_hex(4)}"
    service.ledger.register(Population(name, rows, 1, sample.unit, EPSILON, Fraction(1, rows * rows)))
    service.ledger.mark(name, "demo", sample.note)
    study_store.save_schema(service, name, Schema.from_json(sample_file(sample.schema)))
    for candidate in sample.candidates:
        study_store.add_candidate(service, name, candidate, sample_file(candidate), attested=True)
    study_store.choose_workload(service, name, sample.choice)
    return name, reload_demo(service, name)


def reload_demo(service: Service, name: str) -> PrivateTable:
    """Load state A again for a demo population whose session lost it."""
    return study_store.load_private(service, name, sample_file(study_store.study(service, name).sample.private))
