"""Any marginal of a distribution that is given by marginals of its cliques: sums of products, kept small."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

import numpy as np

from pmwpub.mechanisms.baselines.matrix.residuals import Subset
from pmwpub.records import Floats


@dataclass(frozen=True, eq=False)
class _Factor:
    """P(attributes | shared), in the attributes' shape; zeros where what is shared has probability zero."""

    attributes: Subset
    shared: frozenset[int]
    table: Floats


@dataclass(frozen=True, eq=False)
class CliqueTree:
    """A decomposable distribution as a product of conditional tables.

    Koller and Friedman, Probabilistic Graphical Models (2009), section 10.2. All numbers lie in [0, 1], so that nothing
    overflows.
    """

    factors: tuple[_Factor, ...]

    @classmethod
    def of(cls, marginals: Iterable[tuple[Subset, Floats]]) -> Self:
        """From tables that agree where they overlap, each in its subset's shape; their total does not matter.

        The order must be one that goes down a junction tree: what a clique shares with all before it, it shares with
        one of them.
        """
        factors, seen = [], set[int]()
        for attributes, table in marginals:
            own = tuple(axis for axis, a in enumerate(attributes) if a not in seen)
            totals = np.broadcast_to(table.sum(axis=own, keepdims=True), table.shape)
            conditional = np.divide(table, totals, out=np.zeros(table.shape), where=totals > 0)
            factors.append(_Factor(attributes, frozenset(seen.intersection(attributes)), conditional))
            seen.update(attributes)
        return cls(tuple(factors))

    def marginal(self, subset: Subset) -> Floats:
        """Probabilities, float64 in the subset's shape."""
        from opt_einsum import contract

        wanted = set(subset)
        used: list[object] = []
        for factor in reversed(self.factors):
            # A factor none of whose own attributes is asked for sums to one.
            if not wanted.isdisjoint(set(factor.attributes) - factor.shared):
                wanted |= factor.shared
                used += [factor.table, factor.attributes]
        found: Floats = contract(*used, subset, optimize="greedy")
        return found
