"""Rows as integer codes: tables, supports, and distributions on a support. No labels, no pandas."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import floor
from typing import Any

import numpy as np
import numpy.typing as npt

from pmwpub.domain import Domain
from pmwpub.errors import DomainError

Codes = npt.NDArray[np.unsignedinteger[Any]]
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]

_BLOCK = 1 << 16  # rows
_MOST_WEIGHT = 1 << 20  # the squares of so many as memory holds sum up within 64 bits


def code_type(domain: Domain) -> np.dtype[Any]:
    """The smallest unsigned type that holds every code of the domain and "no level"."""
    return np.min_scalar_type(max(domain.shape))


def loop_type(domain: Domain) -> np.dtype[Any]:
    """The type in which compiled loops read codes: a byte where that is enough, else four.

    Loops are compiled for each type at its first use; so few types can all be tried before a charge.
    """
    narrow = code_type(domain)
    return narrow if narrow.itemsize == 1 else np.dtype(np.uint32)


def _frozen_codes(domain: Domain, codes: npt.ArrayLike, *, allow_no_level: bool) -> Codes:
    array = np.array(codes)
    if array.ndim != 2 or array.shape[1] != len(domain.attributes):
        raise DomainError(f"Codes must have shape (rows, {len(domain.attributes)}); they have {array.shape}.")
    if array.size and not np.issubdtype(array.dtype, np.integer):
        raise DomainError(f"Codes must be integers; they are {array.dtype}.")
    ceiling = np.asarray(domain.shape, dtype=np.int64) + int(allow_no_level)
    if array.size and (array.min() < 0 or np.any(array.max(axis=0).astype(np.int64) >= ceiling)):
        raise DomainError("A code lies outside its attribute's levels.")
    frozen = np.ascontiguousarray(array, dtype=code_type(domain))
    frozen.flags.writeable = False
    return frozen


def _ranks(domain: Domain, codes: Codes) -> tuple[Words, ...]:
    """Each row as few uint64 words, the first the most telling: rows compare as their words do, lexicographically.

    A word takes as many attributes as its 64 bits hold; a cell without a level counts as one level more.
    """
    words: list[Words] = []
    left = 0
    for position, size in enumerate(domain.shape):
        if left < size + 1:
            words.append(np.zeros(len(codes), dtype=np.uint64))
            left = 1 << 64
        words[-1] *= np.uint64(size + 1)
        words[-1] += codes[:, position]
        left //= size + 1
    return tuple(words)


def _differ_from_next(words: tuple[Words, ...]) -> npt.NDArray[np.bool_]:
    """bool (rows - 1,): whether a row differs from the one behind it."""
    differ = np.zeros(max(0, len(words[0]) - 1), dtype=bool)
    for word in words:
        differ |= word[1:] != word[:-1]
    return differ


def _distinct(domain: Domain, codes: Codes, repeats: Ints | None = None) -> tuple[Codes, Ints]:
    """The distinct rows in lexicographic order, and how often each stands; row i counts `repeats[i]` times."""
    words = _ranks(domain, codes)
    order = np.lexsort(words[::-1])
    differ = _differ_from_next(tuple(word[order] for word in words))
    begins = np.flatnonzero(np.concatenate([np.ones(min(1, len(codes)), dtype=bool), differ]))
    often = np.ones(len(codes), dtype=np.int64) if repeats is None else repeats
    return codes[order[begins]], np.add.reduceat(often[order], begins) if len(begins) else often[:0]


def _all_differ(domain: Domain, codes: Codes) -> bool:
    """Whether no two rows are equal; quick where they are in order."""
    words = _ranks(domain, codes)
    rising = equal = np.zeros(max(0, len(codes) - 1), dtype=bool)
    for word in reversed(words):
        equal = word[1:] == word[:-1]
        rising = (word[1:] > word[:-1]) | (equal & rising)
    if np.all(rising):
        return True
    order = np.lexsort(words[::-1])
    return bool(np.all(_differ_from_next(tuple(word[order] for word in words))))


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """A table of n coded rows.

    codes  (n, d), the smallest unsigned type; code j of attribute a is a.levels[j], and the code
           a.size is "no level": that cell satisfies no predicate, and its row still counts in n

    Raises DomainError if the codes do not fit the domain. Its repr shows no row.
    """

    domain: Domain
    codes: Codes

    def __post_init__(self) -> None:
        object.__setattr__(self, "codes", _frozen_codes(self.domain, self.codes, allow_no_level=True))

    def __len__(self) -> int:
        return int(self.codes.shape[0])

    def __repr__(self) -> str:
        return f"Dataset({len(self.domain.attributes)} attributes)"

    def blocks(self) -> Iterator[Codes]:
        """(d, rows) C-contiguous, some ten thousand rows at a time: what is counted."""
        for begin in range(0, len(self), _BLOCK):
            yield np.ascontiguousarray(self.codes[begin : begin + _BLOCK].T)

    @cached_property
    def columns(self) -> Codes:
        """(d, n) C-contiguous: the codes column by column."""
        columns = np.ascontiguousarray(self.codes.T)
        columns.flags.writeable = False
        return columns


@dataclass(frozen=True, eq=False)
class Support:
    """The distinct rows (atoms) of a public table, and how often each occurs there.

    codes         (m, d), distinct rows in lexicographic order when built by `of`
    multiplicity  int64 (m,), all at least 1; where rows are weighed, the units that they weigh together
    standing_for  how many rows of equal weight the table is worth, where rows are weighed; see `people`

    Raises DomainError for repeated atoms, an atom without a level, a parent that is not its child's, or no atom at all.
    """

    domain: Domain
    codes: Codes
    multiplicity: Ints
    standing_for: int | None = None

    def __post_init__(self) -> None:
        codes = _frozen_codes(self.domain, self.codes, allow_no_level=False)
        multiplicity = np.array(self.multiplicity, dtype=np.int64)
        multiplicity.flags.writeable = False
        if not len(codes):
            raise DomainError("A support needs at least one atom; the public table has no usable row.")
        if multiplicity.shape != (len(codes),) or np.any(multiplicity < 1):
            raise DomainError("Each atom needs a multiplicity of at least 1.")
        if not _all_differ(self.domain, codes):
            raise DomainError("The atoms of a support must differ.")
        if not self.domain.is_derived(codes.T):
            raise DomainError("An atom has a level of a parent that is not the one of its child.")
        object.__setattr__(self, "codes", codes)
        object.__setattr__(self, "multiplicity", multiplicity)

    @classmethod
    def of(cls, dataset: Dataset, weights: Ints | None = None) -> Support:
        """The support of a public table, atoms in lexicographic order of their codes; `weighed`, where weights come."""
        if weights is not None:
            return cls.weighed(dataset, weights)
        return cls(dataset.domain, *_distinct(dataset.domain, dataset.codes))

    @classmethod
    def weighed(cls, dataset: Dataset, weights: Ints) -> Support:
        """The support of a public table whose row i counts weights[i] times, int64 (rows,), each 1 to 2^20.

        It has the atoms and multiplicities of the table with row i repeated so often. It stands for (sum of w)^2 over
        the sum of w^2 rows (Kish's effective sample size), rounded down: as many as there are where all weigh alike.
        """
        if len(weights) and not 1 <= int(weights.min()) <= int(weights.max()) <= _MOST_WEIGHT:
            raise DomainError("A public row weighs nothing, or more than sums of weights hold.")
        codes, repeats = _distinct(dataset.domain, dataset.codes, weights)
        total, squares = int(weights.sum()), int((weights * weights).sum())
        return cls(dataset.domain, codes, repeats, max(1, total**2 // max(1, squares)))

    @classmethod
    def merged(cls, domain: Domain, codes: Codes, repeats: Ints) -> Support:
        """The support of rows of which row i stands `repeats[i]` times; equal rows may stand apart."""
        return cls(domain, *_distinct(domain, codes, repeats))

    @classmethod
    def full(cls, domain: Domain) -> Support:
        """Every possible row, once, in lexicographic order of what is no parent: what MWEM keeps a weight for."""
        codes = np.empty((domain.size, len(domain.attributes)), dtype=code_type(domain))
        repeat = domain.size
        for position in domain.own:
            size = domain.shape[position]
            repeat //= size
            pattern = np.repeat(np.arange(size, dtype=codes.dtype), repeat)
            codes[:, position] = np.tile(pattern, domain.size // (size * repeat))
        domain.derive(codes.T)
        return cls(domain, codes, np.ones(domain.size, dtype=np.int64))

    @classmethod
    def union(cls, *supports: Support) -> Support:
        """The pool of several supports; multiplicities add up.

        Of weighed ones S^2 over the sum of S_i^2/n_i rows are stood for, S_i the sum of a support's multiplicities and
        n_i the rows that it stands for.
        """
        if any(support.domain != supports[0].domain for support in supports):
            raise DomainError("Only supports of one domain can be pooled.")
        codes = np.concatenate([support.codes for support in supports])
        repeats = np.concatenate([support.multiplicity for support in supports])
        pool = cls.merged(supports[0].domain, codes, repeats)
        if all(support.standing_for is None for support in supports):
            return pool
        spread = sum(Fraction(support.rows**2, support.people) for support in supports)
        return cls(pool.domain, pool.codes, pool.multiplicity, max(1, floor(pool.rows**2 / spread)))

    def __len__(self) -> int:
        return int(self.codes.shape[0])

    @property
    def rows(self) -> int:
        """The number of public rows, with repetition; where they are weighed, the units of all of them."""
        return int(self.multiplicity.sum())

    @property
    def people(self) -> int:
        """The rows of equal weight that the table is worth: what bounds how far it is trusted."""
        return self.rows if self.standing_for is None else self.standing_for

    @cached_property
    def columns(self) -> Codes:
        """(d, m) C-contiguous, in the `loop_type` of the domain: one byte a cell up to 255 levels."""
        columns = np.ascontiguousarray(self.codes.T, dtype=loop_type(self.domain))
        columns.flags.writeable = False
        return columns


@dataclass(frozen=True, eq=False)
class Distribution:
    """Weights on the atoms of a support.

    weights  float64 (m,), not negative, summing to one within rounding
    """

    support: Support
    weights: Floats

    def __post_init__(self) -> None:
        weights = np.array(self.weights, dtype=np.float64)
        weights.flags.writeable = False
        if weights.shape != (len(self.support),):
            raise DomainError(f"A distribution needs {len(self.support):,} weights; {weights.shape} came.")
        if not np.all(np.isfinite(weights)) or np.any(weights < 0) or abs(weights.sum() - 1.0) > 1e-9:
            raise DomainError("Weights must be finite, not negative, and sum to one.")
        object.__setattr__(self, "weights", weights)

    @classmethod
    def empirical(cls, support: Support) -> Distribution:
        """The public table itself: A_0 of Algorithm 1."""
        return cls(support, support.multiplicity / support.multiplicity.sum())

    @classmethod
    def uniform(cls, support: Support) -> Distribution:
        """Equal weight on every atom."""
        return cls(support, np.full(len(support), 1.0 / len(support)))

    def one_way(self, attribute: str) -> Floats:
        """float64 (levels,): the weight of each level of one attribute."""
        position = self.support.domain.index(attribute)
        codes = self.support.columns[position]
        return np.bincount(codes, self.weights, minlength=self.support.domain.shape[position]).astype(np.float64)
