"""What drafting a schema found, beside the schema: what was left out and why, what was merged, and the remedies."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from pmwpub.errors import SchemaError
from pmwpub.tabular.schema.table_schema import Schema

Rule = Literal[
    "kind",
    "weight",
    "missing",
    "level",
    "spike",
    "decimal",
    "thousands",
    "prefix",
    "suffix",
    "part",
    "order",
    "pivot",
    "same",
    "parent",
]
RULES: tuple[Rule, ...] = get_args(Rule)

Finding = Literal[
    "spelling",
    "sentinel",
    "spike",
    "missing code",
    "token",
    "decimal",
    "thousands",
    "affix",
    "date",
    "digits",
    "apart",
    "names rows",
    "repeated id",
    "names tables",
    "constant",
    "weight",
    "separating",
    "may name rows",
    "nested",
]


@dataclass(frozen=True)
class Remedy:
    """One decision of a person about one column, which drafting then follows: a flag of `schema draft`, or a click.

    rule, value  kind: categorical, ordered, numeric, date, id, weight or ignore, whatever the draft would say; weight:
                 CAP:UNIT or CAP:UNIT:TOTAL, by which rows are weighed, and :all or :public behind it; missing:
                 a code that stands for no value; level: a cell that is a value although it is a missing token; spike:
                 a number with a bin of its own; decimal, thousands: the mark; prefix, suffix: what stands beside
                 numbers; part: year, quarter, month or weekday; order: ymd, dmy or mdy; pivot: years of two digits
                 are of 19.. from it on; same: the equivalences, or "none"; parent: an attribute that follows from this
                 column, see `nesting.declared_parents`

    Raises SchemaError for another rule.
    """

    column: str
    rule: Rule
    value: str

    def __post_init__(self) -> None:
        if self.rule not in RULES:
            raise SchemaError(f"What is decided about a column is one of {', '.join(RULES)}; another rule came.")

    @property
    def flag(self) -> str:
        """As it stands in a shell."""
        return f"--{self.rule} {shlex.quote(f'{self.column}={self.value}')}"

    @classmethod
    def read(cls, rule: Rule, text: str) -> Remedy:
        """The remedy of a flag's value, COLUMN=VALUE; SchemaError without the mark between them."""
        column, mark, value = text.partition("=")
        if not mark:
            raise SchemaError(f"--{rule} takes COLUMN=VALUE; there is no = in what came.")
        return cls(column, rule, value)


@dataclass(frozen=True)
class Left:
    """A column that a draft leaves out, why in words, and what would bring it in."""

    name: str
    why: str
    remedies: tuple[Remedy, ...] = ()


@dataclass(frozen=True)
class Remark:
    """What a person should know of a column that is in the draft; `remedies` would make it otherwise."""

    column: str
    kind: Finding
    text: str
    remedies: tuple[Remedy, ...] = ()


@dataclass(frozen=True)
class Merged:
    """Public spellings of one value: `kept` is the level, the most frequent one; the others read as it."""

    column: str
    kept: str
    others: tuple[str, ...]


@dataclass(frozen=True)
class Draft:
    """A drafted schema, with what is to be looked over.

    schema    version 2; columns that are left out stand in it with the kind "ignore"
    left_out  each such column of the public tables, with its reason
    remarks   by column, in its order
    merged    the spellings that were taken as one value
    why       encoded column -> why it has its kind, in a few words

    Privacy: from public tables and codebooks alone.
    """

    schema: Schema
    left_out: tuple[Left, ...] = ()
    remarks: tuple[Remark, ...] = ()
    merged: tuple[Merged, ...] = ()
    why: Mapping[str, str] = field(default_factory=dict)


class NothingToEncode(SchemaError):
    """No column of the public tables can be encoded; `left_out` says why, column by column, and so does the message."""

    def __init__(self, left_out: tuple[Left, ...]) -> None:
        self.left_out = left_out
        reasons = "".join(f" {one.name!r}: {one.why}" for one in left_out[:20])
        more = f" And {len(left_out) - 20:,} more." if len(left_out) > 20 else ""
        super().__init__(f"No column of the public tables can be encoded as it stands.{reasons}{more}")
