"""The public things that a plan runs on: a choice of marginals, and the public tables with how each is read."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Annotated, ClassVar, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    SerializerFunctionWrapHandler,
    field_validator,
    model_serializer,
    model_validator,
)

from pmwpub.domain import Domain
from pmwpub.errors import PlanError
from pmwpub.queries.workload import Workload
from pmwpub.tabular.files.text.read_options import ReadOptions

MOST_ATTRIBUTES = 8
"""Of one marginal."""

FAST_MARGINALS = 64
"""Marginals of the public sub-workload that the fast setting of the assessment solves exactly."""

FAST_SEED = 0

PART_MARGINALS = 256
"""Marginals that public tables choose for the setting "part": four times the work, and less is overlooked."""

Scope = Literal["fast", "part", "full"]
"""What a floor is taken over. "fast": `FAST_MARGINALS` tables of the workload by a public seed, prefix tables too;
"part": the marginals that the plan names, chosen from public tables, without prefixes; "full": the whole workload."""

Part = tuple[tuple[str, ...], ...]
"""Marginals by the names of their columns, ascending; empty but in the setting "part"."""


class Hashed(BaseModel):
    """A frozen value with one JSON text and its hash.

    LATER  keys that values made before did not have; they are written only where they say something, so that those
           values keep their text and their hash
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)
    LATER: ClassVar[frozenset[str]] = frozenset()

    @model_serializer(mode="wrap")
    def _without_empty_later_keys(self, write: SerializerFunctionWrapHandler) -> dict[str, object]:
        written: dict[str, object] = write(self)
        return {key: value for key, value in written.items() if key not in self.LATER or value}

    @property
    def canonical(self) -> str:
        """The value's one JSON text: keys in declared order, no white space."""
        return self.model_dump_json()

    @property
    def sha256(self) -> str:
        """Of the canonical text, in hexadecimal digits."""
        return hashlib.sha256(self.canonical.encode()).hexdigest()


