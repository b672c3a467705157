"""The declared columns of a table (schema file, version 1): from public facts only, never from private rows."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from functools import cached_property

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from pmwpub.domain import Domain
from pmwpub.errors import SchemaError
from pmwpub.tabular.files.reading import TextTable
from pmwpub.tabular.files.text import column_names
from pmwpub.tabular.schema import drafting
from pmwpub.tabular.schema.codebook import Codebook
from pmwpub.tabular.schema.column_types import WEIGHT, Column, EncodedColumn, IdColumn
from pmwpub.tabular.schema.drafting import Binning


class Schema(BaseModel):
    """Columns, levels, bins and rules for the cells that they do not know.

    missing_tokens  cells that stand for "no value", compared by each column's strip and casefold rules

    Raises SchemaError (through `from_json` and `of`) for unknown keys, repeated names, a level that equals a missing
    token or a reserved name, more than one id column, no encoded column, or bins that do not rise.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    version: int = Field(ge=1, le=1)
    missing_tokens: tuple[str, ...] = ()
    columns: tuple[Column, ...]

    @model_validator(mode="after")
    def _check(self) -> Schema:
        if len({column.name for column in self.columns}) != len(self.columns):
            raise ValueError("column names must differ")
        if not self.encoded:
            raise ValueError("at least one categorical or numeric column is needed")
        if any(column.name == WEIGHT for column in self.encoded):
            raise ValueError(f'the column name "{WEIGHT}" is reserved for the weights of a release; rename the column')
        if sum(isinstance(column, IdColumn) for column in self.columns) > 1:
            raise ValueError("at most one id column is allowed")
        for column in self.encoded:
            tokens = {column.tidy(token) for token in self.missing_tokens}
            if any(column.tidy(level) in tokens for level in column.own_levels):
                raise ValueError(f"column {column.name!r}: a level equals a missing token, so no cell could reach it")
        return self

    @cached_property
    def encoded(self) -> tuple[EncodedColumn, ...]:
        """The categorical and numeric columns, in schema order: the attributes."""
        return tuple(column for column in self.columns if isinstance(column, EncodedColumn))

    @property
    def id_column(self) -> IdColumn | None:
        return next((column for column in self.columns if isinstance(column, IdColumn)), None)

    @property
    def complete(self) -> bool:
        """Whether every cell of every attribute has a level, whatever it says: a public fact about the schema."""
        return all(column.complete for column in self.encoded)

    @cached_property
    def domain(self) -> Domain:
        """The encoded columns' attributes, in schema order."""
        return Domain(tuple(column.attribute for column in self.encoded))

    @cached_property
    def sha256(self) -> str:
        """The hash of the canonical JSON: every key written out, keys sorted."""
        body = json.dumps(self.model_dump(mode="json"), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return hashlib.sha256(body.encode()).hexdigest()

    def to_json(self) -> str:
        """The schema file: indented, defaults left out."""
        body = {"version": self.version, "missing_tokens": self.missing_tokens}
        columns = [
            {"name": c.name, "kind": c.kind} | c.model_dump(mode="json", exclude_defaults=True) for c in self.columns
        ]
        return json.dumps(body | {"columns": columns}, indent=1, ensure_ascii=False) + "\n"

    @classmethod
    def from_json(cls, text: str | bytes) -> Schema:
        """Read a schema file; SchemaError, naming what and where, for anything that version 1 does not allow."""
        try:
            return cls.model_validate_json(text)
        except ValidationError as failure:
            raise refusal(failure) from failure
        except UnicodeEncodeError as failure:
            raise SchemaError("The schema is not valid Unicode text; save it again as UTF-8.") from failure

    @classmethod
    def of(cls, columns: Sequence[Column], missing_tokens: Sequence[str] = ()) -> Schema:
        """A schema from column objects; SchemaError as for a file."""
        try:
            return cls(version=1, columns=tuple(columns), missing_tokens=tuple(missing_tokens))
        except ValidationError as failure:
            raise refusal(failure) from failure

    def with_column(self, column: Column) -> Schema:
        """The schema with `column` in the place of the one of its name, or behind all others."""
        known = any(own.name == column.name for own in self.columns)
        swapped = tuple(column if own.name == column.name else own for own in self.columns)
        return Schema.of(swapped if known else (*self.columns, column), self.missing_tokens)

    def without_column(self, name: str) -> Schema:
        """The schema without the column of that name: a file may then have it as an extra one."""
        return Schema.of(tuple(own for own in self.columns if own.name != name), self.missing_tokens)

    def with_missing_tokens(self, tokens: Sequence[str]) -> Schema:
        """The schema with other missing tokens."""
        return Schema.of(self.columns, tokens)

    def check_header(self, header: Sequence[str], *, with_id: bool) -> None:
        """Every encoded column must stand in `header`, and the id column too if asked; others may, in any order.

        Raises SchemaError naming the schema's columns that the header lacks, and those that it has in another
        spelling; the header's own names are not repeated.
        """
        needed = [column.name for column in self.encoded]
        if with_id and self.id_column is not None:
            needed.append(self.id_column.name)
        lacking = [name for name in needed if name not in header]
        if lacking:
            raise SchemaError(_lacking_message(lacking, header))


def draft(
    tables: Sequence[TextTable],
    *,
    bins: int = 10,
    binning: Binning = "rounded",
    max_levels: int = 60,
    missing_tokens: Sequence[str] = drafting.MISSING_TOKENS,
    codebook: Codebook | None = None,
) -> Schema:
    """A first schema from public tables, a codebook or both, to be looked over.

    The codebook's columns come first, then the others that all tables have. Up to `max_levels` distinct texts make a
    categorical column; numbers with more distinct values get at most `bins` bins: of about equal count with round
    edges ("rounded"), of equal count as far as ties allow ("quantiles"), or of equal width ("width"); any other text
    is set to "ignore".

    Raises SchemaError without tables and codebook, without a usable column, or where a codebook leaves levels or edges
    to tables that lack them.

    Privacy: for public tables only; levels and bins must never come from private rows.
    """
    if not tables and codebook is None:
        raise SchemaError("A schema is drafted from at least one public table, or a codebook; none came.")
    recipe = drafting.Recipe(bins, binning, max_levels, tuple(missing_tokens))
    if codebook is None:
        return Schema.of(drafting.columns(tables, recipe), missing_tokens)
    try:
        return Schema.of(*drafting.from_codebook(codebook, tables, recipe))
    except ValidationError as failure:
        raise refusal(failure, where="from the codebook") from failure


def _lacking_message(lacking: Sequence[str], header: Sequence[str]) -> str:
    spelt = {column_names.alike(name): position for position, name in enumerate(header, start=1)}
    hints = [
        f" Column {spelt[column_names.alike(name)]} of the file looks like {name!r} but is spelt differently;"
        " rename it."
        for name in lacking
        if column_names.alike(name) in spelt
    ]
    listed = ", ".join(repr(name) for name in lacking)
    return (
        f"The file lacks columns that the schema needs: {listed}. Check that its first line is the header."
        + "".join(hints)
    )


def refusal(failure: ValidationError, *, where: str = "") -> SchemaError:
    """What pydantic found, in one sentence that quotes no value."""
    shown = [
        ".".join(str(part) for part in error["loc"]) + (": " if error["loc"] else "") + error["msg"]
        for error in failure.errors(include_url=False, include_input=False, include_context=False)[:5]
    ]
    place = f", {where}" if where else ""
    return SchemaError(f"The schema is not valid (version 1{place}): " + "; ".join(shown) + ".")
