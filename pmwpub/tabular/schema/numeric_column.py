"""A column of numbers in bins, some of which hold one value only."""

from __future__ import annotations

import bisect
from collections.abc import Callable
from functools import cached_property
from typing import ClassVar, Literal

from pydantic import Field, field_serializer, model_validator

from pmwpub.domain import MAX_LEVELS
from pmwpub.tabular.nesting.bands import LevelsOnLine, bin_cuts, bin_labels
from pmwpub.tabular.nesting.parented_columns import ParentedColumn
from pmwpub.tabular.schema.equivalences import Equivalence, compared
from pmwpub.tabular.schema.missing_codes import is_whole, text_of_number
from pmwpub.tabular.written_numbers import ThousandsMark, WrittenNumbers


class NumericColumn(ParentedColumn):
    """A column of numbers in bins [e_i, e_i+1), the last one closed.

    An edge v that stands twice is a spike (version 2): the bin [v, v], which holds v and nothing else. The bin before
    it ends below v, and the one behind it begins above v: (v, e). A number beyond the edges is never put into a spike.

    outside    what becomes of a number beyond the edges, infinities included: "clip" to the nearest bin that is no
               spike, "other", or "none" (no level)
    decimal    the decimal mark
    thousands  the mark between groups of three digits, if any
    prefix     what may stand before a number, such as "$", and before each that is written; white space between does
               not count in reading
    suffix     the same behind a number, such as " %"
    """

    unsaid: ClassVar[tuple[str, ...]] = ("parents", "prefix", "suffix")

    kind: Literal["numeric"]
    edges: tuple[float, ...] = Field(min_length=2, max_length=MAX_LEVELS + 1)
    outside: Literal["clip", "other", "none"]
    decimal: Literal[".", ","] = "."
    thousands: ThousandsMark | None = None
    prefix: str = Field(default="", max_length=20)
    suffix: str = Field(default="", max_length=20)

    @field_serializer("edges", when_used="json")
    def _write_edges(self, edges: tuple[float, ...]) -> list[int | float]:
        return [int(edge) if is_whole(edge) else edge for edge in edges]

    @model_validator(mode="after")
    def _check_bins(self) -> NumericColumn:
        if any(low > high for low, high in zip(self.edges, self.edges[1:], strict=False)):
            raise ValueError("edges must rise strictly, but for a spike, whose edge stands twice")
        if any(low == high for low, high in zip(self.edges, self.edges[2:], strict=False)):
            raise ValueError("an edge stands at most twice")
        if self.outside == "other" and not self.other:
            raise ValueError('outside "other" needs "other": true')
        if self.decimal == self.thousands:
            raise ValueError("decimal and thousands marks must differ")
        self._numbers.check()
        _ = self.parent_columns  # each of which must fit
        return self

    def tidy(self, text: str) -> str:
        """As for any column, but that numbers stay as written: they are compared as numbers, by the column's marks."""
        text = text.strip() if self.strip else text
        text = text.casefold() if self.casefold else text
        return compared(text, self._textual) if self.same else text

    @cached_property
    def _textual(self) -> tuple[Equivalence, ...]:
        return tuple(rule for rule in self.same if rule != "number")

    @cached_property
    def own_levels(self) -> tuple[str, ...]:
        """Of a spike the number, of another bin its two ends; "(" where a spike takes the lower one."""
        return bin_labels(self.edges)

    @property
    def line(self) -> LevelsOnLine:
        return LevelsOnLine.of_bins(self.edges)

    @property
    def ordered_levels(self) -> int:
        return len(self.own_levels)

    @property
    def complete(self) -> bool:
        """Whether every cell has a level: what is no number is "other", and what lies outside is that or clipped."""
        return self.other and self.outside != "none"

    @property
    def reads_points(self) -> bool:
        """Whether a number with a point is one that the column does not read, and cannot misread: a schema of version 2
        then reads it as a release writes it.
        """
        return self.decimal == "," and self.thousands != "."

    def spike(self, code: int) -> float | None:
        """The one value of a bin that is a spike; None of any other bin."""
        low, high = self.edges[code], self.edges[code + 1]
        return low if low == high else None

    @property
    def spikes(self) -> tuple[float, ...]:
        """The values that have a bin of their own."""
        return tuple(low for low, high in zip(self.edges, self.edges[1:], strict=False) if low == high)

    @cached_property
    def cuts(self) -> tuple[float, ...]:
        """The edges, strictly rising: where one stands twice, the second is the next float above."""
        return bin_cuts(self.edges)

    @cached_property
    def clipped(self) -> tuple[int, int]:
        """The codes of numbers below and above all edges."""
        bins = [code for code in range(len(self.edges) - 1) if self.spike(code) is None]
        if self.outside == "clip" and bins:
            return bins[0], bins[-1]
        code = self.no_level if self.outside == "none" else self.other_code
        return code, code

    def written(self, code: int, missing_tokens: tuple[str, ...] = ()) -> str | None:
        if code >= len(self.own_levels):
            return super().written(code, missing_tokens)
        value = self.spike(code)
        return None if value is None else self.dressed(text_of_number(value).replace(".", self.decimal))

    def dressed(self, text: str) -> str:
        """A number with what stands beside it in the column."""
        return self._numbers.dressed(text)

    def code_of(self, value: float) -> int:
        """The code of a number that is not missing."""
        if self.edges[0] <= value <= self.edges[-1]:
            return min(bisect.bisect_right(self.cuts, value), len(self.cuts) - 1) - 1
        return self.clipped[value > self.edges[0]]

    def known_code(self, text: str) -> int | None:
        value = self.value(text)
        return None if value is None else self.code_of(value)

    def missing_test(self, missing_tokens: tuple[str, ...]) -> Callable[[str], int | None]:
        """As for any column, with codes compared as numbers, and so the tokens where the column compares numbers."""
        plain = super().missing_test(missing_tokens)
        values = self.missing_values(missing_tokens)
        if not values:
            return plain

        def test(text: str) -> int | None:
            code = values.get(self.value(text))
            return plain(text) if code is None else code

        return test

    def missing_values(self, missing_tokens: tuple[str, ...]) -> dict[float | None, int]:
        """Numbers that stand for no value -> the code of their level."""
        values: dict[float | None, int] = {}
        first = len(self.own_levels)
        for place, code in enumerate(self.missing_codes):
            if code.code is not None and (value := self.value(self.tidy(code.code))) is not None:
                values.setdefault(value, first + place)
        for token in missing_tokens if "number" in self.same else ():
            if (value := self.value(self.tidy(token))) is not None:
                values.setdefault(value, self.missing_code)
        return values

    def number(self, text: str) -> float | None:
        return self.value(text)

    def value(self, text: str) -> float | None:
        """The number that `text` writes, an infinity when it is too large; None for anything else, NaN included."""
        return self._numbers.value(text)

    @cached_property
    def _numbers(self) -> WrittenNumbers:
        return WrittenNumbers(self.decimal, self.thousands, self.prefix, self.suffix, self.tidy)