class WorkloadChoice(Hashed):
    """All k-way marginals of a domain, or `marginals` of them sampled by a public seed, or `names` picked by hand.

    names     sets of attribute names, kept in order; k is then the size of the largest
    prefixes  names of ordered attributes of which "at most" is asked too: of each alone, and in the cells of every
              attribute that one marginal has together with it

    A choice without them is written without these keys, so that plans made before they existed keep their hash.
    """

    LATER: ClassVar[frozenset[str]] = frozenset({"names", "prefixes"})

    k: int = Field(ge=1, le=MOST_ATTRIBUTES)
    marginals: int | None = Field(default=None, ge=1)
    seed: int = Field(default=0, ge=0)
    names: tuple[tuple[str, ...], ...] | None = None
    prefixes: tuple[str, ...] = ()

    @classmethod
    def picked(cls, names: Iterable[Iterable[str]], *, prefixes: Iterable[str] = ()) -> Self:
        """Hand-picked marginals; PlanError where none is picked, or one has no attribute or more than 8, or a name that
        is no text."""
        try:
            sets = tuple(tuple(group) for group in names)
            "".join(name for group in sets for name in group).encode()
        except (TypeError, UnicodeEncodeError):
            raise PlanError("Marginals are picked as sets of columns, each named by a text.") from None
        widest = max((len(set(group)) for group in sets), default=0)
        if not 1 <= widest <= MOST_ATTRIBUTES:
            raise PlanError(f"Pick at least one marginal, of one to {MOST_ATTRIBUTES} different columns.")
        return cls(k=widest, names=sets, prefixes=tuple(prefixes))

    @field_validator("names")
    @classmethod
    def _one_order(cls, names: tuple[tuple[str, ...], ...] | None) -> tuple[tuple[str, ...], ...] | None:
        return None if names is None else tuple(sorted({tuple(sorted(set(group))) for group in names}))

    @field_validator("prefixes")
    @classmethod
    def _each_once(cls, prefixes: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(sorted(set(prefixes)))

    @model_validator(mode="after")
    def _one_way_to_choose(self) -> Self:
        if self.names is None:
            return self
        if self.marginals is not None or self.seed:
            raise PlanError("Marginals are picked by hand or sampled by a seed, not both.")
        if not self.names or not all(self.names) or self.k != max(map(len, self.names)):
            raise PlanError("Hand-picked marginals need columns each, and k must be the size of the largest.")
        return self

    def build(self, domain: Domain) -> Workload:
        """The workload on a domain; WorkloadError or DomainError where the choice does not fit it.

        The latest ones are kept: a page asks for the same one several times a run.
        """
        return _built(self, domain)


@lru_cache(maxsize=4)
def _built(choice: WorkloadChoice, domain: Domain) -> Workload:
    if choice.names is not None:
        return Workload.of(domain, choice.names, prefixes=choice.prefixes)
    if choice.marginals is None:
        return Workload.all_kway(domain, choice.k, prefixes=choice.prefixes)
    return Workload.sampled(domain, choice.k, choice.marginals, choice.seed, prefixes=choice.prefixes)


def _spelt(text: str | None) -> str | None:
    """One text for one way of reading, and none for the default."""
    options = ReadOptions() if text is None else ReadOptions.parse(text)
    return None if options == ReadOptions() else options.spelt


def _pairs(given: object) -> object:
    return tuple(given.items()) if isinstance(given, Mapping) else given


Reading = Annotated[str | None, AfterValidator(_spelt)]
"""How a file's text is read, such as "cp1252,semicolon"; None for UTF-8 with commas, and for Parquet."""

Readings = Annotated[
    tuple[tuple[str, str], ...],
    BeforeValidator(_pairs),
    PlainSerializer(dict, return_type=dict[str, str]),
]
"""(SHA-256, how that file is read) of each file that is not read by default; an object in JSON."""


class PublicInputs(Hashed):
    """The public things that a plan runs on, by content.

    candidates  SHA-256 of each public file, ascending; several make a pool
    read_as     how the text of each file is read, as (SHA-256, "cp1252,semicolon"), ascending; a file that is not named
                is UTF-8 with commas, or Parquet. Inputs without any are written without the key, so that plans made
                before it existed keep their hash
    weighed     SHA-256 of each public file whose rows count with their weight, ascending: those that have the schema's
                column of public weights. Written only where there is one
    """

    LATER: ClassVar[frozenset[str]] = frozenset({"read_as", "weighed"})

    schema_sha256: str
    workload_sha256: str
    workload: WorkloadChoice
    candidates: tuple[str, ...] = Field(min_length=1)
    read_as: Readings = ()
    weighed: tuple[str, ...] = ()

    @field_validator("read_as")
    @classmethod
    def _one_text_for_one_reading(cls, read_as: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
        spelt = {sha256: _spelt(text) for sha256, text in read_as}
        if len(spelt) != len(read_as):
            raise PlanError("A plan says once how each public table is read.")
        return tuple(sorted((sha256, text) for sha256, text in spelt.items() if text is not None))

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if list(self.candidates) != sorted(set(self.candidates)):
            raise PlanError("A plan lists each public table once, in ascending order of its hash.")
        if not {sha256 for sha256, _ in self.read_as} <= set(self.candidates):
            raise PlanError("A plan says how its own public tables are read, and no others.")
        if list(self.weighed) != sorted(set(self.weighed) & set(self.candidates)):
            raise PlanError("A plan says which of its own public tables are weighed, each once, in ascending order.")
        return self

    def reading_of(self, sha256: str) -> str | None:
        """How a candidate's text is read; None for UTF-8 with commas, and for Parquet."""
        return dict(self.read_as).get(sha256)


def floor_workload(full: Workload, setting: Scope, part: Part) -> Workload:
    """The workload that floors of a setting are taken over.

    Raises PlanError for a part with a marginal that the workload lacks.
    """
    if setting == "full":
        return full
    if setting == "fast":
        return full.restricted(FAST_MARGINALS, FAST_SEED)
    found = Workload.of(full.domain, part)
    if not set(found.marginals) <= set(full.marginals):
        raise PlanError("The part that a floor is taken over has a marginal that the workload lacks; plan again.")
    return found


def check_part_of(setting: Scope, part: Part) -> None:
    """Raise PlanError unless a part stands where the setting needs one, in ascending order, each marginal once."""
    if (setting == "part") != bool(part):
        raise PlanError('A plan names its marginals in the setting "part", and in no other.')
    if list(part) != sorted({tuple(sorted(set(names))) for names in part}):
        raise PlanError("A part lists each marginal once, in ascending order of its columns' names.")
