"""Columns that may have parents: what categorical, numeric and date columns share."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar, Self

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from pmwpub.tabular.nesting.parent_columns import ParentColumn, parents_of
from pmwpub.tabular.nesting.parent_rules import MOST_PARENTS, ParentRule
from pmwpub.tabular.schema.column_rules import AttributeColumn


class ParentedColumn(AttributeColumn):
    """A column that is read from a table, and of which other attributes may be functions.

    parents  attributes that follow from this one (version 2): the state of a county, the band of an age
    unsaid   keys that are not written where they say nothing, so that schemas from before they existed keep their hash
    """

    unsaid: ClassVar[tuple[str, ...]] = ("parents",)

    parents: tuple[ParentRule, ...] = Field(default=(), max_length=MOST_PARENTS)

    @model_serializer(mode="wrap")
    def _without_unsaid(self, write: SerializerFunctionWrapHandler) -> dict[str, object]:
        written: dict[str, object] = write(self)
        fields = type(self).model_fields
        idle = {key for key in self.unsaid if getattr(self, key) == fields[key].default}
        return {key: value for key, value in written.items() if key not in idle}

    @cached_property
    def parent_columns(self) -> tuple[ParentColumn, ...]:
        """The attributes that follow from this one, in the order of their rules; ValueError for what no column may
        declare."""
        return parents_of(self, self.parents)

    @property
    def alone(self) -> Self:
        """The column without its parents."""
        return self.changed(parents=()) if self.parents else self
