"""The lines of a witness: each set of terms, each booking with its charges, each recorded decision. Public things."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields


@dataclass(frozen=True)
class StoreLine:
    """Which store the lines after it belong to, a hash of its secret; what came before it no longer counts."""

    store: str

    @property
    def identity(self) -> tuple[object, ...]:
        return ("store", self.store)


@dataclass(frozen=True)
class TermsLine:
    """A population's terms as they were registered or amended; `place` counts them from 0."""

    population: str
    place: int
    n: int
    rows_per_person: int
    unit: str
    epsilon: str
    delta: str
    total_units: int
    created: str

    @property
    def identity(self) -> tuple[object, ...]:
        terms = (self.n, self.rows_per_person, self.unit, self.epsilon, self.delta, self.total_units)
        return ("terms", self.population, self.place, *terms)


@dataclass(frozen=True)
class ChargeLine:
    """One charge of a booking."""

    purpose: str
    mechanism: str
    sensitivity: str
    scale: str
    units: int


@dataclass(frozen=True)
class BookingLine:
    """A plan that was charged."""

    population: str
    plan_sha256: str
    repeat: int
    plan_json: str
    charges: tuple[ChargeLine, ...]
    created: str

    @property
    def identity(self) -> tuple[object, ...]:
        return ("booking", *self.key, self.charges)

    @property
    def key(self) -> tuple[str, str, int]:
        """What a store holds one booking of."""
        return self.population, self.plan_sha256, self.repeat

    @property
    def units(self) -> int:
        """What the booking costs, in units of 10^-15 of rho."""
        return sum(charge.units for charge in self.charges)


@dataclass(frozen=True)
class MarkLine:
    """A recorded decision; `place` counts a population's from 0."""

    population: str
    place: int
    mark: str
    note: str
    created: str

    @property
    def identity(self) -> tuple[object, ...]:
        return ("mark", self.population, self.place, self.mark, self.note)


Line = StoreLine | TermsLine | BookingLine | MarkLine
_KINDS: dict[str, type[Line]] = {"store": StoreLine, "terms": TermsLine, "booking": BookingLine, "mark": MarkLine}
_KIND_OF = {kind: name for name, kind in _KINDS.items()}


def kind_of(line: Line) -> str:
    """ "store", "terms", "booking" or "mark"."""
    return _KIND_OF[type(line)]


def spelt(line: Line, previous: str) -> bytes:
    """A line as it is written; `previous` is the SHA-256 of the line before it."""
    body = {"kind": kind_of(line), **asdict(line), "previous": previous}
    return json.dumps(body, sort_keys=True, separators=(",", ":")).encode() + b"\n"


def parsed(written: bytes, previous: str) -> Line:
    """A line back from its bytes; ValueError, KeyError or TypeError if it is none, or follows another one."""
    body = json.loads(written)
    kind = _KINDS[body["kind"]]
    if body["previous"] != previous:
        raise ValueError("the chain is broken")
    values = {field.name: body[field.name] for field in fields(kind)}
    if kind is BookingLine:
        values["charges"] = tuple(ChargeLine(**charge) for charge in values["charges"])
    return kind(**values)
