"""The largest of all 2^d costs of replacing a row: over the sets B of attributes in which two rows differ.

For shares s_A = theta_A pi_A, rho(B) = sum over A of s_A (1 - product over A and B of t_i), t_i = -1/(m_i - 1); see
`replacement`. The largest is the sum of all s_A minus the least of g(B) = sum over A of s_A times that product.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pmwpub.mechanisms.baselines.matrix.residuals import ResidualSpaces
from pmwpub.records import Floats, Ints

EXACT_ATTRIBUTES = 22
"""All 2^d sets B are tried up to so many attributes."""

FRONTIER = 2 * 10**7
"""Beyond them sets are narrowed down, attribute by attribute, until so many numbers are held."""

PAD = 2.0**-32
"""Of the sum of the shares, or of the weights of whole marginals: above what rounding can take from a cost.

With N <= 200,000 subsets a sum of N floats is off by at most N 2^-53 of the sum of their sizes. Each weight of
`as_marginals` is a difference of at most N terms, so what it is off by is that of residuals of precisions off by
N 2^-53 of the sizes of the marginals above, whose costs, at most twice their shares, add up to N 2^-52 of all sizes.
"""


@dataclass(frozen=True)
class Patterns:
    """The sets B, or the subsets A, of the attributes that occur, as an array with an axis of two for each attribute.

    On an axis, place 0 is "not in the set" and place 1 "in it".
    """

    spaces: ResidualSpaces

    @cached_property
    def wide(self) -> tuple[int, ...]:
        """The attributes that occur, those of most levels first."""
        shape = self.spaces.workload.domain.shape
        return tuple(sorted({a for subset in self.spaces.subsets for a in subset}, key=lambda a: (-shape[a], a)))

    @cached_property
    def levels(self) -> tuple[int, ...]:
        """m_i of each attribute that occurs."""
        return tuple(self.spaces.workload.domain.shape[attribute] for attribute in self.wide)

    @cached_property
    def _places(self) -> Ints:
        """The place of each subset, as bits: the first attribute's is the highest."""
        bit = {a: 1 << (len(self.wide) - 1 - place) for place, a in enumerate(self.wide)}
        return np.array([sum(bit[a] for a in subset) for subset in self.spaces.subsets], dtype=np.int64)

    def spread(self, values: Floats) -> Floats:
        """A value of each subset in its place; 0 elsewhere."""
        table: Floats = np.zeros(1 << len(self.wide))
        table[self._places] = values
        return table.reshape((2,) * len(self.wide))

    def gathered(self, table: Floats) -> Floats:
        """Of each subset, the value in its place: float64 (subsets,)."""
        values: Floats = table.ravel()[self._places]
        return values

    def products(self, table: Floats) -> Floats:
        """At B, the sum over A of table[A] times the product over A and B of t_i; the same with A and B exchanged."""
        flat = table.ravel().copy()
        for axis, levels in enumerate(self.levels):
            halves = flat.reshape(1 << axis, 2, -1)
            present = halves[:, 1].copy()
            halves[:, 1] *= -1.0 / (levels - 1)
            halves[:, 1] += halves[:, 0]
            halves[:, 0] += present
        return flat.reshape(table.shape)

    def costs(self, shares: Floats) -> Floats:
        """rho(B) for every B."""
        costs: Floats = float(shares.sum()) - self.products(self.spread(shares))
        return costs

    def largest_cost(self, shares: Floats) -> float:
        """At least the largest rho(B): up to 22 attributes no more than that but for rounding, which is added.

        shares  float64 (subsets,), not negative
        """
        if len(self.wide) <= EXACT_ATTRIBUTES:
            largest = float(self.costs(shares).max())
        else:
            largest = float(shares.sum()) - self._narrowed(shares)
        return largest + float(shares.sum()) * PAD

    def _narrowed(self, shares: Floats) -> float:
        """At most the least g(B).

        Each row of `parts` stands for a choice on the attributes so far, and holds the coefficients of g in those left.
        A coefficient v of attributes with at least m levels adds at least min(v, -v/(m - 1)), for a product of their
        t_i lies in [-1/(m - 1), 1]. Doubling the rows attribute by attribute makes the sum of these tighter.
        """
        places = np.append(0, self._places)
        parts = np.append(0.0, shares)[None, :]
        for axis, levels in enumerate(self.levels):
            bit = 1 << (len(self.levels) - 1 - axis)
            left, place = np.unique(places & (bit - 1), return_inverse=True)
            if 2 * len(parts) * len(left) > FRONTIER:
                break
            absent, present = np.zeros((len(parts), len(left))), np.zeros((len(parts), len(left)))
            inside = places & bit > 0
            absent[:, place[~inside]], present[:, place[inside]] = parts[:, ~inside], parts[:, inside]
            parts, places = np.concatenate([absent + present, absent - present / (levels - 1)]), left
        return float(np.min(_least(parts, self._fewest(places))))

    def _fewest(self, places: Ints) -> Floats:
        """The fewest levels among the attributes of each place; inf for none."""
        bits = places[:, None] >> np.arange(len(self.levels) - 1, -1, -1) & 1
        fewest: Floats = np.where(bits == 1, np.array(self.levels, dtype=float), np.inf).min(axis=1)
        return fewest


def _least(parts: Floats, fewest: Floats) -> Floats:
    least: Floats = np.where(np.isinf(fewest), parts, np.minimum(parts, -parts / (fewest - 1))).sum(axis=1)
    return least
