"""An edit rule as a tree of comparisons over a schema's columns, as a schema file has it, and the text that says it.

A tree is data: nothing of it is run. Its depth and its comparisons are bounded, so that whatever reads it takes a time
that is linear in its size. `rule_parsing` makes a tree of a text; `code_rules` says what it means for codes.
"""

from __future__ import annotations

import json
from functools import cached_property
from typing import Annotated, Literal, TypeAlias

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    field_serializer,
    field_validator,
    model_serializer,
    model_validator,
)

from pmwpub.domain import MAX_CHARACTERS, MAX_LEVELS
from pmwpub.tabular.files.text import column_names
from pmwpub.tabular.rules.rule_names import written_name
from pmwpub.tabular.schema.missing_codes import is_whole, text_of_number

MAX_RULES = 500
"""Of a schema."""

MAX_DEPTH = 10
"""Of a rule: how deep its brackets nest."""

MAX_COMPARISONS = 64
"""Of a rule."""

Operator = Literal["<", "<=", ">", ">=", "=", "!="]
Value = float | str
"""A number, or the name of a level."""


def _written(value: Value) -> str:
    """A value as the text of a rule has it: levels in quotes."""
    return text_of_number(value) if isinstance(value, float) else json.dumps(value, ensure_ascii=False)


def _stored(value: Value) -> int | float | str:
    """A value as a schema file has it: whole numbers without a point."""
    return int(value) if isinstance(value, float) and is_whole(value) else value


class _Node(BaseModel):
    """One part of a rule. Raises pydantic's ValidationError where it is too deep or too large."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    @property
    def parts(self) -> tuple[Expression, ...]:
        """What it is made of; nothing of a comparison."""
        return ()

    @property
    def text(self) -> str:
        """The rule's text, which parses to this tree again."""
        raise NotImplementedError

    @cached_property
    def depth(self) -> int:
        """1 of a comparison; parts are validated, and so their depth known, before what is made of them."""
        return 1 + max((part.depth for part in self.parts), default=0)

    @cached_property
    def comparisons(self) -> int:
        """How many it has."""
        return sum(part.comparisons for part in self.parts) if self.parts else 1

    @model_validator(mode="after")
    def _bounded(self) -> _Node:
        if self.depth > MAX_DEPTH:
            raise ValueError(f"a rule nests at most {MAX_DEPTH} deep; say it in several rules")
        if self.comparisons > MAX_COMPARISONS:
            raise ValueError(f"a rule has at most {MAX_COMPARISONS} comparisons; say it in several rules")
        return self


class _OnColumn(_Node):
    """A comparison of one column with constants."""

    column: str = Field(max_length=MAX_CHARACTERS)

    @field_validator("column")
    @classmethod
    def _as_columns_are_named(cls, name: str) -> str:
        name = column_names.normalise(name)
        if not name:
            raise ValueError("a comparison names a column")
        return name


class Comparison(_OnColumn):
    """A column compared with a number or a level: {"op": "<", "column": "age", "value": 15}."""

    op: Operator
    value: Value

    @field_serializer("value", when_used="json")
    def _write_value(self, value: Value) -> int | float | str:
        return _stored(value)

    @property
    def text(self) -> str:
        return f"{written_name(self.column)} {self.op} {_written(self.value)}"


class Membership(_OnColumn):
    """A column that has one of several values: {"op": "in", "column": "work", "values": ["none", "retired"]}."""

    op: Literal["in"]
    values: tuple[Value, ...] = Field(min_length=1, max_length=MAX_LEVELS)

    @field_serializer("values", when_used="json")
    def _write_values(self, values: tuple[Value, ...]) -> list[int | float | str]:
        return [_stored(value) for value in values]

    @property
    def text(self) -> str:
        return f"{written_name(self.column)} in {self.listed}"

    @property
    def listed(self) -> str:
        """Its values in brackets."""
        return f"({', '.join(map(_written, self.values))})"


class Negation(_Node):
    """{"op": "not", "rule": ...}"""

    op: Literal["not"]
    rule: Expression

    @property
    def parts(self) -> tuple[Expression, ...]:
        return (self.rule,)

    @property
    def text(self) -> str:
        if isinstance(self.rule, Membership):
            return f"{written_name(self.rule.column)} not in {self.rule.listed}"
        return f"not ({self.rule.text})"


class Junction(_Node):
    """All or any of several: {"op": "and", "rules": [...]}, {"op": "or", "rules": [...]}."""

    op: Literal["and", "or"]
    rules: tuple[Expression, ...] = Field(min_length=2, max_length=MAX_COMPARISONS)

    @property
    def parts(self) -> tuple[Expression, ...]:
        return self.rules

    @property
    def text(self) -> str:
        return f" {self.op} ".join(_bracketed(part, (Junction, Implication)) for part in self.rules)


class Implication(_Node):
    """{"op": "implies", "when": ..., "then": ...}"""

    op: Literal["implies"]
    when: Expression
    then: Expression

    @property
    def parts(self) -> tuple[Expression, ...]:
        return (self.when, self.then)

    @property
    def text(self) -> str:
        return " implies ".join(_bracketed(part, (Implication,)) for part in self.parts)


def _bracketed(part: Expression, looser: tuple[type[_Node], ...]) -> str:
    return f"({part.text})" if isinstance(part, looser) else part.text


Expression: TypeAlias = Annotated[
    Comparison | Membership | Negation | Junction | Implication, Field(discriminator="op")
]


class EditRule(BaseModel):
    """What holds of every row that there can be, and why.

    holds   the rule
    reason  in a few words on one line; without one the key is not written
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    holds: Expression
    reason: str | None = Field(default=None, min_length=1, max_length=MAX_CHARACTERS)

    @field_validator("reason")
    @classmethod
    def _one_line(cls, reason: str | None) -> str | None:
        if reason is not None and (reason != reason.strip() or not reason.isprintable()):
            raise ValueError("a reason is one line of text, without space around it")
        return reason

    @model_serializer(mode="wrap")
    def _without_unsaid_reason(self, write: SerializerFunctionWrapHandler) -> dict[str, object]:
        written: dict[str, object] = write(self)
        return {key: value for key, value in written.items() if key != "reason" or value is not None}

    @property
    def text(self) -> str:
        """The rule alone."""
        return self.holds.text

    @property
    def whole_text(self) -> str:
        """The rule, and its reason behind a "#"."""
        return self.text if self.reason is None else f"{self.text}  # {self.reason}"


for _kind in (Negation, Junction, Implication, EditRule):
    _kind.model_rebuild()
