"""The tables that benchmarks/best_mixture.py measures on."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from pmwpub.domain import Attribute, Domain
from pmwpub.plans import WorkloadChoice
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset, Ints, Support
from pmwpub.tabular.coding.encode import encode_public
from pmwpub.tabular.files.reading import read_table
from pmwpub.tabular.schema.table_schema import Schema

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("PMWPUB_DATA", ROOT.parent / "shared" / "data")) / "acs_il_oh"
CANDIDATES = ("oh_2012", "il_2018", "oh_2015")
UNFORCED = ("clusters", "chain")
ATTRIBUTES = 31


def census() -> dict[str, Dataset]:
    """Ohio 2018 and its three candidates, by name."""
    schema = Schema.from_json((DATA / "schema.json").read_bytes())
    names = ("oh_2018", *CANDIDATES)
    return {name: encode_public(read_table(DATA / f"{name}.csv.gz"), schema).dataset for name in names}


def sample() -> tuple[Dataset, Workload, dict[str, Support]]:
    """The bundled sample: state A, the demo's workload, states B, C and D (poor support)."""
    folder = ROOT / "sample_data"
    schema = Schema.from_json((folder / "schema.json").read_bytes())
    names = ("state_a", "state_b", "state_c", "state_d")
    tables = {name: encode_public(read_table(folder / f"{name}.csv"), schema).dataset for name in names}
    supports = {name: Support.of(tables[name]) for name in names[1:]}
    return tables["state_a"], WorkloadChoice(k=3, marginals=128, seed=0).build(schema.domain), supports


def unforced(name: str, atoms: int) -> tuple[Dataset, Workload, Support]:
    """Made-up tables over 31 attributes whose cells all occur, or nearly, while no mixture fits the private rows.

    clusters  binary; private rows within 10 % of three points, atoms uniform
    chain     2 to 4 levels; a private row repeats its last level with probability 0.6, atoms are independent
    """
    generator = np.random.default_rng(0)
    n = 20_000
    if name == "clusters":
        sizes = np.full(ATTRIBUTES, 2)
        points = generator.integers(0, 2, (3, ATTRIBUTES))
        private = points[generator.integers(0, 3, n)] ^ (generator.random((n, ATTRIBUTES)) < 0.1)
        public: Ints = generator.integers(0, 2, (atoms, ATTRIBUTES))
    else:
        sizes = generator.integers(2, 5, ATTRIBUTES)
        private = np.stack([generator.integers(0, size, n) for size in sizes], axis=1)
        for j in range(1, ATTRIBUTES):
            repeats = generator.random(n) < 0.6
            private[repeats, j] = private[repeats, j - 1] % sizes[j]
        columns = [np.minimum(*generator.integers(0, size, (2, atoms))) for size in sizes]
        public = np.stack(columns, axis=1)
    levels = [tuple(map(str, range(size))) for size in sizes]
    domain = Domain(tuple(Attribute(f"a{j}", names) for j, names in enumerate(levels)))
    return Dataset(domain, private), Workload.all_kway(domain, 3), Support.of(Dataset(domain, public))
