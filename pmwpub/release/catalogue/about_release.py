"""What no file of a release knows and whoever publishes it says of it: who, what for, under which licence."""

from __future__ import annotations

import re
from datetime import date
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, HttpUrl, StringConstraints, TypeAdapter, ValidationError

from pmwpub.errors import PlanError
from pmwpub.release.certificates.certificate_parts import Part
from pmwpub.strict_json import read_strictly

Line = Annotated[str, StringConstraints(max_length=10_000)]

_HTTP = TypeAdapter(HttpUrl)
_WRITTEN = re.compile(r"https?://(?![/?#])[^\s<>\"\\^`{|}]+", re.IGNORECASE)
_SPDX_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+-]*", re.ASCII)
ADDRESSES = (
    "url is an address that begins with http:// or https://, license such an address or a word of SPDX's list such as "
    "CC-BY-4.0."
)


def _address(given: str) -> str:
    """An address as it was written, "" for none; ValueError for one that browsers would not fetch by HTTP."""
    if given:
        if not given.isprintable() or not _WRITTEN.fullmatch(given):
            raise ValueError("no address that begins with http:// or https://")
        _HTTP.validate_python(given)
    return given


def _license(given: str) -> str:
    return given if _SPDX_WORD.fullmatch(given) else _address(given)


CuratorType = Literal["Government", "Industry", "Nonprofit"]
Sector = Literal["Technology", "Healthcare", "Education", "Government", "Energy", "Finance"]


class AboutRelease(Part):
    """Statements about a release, all of them public and all of them optional; records name what is lacking.

    curator          who publishes it, such as an office; with the kind of body that it is
    region, sector   what the data are about
    published        the day on which it was published; unless given, the day on which it was charged
    license, url     its licence, by address or by SPDX's word for it, and the address of the place where it is found;
                     addresses are of HTTP alone, for whoever reads a record follows them
    entry_authors    who fills in a registry's entry
    data_collection  how the private data were collected, and who saw them in the clear until they were loaded here
    store_access     who may read and change the store
    why_delta        why this delta was granted
    evidence         what was done to see that the program does what it says
    columns          of which the error of each level is stated
    """

    name: Line = ""
    description: Line = ""
    curator: Line = ""
    curator_type: CuratorType | None = None
    intended_use: Line = ""
    region: Line = ""
    sector: Sector | None = None
    published: date | None = None
    license: Annotated[Line, AfterValidator(_license)] = ""
    url: Annotated[Line, AfterValidator(_address)] = ""
    entry_authors: tuple[Line, ...] = ()
    data_collection: Line = ""
    store_access: Line = ""
    why_delta: Line = ""
    evidence: Line = ""
    columns: Annotated[tuple[Line, ...], Field(max_length=1000)] = ()

    def unsaid(self, *names: str) -> tuple[str, ...]:
        """Those of these statements that were not made."""
        return tuple(name for name in names if not getattr(self, name))

    @classmethod
    def from_json(cls, content: bytes) -> Self:
        """The statements of a JSON file; PlanError for another key, another kind of value, or what is no JSON."""
        try:
            read_strictly(content)
            return cls.model_validate_json(content)
        except ValidationError as failure:
            places = [".".join(map(str, one["loc"])) or "the whole" for one in failure.errors()]
            known, where = ", ".join(cls.model_fields), ", ".join(places)
            said = f"Statements about a release have the keys {known}; what came does not fit: {where}."
            raise PlanError(f"{said} {ADDRESSES}" if {"license", "url"} & {*places} else said) from None
        except ValueError as failure:
            raise PlanError(f"Statements about a release are a JSON object; {failure}.") from failure
