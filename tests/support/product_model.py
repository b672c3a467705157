"""A model that stands in for the extra `peers`: independent attributes, each as its last one-way measurement says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest

from pmwpub.mechanisms.baselines.graphical.fitted_model import NoisyMarginals


@dataclass
class Product:
    """In place of `pmwpub.mechanisms.baselines.graphical.fitted_model.Model`."""

    known: NoisyMarginals

    def counts(self, subset: Sequence[int]) -> np.ndarray:
        joint = np.ones(())
        for attribute in subset:
            noisy = [one.counts for one in self.known._measured if one.subset == (attribute,)]
            own = np.maximum(noisy[-1], 0) + 1e-9 if noisy else np.ones(self.known.shape[attribute])
            joint = np.multiply.outer(joint, own / own.sum())
        return joint * self.known.n

    def rounded(self, subset: Sequence[int]) -> np.ndarray:
        return np.floor(self.counts(subset) + 0.5).astype(np.int64)


class Even(Product):
    """Every cell alike, whatever was measured."""

    def counts(self, subset: Sequence[int]) -> np.ndarray:
        shape = [self.known.shape[a] for a in subset]
        return np.full(shape, self.known.n / np.prod(shape))


def stand_in(patch: pytest.MonkeyPatch, model: type[Product] = Product) -> None:
    """Every model is of that kind, and of no size."""
    patch.setattr(NoisyMarginals, "model", lambda self, iterations, start=None: model(self))
    patch.setattr(NoisyMarginals, "size", lambda self, more=(): 0.0)
