"""The kinds of column that a schema declares, and the code that each gives to a text cell."""

from __future__ import annotations

import bisect
import re
from collections.abc import Callable
from functools import cached_property
from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, field_serializer, field_validator, model_validator

from pmwpub.domain import MAX_CHARACTERS, MAX_LEVELS, Attribute
from pmwpub.tabular.files.text import column_names

MISSING = "(missing)"
OTHER = "(other)"
RESERVED = (MISSING, OTHER)
WEIGHT = "weight"  # the column that a release adds


class _Column(BaseModel):
    """What all columns share: a name, and two public rules for comparing text.

    strip     ignore white space around a cell
    casefold  ignore upper and lower case
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)
    encoded: ClassVar[bool] = False

    name: str
    strip: bool = False
    casefold: bool = False

    @field_validator("name")
    @classmethod
    def _check_name(cls, name: str) -> str:
        if len(name) > MAX_CHARACTERS:  # first, for normalising takes long where marks are heaped up
            raise ValueError(f"a column's name has at most {MAX_CHARACTERS:,} characters")
        name = column_names.normalise(name)
        if not name or column_names.has_unseen(name):
            raise ValueError("a column needs a name without zero-width or control characters")
        return name

    def tidy(self, text: str) -> str:
        """`text` as it is compared: by the column's strip and casefold rules."""
        text = text.strip() if self.strip else text
        return text.casefold() if self.casefold else text


class IdColumn(_Column):
    """Whose row it is: checked against the rows per person, never encoded."""

    kind: Literal["id"]


class IgnoredColumn(_Column):
    """A column that is left out knowingly."""

    kind: Literal["ignore"]


class _Encoded(_Column):
    """An attribute of the domain. `missing` and `other` each add a level with a reserved name."""

    encoded: ClassVar[bool] = True

    missing: bool = False
    other: bool = False

    @property
    def own_levels(self) -> tuple[str, ...]:
        raise NotImplementedError

    @cached_property
    def attribute(self) -> Attribute:
        """The declared levels or bins, then the missing level, then the other level."""
        extra = (MISSING,) * self.missing + (OTHER,) * self.other
        return Attribute(self.name, self.own_levels + extra)

    @property
    def no_level(self) -> int:
        return self.attribute.size

    @property
    def other_code(self) -> int:
        """The code of a cell that nothing else claims: other if declared, else no level."""
        return self.attribute.size - 1 if self.other else self.no_level

    @property
    def missing_code(self) -> int:
        return len(self.own_levels) if self.missing else self.other_code

    @property
    def complete(self) -> bool:
        """Whether every cell has a level, whatever it says."""
        return self.other

    def own_code(self, text: str) -> int:
        """The code of a tidied cell that is not a missing token."""
        raise NotImplementedError

    def placer(self, missing_tokens: tuple[str, ...]) -> Callable[[str], int]:
        """cell -> code, by the precedence of the schema: missing token, number or level, other, none. Total."""
        tokens = frozenset(self.tidy(token) for token in missing_tokens)

        def place(cell: str) -> int:
            text = self.tidy(cell)
            return self.missing_code if text in tokens else self.own_code(text)

        return place


class CategoricalColumn(_Encoded):
    """A column of declared labels."""

    kind: Literal["categorical"]
    levels: tuple[str, ...] = Field(min_length=1, max_length=MAX_LEVELS)

    @model_validator(mode="after")
    def _check_levels(self) -> CategoricalColumn:
        if set(self.levels) & set(RESERVED):
            raise ValueError(f"the level names {' and '.join(RESERVED)} are reserved")
        if len(self._codes) != len(self.levels):
            raise ValueError("levels must differ, also after the strip and casefold rules")
        if any(len(level) > MAX_CHARACTERS for level in self.levels):
            raise ValueError(
                f"a level has at most {MAX_CHARACTERS:,} characters; ignore the column, or shorten its labels"
            )
        return self

    @property
    def own_levels(self) -> tuple[str, ...]:
        return self.levels

    @cached_property
    def _codes(self) -> dict[str, int]:
        return {self.tidy(level): code for code, level in enumerate(self.levels)}

    def own_code(self, text: str) -> int:
        return self._codes.get(text, self.other_code)


class NumericColumn(_Encoded):
    """A column of numbers in bins [e_i, e_i+1), the last one closed.

    outside    what becomes of a number beyond the edges, infinities included: "clip" to the nearest bin, "other",
               or "none" (no level)
    decimal    the decimal mark
    thousands  the mark between groups of three digits, if any
    """

    kind: Literal["numeric"]
    edges: tuple[float, ...] = Field(min_length=2, max_length=MAX_LEVELS + 1)
    outside: Literal["clip", "other", "none"]
    decimal: Literal[".", ","] = "."
    thousands: Literal[",", ".", " ", "'", "_"] | None = None

    @field_serializer("edges", when_used="json")
    def _write_edges(self, edges: tuple[float, ...]) -> list[int | float]:
        return [int(edge) if _whole(edge) else edge for edge in edges]

    @model_validator(mode="after")
    def _check_bins(self) -> NumericColumn:
        if any(low >= high for low, high in zip(self.edges, self.edges[1:], strict=False)):
            raise ValueError("edges must rise strictly")
        if self.outside == "other" and not self.other:
            raise ValueError('outside "other" needs "other": true')
        if self.decimal == self.thousands:
            raise ValueError("decimal and thousands marks must differ")
        return self

    @cached_property
    def own_levels(self) -> tuple[str, ...]:
        low, high = self.edges[:-1], self.edges[1:]
        closing = [")"] * (len(low) - 1) + ["]"]
        return tuple(
            f"[{text_of_number(a)}, {text_of_number(b)}{end}" for a, b, end in zip(low, high, closing, strict=True)
        )

    @property
    def complete(self) -> bool:
        """Whether every cell has a level: what is no number is "other", and what lies outside is that or clipped."""
        return self.other and self.outside != "none"

    def own_code(self, text: str) -> int:
        value = self.value(text)
        if value is None:
            return self.other_code
        if self.edges[0] <= value <= self.edges[-1]:
            return min(bisect.bisect_right(self.edges, value), len(self.edges) - 1) - 1
        if self.outside == "clip":
            return 0 if value < self.edges[0] else len(self.edges) - 2
        return self.other_code if self.outside == "other" else self.no_level

    def value(self, text: str) -> float | None:
        """The number that `text` writes, an infinity when it is too large; None for anything else, NaN included."""
        if not self._pattern.fullmatch(text):
            return None
        if self.thousands:
            text = text.replace(self.thousands, "")
        return float(text.replace(self.decimal, "."))

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        whole = r"\d+"
        if self.thousands:
            whole = rf"(?:\d{{1,3}}(?:{re.escape(self.thousands)}\d{{3}})+|\d+)"
        mark = re.escape(self.decimal)
        number = rf"(?:{whole}(?:{mark}\d*)?|{mark}\d+)(?:e[+-]?\d+)?"
        return re.compile(rf"[+-]?(?:{number}|inf(?:inity)?)", re.ASCII | re.IGNORECASE)


Column = Annotated[CategoricalColumn | NumericColumn | IdColumn | IgnoredColumn, Field(discriminator="kind")]
EncodedColumn = CategoricalColumn | NumericColumn


def _whole(value: float) -> bool:
    return value.is_integer() and abs(value) < 1e15


def text_of_number(value: float) -> str:
    """`value` in words that read back as the same float."""
    return str(int(value)) if _whole(value) else repr(value)
