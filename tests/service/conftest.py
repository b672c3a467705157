"""A service on a throwaway store with small tables: one private, three public ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from pmwpub.jobs import InlineEngine
from pmwpub.ledger import Ledger, Population
from pmwpub.plans import WorkloadChoice
from pmwpub.service import PrivateTable, Service
from pmwpub.service.inputs import study_store

N = 300


def csv_of(rows: int, seed: int, *, women: float = 0.5, jobs: int = 3) -> bytes:
    """Rows of sex, age and job; `jobs` of the three jobs occur."""
    rng = np.random.default_rng(seed)
    lines = ["sex,age,job"]
    for _ in range(rows):
        sex = "F" if rng.random() < women else "M"
        lines.append(f"{sex},{rng.integers(0, 90)},{['cook', 'clerk', 'smith'][rng.integers(jobs)]}")
    return ("\n".join(lines) + "\n").encode()


@dataclass
class Bench:
    """A population with its candidates, a workload and the private table."""

    service: Service
    private: PrivateTable
    candidates: list[str]
    private_csv: bytes = field(repr=False)
    url: str = ""
    name: str = "people"


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/ledger.sqlite3"


@pytest.fixture
def service(url: str) -> Iterator[Service]:
    with Ledger.open(url) as ledger:
        yield Service(ledger, InlineEngine())


@pytest.fixture
def bench(service: Service, url: str) -> Bench:
    return bench_of(service, url)


def bench_of(service: Service, url: str = "") -> Bench:
    """A population with three candidates on an empty store, its private table loaded."""
    service.ledger.register(Population("people", N, 1, "one person", Fraction(4), Fraction(1, N * N)))
    files = {"b.csv": csv_of(200, 1), "c.csv": csv_of(150, 2, women=0.3), "d.csv": csv_of(100, 3, jobs=2)}
    candidates = [
        study_store.add_candidate(service, "people", name, body, attested=True) for name, body in files.items()
    ]
    study_store.save_schema(service, "people", study_store.draft_schema(service, "people"))
    study_store.choose_workload(service, "people", WorkloadChoice(k=2))
    private_csv = csv_of(N, 9)
    return Bench(service, study_store.load_private(service, "people", private_csv), candidates, private_csv, url)
