"""A row that satisfies much of a sample of queries, found level by level from several starts."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pmwpub.domain import Domain
from pmwpub.mechanisms.baselines.query_samples import Sample
from pmwpub.records import Ints

STARTS = 10
"""How often the heuristic begins anew."""


def climbed(sample: Sample, domain: Domain, ties: random.Random) -> Ints:
    """The best of several local optima: level by level, the attribute's best one with all others kept."""
    moves = [_Move.of(domain, lineage) for lineage in domain.lineages]
    best = _random_row(domain, ties)
    row = best.copy()
    for number in range(STARTS):
        row = row if number == 0 else _random_row(domain, ties)
        value, better = sample.satisfied(row), True
        while better:
            for move in moves:
                move.improve(sample, row)
            value, better = sample.satisfied(row), sample.satisfied(row) > value
        if value > sample.satisfied(best):
            best = row
    return best


def _random_row(domain: Domain, ties: random.Random) -> Ints:
    row = np.array([ties.randrange(size) for size in domain.shape], dtype=np.int64)
    domain.derive(row[:, None])
    return row


@dataclass(frozen=True, eq=False)
class _Move:
    """An attribute that gets another level, and its parents with it.

    codes  position -> int64 (levels,), the code of that attribute at each level of the one that moves
    """

    own: int
    codes: Mapping[int, Ints]

    @classmethod
    def of(cls, domain: Domain, lineage: Sequence[int]) -> _Move:
        parents = {one.parent: np.array(one.codes, dtype=np.int64) for one in domain.nestings if one.parent in lineage}
        (own,) = set(lineage) - set(parents)
        return cls(own, {own: np.arange(domain.shape[own])} | parents)

    def improve(self, sample: Sample, row: Ints) -> None:
        """Give the attribute its best level, in place; keep the present one where it is as good."""
        holds = (sample.codes == row) | (sample.codes < 0)
        holds[:, list(self.codes)] = True
        open_to_it = np.all(holds, axis=1)
        gains = np.zeros(len(self.codes[self.own]))
        for attribute, codes in self.codes.items():
            concerned = open_to_it & (sample.codes[:, attribute] >= 0)
            asked, given = sample.codes[concerned, attribute], sample.gains[concerned]
            gains += np.bincount(asked, given, minlength=int(codes.max()) + 1)[codes]
        if gains.max() > gains[row[self.own]]:
            for attribute, codes in self.codes.items():
                row[attribute] = codes[int(gains.argmax())]
