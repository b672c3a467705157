"""The kinds of column that a schema declares, and the code that each gives to a text cell."""

from __future__ import annotations

from functools import cached_property
from typing import Annotated, ClassVar, Literal

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from pmwpub.domain import MAX_CHARACTERS, MAX_LEVELS
from pmwpub.tabular.nesting.bands import LevelsOnLine
from pmwpub.tabular.nesting.parented_columns import ParentedColumn
from pmwpub.tabular.schema.column_rules import MISSING, OTHER, RESERVED, WEIGHT, AttributeColumn, NamedColumn
from pmwpub.tabular.schema.date_parts import LEVELS, DateOrder, DatePart, date_of, part_of
from pmwpub.tabular.schema.missing_codes import MissingCode, text_of_number
from pmwpub.tabular.schema.numeric_column import NumericColumn
from pmwpub.tabular.weights.weight_column import WeightColumn

__all__ = [
    "MISSING",
    "OTHER",
    "RESERVED",
    "WEIGHT",
    "AttributeColumn",
    "CategoricalColumn",
    "Column",
    "DateColumn",
    "EncodedColumn",
    "IdColumn",
    "IgnoredColumn",
    "MissingCode",
    "NumericColumn",
    "WeightColumn",
    "text_of_number",
]


class IdColumn(NamedColumn):
    """Whose row it is: checked against the rows per person, never encoded.

    beyond  what becomes of an ID with more rows than one person may own: "keep" lets as many of them stay, chosen from
            that ID's own rows (`coding.kept_rows`), while the others, and rows without an ID, count in n and satisfy
            no predicate; None refuses the table. Without it the key is not written, so that schemas from before it
            existed keep their hash
    """

    kind: Literal["id"]
    beyond: Literal["keep"] | None = None

    @model_serializer(mode="wrap")
    def _without_unsaid_beyond(self, write: SerializerFunctionWrapHandler) -> dict[str, object]:
        written: dict[str, object] = write(self)
        return {key: value for key, value in written.items() if key != "beyond" or value is not None}


class IgnoredColumn(NamedColumn):
    """A column that is left out knowingly."""

    kind: Literal["ignore"]


class CategoricalColumn(ParentedColumn):
    """A column of declared labels; of an ordered one (version 2) their order means something."""

    kind: Literal["categorical", "ordered"]
    levels: tuple[str, ...] = Field(min_length=1, max_length=MAX_LEVELS)

    @model_validator(mode="after")
    def _check_levels(self) -> CategoricalColumn:
        if set(self.levels) & set(RESERVED):
            raise ValueError(f"the level names {' and '.join(RESERVED)} are reserved")
        if len(self._codes) != len(self.levels):
            raise ValueError(self._coinciding())
        if any(len(level) > MAX_CHARACTERS for level in self.levels):
            raise ValueError(
                f"a level has at most {MAX_CHARACTERS:,} characters; ignore the column, or shorten its labels"
            )
        claimed = self.missing_test(())
        if any(claimed(text) is not None for text in self._codes):
            raise ValueError("a level equals a missing code, so no cell could reach it")
        _ = self.parent_columns  # each of which must fit
        return self

    def _coinciding(self) -> str:
        """Which levels are one, and what to do."""
        groups: dict[str, list[str]] = {}
        for level in self.levels:
            groups.setdefault(self.tidy(level), []).append(level)
        first = next(group for group in groups.values() if len(group) > 1)
        rules = [rule for rule in ("strip", "casefold") if getattr(self, rule)] + list(self.same)
        under = f" under {', '.join(rules)}; keep one of them, or take that rule off" if rules else "; keep it once"
        return f"levels must differ: {' and '.join(map(repr, first[:3]))} are one{under}"

    @property
    def own_levels(self) -> tuple[str, ...]:
        return self.levels

    @property
    def ordered_levels(self) -> int:
        return len(self.levels) if self.kind == "ordered" else 0

    @cached_property
    def _codes(self) -> dict[str, int]:
        return {self.tidy(level): code for code, level in enumerate(self.levels)}

    def known_code(self, text: str) -> int | None:
        return self._codes.get(text)


class DateColumn(ParentedColumn):
    """A column of dates of which one part counts (version 2); a cell that is no date is one that it does not know.

    part    which one: year, quarter, month or weekday
    order   how a date is written: ymd, dmy or mdy
    levels  the years, as texts; the levels of the other parts are fixed
    pivot   years of two digits are of 19.. from it on, and of 20.. below it; None where years have four
    """

    unsaid: ClassVar[tuple[str, ...]] = ("parents", "pivot")

    kind: Literal["date"]
    part: DatePart
    order: DateOrder = "ymd"
    levels: tuple[str, ...] = Field(default=(), max_length=MAX_LEVELS)
    pivot: int | None = Field(default=None, ge=0, le=100)

    @model_validator(mode="after")
    def _check_levels(self) -> DateColumn:
        if (self.part == "year") != bool(self.levels):
            raise ValueError("years are listed as levels; the other parts have levels of their own")
        if any(not (level.isascii() and level.isdigit() and len(level) == 4) for level in self.levels):
            raise ValueError("a year has four digits")
        if len(set(self.levels)) != len(self.levels):
            raise ValueError("levels must differ")
        _ = self.parent_columns  # each of which must fit
        return self

    @property
    def own_levels(self) -> tuple[str, ...]:
        return self.levels or LEVELS[self.part]

    @property
    def ordered_levels(self) -> int:
        """Days of the week go round; years may be listed in any order, and count where they rise."""
        rising = list(self.levels) == sorted(self.levels)
        return len(self.own_levels) if self.part != "weekday" and rising else 0

    @property
    def line(self) -> LevelsOnLine | None:
        in_order = self.part == "year" and self.ordered_levels > 0
        return LevelsOnLine.of_values([float(year) for year in self.levels]) if in_order else None

    @cached_property
    def _codes(self) -> dict[str, int]:
        return {level: code for code, level in enumerate(self.own_levels)}

    def known_code(self, text: str) -> int | None:
        day = date_of(text, self.order, self.pivot)
        return None if day is None else self._codes.get(part_of(day, self.part))


Column = Annotated[
    CategoricalColumn | NumericColumn | DateColumn | IdColumn | IgnoredColumn | WeightColumn,
    Field(discriminator="kind"),
]
EncodedColumn = CategoricalColumn | NumericColumn | DateColumn
