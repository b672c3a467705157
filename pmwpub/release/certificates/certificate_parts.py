"""What every certificate states, whichever engine made the release: terms, charge, public inputs, files."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Mapping
from importlib import metadata
from typing import Annotated, ClassVar, Literal, Protocol, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    SerializerFunctionWrapHandler,
    StringConstraints,
    model_serializer,
)

from pmwpub.errors import CertificateError
from pmwpub.plan_inputs import PublicInputs, WorkloadChoice
from pmwpub.plans.weighing import Weighing
from pmwpub.queries.workload import Workload
from pmwpub.release.certificates.neighbour_words import NEIGHBOURS, StatesNeighbours, neighbours_of
from pmwpub.release.certificates.stated_rules import StatedRule
from pmwpub.strict_json import read_strictly

UNREADABLE_CERTIFICATE = "The certificate is not one that this version of pmwpub can read."

OUTSIDE = (
    "Outside the guarantee: timing, memory, whether a result came at all, and what a steward decides not to buy after "
    "a warning."
)
PUBLIC_PEOPLE = (
    "Synthetic rows are copies of public people's rows, as the schema codes them (or, where rows were added, such a "
    "row with one column changed). The guarantee is for the people of the private table, not for those of the public "
    "ones."
)
"""Whose rows are copied."""

ATTESTED = "Of each public table it was attested that it was not made from the private one."
"""All that certificates of earlier versions say of public tables."""

STATEMENT = f"{ATTESTED} {PUBLIC_PEOPLE}"
"""What stands in every certificate, whatever comparisons of tables found."""

OUTSIDE_BEFORE = ("Outside the guarantee: timing, memory, and whether a result came at all.",)
"""What certificates of earlier versions say instead of `OUTSIDE`."""

OF_WHOM = ("population", "unit", "n", "rows_per_person", "weights")
"""The keys of a certificate that say whose rows were counted, in the order of its file."""

_WHOLE = "(0|[1-9][0-9]{0,99})"
_MORE = "[0-9]{1,1000}"
Exact = Annotated[str, StringConstraints(pattern=rf"^{_WHOLE}(\.[0-9]{{1,100}}|/[1-9][0-9]{{0,99}})?$")]
"""A number that is not negative, as a decimal or a fraction, of any use: its digits are bounded."""

Delta = Annotated[
    str, StringConstraints(pattern=rf"^({_WHOLE}(\.{_MORE})?(e-[0-9]{{1,3}})?|[0-9]{{1,1000}}/[1-9][0-9]{{0,999}})$")
]
"""As `Exact`, and as small as a delta may be."""

Epsilon = Annotated[float, Field(ge=0, allow_inf_nan=False)]

Cells = Literal["labels", "numbers", "public-values"]
"""How the synthetic table is written: numeric columns as their bins, as numbers drawn inside the bins, or as numbers
that public rows have there (raw values of public people reappear); missing codes are then written as themselves."""

Columns = Literal["attributes", "all"]
"""Which columns the synthetic table has: the encoded ones, or all that the schema names, with row numbers for ids and
nothing in those that are left out."""

_ALL = " in all columns"
Written = Literal[
    "labels",
    "numbers",
    "public-values",
    "labels in all columns",
    "numbers in all columns",
    "public-values in all columns",
]
"""Cells and columns of a synthetic table, in one text."""


class Part(BaseModel):
    """A frozen value that takes no key but its own."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class Candidate(Part):
    """A public table by name and content.

    read_as  encoding and delimiter where they were confirmed, such as "cp1252,semicolon"; the plan says them
             too, unless they are the default or the plan is older
    weighed_by  what its rows count by, where they are weighed; unsaid where each counts once
    """

    name: str
    sha256: str
    read_as: str | None = None
    weighed_by: str | None = None


class LedgerTotal(Part):
    """What the population had spent when this release was charged, this release included."""

    rho: Exact
    epsilon: Epsilon


class Origin(Part):
    """What the store knows of a release, whether or not it was charged.

    unit        who is protected, in words
    settings_from  what chose the settings, where a simulation on public tables did
    remarks     what the reader must know beyond (epsilon, delta)
    """

    population: str
    candidates: tuple[Candidate, ...]
    unit: str = ""
    settings_from: str = ""
    remarks: tuple[str, ...] = ()
    rules: tuple[StatedRule, ...] | None = None


class Provenance(Origin):
    """What the ledger and the store know of a release that was charged, handed to the certificate.

    budget      the population's total
    charged_at  UTC by the server's clock, informative only
    attempts    how many releases with criteria the ledger held by then, this one included; None of one without any
    """

    epsilon: float
    delta: str
    charge_id: int
    repeat: int
    ledger_total: LedgerTotal
    budget: LedgerTotal | None = None
    charged_at: str = ""
    attempts: int | None = None


class PlannedRelease(StatesNeighbours, Protocol):
    """What a certificate states of a plan, whichever engine it is for."""

    @property
    def n(self) -> int: ...
    @property
    def rows_per_person(self) -> int: ...
    @property
    def inputs(self) -> PublicInputs: ...
    @property
    def canonical(self) -> str: ...
    @property
    def sha256(self) -> str: ...


