"""Rows that get levels of some attributes: what nests with these moves along, so that each parent stays right."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pmwpub.domain import Nesting
from pmwpub.records import Codes, Ints, Support

_STRIDE = 40_503
"""Odd, and near 2^16 by the golden ratio: multiples of it modulo 2^16 come in an order that follows no other one."""


def evenly(atoms: Ints, multiplicity: Ints, most: int) -> Ints:
    """So many of the atoms, at even distances among the rows that they stand for; an atom may come more than once."""
    behind = np.cumsum(multiplicity[atoms])
    places = (2 * np.arange(most, dtype=np.int64) + 1) * behind[-1] // (2 * most)
    found: Ints = atoms[np.searchsorted(behind, places, side="right")]
    return found


def give_levels(rows: Codes, attributes: Sequence[int], levels: Sequence[int], support: Support) -> None:
    """Write these levels into rows, in place, with all that nests with them.

    A level of an attribute that is no parent changes its parents to its own. A level of a parent changes the child of
    each row that lies elsewhere: to those that public rows of that level have, evenly; where no public row has it, to
    the child's levels that lie there, in turn. Then all parents are written anew from their children.

    rows        (any, d) codes of the support's domain
    attributes  of different lineages
    """
    domain = support.domain
    nesting = {one.parent: one for one in domain.nestings}
    for attribute, level in zip(attributes, levels, strict=True):
        if attribute in nesting:
            _move_child(rows, nesting[attribute], level, support)
        else:
            rows[:, attribute] = level
    domain.derive(rows.T)


def _move_child(rows: Codes, nesting: Nesting, level: int, support: Support) -> None:
    elsewhere = np.flatnonzero(rows[:, nesting.parent] != level)
    if not len(elsewhere):
        return
    public = np.flatnonzero(support.columns[nesting.parent] == level)
    if len(public):
        atoms = evenly(public, support.multiplicity, len(elsewhere))
        below = support.codes[atoms, nesting.child].astype(np.int64)
    else:
        below = np.resize(np.flatnonzero(np.array(nesting.codes) == level), len(elsewhere))
    order = np.argsort(np.arange(len(below)) * _STRIDE % (1 << 16), kind="stable")
    rows[elsewhere, nesting.child] = below[order]
