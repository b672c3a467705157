"""Standard normal numbers from a public seed: the same wherever scipy is, whatever numpy's generators become."""

from __future__ import annotations

import hashlib
import math
import random

import numpy as np

from pmwpub.records import Floats

BITS = 53


class PublicNormals:
    """A stream of standard normal numbers that anybody can draw again. FOR PUBLIC THINGS ONLY.

    Uniform numbers (u + 1/2)/2^53 of a Mersenne Twister are turned by the inverse of the normal law.

    seed  any text

    Privacy: none; nothing that is drawn here protects anybody.
    """

    def __init__(self, seed: str) -> None:
        self._generator = random.Random(int.from_bytes(hashlib.sha256(seed.encode()).digest()))

    def draw(self, *shape: int) -> Floats:
        """float64 of this shape: the next numbers of the stream."""
        from scipy.special import ndtri

        words = np.frombuffer(self._generator.randbytes(8 * math.prod(shape)), dtype="<u8")
        uniform = ((words >> np.uint64(64 - BITS)).astype(np.float64) + 0.5) * 2.0**-BITS
        found: Floats = ndtri(uniform).reshape(shape)
        return found
