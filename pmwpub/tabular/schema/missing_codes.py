"""Codes that say why a value is missing, each with its label: of one column, not of the whole table."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, model_serializer, model_validator

from pmwpub.domain import MAX_CHARACTERS
from pmwpub.errors import SchemaError
from pmwpub.numerals import read_float


def text_of_number(value: float) -> str:
    """`value` in words that read back as the same float."""
    return str(int(value)) if is_whole(value) else repr(value)


def is_whole(value: float) -> bool:
    """Whether a float is written without a point."""
    return value.is_integer() and abs(value) < 1e15


class MissingCode(BaseModel):
    """A cell that stands for no value, or a range of numbers that do, and the level that says so.

    code       the cell as it stands in the data
    low, high  in its place the ends of a range, both in it; the file calls them "from" and "to"
    label      the level's name
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True, strict=True, allow_inf_nan=False)

    code: str | None = None
    low: float | None = Field(default=None, alias="from")
    high: float | None = Field(default=None, alias="to")
    label: str = Field(min_length=1, max_length=MAX_CHARACTERS)

    @model_validator(mode="after")
    def _check(self) -> MissingCode:
        if (self.code is None) == (self.low is None) or (self.low is None) != (self.high is None):
            raise ValueError('a missing code is {"code", "label"} or {"from", "to", "label"}')
        if self.low is not None and self.high is not None and self.low > self.high:
            raise ValueError('"from" is at most "to"')
        return self

    @classmethod
    def of(cls, code: str, label: str | None = None) -> MissingCode:
        """A code as it stands in the data; without a label it is its own."""
        return cls(code=code, label=label or code)

    @classmethod
    def read(cls, text: str, label: str = "") -> MissingCode:
        """A code, or a range of numbers written 97..99; without a label it is its own, of the blank cell "(missing)".

        Raises SchemaError for a range that is none.
        """
        low, mark, high = text.partition("..")
        if not mark or not (low and high):
            return cls.of(text, label or text or "(missing)")
        try:
            return cls.between(read_float(low), read_float(high), label or text)
        except ValueError as failure:
            raise SchemaError("A range of missing codes is written 97..99, the smaller number first.") from failure

    @classmethod
    def between(cls, low: float, high: float, label: str) -> MissingCode:
        """All numbers from `low` to `high`, both included."""
        return cls.model_validate({"from": float(low), "to": float(high), "label": label})

    @model_serializer
    def _write(self) -> dict[str, Any]:
        if self.low is None or self.high is None:
            return {"code": self.code, "label": self.label}
        ends = {key: int(end) if is_whole(end) else end for key, end in (("from", self.low), ("to", self.high))}
        return ends | {"label": self.label}

    @property
    def written(self) -> str:
        """A cell that reads as this code: the code itself, or the beginning of the range."""
        return self.code if self.code is not None else text_of_number(self.low or 0.0)

    def holds(self, value: float | None) -> bool:
        """Whether a number lies in the range."""
        return value is not None and self.low is not None and self.high is not None and self.low <= value <= self.high
