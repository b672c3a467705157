"""Prefix tables: for an ordered attribute the shares of rows with at most each level, alone or in cells beside it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pmwpub.domain import Domain
from pmwpub.errors import WorkloadError


@dataclass(frozen=True, order=True)
class PrefixTable:
    """The queries "a row has at most level j of one ordered attribute, and the levels y of the attributes beside it".

    ordered  the position of the attribute that is cumulated
    beside   ascending positions of the others; none for the attribute alone

    With L levels in order j runs over the first L - 1: "at most the last one" asks only whether a row has a level in
    order at all. A row whose level lies behind the order ("(missing)", "(other)"), or that has none, satisfies no
    prefix.

    Privacy: each is a counting query, so replacing one person's at most k rows moves it by at most k; the whole table
    moves as `privacy.vector_sensitivity` states, which is more than a marginal's cells do.
    """

    ordered: int
    beside: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "beside", tuple(self.beside))
        places = [*self.beside, self.ordered]
        if list(self.beside) != sorted(set(self.beside)) or self.ordered in self.beside or min(places) < 0:
            raise WorkloadError("A prefix table needs one attribute, and ascending, distinct others beside it.")

    @property
    def attributes(self) -> tuple[int, ...]:
        """All positions, in the order of the table's axes: the cumulated attribute last."""
        return (*self.beside, self.ordered)

    def prefixes(self, domain: Domain) -> int:
        """L - 1: how many prefixes each cell beside has."""
        return domain.attributes[self.ordered].ordered - 1

    def queries(self, domain: Domain) -> int:
        """How many queries the table has."""
        return math.prod(domain.shape[a] for a in self.beside) * self.prefixes(domain)


def prefix_tables(domain: Domain, sets: Sequence[tuple[int, ...]], names: Iterable[str]) -> tuple[PrefixTable, ...]:
    """The prefix tables of the named attributes in a workload: of each alone, then beside each attribute that one
    marginal has together with it.

    sets  the attribute positions of each marginal

    Raises WorkloadError for an attribute of fewer than two levels in order, DomainError for an unknown one.
    """
    found: list[PrefixTable] = []
    for ordered in sorted({domain.index(name) for name in names}):
        attribute = domain.attributes[ordered]
        if attribute.ordered < 2:
            raise WorkloadError(
                f'"At most" can be asked of columns with two levels in order (numbers, ordered levels, years, '
                f"quarters, months); {attribute.name!r} is none."
            )
        others = {a for places in sets if ordered in places for a in places} - {ordered}
        found += [PrefixTable(ordered), *(PrefixTable(ordered, (a,)) for a in sorted(others))]
    return tuple(found)
