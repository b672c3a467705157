"""Arrays that come one after the other, while there is room for them."""

from __future__ import annotations

import numpy as np


class KeptArrays:
    """Arrays that come one after the other, kept while all together take at most so many bytes."""

    def __init__(self, most: int) -> None:
        self._left = most
        self._arrays: list[np.ndarray] = []

    def add(self, array: np.ndarray) -> None:
        self._left -= array.nbytes
        if self._left >= 0:
            self._arrays.append(array)
        else:
            self._arrays.clear()

    def whole(self) -> np.ndarray | None:
        """One behind the other; None where they were too many."""
        return np.concatenate(self._arrays, axis=-1) if self._left >= 0 else None
