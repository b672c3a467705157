"""What an export says of a population, line by line: terms, plans with their charges, outcomes, decisions, documents.

Terms, bookings and decisions are those of a witness. A line is written in one way only, so that the same population
gives the same bytes; a line that is written otherwise is refused, as is one that no store could hold.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from dataclasses import dataclass as plain_dataclass
from datetime import datetime
from fractions import Fraction
from typing import Annotated, Literal
from unicodedata import category

from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass

from pmwpub.errors import ExportRefused, PmwPubError
from pmwpub.ledger.model import MAX_UNITS, Charge, PlanKey, Population
from pmwpub.ledger.populations import refuse_unstated
from pmwpub.ledger.recovery.witness_lines import BookingLine, Entry, MarkLine, TermsLine, said, values_of
from pmwpub.privacy.budget import ZCDP
from pmwpub.strict_json import read_strictly

_STRICT = ConfigDict(strict=True, defer_build=True)
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00")
MOST_OF_A_KIND = 200
"""The most characters of a kind, and of a key of a document."""

Hash = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Place = Annotated[int, Field(ge=0, lt=2**31)]
Number = Annotated[int, Field(gt=0, lt=2**63)]


@dataclass(frozen=True, config=_STRICT)
class OutcomeLine:
    """What became of the booking at a place, and the numbers that its charges had.

    sha256  of the stored result; "" where there is none
    """

    place: Place
    numbers: tuple[Number, ...]
    status: Literal["done", "no result"]
    created: str
    sha256: Hash | Literal[""]


@dataclass(frozen=True, config=_STRICT)
class DocumentLine:
    """A version of a public document."""

    document: str
    key: str
    sha256: Hash
    created: str


MovedLine = Entry | OutcomeLine | DocumentLine
_KINDS: dict[str, type[MovedLine]] = {
    "terms": TermsLine,
    "booking": BookingLine,
    "outcome": OutcomeLine,
    "mark": MarkLine,
    "document": DocumentLine,
}
_KIND_OF = {kind: name for name, kind in _KINDS.items()}


@plain_dataclass(frozen=True)
class MovedRecord:
    """All that an export says of one population, each kind oldest first; `outcomes` in the order of `bookings`."""

    terms: tuple[TermsLine, ...]
    bookings: tuple[BookingLine, ...]
    outcomes: tuple[OutcomeLine, ...]
    marks: tuple[MarkLine, ...]
    documents: tuple[DocumentLine, ...]

    @property
    def lines(self) -> Iterable[MovedLine]:
        """All lines in the order in which they are written."""
        return (*self.terms, *self.bookings, *self.outcomes, *self.marks, *self.documents)

    @property
    def blobs(self) -> tuple[str, ...]:
        """The hashes of all results and documents, sorted, each once."""
        results = {one.sha256 for one in self.outcomes if one.sha256}
        return tuple(sorted(results | {one.sha256 for one in self.documents}))

    @property
    def written(self) -> bytes:
        """The lines as bytes."""
        return b"".join(map(_spelt, self.lines))


def read_record(body: bytes, name: str) -> MovedRecord:
    """The record of a population from its bytes; ExportRefused, by the number of a line, for what is none."""
    lines: list[MovedLine] = []
    for number, written in enumerate(body.splitlines(keepends=True), 1):
        try:
            line = _parsed(written)
            _check(line, name)
        except (ValueError, KeyError, TypeError, RecursionError, PmwPubError):
            raise ExportRefused(f"Line {number} of the export's ledger is none that pmwpub writes.") from None
        lines.append(line)
    record = MovedRecord(
        *(tuple(one for one in lines if isinstance(one, kind)) for kind in _KINDS.values())  # type: ignore[arg-type]
    )
    if record.written != body:
        raise ExportRefused("The lines of the export's ledger do not stand in their order.")
    _check_whole(record)
    return record


def _spelt(line: MovedLine) -> bytes:
    body = {"kind": _KIND_OF[type(line)], **said(line)}
    return json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


def _parsed(written: bytes) -> MovedLine:
    """A line from its bytes; ValueError, KeyError or TypeError for one that is written in another way."""
    body = read_strictly(written)
    kind = _KINDS[body["kind"]]
    values = values_of(kind, body)
    if kind is OutcomeLine:
        values["numbers"] = tuple(values["numbers"])
    line: MovedLine = kind(**values)
    if _spelt(line) != written:
        raise ValueError("spelt otherwise")
    return line


def _check(line: MovedLine, name: str) -> None:
    """Raise ValueError or a refusal for a line that says what no store can hold, or that is another population's."""
    if "\0" in "".join(_texts(asdict(line))) or not _TIME.fullmatch(line.created):
        raise ValueError("a text that no store holds")
    datetime.fromisoformat(line.created)
    if isinstance(line, TermsLine | BookingLine | MarkLine) and line.population != name:
        raise ValueError("another population")
    if isinstance(line, TermsLine):
        numbers = line.n, line.rows_per_person, line.unit, Fraction(line.epsilon), Fraction(line.delta)
        stated = Population(line.population, *numbers)
        refuse_unstated(stated)
        if line.total_units > stated.total.units:
            raise ValueError("more than its epsilon allows")
    elif isinstance(line, BookingLine):
        PlanKey(line.plan_sha256, line.repeat)
        if not isinstance(json.loads(line.plan_json), dict) or not line.charges or line.repeat >= 2**31:
            raise ValueError("no plan")
        if any(charge.units > MAX_UNITS for charge in line.charges):
            raise ValueError("more than a store holds")
        _check_charges(line)
    else:
        _check_named(line)


def _check_charges(line: BookingLine) -> None:
    for one in line.charges:
        Charge(one.purpose, one.mechanism, one.sensitivity, one.scale, ZCDP(one.units))
        if any(category(sign) == "Cc" for sign in one.purpose + one.mechanism + one.sensitivity + one.scale):
            raise ValueError("a control character")


def _check_named(line: MarkLine | OutcomeLine | DocumentLine) -> None:
    if isinstance(line, OutcomeLine):
        if (line.status == "done") != bool(line.sha256):
            raise ValueError("a result without its hash")
        return
    named = (line.mark,) if isinstance(line, MarkLine) else (line.document, line.key)
    if not all(0 < len(one) <= MOST_OF_A_KIND and one.isprintable() for one in named):
        raise ValueError("no name of a kind")


def _check_whole(record: MovedRecord) -> None:
    """Raise ExportRefused for lines that do not belong together."""
    numbers = [number for one in record.outcomes for number in one.numbers]
    slots = {one.slot for one in record.bookings}
    charged = [len(one.charges) for one in record.bookings]
    if (
        not record.terms
        or _places(record.terms) != list(range(len(record.terms)))
        or _places(record.marks) != list(range(len(record.marks)))
        or _places(record.outcomes) != list(range(len(record.bookings)))
        or [len(one.numbers) for one in record.outcomes] != charged
        or len(slots) != len(record.bookings)
        or len(set(numbers)) != len(numbers)
    ):
        raise ExportRefused("The lines of the export's ledger do not belong together.")


def _places(lines: Sequence[TermsLine | MarkLine | OutcomeLine]) -> list[int]:
    return [one.place for one in lines]


def _texts(value: object) -> Iterable[str]:
    """Every text in a line; UnicodeEncodeError, a ValueError, for one that is none."""
    if isinstance(value, str):
        value.encode()
        yield value
    elif isinstance(value, dict | list | tuple):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _texts(one)
