"""What a release of households states about itself: its unit, what is public, and the noise of each table."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import Field, JsonValue, SerializerFunctionWrapHandler, model_serializer, model_validator

from pmwpub.errors import CertificateError
from pmwpub.mechanisms.households.household_fit import HouseholdStrengths
from pmwpub.mechanisms.households.household_schedule import HouseholdSchedule
from pmwpub.release.certificates.certificate_parts import (
    ATTESTED,
    OUTSIDE,
    UNREADABLE_CERTIFICATE,
    Candidate,
    Delta,
    Epsilon,
    Exact,
    LedgerTotal,
    Part,
)
from pmwpub.release.households.household_rounds_stated import NoiseScale, RoundsStated
from pmwpub.strict_json import read_strictly

MECHANISM = (
    "table fit of households: discrete Gaussian noise on each table of persons and of households that the "
    "certificate lists, whole public households reweighted to them"
)
MECHANISM_BEFORE = (
    "table fit of households: discrete Gaussian noise on all 1-way and 2-way tables of persons and of households, "
    "whole public households reweighted to them"
)
"""What earlier certificates say, also where a workload asks for fewer tables: `tables` lists what was measured."""
MECHANISM_OF_ROUNDS = (
    "PMW^Pub of households (Liu, Vietri, Steinke, Ullman, Wu 2021): selection among queries of persons and of "
    "households, discrete Gaussian, multiplicative weights on whole public households"
)
ENGINES = ("households", "households-pmw-pub")
"""What certificates of releases of households say of their engine: table fit, and PMW^Pub."""
NEIGHBOURS = (
    "replace-one: all rows of one household id are replaced by those, fewer or more, of an id that no row has; a "
    "household counts with at most `largest_household` persons, chosen from its own rows; n, the number of households, "
    "is public, and the number of persons is not"
)
STATEMENT = (
    f"{ATTESTED} Synthetic households are copies of whole public households, as the schema codes them: which persons "
    "live together is theirs. The guarantee is for the households of the private table, not for those of the public "
    "one. A person is protected as a member of one household; whoever stands in several is not covered. Rows without a "
    "household id, and those of a household beyond the largest, count nowhere."
)
SENSITIVITY = (
    "of a count of persons H, of a table of persons H√2 in L2; of a count of households 1, of a table of them √2; "
    "H = `largest_household`"
)


class HouseholdTableStated(Part):
    """One table that was measured: of persons or of households, its columns, and the noise's scale on each cell."""

    of: Literal["persons", "households"]
    columns: tuple[str, ...]
    scale: NoiseScale


class PublicFacts(Part):
    """What of the public table was used, all of it public: its whole households, and what was left out."""

    households: Annotated[int, Field(ge=1)]
    persons: Annotated[int, Field(ge=1)]
    incomplete: Annotated[int, Field(ge=0)]
    oversized: Annotated[int, Field(ge=0)]
    rows_without_id: Annotated[int, Field(ge=0)]


class StrengthsStated(Part):
    """How many households the public table counts as: chosen by the noisy tables, and taken from here by a rebuild."""

    one_way: Annotated[float, Field(gt=0, allow_inf_nan=False)]
    all: Annotated[float, Field(gt=0, allow_inf_nan=False)]

    @classmethod
    def of(cls, strengths: HouseholdStrengths) -> Self:
        """Those of a finished release."""
        return cls(one_way=strengths.one_way, all=strengths.all)