class Stated(Part):
    """What all certificates state. `epsilon` and `delta` are this release's alone (its rho at the population's delta).

    plan            the plan whose hash is plan_sha256, key by key as it was hashed
    cells           how the synthetic table is written: `cell_kind` and `columns` take it apart
    ORDER           the keys as a file has them; a certificate read back writes only the keys that it was read with, so
                    that an older one keeps its bytes
    UNSAID          keys that are not written where they say nothing, so that releases without them keep their bytes
    """

    ORDER: ClassVar[tuple[str, ...]] = ()
    UNSAID: ClassVar[frozenset[str]] = frozenset({"attempts_with_criteria", "rules", "weights"})

    version: int
    epsilon: Epsilon
    delta: Delta
    rho: Exact
    neighbours: str = NEIGHBOURS
    outside_the_guarantee: str = OUTSIDE
    statement: str = STATEMENT
    population: str
    unit: str = ""
    n: Annotated[int, Field(ge=1)]
    rows_per_person: int
    weights: Weighing | None = None
    mechanism: str
    workload: WorkloadChoice
    workload_sha256: str
    queries: int
    schema_sha256: str
    rules: tuple[StatedRule, ...] | None = None
    candidate: tuple[Candidate, ...]
    plan: dict[str, JsonValue] | None = None
    plan_sha256: str
    settings_from: str = ""
    remarks: tuple[str, ...] = ()
    rows: int | None = None
    row_seed: int | None = None
    cells: Written = "labels"
    files: dict[str, str] = {}
    versions: dict[str, str]

    @model_serializer(mode="wrap")
    def _in_order(self, write: SerializerFunctionWrapHandler) -> dict[str, object]:
        written: dict[str, object] = write(self)
        said = {key: value for key, value in written.items() if key not in self.UNSAID or value is not None}
        return {key: said[key] for key in self.ORDER if key in said}

    @classmethod
    def stating(cls, **values: object) -> Self:
        """A certificate of these values, in which every key counts as given, and is written.

        Raises pydantic's ValidationError, a ValueError, for what cannot be stated.
        """
        made = cls.model_validate(values)
        given = cls.model_validate(made.model_dump())
        return given.model_copy(update={"candidate": made.candidate})

    @classmethod
    def from_bytes(cls, content: bytes) -> Self:
        """Read a certificate file; CertificateError if it is none, or could be read in more than one way."""
        try:
            read_strictly(content)
        except ValueError as failure:
            raise CertificateError(UNREADABLE_CERTIFICATE) from failure
        return cls.of_strict(content)

    @classmethod
    def of_strict(cls, content: bytes) -> Self:
        """As `from_bytes`, of a text that was seen to be readable in one way."""
        try:
            return cls.model_validate_json(content, strict=True)
        except ValueError as failure:
            raise CertificateError(UNREADABLE_CERTIFICATE) from failure

    def with_files(self, files: Mapping[str, bytes]) -> Self:
        """The same certificate with the SHA-256 of the files that travel with it."""
        hashes = {name: hashlib.sha256(body).hexdigest() for name, body in sorted(files.items())}
        return self.model_copy(update={"files": self.files | hashes})

    def with_rows(self, rows: int, row_seed: int, cells: Cells, columns: Columns = "attributes") -> Self:
        """The same certificate with how its synthetic table was drawn from the weights."""
        drawn: dict[str, object] = {"rows": rows, "row_seed": row_seed}
        written = cells + _ALL if columns == "all" else cells
        return self.model_copy(update=drawn if written == "labels" else drawn | {"cells": written})

    @property
    def cell_kind(self) -> Cells:
        """What the cells of the synthetic table are."""
        return self.cells.removesuffix(_ALL)  # type: ignore[return-value]

    @property
    def columns(self) -> Columns:
        """Which columns the synthetic table has."""
        return "all" if self.cells.endswith(_ALL) else "attributes"

    def to_bytes(self) -> bytes:
        """Indented JSON in UTF-8, one text for one value."""
        return (self.model_dump_json(indent=1, exclude_unset=True) + "\n").encode()


def public_part(plan: PlannedRelease, workload: Workload, origin: Origin) -> dict[str, object]:
    """The values that every certificate of a plan states, charged or not, but what it promises."""
    return {
        "neighbours": neighbours_of(plan),
        "population": origin.population,
        "unit": origin.unit,
        "n": plan.n,
        "rows_per_person": plan.rows_per_person,
        "weights": plan.weights,
        "workload": plan.inputs.workload,
        "workload_sha256": plan.inputs.workload_sha256,
        "queries": workload.queries,
        "schema_sha256": plan.inputs.schema_sha256,
        "rules": origin.rules,
        "candidate": origin.candidates,
        "plan": json.loads(plan.canonical),
        "plan_sha256": plan.sha256,
        "settings_from": origin.settings_from,
        "remarks": origin.remarks,
        "versions": versions(),
    }


def decimal_rho(units: int) -> str:
    """rho in units of 1e-15 as an exact decimal text."""
    whole, part = divmod(units, 10**15)
    return f"{whole}.{part:015d}"


def versions() -> dict[str, str]:
    """The versions of what computed a release."""
    packages = ("pmwpub", "opendp", "numpy", "numba", "gmpy2")
    return {"python": platform.python_version()} | {name: metadata.version(name) for name in packages}
