"""The lines of a witness: each set of terms, each booking with its charges, each recorded decision. Public things.

A line with a field of another type, or out of range, cannot be made: ValueError. A line's slot is what a store holds
one of; two lines of one identity say the same.
"""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from fractions import Fraction
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, PositiveInt
from pydantic.dataclasses import dataclass

from pmwpub.strict_json import read_unrepeated


def _exact(number: str) -> str:
    try:
        Fraction(number)
    except ZeroDivisionError as error:
        raise ValueError("no number") from error
    return number


Exact = Annotated[str, AfterValidator(_exact)]
"""A fraction or decimal as text."""

_STRICT = ConfigDict(strict=True, defer_build=True)


@dataclass(frozen=True, config=_STRICT)
class StoreLine:
    """The store that the lines below belong to, by a hash of its secret; the lines above count no more."""

    store: str


@dataclass(frozen=True, config=_STRICT)
class TermsLine:
    """A population's terms as they were registered or amended; `place` counts them from 0."""

    population: str
    place: int
    n: PositiveInt
    rows_per_person: PositiveInt
    unit: str
    epsilon: Exact
    delta: Exact
    total_units: PositiveInt
    created: str

    @property
    def slot(self) -> tuple[object, ...]:
        return ("terms", self.population, self.place)

    @property
    def frozen(self) -> tuple[object, ...]:
        """The terms that do not change once there is a charge."""
        return (self.n, self.rows_per_person, self.unit, self.delta)

    @property
    def identity(self) -> tuple[object, ...]:
        return (*self.slot, *self.frozen, self.epsilon, self.total_units)


@dataclass(frozen=True, config=_STRICT)
class ChargeLine:
    """One charge of a booking."""

    purpose: str
    mechanism: str
    sensitivity: str
    scale: str
    units: PositiveInt


@dataclass(frozen=True, config=_STRICT)
class ByLine:
    """Who made a booking or a decision, on a server with accounts; of others a line says nothing."""

    issuer: str
    subject: str
    role: Literal["operator", "steward", "viewer"]


@dataclass(frozen=True, config=_STRICT)
class BookingLine:
    """A plan that was charged."""

    population: str
    plan_sha256: str
    repeat: int
    plan_json: str
    charges: tuple[ChargeLine, ...]
    created: str
    by: ByLine | None = None

    @property
    def slot(self) -> tuple[object, ...]:
        return ("booking", self.population, self.plan_sha256, self.repeat)

    @property
    def identity(self) -> tuple[object, ...]:
        return (*self.slot, self.created, self.charges)

    @property
    def units(self) -> int:
        """What the booking costs, in units of 10^-15 of rho."""
        return sum(charge.units for charge in self.charges)


@dataclass(frozen=True, config=_STRICT)
class MarkLine:
    """A recorded decision; `place` counts those of a population from 0."""

    population: str
    place: int
    mark: str
    note: str
    created: str
    by: ByLine | None = None

    @property
    def slot(self) -> tuple[object, ...]:
        return ("mark", self.population, self.place)

    @property
    def identity(self) -> tuple[object, ...]:
        return (*self.slot, self.mark, self.note)


Entry = TermsLine | BookingLine | MarkLine
"""The lines that say something about a store."""

Line = StoreLine | Entry
_KINDS: dict[str, type[Line]] = {"store": StoreLine, "terms": TermsLine, "booking": BookingLine, "mark": MarkLine}
_KIND_OF = {kind: name for name, kind in _KINDS.items()}


def kind_of(line: Line) -> str:
    """ "store", "terms", "booking" or "mark"."""
    return _KIND_OF[type(line)]


def said(line: object) -> dict[str, object]:
    """The fields of a line; who made it stands there only where that is known, so that other lines are as they were."""
    values: dict[str, object] = asdict(line)  # type: ignore[call-overload]
    return {name: value for name, value in values.items() if name != "by" or value is not None}


def values_of(kind: type[object], body: dict[str, Any]) -> dict[str, Any]:
    """The fields of a line of a kind, from what was read; KeyError for one that is missing."""
    found = {field.name: body[field.name] for field in fields(kind) if field.name != "by"}  # type: ignore[arg-type]
    if kind is BookingLine:
        found["charges"] = tuple(ChargeLine(**charge) for charge in found["charges"])
    return found | ({"by": ByLine(**body["by"])} if body.get("by") is not None else {})


def spelt(line: Line, previous: str) -> bytes:
    """A line as it is written; `previous` is the SHA-256 of the line before it."""
    body = {"kind": kind_of(line), **said(line), "previous": previous}
    return json.dumps(body, sort_keys=True, separators=(",", ":")).encode() + b"\n"


def parsed(written: bytes, previous: str) -> Line:
    """A line back from its bytes; ValueError, KeyError or TypeError if it is none, or follows another one."""
    body = read_unrepeated(written)
    kind = _KINDS[body["kind"]]
    if body["previous"] != previous:
        raise ValueError("the chain is broken")
    return kind(**values_of(kind, body))
