"""Columns whose levels nest, as trees: the widest parent's levels first, below each those that lie in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pmwpub.domain import Nesting
from pmwpub.tabular.schema.table_schema import Schema


@dataclass(frozen=True)
class NestedLevel:
    """One level in a tree.

    above  the place of the level that it lies in, among the tree's; None at the top
    share  of public rows; None where there are none
    """

    label: str
    depth: int
    above: int | None
    share: float | None


@dataclass(frozen=True)
class LevelTree:
    """A column and the parents of which each follows from the one below it.

    names   of the attributes, the widest parent first, the column last
    levels  each somewhere behind the one that it lies in: first all of the widest parent, then those of the next
    """

    names: tuple[str, ...]
    levels: tuple[NestedLevel, ...]

    def below(self, place: int | None) -> LevelTree:
        """The tree of one level and all that lies in it; the whole tree for None."""
        if place is None:
            return self
        moved = {place: 0}
        levels = [NestedLevel(self.levels[place].label, 0, None, self.levels[place].share)]
        top = self.levels[place].depth
        for at, one in enumerate(self.levels):
            if one.above in moved:
                moved[at] = len(levels)
                levels.append(NestedLevel(one.label, one.depth - top, moved[one.above], one.share))
        return LevelTree(self.names[top:], tuple(levels))

    def path(self, place: int) -> tuple[str, ...]:
        """The labels from the top to a level."""
        one = self.levels[place]
        return (*(() if one.above is None else self.path(one.above)), one.label)


def level_trees(schema: Schema, shares: Mapping[str, Sequence[float]]) -> tuple[LevelTree, ...]:
    """The trees of all columns with parents.

    Parents of one column of which neither follows from the other stand in trees of their own.

    shares  column -> of its levels, in order, among public rows; a column without an entry has none
    """
    domain = schema.domain
    found = []
    for column in schema.encoded:
        own = [one for one in domain.nestings if domain.names[one.child] == column.name]
        found += [_tree(schema, column.name, chain, shares.get(column.name)) for chain in _chains(own)]
    return tuple(found)


def _chains(nestings: Sequence[Nesting]) -> list[list[Nesting]]:
    """The parents of one column, each in a chain behind one that follows from it; the narrowest first."""
    chains: list[list[Nesting]] = []
    for one in sorted(nestings, key=lambda one: -len(set(one.codes))):
        chain = next((own for own in chains if _follows(own[-1].codes, one.codes)), None)
        if chain is None:
            chains.append([one])
        else:
            chain.append(one)
    return chains


def _follows(below: Sequence[int], above: Sequence[int]) -> bool:
    return len(set(zip(below, above, strict=True))) == len(set(below))


def _tree(schema: Schema, column: str, chain: Sequence[Nesting], shares: Sequence[float] | None) -> LevelTree:
    domain = schema.domain
    child = domain.index(column)
    codes = [list(one.codes) for one in reversed(chain)] + [list(range(domain.shape[child]))]
    positions = [one.parent for one in reversed(chain)] + [child]
    levels: list[NestedLevel] = []
    begin = 0
    for depth, (position, own) in enumerate(zip(positions, codes, strict=True)):
        labels, before = domain.attributes[position].levels, begin
        begin = len(levels)
        above: list[int | None] = [None] * len(labels)
        sums = [0.0] * len(labels)
        for place, code in enumerate(own):
            above[code] = None if depth == 0 else before + codes[depth - 1][place]
            sums[code] += 0.0 if shares is None else shares[place]
        known = [None if shares is None else one for one in sums]
        levels += map(NestedLevel, labels, [depth] * len(labels), above, known)
    return LevelTree(tuple(domain.names[position] for position in positions), tuple(levels))
