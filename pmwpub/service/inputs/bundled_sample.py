"""The bundled sample: generated tables that ship with the project."""

from __future__ import annotations

from functools import lru_cache

from pmwpub.errors import PmwPubError
from pmwpub.service.inputs.bundled_files import APP_FILES
from pmwpub.tabular.coding.encode import Encoded, encode_public
from pmwpub.tabular.files.reading import read_table
from pmwpub.tabular.schema.table_schema import Schema

FOLDER = APP_FILES / "sample_data"
PRIVATE = "state_a.csv"
CANDIDATES = ("state_b.csv", "state_c.csv", "state_d.csv")
FAR_AWAY = "state_d.csv"
"""The candidate whose best mixture is poor: no epsilon makes up for it."""
SCHEMA = "schema.json"


def sample_file(name: str) -> bytes:
    """One file of the sample; PmwPubError where the project was installed without it."""
    path = FOLDER / name
    if not path.is_file():
        raise PmwPubError(
            f"The sample file {name} is missing; install the project's wheel, or run the demo from a checkout."
        )
    return path.read_bytes()


@lru_cache(maxsize=1)
def sample_rows() -> bytes:
    """The rows of state A, which plays the private table; generated, nobody's records."""
    return read_table(sample_file(PRIVATE)).same_rows()


def sample_truth(schema: Schema) -> Encoded:
    """State A as rows that may be looked at, for it is generated; for simulations in the demo only."""
    return encode_public(read_table(sample_file(PRIVATE)), schema)
