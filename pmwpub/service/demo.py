"""The demo: the bundled sample under a fresh population, ready to assess."""

from __future__ import annotations

import secrets
from fractions import Fraction
from pathlib import Path

from pmwpub.errors import PmwPubError
from pmwpub.ledger import Population
from pmwpub.plans import WorkloadChoice
from pmwpub.records import Dataset
from pmwpub.service import studies
from pmwpub.service.core import PrivateTable, Service
from pmwpub.tabular.encode import encode_public
from pmwpub.tabular.reading import read_table
from pmwpub.tabular.schema import Schema

SAMPLE = Path(__file__).resolve().parents[2] / "sample_data"
PRIVATE = "state_a.csv"
CANDIDATES = ("state_b.csv", "state_c.csv", "state_d.csv")
EPSILON = Fraction(2)
CHOICE = WorkloadChoice(k=3, marginals=128, seed=0)


def open_demo(service: Service) -> tuple[str, PrivateTable]:
    """Register a fresh demo population, store its public parts, and load state A; returns its name and the table."""
    private = _read(PRIVATE)
    rows = len(read_table(private))
    name = f"demo-{secrets.token_hex(4)}"
    service.ledger.register(
        Population(name, rows, 1, "one resident of the generated state A", EPSILON, Fraction(1, rows * rows))
    )
    service.ledger.mark(name, "demo", "Generated data; nobody's records.")
    studies.save_schema(service, name, Schema.from_json(_read("schema.json")))
    for candidate in CANDIDATES:
        studies.add_candidate(service, name, candidate, _read(candidate), attested=True)
    studies.choose_workload(service, name, CHOICE)
    return name, reload_demo(service, name)


def reload_demo(service: Service, name: str) -> PrivateTable:
    """State A again, for a demo population whose session lost it."""
    return studies.load_private(service, name, _read(PRIVATE))


def sample_truth(schema: Schema) -> Dataset:
    """State A as rows that may be looked at: it is generated. For simulations in the demo only."""
    return encode_public(read_table(_read(PRIVATE)), schema).dataset


def _read(name: str) -> bytes:
    path = SAMPLE / name
    if not path.is_file():
        raise PmwPubError(f"The sample file {name} is missing; the demo runs from a full checkout of the project.")
    return path.read_bytes()
