"""A schema whose rows are persons of households: the persons' columns, and the rule that makes households of rows."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StrictInt,
    StrictStr,
    ValidationError,
    model_validator,
)

from pmwpub.domain import Attribute, Domain
from pmwpub.errors import SchemaError
from pmwpub.strict_json import RepeatedKey, read_unrepeated
from pmwpub.tabular.files.text import column_names
from pmwpub.tabular.files.text.inert_cells import inert
from pmwpub.tabular.schema.column_types import WEIGHT, IdColumn, WeightColumn
from pmwpub.tabular.schema.table_schema import Schema, refusal

HOUSEHOLD = "household"
"""The key of a schema file that makes its rows persons of households."""

SIZE = "household size"
"""The name of the household's own attribute that counts its persons, 1 to the largest."""

MOST_PERSONS = 64
"""Of the largest household: person-level noise grows with it."""

NO, YES = "no", "yes"

ColumnName = Annotated[StrictStr, AfterValidator(column_names.checked)]
"""A name by the rules that every column's name is held to."""


def household_unit(largest: int) -> str:
    """The words of a population's terms, and of a certificate, that make households of so many persons the unit."""
    return f"one household of 1 to {largest} persons"


class AnyPerson(BaseModel):
    """A household-level column: whether any person of the household has one of some levels, such as "has a child"."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    name: Annotated[ColumnName, Field(max_length=200)]
    column: ColumnName
    levels: tuple[StrictStr, ...] = Field(min_length=1)


class HouseholdRule(BaseModel):
    """How rows make households.

    id       the column that names the household of a row; never encoded
    largest  H: a household counts with at most so many persons
    columns  persons' columns that are the household's, such as its tenure: where its rows differ, it has no level
    any      household-level columns that are made of persons' levels
    households_per_person
             in how many households one person may stand; 1 is the only number that is taken

    Raises ValueError (through `HouseholdSchema.from_json`) for names that stand twice.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    id: ColumnName
    largest: StrictInt = Field(ge=1, le=MOST_PERSONS)
    columns: tuple[ColumnName, ...] = ()
    any: tuple[AnyPerson, ...] = ()
    households_per_person: StrictInt = 1

    @classmethod
    def checked(cls, **said: Any) -> HouseholdRule:
        """A rule of what a person said; SchemaError, in the words of a file's, for what is none."""
        try:
            return cls(**said)
        except ValidationError as failure:
            raise refusal(failure, head="The household rule is not valid") from failure

    @model_validator(mode="after")
    def _check(self) -> HouseholdRule:
        names = [*self.columns, *(one.name for one in self.any), self.id, SIZE]
        if WEIGHT in names:
            raise ValueError(f'the column name "{WEIGHT}" is reserved for the weights of a release; choose another')
        if len(set(map(inert, names))) != len(names):
            raise ValueError("the household's id and its columns need different names")
        if self.households_per_person != 1:
            raise ValueError(
                "a person stands in one household: what protects a household protects a person of m households only "
                "at m² times the ρ, and no such price is sold; keep one household of each person"
            )
        return self


