"""Seeded noise, FOR SIMULATIONS ONLY, on data that may be looked at: whoever knows the seed knows the noise.

It has the secure source's laws to the letter, so a simulation shows what a release would do, and a seed, so that it
shows the same on any machine, in any order, on any number of workers. Its randomness is a Mersenne Twister, which a
few hundred outputs give away: nothing that is drawn here protects anybody. Only `pmwpub.evaluation.runs` may import
this module, and nothing that is charged may reach it; tests/privacy/test_seeded_noise.py holds both.
"""

from __future__ import annotations

import hashlib
import random
from fractions import Fraction

from pmwpub.errors import MechanismError
from pmwpub.privacy.noise import MAX_VALUE, bernoulli_exp, float_above


class SimulationNoise:
    """A `NoiseSource` with a seed, for simulations only. It never serves a release.

    seed  any text; the same text gives the same draws

    The integer laws are those of Canonne, Kamath and Steinke (2020), drawn by their Algorithms 2 and 3 from uniform
    integers alone, at the scale that the secure source would use (the float just above the fraction): no float takes
    part in a draw.

    Privacy: none.
    Raises as the secure source does: BudgetError for a scale outside (0, 2^53], MechanismError for a value beyond 2^62.
    """

    def __init__(self, seed: str) -> None:
        self._generator = random.Random(int.from_bytes(hashlib.sha256(seed.encode()).digest()))

    def gaussian(self, value: int, scale: Fraction) -> int:
        return _checked(value) + self._gaussian(Fraction(float_above(scale)))

    def laplace(self, value: int, scale: Fraction) -> int:
        return _checked(value) + self._laplace(Fraction(float_above(scale)))

    def gaussians(self, values: list[int], scale: Fraction) -> list[int]:
        return [self.gaussian(value, scale) for value in values]

    def laplaces(self, values: list[int], scale: Fraction) -> list[int]:
        return [self.laplace(value, scale) for value in values]

    def bits(self, k: int) -> int:
        return self._generator.getrandbits(k) if k else 0

    def below(self, n: int) -> int:
        return self._generator.randrange(n)

    def bernoulli_exp(self, x: Fraction) -> bool:
        return bernoulli_exp(x, self)

    def _laplace(self, scale: Fraction) -> int:
        """P(z) proportional to e^(-|z|/scale) (ibid., Algorithm 2, with scale = t/s)."""
        t, s = scale.numerator, scale.denominator
        while True:
            part = self.below(t)
            if not self.bernoulli_exp(Fraction(part, t)):
                continue
            whole = 0
            while self.bernoulli_exp(Fraction(1)):
                whole += 1
            size = (part + t * whole) // s
            if not self.bits(1):
                return size
            if size:
                return -size

    def _gaussian(self, scale: Fraction) -> int:
        """P(z) proportional to e^(-z^2/(2 scale^2)) (ibid., Algorithm 3): a discrete Laplace draw, thinned."""
        t, variance = int(scale) + 1, scale * scale
        while True:
            proposed = self._laplace(Fraction(t))
            if self.bernoulli_exp((abs(proposed) - variance / t) ** 2 / (2 * variance)):
                return proposed


def _checked(value: int) -> int:
    if abs(value) > MAX_VALUE:
        raise MechanismError("Noise can be added to whole numbers within 2^62 only; a larger one came.")
    return int(value)
