"""The space of possible rows: named attributes, each with a finite list of levels."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from pmwpub.errors import DomainError

MAX_LEVELS = 10_000

MAX_CHARACTERS = 1_000
"""Of a column's name, and of a level, in a schema or a file's header."""


@dataclass(frozen=True)
class Attribute:
    """One column of a domain.

    levels   the labels in code order: code i stands for levels[i]
    ordered  so many of the first levels rise in order, and those behind them ("(missing)", "(other)") are outside the
             order; 0 where levels have none

    Raises DomainError without a name or a level, for repeated levels, or for more than 10,000 of them.
    """

    name: str
    levels: tuple[str, ...]
    ordered: int = field(default=0, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "levels", tuple(self.levels))
        if not self.name:
            raise DomainError("An attribute needs a name; an empty one came.")
        if not self.levels:
            raise DomainError(f"Attribute {self.name!r} needs at least one level.")
        if len(self.levels) > MAX_LEVELS:
            raise DomainError(
                f"Attribute {self.name!r} has {len(self.levels):,} levels, more than {MAX_LEVELS:,}; bin or exclude it."
            )
        if len(set(self.levels)) != len(self.levels):
            raise DomainError(f"Attribute {self.name!r} repeats a level; levels must differ.")
        if not 0 <= self.ordered <= len(self.levels):
            raise DomainError(f"Attribute {self.name!r} has {len(self.levels):,} levels; {self.ordered:,} are ordered.")

    @property
    def size(self) -> int:
        """The number of levels; the code `size` itself stands for "no level"."""
        return len(self.levels)


@dataclass(frozen=True)
class Domain:
    """The product of d attributes, in a fixed order.

    >>> people = Domain((Attribute("sex", ("F", "M")), Attribute("age", ("young", "old", "oldest"))))
    >>> people.shape, people.size, people.dimension
    ((2, 3), 6, 5)
    >>> people.project(["age"]).names
    ('age',)
    """

    attributes: tuple[Attribute, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "attributes", tuple(self.attributes))
        if not self.attributes:
            raise DomainError("A domain needs at least one attribute.")
        if len(set(self.names)) != len(self.names):
            raise DomainError("Attribute names must differ; the schema repeats one.")

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(attribute.name for attribute in self.attributes)

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """Levels per attribute, (d,)."""
        return tuple(attribute.size for attribute in self.attributes)

    @property
    def dimension(self) -> int:
        """The sum of the level counts: the length of a one-hot row."""
        return sum(self.shape)

    @property
    def size(self) -> int:
        """The number of possible rows, exact."""
        return math.prod(self.shape)

    def index(self, name: str) -> int:
        """The position of the attribute called `name`; DomainError if there is none."""
        try:
            return self.names.index(name)
        except ValueError:
            raise DomainError(f"The domain has no attribute {name!r}; it has {', '.join(self.names)}.") from None

    def project(self, names: Iterable[str]) -> Domain:
        """The domain of the named attributes, in the given order."""
        return Domain(tuple(self.attributes[self.index(name)] for name in names))