@dataclass(frozen=True)
class HouseholdSchema:
    """The persons' schema and the household rule.

    Raises SchemaError where they do not belong together: a column of the rule that is not encoded, an id column that
    is, or what no release of households takes (person ids, weights, rules, parents).
    """

    persons: Schema
    rule: HouseholdRule

    def __post_init__(self) -> None:
        names = {column.name for column in self.persons.encoded}
        rule, untaken = self.rule, self._untaken()
        if untaken:
            raise SchemaError(f"A household schema takes no {untaken}; leave them out.")
        written = {inert(name) for name in names}
        if inert(rule.id) in written:
            raise SchemaError("The column of household ids is no attribute; give it the kind ignore, or leave it out.")
        lacking = {*rule.columns, *(one.column for one in rule.any)} - names
        if lacking:
            raise SchemaError(f"The household rule names columns that the schema does not encode: {sorted(lacking)}.")
        if written & {inert(name) for name in (SIZE, *(one.name for one in rule.any))}:
            raise SchemaError("A household-level column needs a name that no column of the persons has.")
        for one in rule.any:
            self._codes_of(one)

    def _untaken(self) -> str:
        columns = self.persons.columns
        found = {
            "person ids": any(isinstance(column, IdColumn) for column in columns),
            "weights": any(isinstance(column, WeightColumn) for column in columns),
            "rules": bool(self.persons.rules),
            "parents of levels": bool(self.persons.parents),
        }
        return ", ".join(name for name, there in found.items() if there)

    def _codes_of(self, one: AnyPerson) -> frozenset[int]:
        attribute = self.persons.domain.attributes[self.persons.domain.index(one.column)]
        unknown = set(one.levels) - set(attribute.levels)
        if unknown:
            raise SchemaError(f"{one.name!r} names levels that {one.column!r} does not have: {sorted(unknown)}.")
        return frozenset(attribute.levels.index(level) for level in one.levels)

    @property
    def largest(self) -> int:
        """H, the most persons that a household counts with."""
        return self.rule.largest

    @cached_property
    def positions(self) -> tuple[int, ...]:
        """Of the household's own columns, in the persons' domain."""
        return tuple(map(self.persons.domain.index, self.rule.columns))

    @cached_property
    def any_codes(self) -> tuple[tuple[int, frozenset[int]], ...]:
        """Of each column of `rule.any`: the position of the persons' column, and the codes that count."""
        return tuple((self.persons.domain.index(one.column), self._codes_of(one)) for one in self.rule.any)

    @cached_property
    def own_domain(self) -> Domain:
        """The household-level attributes: its size, its columns, and those made of persons' levels."""
        persons = self.persons.domain
        sizes = Attribute(SIZE, tuple(map(str, range(1, self.largest + 1))), self.largest)
        own = [persons.attributes[position] for position in self.positions]
        return Domain((sizes, *own, *(Attribute(one.name, (NO, YES)) for one in self.rule.any)))

    @cached_property
    def id_column(self) -> IdColumn:
        """How household ids are told apart: as they are written."""
        return IdColumn(name=self.rule.id, kind="id")

    @cached_property
    def sha256(self) -> str:
        """Of the persons' hash and the rule's one text."""
        body = json.dumps([self.persons.sha256, self.rule.model_dump(mode="json")], sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(body.encode()).hexdigest()

    def to_json(self) -> str:
        """The schema file, with the household rule under its key."""
        written = json.loads(self.persons.to_json())
        rule = {HOUSEHOLD: self.rule.model_dump(mode="json", exclude_defaults=True)}
        return json.dumps(rule | written, indent=1, ensure_ascii=False) + "\n"

    @classmethod
    def from_json(cls, text: str | bytes) -> HouseholdSchema:
        """Read a schema file that has the key "household"; SchemaError for anything that it does not allow."""
        written = dict(_object_of(text))
        if HOUSEHOLD not in written:
            raise SchemaError('The schema has no key "household", so its rows are no persons of households.')
        try:
            rule = HouseholdRule.model_validate_json(json.dumps(written.pop(HOUSEHOLD)))
        except ValidationError as failure:
            raise refusal(failure, head="The household rule is not valid") from failure
        return cls(Schema.from_json(json.dumps(written)), rule)


def is_household_schema(text: str | bytes) -> bool:
    """Whether a schema file makes its rows persons of households; False for what cannot be read."""
    try:
        return HOUSEHOLD in _object_of(text)
    except SchemaError:
        return False


def _object_of(text: str | bytes) -> dict[str, Any]:
    try:
        read_unrepeated(text)
        found = json.loads(text)
    except RepeatedKey as twice:
        raise SchemaError(f"The schema has the key {twice.key!r} twice in one place; leave one of them out.") from twice
    except ValueError as failure:
        raise SchemaError("The schema is no JSON.") from failure
    if not isinstance(found, dict):
        raise SchemaError("A schema file is one object of JSON.")
    return found
