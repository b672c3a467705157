"""What the columns of a schema share: a name, how texts are compared, missing codes, and the precedence for a cell."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, field_validator, model_validator

from pmwpub.domain import Attribute
from pmwpub.tabular.files.text import column_names
from pmwpub.tabular.nesting.bands import LevelsOnLine
from pmwpub.tabular.schema.equivalences import Equivalence, compared, plain_number
from pmwpub.tabular.schema.missing_codes import MissingCode

MISSING = "(missing)"
OTHER = "(other)"
RESERVED = (MISSING, OTHER)
WEIGHT = "weight"  # the column that a release adds


class NamedColumn(BaseModel):
    """What all columns share: a name, and public rules for comparing text.

    strip     ignore white space around a cell (version 1)
    casefold  ignore upper and lower case (version 1)
    same      by which rules two texts are one (version 2): see `equivalences`
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True, strict=True, allow_inf_nan=False)
    encoded: ClassVar[bool] = False

    name: str
    strip: bool = False
    casefold: bool = False
    same: tuple[Equivalence, ...] = ()

    @field_validator("name")
    @classmethod
    def _check_name(cls, name: str) -> str:
        return column_names.checked(name)

    def changed(self, **rules: Any) -> Self:
        """The column with other rules, checked as any; pydantic's ValidationError for what no column may have."""
        return type(self).model_validate(self.model_dump() | rules)

    def tidy(self, text: str) -> str:
        """`text` as it is compared: by the column's own rules."""
        text = text.strip() if self.strip else text
        text = text.casefold() if self.casefold else text
        return compared(text, self.same) if self.same else text


class AttributeColumn(NamedColumn):
    """An attribute of the domain: its own levels, then those of missing codes, then "(other)" if declared.

    missing  whether missing tokens have a level, "(missing)"; or the column's own missing codes, each of whose labels
             is a level, in order. Among these "(missing)" also takes the schema's tokens.
    other    whether a cell that nothing else claims has a level
    """

    encoded: ClassVar[bool] = True

    missing: bool | tuple[MissingCode, ...] = False
    other: bool = False

    @model_validator(mode="after")
    def _check_missing(self) -> AttributeColumn:
        if not self.missing_codes:
            return self
        labels = self.missing_levels
        if OTHER in labels or len(set(labels)) != len(labels):
            raise ValueError(f'the labels of missing codes differ, and none is "{OTHER}"')
        if taken := set(labels) & set(self.own_levels):
            raise ValueError(f"a missing code has the label of a level, {sorted(taken)[0]!r}; name it otherwise")
        claimed = self.missing_test(())
        for place, code in enumerate(self.missing_codes):
            if claimed(self.tidy(code.written)) != len(self.own_levels) + place:
                raise ValueError(f"the missing code labelled {code.label!r} lies in an earlier one; keep one of them")
        return self

    @property
    def own_levels(self) -> tuple[str, ...]:
        """The declared levels or bins."""
        raise NotImplementedError

    @property
    def ordered_levels(self) -> int:
        """How many of the declared levels stand in order: all of them, or none."""
        return 0

    @property
    def line(self) -> LevelsOnLine | None:
        """Where the declared levels lie among numbers; None of levels that are no numbers, or not in order."""
        return None

    @property
    def missing_codes(self) -> tuple[MissingCode, ...]:
        """The column's own missing codes, in the order of their levels."""
        return self.missing if isinstance(self.missing, tuple) else ()

    @property
    def missing_levels(self) -> tuple[str, ...]:
        """The levels of cells without a value."""
        return tuple(code.label for code in self.missing_codes) or (MISSING,) * bool(self.missing)

    @cached_property
    def attribute(self) -> Attribute:
        """The declared levels or bins, then the missing levels, then the other level; only the first can be ordered."""
        levels = self.own_levels + self.missing_levels + (OTHER,) * self.other
        return Attribute(self.name, levels, self.ordered_levels)

    @property
    def no_level(self) -> int:
        """The code of a cell that has no level."""
        return self.attribute.size

    @property
    def other_code(self) -> int:
        """The code of a cell that nothing else claims: other if declared, else no level."""
        return self.attribute.size - 1 if self.other else self.no_level

    @property
    def complete(self) -> bool:
        """Whether every cell has a level, whatever it says."""
        return self.other

    @property
    def missing_code(self) -> int:
        """The code of the schema's missing tokens."""
        labels = self.missing_levels
        return len(self.own_levels) + labels.index(MISSING) if MISSING in labels else self.other_code

    def written(self, code: int, missing_tokens: tuple[str, ...] = ()) -> str | None:
        """A cell that reads as a level; None for a bin of numbers, which has many.

        A missing code is written as itself, the level of the schema's tokens as the first of these, and "(other)" as
        its name, which is nothing that the column knows.
        """
        place = code - len(self.own_levels)
        if place < 0:
            return self.own_levels[code]
        if place < len(self.missing_codes):
            return self.missing_codes[place].written
        level = self.attribute.levels[code]
        return missing_tokens[0] if level == MISSING and missing_tokens else level

    def known_code(self, text: str) -> int | None:
        """The code of a tidied cell that is not missing; None where the column does not know it."""
        raise NotImplementedError

    def number(self, text: str) -> float | None:
        """The number that a tidied cell writes, for ranges of missing codes; None where it writes none."""
        plain = plain_number(text)
        digits = plain.removeprefix("-").replace(".", "", 1)
        return float(plain) if digits.isascii() and digits.isdigit() else None

    def missing_test(self, missing_tokens: tuple[str, ...]) -> Callable[[str], int | None]:
        """tidied cell -> the code of its missing level, or None: own codes, then tokens, then own ranges."""
        first = len(self.own_levels)
        texts: dict[str, int] = {}
        for place, code in enumerate(self.missing_codes):
            if code.code is not None:
                texts.setdefault(self.tidy(code.code), first + place)
        for token in missing_tokens:
            texts.setdefault(self.tidy(token), self.missing_code)
        ranges = [(code, first + place) for place, code in enumerate(self.missing_codes) if code.code is None]
        return texts.get if not ranges else lambda text: texts.get(text, self._in_range(text, ranges))

    def _in_range(self, text: str, ranges: list[tuple[MissingCode, int]]) -> int | None:
        value = self.number(text)
        return next((place for code, place in ranges if code.holds(value)), None)

    @property
    def labels(self) -> Mapping[str, int]:
        """The names of levels, and their codes."""
        return {level: code for code, level in enumerate(self.attribute.levels)}

    def placer(self, missing_tokens: tuple[str, ...], *, reads_labels: bool = False) -> Callable[[str], int]:
        """cell -> code. Total: no cell raises.

        The precedence: the column's own missing codes; the missing tokens (in a column without their level: other if
        declared, else none); its ranges of missing codes; a level, number or date that the column knows, where a number
        outside goes by its rule; with `reads_labels` the name of a level, as a release writes it; other; none.

        Privacy: a private cell goes through this rule alone, which public facts fix; it changes no level.
        """
        missing, labels = self.missing_test(missing_tokens), self.labels if reads_labels else {}

        def place(cell: str) -> int:
            text = self.tidy(cell)
            code = missing(text)
            if code is None:
                code = self.known_code(text)
            return labels.get(cell, self.other_code) if code is None else code

        return place
