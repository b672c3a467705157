"""How a parent follows from a column's levels: by their first characters, a declared map, or edges of bands."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    SerializerFunctionWrapHandler,
    field_serializer,
    field_validator,
    model_serializer,
    model_validator,
)

from pmwpub.domain import MAX_CHARACTERS, MAX_LEVELS
from pmwpub.tabular.files.text import column_names
from pmwpub.tabular.nesting.bands import LevelsOnLine, band_labels
from pmwpub.tabular.schema.missing_codes import is_whole

MOST_PARENTS = 8
"""Of one column."""

_SHOWN = 3


def _pairs(given: object) -> object:
    return tuple(given.items()) if isinstance(given, Mapping) else given


Pairs = Annotated[
    tuple[tuple[str, str], ...], BeforeValidator(_pairs), PlainSerializer(dict, return_type=dict[str, str])
]
"""(level, its parent), an object in JSON."""


class ParentRule(BaseModel):
    """One parent of a column: an attribute that is a public function of the column's level.

    prefix  the parent is the first so many characters of the level
    map     the parent of each level
    of      the earlier parent of the same column whose levels the map is of; None: the column's own levels
    edges   of bands of numbers or years: the parent's levels are the bins between them

    Raises ValueError unless there is one of prefix, map and edges.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    name: str
    prefix: int | None = Field(default=None, ge=1, le=MAX_CHARACTERS)
    map: Pairs | None = None
    of: str | None = None
    edges: tuple[float, ...] | None = Field(default=None, min_length=2, max_length=MAX_LEVELS)

    @field_serializer("edges", when_used="json-unless-none")
    def _write_edges(self, edges: tuple[float, ...]) -> list[int | float]:
        return [int(edge) if is_whole(edge) else edge for edge in edges]

    @model_serializer(mode="wrap")
    def _without_unsaid(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        written: dict[str, Any] = write(self)
        return {key: value for key, value in written.items() if value is not None}

    @field_validator("name")
    @classmethod
    def _check_name(cls, name: str) -> str:
        return column_names.checked(name)

    @model_validator(mode="after")
    def _check_one_way(self) -> ParentRule:
        if sum(way is not None for way in (self.prefix, self.map, self.edges)) != 1:
            raise ValueError(f"the parent {self.name!r} needs a prefix, a map or edges, and one of them alone")
        if self.of is not None and self.map is None:
            raise ValueError(f"the parent {self.name!r}: only a map is of another parent; all else is of the column")
        return self

    @property
    def written(self) -> str:
        """The rule as a schema file has it, on one line."""
        return json.dumps(self.model_dump(mode="json"), ensure_ascii=False)

    def labels(
        self, levels: Sequence[str], line: LevelsOnLine | None, earlier: Mapping[str, Sequence[str]]
    ) -> tuple[str, ...]:
        """The parent of each of the column's levels, in their order.

        line     where the levels lie among numbers, for bands
        earlier  name -> the labels of the column's parents that are declared before this one

        Raises ValueError for a level without a parent, for a map of what is no level, and for edges that do not fit.
        """
        if self.edges is not None:
            return band_labels(self.name, self.edges, line)
        if self.prefix is not None:
            return self._first_characters(levels, self.prefix)
        if self.of is not None and self.of not in earlier:
            raise ValueError(f"the parent {self.name!r} is of {self.of!r}, which is no earlier parent of the column")
        below = levels if self.of is None else earlier[self.of]
        known = dict(self.map or ())
        if lacking := [level for level in dict.fromkeys(below) if level not in known]:
            raise ValueError(f"the map of the parent {self.name!r} lacks {_some(lacking)}; each level needs a parent")
        if unknown := sorted(set(known) - set(below)):
            raise ValueError(f"the map of the parent {self.name!r} names {_some(unknown)}, no level of what it maps")
        return tuple(known[level] for level in below)

    def _first_characters(self, levels: Sequence[str], prefix: int) -> tuple[str, ...]:
        if short := [level for level in levels if len(level) < prefix]:
            raise ValueError(
                f"the parent {self.name!r} is the first {prefix} characters; {_some(short)} has fewer. Declare a map"
            )
        return tuple(level[:prefix] for level in levels)


def _some(levels: Sequence[str]) -> str:
    more = f" and {len(levels) - _SHOWN:,} more" if len(levels) > _SHOWN else ""
    return ", ".join(map(repr, levels[:_SHOWN])) + more
