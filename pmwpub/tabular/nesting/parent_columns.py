"""Parents as attributes: their levels, and the code of each as a function of the child's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from pydantic import model_validator

from pmwpub.domain import MAX_CHARACTERS, Nesting
from pmwpub.tabular.nesting.parent_rules import ParentRule
from pmwpub.tabular.schema.column_rules import RESERVED, AttributeColumn


class ParentColumn(AttributeColumn):
    """An attribute that no table has a column of: its code is a function of its child's code.

    child   the name of the column that it is a parent of
    levels  the labels that the rule gives, in the order of the first level of the child that has each
    codes   the place among `levels` of each of the child's own levels, in order
    in_order  whether levels rise with those of the child, which are in order: each has adjacent ones of these

    A level behind the child's own ones, of a missing code, "(missing)" or "(other)", has a parent's level of its own,
    of the same name and behind the parent's own ones: what is missing of a county is missing of its state.

    Raises ValueError for labels that are reserved, empty, too long, or one under the child's rules; for a parent with
    one level, or with as many as its child: neither says anything that the child does not.
    """

    kind: Literal["parent"] = "parent"
    child: str
    levels: tuple[str, ...]
    codes: tuple[int, ...]
    in_order: bool = False

    @classmethod
    def derived(cls, rule: ParentRule, child: AttributeColumn, labels: Sequence[str]) -> ParentColumn:
        """The parent of a column by a rule; `labels` are the parents of its own levels, in order."""
        place = {label: number for number, label in enumerate(dict.fromkeys(labels))}
        codes = tuple(place[label] for label in labels)
        return cls(
            name=rule.name,
            child=child.name,
            levels=tuple(place),
            codes=codes,
            in_order=child.ordered_levels > 1 and list(codes) == sorted(codes),
            same=child.same,
            missing=child.missing,
            other=child.other,
        )

    @model_validator(mode="after")
    def _check_levels(self) -> ParentColumn:
        if not 1 < len(self.levels) < len(self.codes):
            many = "one level" if len(self.levels) == 1 else "as many levels as its column"
            raise ValueError(f"the parent {self.name!r} has {many}, so it says nothing of its own; leave it out")
        if set(self.levels) & set(RESERVED) or any(not 0 < len(level) <= MAX_CHARACTERS for level in self.levels):
            raise ValueError(
                f"the levels of the parent {self.name!r} have 1 to {MAX_CHARACTERS:,} characters, and are none of "
                f"{' and '.join(RESERVED)}"
            )
        alike: dict[str, str] = {}
        for level in self.levels:
            if (first := alike.setdefault(self.tidy(level), level)) != level:
                raise ValueError(
                    f"the parent {self.name!r} has the levels {first!r} and {level!r}, which are one by the rules of "
                    "its column; declare a map to one of them"
                )
        return self

    @property
    def own_levels(self) -> tuple[str, ...]:
        return self.levels

    @property
    def ordered_levels(self) -> int:
        return len(self.levels) if self.in_order else 0

    def known_code(self, text: str) -> int | None:
        return {self.tidy(level): code for code, level in enumerate(self.levels)}.get(text)

    def nesting(self, child: int, parent: int) -> Nesting:
        """The parent's code of each of the child's, of attributes at these positions."""
        behind = range(len(self.levels), self.attribute.size)
        return Nesting(child, parent, (*self.codes, *behind))


def parents_of(column: AttributeColumn, rules: Sequence[ParentRule]) -> tuple[ParentColumn, ...]:
    """The parents of a column, in the order of their rules; ValueError for what no column may declare."""
    earlier: dict[str, Sequence[str]] = {}
    found = []
    for rule in rules:
        if rule.name in earlier:
            raise ValueError(f"the parent {rule.name!r} is declared twice")
        if rule.prefix is not None and getattr(column, "kind", "") == "numeric":
            raise ValueError(f"the parent {rule.name!r}: bins of numbers have no first characters; give edges")
        earlier[rule.name] = labels = rule.labels(column.own_levels, column.line, earlier)
        found.append(ParentColumn.derived(rule, column, labels))
    return tuple(found)


def named_instead(name: str, parents: Iterable[ParentColumn]) -> str:
    """What to name in the place of a parent where a column that is read is asked for; "" for what is no parent."""
    child = next((one.child for one in parents if one.name == name), None)
    return "" if child is None else f" {name!r} follows from {child!r}; name that in its place."


def check_names(columns: Sequence[str], parents: Mapping[str, Sequence[ParentColumn]]) -> None:
    """ValueError where a parent has the name of a column, or of another column's parent.

    columns  the names of all columns of the schema
    parents  column -> its parents
    """
    taken = {name: f"the column {name!r}" for name in columns}
    for child, own in parents.items():
        for one in own:
            if one.name in taken:
                raise ValueError(
                    f"the parent {one.name!r} of {child!r} has the name of {taken[one.name]}; name it otherwise, or "
                    "leave that column out of the schema"
                )
            taken[one.name] = f"a parent of {child!r}"
