"""The space of possible rows: named attributes, each with a finite list of levels; some are functions of others."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

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


class StructuralZeros(Protocol):
    """Rows that there cannot be, by public rules; a frozen value. Private rows are never held against it."""

    def broken(self, codes: Any) -> Any:
        """bool (rows,): which of the coded rows (rows, d) there cannot be."""


@dataclass(frozen=True)
class Nesting:
    """One attribute that is a public function of another: a parent of it, such as the state of a county.

    child, parent  positions in a domain
    codes          the parent's code of each of the child's, in order; no level has no level
    """

    child: int
    parent: int
    codes: tuple[int, ...]

    @cached_property
    def _lookup(self) -> npt.NDArray[np.int64]:
        return np.array(self.codes, dtype=np.int64)

    def of(self, child: npt.NDArray[Any], size: int) -> npt.NDArray[np.int64]:
        """int64, the parent's code of each of the child's; `size` is the parent's code of no level."""
        found: npt.NDArray[np.int64] = np.append(self._lookup, size)[child]
        return found


@dataclass(frozen=True)
class Domain:
    """The product of d attributes, in a fixed order; those that are parents of others follow from these.

    nestings  of each attribute that is a parent, what it is a function of. A lineage is an attribute with its parents:
              what a table of two of them counts, the table of the attribute alone counts as well, so no workload
              has them together
    zeros     which rows there cannot be, of public and of released ones; None where any row can be

    Raises DomainError for attributes of one name, or for nestings that do not fit the attributes: a parent is one of
    one attribute, and has no parents of its own.

    >>> people = Domain((Attribute("sex", ("F", "M")), Attribute("age", ("young", "old", "oldest"))))
    >>> people.shape, people.size, people.dimension
    ((2, 3), 6, 5)
    >>> people.project(["age"]).names
    ('age',)
    """

    attributes: tuple[Attribute, ...]
    nestings: tuple[Nesting, ...] = ()
    zeros: StructuralZeros | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "attributes", tuple(self.attributes))
        object.__setattr__(self, "nestings", tuple(self.nestings))
        if not self.attributes:
            raise DomainError("A domain needs at least one attribute.")
        if len(set(self.names)) != len(self.names):
            raise DomainError("Attribute names must differ; the schema repeats one.")
        self._check_nestings()

    def _check_nestings(self) -> None:
        parents, places = [one.parent for one in self.nestings], range(len(self.attributes))
        known = all(one.child in places and one.parent in places for one in self.nestings)
        if not known or len(set(parents)) < len(parents) or {one.child for one in self.nestings} & set(parents):
            raise DomainError("A parent is one of one attribute of the domain, which is no parent itself.")
        for one in self.nestings:
            size = self.attributes[one.parent].size
            if len(one.codes) != self.attributes[one.child].size or set(one.codes) != set(range(size)):
                raise DomainError(
                    f"Attribute {self.names[one.parent]!r} needs a level for each of its child's, and none without any."
                )

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
        """The number of possible rows, exact: each parent as its child says."""
        return math.prod(self.shape[position] for position in self.own)

    @cached_property
    def own(self) -> tuple[int, ...]:
        """The positions of the attributes that are no parents, ascending."""
        parents = {one.parent for one in self.nestings}
        return tuple(position for position in range(len(self.attributes)) if position not in parents)

    @cached_property
    def lineages(self) -> tuple[tuple[int, ...], ...]:
        """Each attribute that is no parent, with its parents: positions, ascending."""
        above: dict[int, list[int]] = {position: [position] for position in self.own}
        for one in self.nestings:
            above[one.child].append(one.parent)
        return tuple(tuple(sorted(lineage)) for lineage in above.values())

    def related(self, positions: Iterable[int]) -> tuple[int, int] | None:
        """Two of these attributes that are of one lineage; None where no two are."""
        lineage = {position: one[0] for one in self.lineages for position in one}
        first: dict[int, int] = {}
        for position in positions:
            if lineage[position] in first:
                return first[lineage[position]], position
            first[lineage[position]] = position
        return None

    def derive(self, columns: npt.NDArray[Any]) -> None:
        """Write the codes of all parents, from their children's, in place.

        columns  (d, rows) codes, of which those of parents need not be right yet
        """
        for one in self.nestings:
            columns[one.parent] = one.of(columns[one.child], self.attributes[one.parent].size)

    def is_derived(self, columns: npt.NDArray[Any]) -> bool:
        """Whether each parent's code is what its child's says: (d, rows) codes."""
        return all(
            np.array_equal(columns[one.parent], one.of(columns[one.child], self.attributes[one.parent].size))
            for one in self.nestings
        )

    def index(self, name: str) -> int:
        """The position of the attribute called `name`; DomainError if there is none."""
        try:
            return self.names.index(name)
        except ValueError:
            raise DomainError(f"The domain has no attribute {name!r}; it has {', '.join(self.names)}.") from None

    def project(self, names: Iterable[str]) -> Domain:
        """The domain of the named attributes, in the given order; one without its child is no parent there, and any row
        of them can be."""
        kept = [self.index(name) for name in names]
        place = {position: new for new, position in enumerate(kept)}
        nestings = tuple(
            Nesting(place[one.child], place[one.parent], one.codes)
            for one in self.nestings
            if one.child in place and one.parent in place
        )
        return Domain(tuple(self.attributes[position] for position in kept), nestings)