class HouseholdCertificate(Part):
    """The certificate of a release of households.

    n                  households, public
    largest_household  H
    tables, strengths  of table fit; no strengths in a draft, before anything is drawn
    rounds             of PMW^Pub; where it is None the key is not written, so that certificates of table fit keep
                       their bytes
    households, row_seed  how many synthetic households were drawn from the weights, and by which public seed
    """

    version: Literal[1] = 1
    engine: Literal["households", "households-pmw-pub"] = "households"
    epsilon: Epsilon
    delta: Delta
    rho: Exact
    neighbours: str = NEIGHBOURS
    sensitivity: str = SENSITIVITY
    outside_the_guarantee: str = OUTSIDE
    statement: str = STATEMENT
    population: str
    unit: str
    n: Annotated[int, Field(ge=1)]
    largest_household: Annotated[int, Field(ge=1)]
    mechanism: str = MECHANISM
    tables: tuple[HouseholdTableStated, ...]
    strengths: StrengthsStated | None
    rounds: RoundsStated | None = None
    schema_sha256: str
    candidate: Candidate
    public: PublicFacts
    plan: dict[str, JsonValue]
    plan_sha256: str
    repeat: Annotated[int, Field(ge=0)]
    charge_id: Annotated[int, Field(ge=0)]
    charged_at: str
    ledger_total: LedgerTotal
    budget: LedgerTotal
    remarks: tuple[str, ...] = ()
    households: int | None = None
    row_seed: int | None = None
    files: dict[str, str] = Field(default_factory=dict)
    versions: dict[str, str]

    @model_validator(mode="after")
    def _of_one_engine(self) -> Self:
        if (self.engine == "households-pmw-pub") != (self.rounds is not None):
            raise ValueError("PMW^Pub has rounds, and table fit has none")
        return self

    @model_serializer(mode="wrap")
    def _without_unsaid_rounds(self, write: SerializerFunctionWrapHandler) -> dict[str, object]:
        written: dict[str, Any] = write(self)
        if self.candidate.weighed_by is None:  # a key that certificates of before have not
            written["candidate"].pop("weighed_by", None)
        return {key: value for key, value in written.items() if key != "rounds" or value is not None}

    @classmethod
    def from_bytes(cls, content: bytes) -> Self:
        """Read a certificate file; CertificateError if it is none, or could be read in more than one way."""
        try:
            read_strictly(content)
            return cls.model_validate_json(content, strict=True)
        except ValueError as failure:
            raise CertificateError(UNREADABLE_CERTIFICATE) from failure

    def with_files(self, files: Mapping[str, bytes], households: int, row_seed: int) -> Self:
        """The same certificate with how the files were drawn, and their SHA-256."""
        hashes = {name: hashlib.sha256(body).hexdigest() for name, body in sorted(files.items())}
        return self.model_copy(update={"files": hashes, "households": households, "row_seed": row_seed})

    def states(self, name: str, content: bytes) -> bool:
        """Whether these are the bytes of the file that it names so."""
        return hashlib.sha256(content).hexdigest() == self.files.get(name)

    def to_bytes(self) -> bytes:
        """Indented JSON in UTF-8, one text for one value."""
        return (self.model_dump_json(indent=1) + "\n").encode()


def refuse_rounds(certificate: HouseholdCertificate) -> None:
    """CertificateError of a release by PMW^Pub: intervals are by the noise of measured tables, and it has none."""
    if certificate.rounds is not None:
        raise CertificateError(
            "This release of households is by PMW^Pub, which measures no tables, so no answers with intervals and "
            "no records are made of it. Its weights.csv and persons.csv are there to count in; `certificate check` "
            "takes its folder."
        )


def stated_tables(schedule: HouseholdSchedule) -> tuple[HouseholdTableStated, ...]:
    """Every measured table with its noise, those of persons first: in the order of tables.csv."""
    found = []
    for of, part in (("persons", schedule.persons), ("households", schedule.own)):
        names = part.tables.domain.names
        for marginal, law in zip(part.tables.marginals, part.noises, strict=True):
            columns = tuple(names[place] for place in marginal.attributes)
            found.append(HouseholdTableStated(of=of, columns=columns, scale=str(law.scale)))  # type: ignore[arg-type]
    return tuple(found)


def engine_stated(measured: tuple[HouseholdTableStated, ...] | RoundsStated) -> dict[str, Any]:
    """The keys that say which engine measured what."""
    if isinstance(measured, RoundsStated):
        return {"engine": "households-pmw-pub", "mechanism": MECHANISM_OF_ROUNDS, "tables": (), "rounds": measured}
    return {"tables": measured}
