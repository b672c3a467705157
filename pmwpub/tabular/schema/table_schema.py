"""The declared columns of a table (schema file, versions 1 and 2): from public facts only, never from private rows."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from pmwpub.domain import Domain
from pmwpub.errors import SchemaError
from pmwpub.strict_json import RepeatedKey, read_unrepeated
from pmwpub.tabular.files.text import column_names
from pmwpub.tabular.files.text.inert_cells import stands_in
from pmwpub.tabular.nesting.codebook_parents import parents_in
from pmwpub.tabular.nesting.parent_columns import ParentColumn, check_names
from pmwpub.tabular.rules.code_rules import RowRules
from pmwpub.tabular.rules.rule_tree import MAX_RULES, EditRule
from pmwpub.tabular.schema import edition
from pmwpub.tabular.schema.column_types import (
    WEIGHT,
    AttributeColumn,
    CategoricalColumn,
    Column,
    EncodedColumn,
    IdColumn,
    WeightColumn,
)
from pmwpub.tabular.weights.weight_column import check_weighing, columns_of_public_weights, weighing_columns

OF_HOUSEHOLDS = (
    "The schema makes rows persons of households, and this is not made for them; `pmwpub release`, `assess` and "
    "`error`, `release_households` and `AskedHouseholds` take it."
)


class Schema(BaseModel):
    """Columns, levels, bins and rules for the cells that they do not know.

    missing_tokens  cells that stand for "no value", compared by each column's own rules
    version         2 adds missing codes, equivalences (`same`, in the place of strip and casefold), spikes, and the
                    kinds ordered, date and weight; a file of version 1 keeps its meaning and its hash to the byte
    rules           what holds of every public and every released row (version 2; the key is written where there are
                    any). Private rows are never held against them

    Under version 2 a column's own levels go before the schema's tokens: "NA" is Namibia where a column declares it.

    Raises SchemaError (through `from_json` and `of`) for unknown keys, repeated names, a level that equals a missing
    token (version 1) or a reserved name, a level whose name would read as another one (version 2), more than one
    id column, no encoded column, bins that do not rise, or a rule that does not fit the columns.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True, strict=True)

    version: int = Field(ge=1, le=2)
    missing_tokens: tuple[str, ...] = ()
    columns: tuple[Column, ...]
    rules: tuple[EditRule, ...] = Field(default=(), max_length=MAX_RULES)

    @model_validator(mode="after")
    def _check(self) -> Schema:
        if len({column.name for column in self.columns}) != len(self.columns):
            raise ValueError("column names must differ")
        if not self.encoded:
            raise ValueError("at least one categorical or numeric column is needed")
        if any(column.name == WEIGHT for column in self.encoded):
            raise ValueError(f'the column name "{WEIGHT}" is reserved for the weights of a release; rename the column')
        check_names([*(column.name for column in self.columns), WEIGHT], self._own_parents)
        if sum(isinstance(column, IdColumn) for column in self.columns) > 1:
            raise ValueError("at most one id column is allowed")
        check_weighing(self.columns, keeps_rows=self.rows_beyond is not None)
        if self.version == 2:
            edition.check_second(self.columns)
            for column in self.encoded:
                edition.check_reads_back(column, self.tokens_of(column))
            _ = self.domain  # with its rules, each of which must fit
            return self
        edition.check_first(self.columns)
        if self.rules:
            raise ValueError('version 1 has no rules; write "version": 2')
        for column in self.encoded:
            tokens = {column.tidy(token) for token in self.missing_tokens}
            if any(column.tidy(level) in tokens for level in column.own_levels):
                raise ValueError(f"column {column.name!r}: a level equals a missing token, so no cell could reach it")
        return self

    @cached_property
    def encoded(self) -> tuple[EncodedColumn, ...]:
        """The columns that are read from a table, in schema order: the first attributes."""
        return tuple(column for column in self.columns if isinstance(column, EncodedColumn))

    @property
    def _own_parents(self) -> dict[str, tuple[ParentColumn, ...]]:
        return {column.name: column.parent_columns for column in self.encoded}

    @cached_property
    def parents(self) -> tuple[ParentColumn, ...]:
        """The attributes that follow from others, column by column: the last attributes."""
        return tuple(parent for own in self._own_parents.values() for parent in own)

    @property
    def attributes(self) -> tuple[EncodedColumn | ParentColumn, ...]:
        """What each attribute of the domain is, in its order: the columns that are read, then the parents."""
        return (*self.encoded, *self.parents)

    @property
    def id_column(self) -> IdColumn | None:
        return next((column for column in self.columns if isinstance(column, IdColumn)), None)

    @property
    def weight_column(self) -> WeightColumn | None:
        """The column by which private rows are weighed: the one with a cap; None where each row counts as one."""
        return next(iter(weighing_columns(self.columns)), None)

    @property
    def public_weights(self) -> WeightColumn | None:
        """The column by which rows of public tables that have it are weighed; None where each row counts as one."""
        return next(iter(columns_of_public_weights(self.columns)), None)

    @property
    def rows_beyond(self) -> Literal["keep"] | None:
        """What becomes of an ID with more rows than one person may own: `IdColumn.beyond`."""
        return None if self.id_column is None else self.id_column.beyond

    @property
    def kept_ids(self) -> str | None:
        """What an ID is, where k rows of one with more are kept: the ID column with its rules and the missing tokens.

        Two schemas of one text see the same rows as those of one ID; None where the table would be refused.
        """
        if self.id_column is None or self.id_column.beyond is None:
            return None
        ids = self.id_column.model_dump(mode="json") | {"missing_tokens": self.missing_tokens}
        return json.dumps(ids, sort_keys=True, separators=(",", ":"), ensure_ascii=False)

    @property
    def complete(self) -> bool:
        """Whether every row has a level in every attribute, whatever it says: a public fact about the schema.

        None has, where the rows of an ID beyond k, and those without an ID, satisfy no predicate.
        """
        return self.rows_beyond is None and all(column.complete for column in self.encoded)

    @cached_property
    def domain(self) -> Domain:
        """The encoded columns' attributes, in schema order, then those of their parents; which rows of them the rules
        exclude."""
        place = {column.name: position for position, column in enumerate(self.attributes)}
        nestings = (one.nesting(place[one.child], place[one.name]) for one in self.parents)
        return Domain(tuple(column.attribute for column in self.attributes), tuple(nestings), self.row_rules)

    @cached_property
    def row_rules(self) -> RowRules | None:
        """The rules over codes; None without any."""
        return RowRules.of(self.rules, self.encoded)

    @cached_property
    def sha256(self) -> str:
        """The hash of the canonical JSON: every key written out, keys sorted."""
        kept = self.model_dump(mode="json", exclude={"columns": {"__all__": edition.FOREIGN[self.version]}})
        if not self.rules:
            del kept["rules"]
        body = json.dumps(kept, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return hashlib.sha256(body.encode()).hexdigest()

    def to_json(self) -> str:
        """The schema file: indented, defaults left out."""
        body = {"version": self.version, "missing_tokens": self.missing_tokens}
        columns = [self._written_column(column) for column in self.columns]
        rules = {"rules": [rule.model_dump(mode="json") for rule in self.rules]} if self.rules else {}
        return json.dumps(body | {"columns": columns} | rules, indent=1, ensure_ascii=False) + "\n"

    def _written_column(self, column: Column) -> dict[str, Any]:
        """A column's keys that are not defaults; of version 2 also which equivalences an attribute has, if none."""
        always = {"same": column.same} if self.version == 2 and column.encoded else {}
        own = {"name": column.name, "kind": column.kind} | column.model_dump(mode="json", exclude_defaults=True)
        parents = {"parents": own.pop("parents")} if "parents" in own else {}
        return own | parents | always

    @classmethod
    def from_json(cls, text: str | bytes) -> Schema:
        """Read a schema file; SchemaError, naming what and where, for anything that its version does not allow.

        A key that stands twice in one place is refused: programs differ in which of the two they take.
        """
        try:
            read = cls.model_validate_json(text)
            read_unrepeated(text)
            return read
        except ValidationError as failure:
            raise refusal(failure) from failure
        except RepeatedKey as twice:
            raise SchemaError(
                f"The schema has the key {twice.key!r} twice in one place; leave one of them out."
            ) from twice
        except UnicodeEncodeError as failure:
            raise SchemaError("The schema is not valid Unicode text; save it again as UTF-8.") from failure

    @classmethod
    def of(
        cls,
        columns: Sequence[Column],
        missing_tokens: Sequence[str] = (),
        version: int = 1,
        rules: Sequence[EditRule] = (),
    ) -> Schema:
        """A schema from column objects; SchemaError as for a file."""
        tokens = tuple(missing_tokens)
        try:
            return cls(version=version, columns=tuple(columns), missing_tokens=tokens, rules=tuple(rules))
        except ValidationError as failure:
            raise refusal(failure) from failure

    def with_column(self, column: Column) -> Schema:
        """The schema with `column` in the place of the one of its name, or behind all others."""
        known = any(own.name == column.name for own in self.columns)
        swapped = tuple(column if own.name == column.name else own for own in self.columns)
        columns = swapped if known else (*self.columns, column)
        return Schema.of(columns, self.missing_tokens, self.version, self.rules)

    def without_column(self, name: str) -> Schema:
        """The schema without the column of that name: a file may then have it as an extra one."""
        columns = tuple(own for own in self.columns if own.name != name)
        return Schema.of(columns, self.missing_tokens, self.version, self.rules)

    def with_missing_tokens(self, tokens: Sequence[str]) -> Schema:
        """The schema with other missing tokens."""
        return Schema.of(self.columns, tokens, self.version, self.rules)

    def with_rules(self, rules: Sequence[EditRule]) -> Schema:
        """The schema with other rules, in the place of those that it has; of version 2, which alone has rules."""
        return Schema.of(self.columns, self.missing_tokens, self.version, rules)

    def with_parents(self, name: str, parents: Sequence[Mapping[str, Any]]) -> Schema:
        """The schema with other parents of a column, each as a schema file lists it, in the place of those that it has;
        SchemaError for a column that is not encoded, or what it may not declare. Of version 2, which alone has parents.
        """
        column = next((own for own in self.encoded if own.name == name), None)
        if column is None:
            raise SchemaError(f"The schema has no attribute {name!r}, so nothing follows from it.")
        try:
            return self.with_column(column.changed(parents=parents_in(name, [*parents])))
        except ValidationError as failure:
            raise refusal(failure) from failure

    def tokens_of(self, column: AttributeColumn) -> tuple[str, ...]:
        """The missing tokens that hold in a column: under version 2 those that are no level of it."""
        if self.version == 1 or not isinstance(column, CategoricalColumn):
            return self.missing_tokens
        return tuple(token for token in self.missing_tokens if column.known_code(column.tidy(token)) is None)

    def placer(self, column: EncodedColumn) -> Callable[[str], int]:
        """cell -> code of a column, by the precedence that `AttributeColumn.placer` states; total.

        Under version 2 also the name of a level reads as that level, so that what a release writes reads back.
        """
        return column.placer(self.tokens_of(column), reads_labels=self.version > 1)

    def written(self, column: AttributeColumn, code: int) -> str | None:
        """A cell that reads as a level; None for a bin of numbers, which has many."""
        return column.written(code, self.tokens_of(column))

    def check_header(self, header: Sequence[str], *, with_id: bool) -> None:
        """Every encoded column must stand in `header`, and, if asked, the id column and that of weights; others may, in
        any order. A name may be written with the apostrophe that a released table has before what a spreadsheet would
        run.

        Raises SchemaError naming the schema's columns that the header lacks, and those that it has in another
        spelling; the header's own names are not repeated.
        """
        needed = [column.name for column in self.encoded]
        if with_id and self.id_column is not None:
            needed.append(self.id_column.name)
        if with_id and self.weight_column is not None:
            needed.append(self.weight_column.name)
        lacking = [name for name in needed if not stands_in(header, name)]
        if lacking:
            raise SchemaError(column_names.lacking_columns(lacking, header))


def refusal(failure: ValidationError, *, where: str = "", head: str = "") -> SchemaError:
    """What pydantic found, in one sentence that quotes no value; it begins with `head`, or says that the schema is not
    valid."""
    shown = [
        ".".join(str(part) for part in error["loc"])
        + (": " if error["loc"] else "")
        + error["msg"].removeprefix("Value error, ")
        for error in failure.errors(include_url=False, include_input=False, include_context=False)[:5]
    ]
    if any(error["loc"] == ("household",) for error in failure.errors(include_url=False, include_input=False)):
        return SchemaError(OF_HOUSEHOLDS)
    place = f", {where}" if where else ""
    return SchemaError((head or f"The schema is not valid (versions 1 and 2{place})") + ": " + "; ".join(shown) + ".")
