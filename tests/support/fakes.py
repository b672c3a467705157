"""Noise sources for tests: predictable, seeded, recorded, or wrong on purpose. Never imported by pmwpub."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field
from fractions import Fraction

from pmwpub.privacy.noise import SECURE, NoiseSource, bernoulli_exp


@dataclass
class FixedNoise:
    """Adds `offset` to every value; every uniform draw is the same point of its range.

    place  in [0, 1): bits(k) and below(n) return the floor of place times the size of the range
    """

    offset: int = 0
    place: float = 0.0
    accept: bool = True

    def gaussian(self, value: int, scale: Fraction) -> int:
        return value + self.offset

    def laplace(self, value: int, scale: Fraction) -> int:
        return value + self.offset

    def gaussians(self, values: list[int], scale: Fraction) -> list[int]:
        return [value + self.offset for value in values]

    def laplaces(self, values: list[int], scale: Fraction) -> list[int]:
        return [value + self.offset for value in values]

    def bits(self, k: int) -> int:
        return int(Fraction(self.place) * (1 << k))

    def below(self, n: int) -> int:
        return int(Fraction(self.place) * n)

    def bernoulli_exp(self, x: Fraction) -> bool:
        return self.accept


@dataclass
class SeededNoise:
    """The right laws up to float rounding, from a seed: for tests that must repeat, never for tests of a law."""

    seed: int = 0
    generator: random.Random = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.generator = random.Random(self.seed)

    def gaussian(self, value: int, scale: Fraction) -> int:
        return value + round(self.generator.gauss(0.0, float(scale)))

    def laplace(self, value: int, scale: Fraction) -> int:
        # The difference of two geometric variables is discrete Laplace.
        first, second = (math.floor(self.generator.expovariate(1.0) * float(scale)) for _ in range(2))
        return value + first - second

    def gaussians(self, values: list[int], scale: Fraction) -> list[int]:
        return [self.gaussian(value, scale) for value in values]

    def laplaces(self, values: list[int], scale: Fraction) -> list[int]:
        return [self.laplace(value, scale) for value in values]

    def bits(self, k: int) -> int:
        return self.generator.getrandbits(k) if k else 0

    def below(self, n: int) -> int:
        return self.generator.randrange(n)

    def bernoulli_exp(self, x: Fraction) -> bool:
        return bernoulli_exp(x, self)


@dataclass
class BitStream:
    """Uniform bits read off one number in [0, 1), leading bits first; below(n) gives 0. It draws nothing else.

    leading, width  the number is leading/2^width
    """

    leading: int
    width: int
    used: int = 0

    def bits(self, k: int) -> int:
        self.used += k
        if self.used > self.width:
            raise ValueError(f"{self.used} bits were asked for, of {self.width}")
        return self.leading >> (self.width - self.used) & ((1 << k) - 1)

    def below(self, n: int) -> int:
        return 0


@dataclass
class ScaledNoise:
    """A planted fault: `source` with every noise scale multiplied by `factor` (0.5 is half the noise)."""

    factor: Fraction
    source: NoiseSource = SECURE

    def gaussian(self, value: int, scale: Fraction) -> int:
        return self.source.gaussian(value, scale * self.factor)

    def laplace(self, value: int, scale: Fraction) -> int:
        return self.source.laplace(value, scale * self.factor)

    def gaussians(self, values: list[int], scale: Fraction) -> list[int]:
        return self.source.gaussians(values, scale * self.factor)

    def laplaces(self, values: list[int], scale: Fraction) -> list[int]:
        return self.source.laplaces(values, scale * self.factor)

    def bits(self, k: int) -> int:
        return self.source.bits(k)

    def below(self, n: int) -> int:
        return self.source.below(n)

    def bernoulli_exp(self, x: Fraction) -> bool:
        return self.source.bernoulli_exp(x / self.factor)


@dataclass
class RecordedNoise:
    """Passes every call on and keeps (method, arguments, answer) of each, in order."""

    source: NoiseSource = field(default_factory=FixedNoise)
    calls: list[tuple[str, tuple[object, ...], object]] = field(default_factory=list)

    def _pass(self, method: str, *arguments: object) -> object:
        answer = getattr(self.source, method)(*arguments)
        self.calls.append((method, arguments, answer))
        return answer

    def gaussian(self, value: int, scale: Fraction) -> int:
        return self._pass("gaussian", value, scale)  # type: ignore[return-value]

    def laplace(self, value: int, scale: Fraction) -> int:
        return self._pass("laplace", value, scale)  # type: ignore[return-value]

    def gaussians(self, values: list[int], scale: Fraction) -> list[int]:
        return self._pass("gaussians", values, scale)  # type: ignore[return-value]

    def laplaces(self, values: list[int], scale: Fraction) -> list[int]:
        return self._pass("laplaces", values, scale)  # type: ignore[return-value]

    def bits(self, k: int) -> int:
        return self._pass("bits", k)  # type: ignore[return-value]

    def below(self, n: int) -> int:
        return self._pass("below", n)  # type: ignore[return-value]

    def bernoulli_exp(self, x: Fraction) -> bool:
        return self._pass("bernoulli_exp", x)  # type: ignore[return-value]
