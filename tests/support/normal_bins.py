"""Gaussian noise of a large scale in equally likely bins: its law is the normal one to far below what tests resolve."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from scipy import stats
from support.statistical import BinnedLaw

BINS = 20

LAW = BinnedLaw(tuple(range(BINS)), tuple(range(BINS)), np.full(BINS, 1 / BINS))


def binned(residuals: Iterable[float], scale: float) -> list[int]:
    """The bin of each residual under a centred normal law of this scale."""
    shares = stats.norm.cdf(np.asarray(list(residuals), dtype=float) / scale)
    return np.minimum((shares * BINS).astype(int), BINS - 1).tolist()
