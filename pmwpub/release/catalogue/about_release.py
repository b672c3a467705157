"""What no file of a release knows and whoever publishes it says of it: who, what for, under which licence."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, ValidationError

from pmwpub.errors import PlanError
from pmwpub.release.certificates.certificate_parts import Part
from pmwpub.strict_json import read_strictly

Line = Annotated[str, StringConstraints(max_length=10_000)]
CuratorType = Literal["Government", "Industry", "Nonprofit"]
Sector = Literal["Technology", "Healthcare", "Education", "Government", "Energy", "Finance"]


class AboutRelease(Part):
    """Statements about a release, all of them public and all of them optional; records name what is lacking.

    curator          who publishes it, such as an office; with the kind of body that it is
    region, sector   what the data are about
    published        the day on which it was published; unless given, the day on which it was charged
    license, url     the addresses of its licence, and of the place where it is found
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
    license: Line = ""
    url: Line = ""
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
            where = ", ".join(".".join(map(str, one["loc"])) or "the whole" for one in failure.errors())
            known = ", ".join(cls.model_fields)
            raise PlanError(
                f"Statements about a release have the keys {known}; what came does not fit: {where}."
            ) from None
        except ValueError as failure:
            raise PlanError(f"Statements about a release are a JSON object; {failure}.") from failure
