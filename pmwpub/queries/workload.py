"""Marginals, and the workloads of counting queries that they make up."""

from __future__ import annotations

import hashlib
import json
import math
import random
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pmwpub.domain import Domain
from pmwpub.errors import WorkloadError
from pmwpub.queries import attribute_sets
from pmwpub.records import Ints

MAX_QUERIES = 200_000_000


@dataclass(frozen=True, order=True)
class Marginal:
    """A set S of attribute positions, ascending; its queries are the cells y of their product."""

    attributes: tuple[int, ...]

    def __post_init__(self) -> None:
        if not self.attributes or list(self.attributes) != sorted(set(self.attributes)) or self.attributes[0] < 0:
            raise WorkloadError("A marginal needs ascending, distinct attribute positions.")


@dataclass(frozen=True)
class Workload:
    """Marginals in a fixed order; query i is one cell (S, y) of one of them (Definition 2.2 of Liu et al. 2021).

    offsets  int64 (W+1,): the queries of marginal w are offsets[w] .. offsets[w+1]-1, the cell y at
             position sum_j y_j * strides[w, j] (last attribute fastest)

    >>> from pmwpub.domain import Attribute, Domain
    >>> sex, age = Attribute("sex", ("F", "M")), Attribute("age", ("young", "old"))
    >>> people = Domain((sex, age, Attribute("job", ("x", "y", "z"))))
    >>> pairs = Workload.all_kway(people, 2)
    >>> [marginal.attributes for marginal in pairs.marginals]
    [(0, 1), (0, 2), (1, 2)]
    >>> pairs.queries, pairs.offsets.tolist()
    (16, [0, 4, 10, 16])

    Raises WorkloadError when empty, with a repeated marginal, an unknown attribute, or over 200 million queries.
    """

    domain: Domain
    marginals: tuple[Marginal, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "marginals", tuple(self.marginals))
        if not self.marginals:
            raise WorkloadError("A workload needs at least one marginal.")
        if len(set(self.marginals)) != len(self.marginals):
            raise WorkloadError("A workload lists each marginal once.")
        if max(marginal.attributes[-1] for marginal in self.marginals) >= len(self.domain.attributes):
            raise WorkloadError("A marginal names an attribute that the domain lacks.")
        if sum(self._sizes) > MAX_QUERIES:
            raise WorkloadError(
                f"The workload has {sum(self._sizes):,} queries, more than {MAX_QUERIES:,}; "
                "lower k, sample marginals, or bin."
            )

    @classmethod
    def all_kway(cls, domain: Domain, k: int) -> Workload:
        """Every set of k attributes of which no two are of one lineage, in lexicographic order."""
        _check_k(domain, k)
        return cls(domain, tuple(map(Marginal, attribute_sets.every(domain, k))))

    @classmethod
    def sampled(cls, domain: Domain, k: int, marginals: int, seed: int) -> Workload:
        """`marginals` of the k-way marginals, uniform without replacement, by a public seed; ascending."""
        _check_k(domain, k)
        available = attribute_sets.how_many(domain, k)
        if not 1 <= marginals <= available:
            raise WorkloadError(
                f"Between 1 and {available:,} {k}-way marginals can be sampled; {marginals:,} were asked for."
            )
        return cls(domain, tuple(map(Marginal, attribute_sets.sampled(domain, k, marginals, seed))))

    @classmethod
    def of(cls, domain: Domain, names: Iterable[Iterable[str]]) -> Workload:
        """Hand-picked marginals by attribute names; WorkloadError for one that has two of one lineage."""
        groups = [tuple(sorted({domain.index(name) for name in group})) for group in names]
        for group in groups:
            check_unrelated(domain, group)
        return cls(domain, tuple(map(Marginal, groups)))

    def restricted(self, marginals: int, seed: int) -> Workload:
        """A public sub-workload of at most `marginals` marginals, in this workload's order."""
        if marginals >= len(self.marginals):
            return self
        picked = sorted(random.Random(seed).sample(range(len(self.marginals)), marginals))
        return Workload(self.domain, tuple(self.marginals[w] for w in picked))

    @property
    def _sizes(self) -> tuple[int, ...]:
        shape = self.domain.shape
        return tuple(math.prod(shape[a] for a in marginal.attributes) for marginal in self.marginals)

    @cached_property
    def offsets(self) -> Ints:
        """int64 (W+1,)."""
        return _frozen(np.concatenate([[0], np.cumsum(np.array(self._sizes, dtype=np.int64))]).astype(np.int64))

    @cached_property
    def positions(self) -> Ints:
        """int64 (W, widest): attribute positions, padded with 0 (whose stride is then 0)."""
        table = np.zeros((len(self.marginals), self.widest), dtype=np.int64)
        for w, marginal in enumerate(self.marginals):
            table[w, : len(marginal.attributes)] = marginal.attributes
        return _frozen(table)

    @cached_property
    def strides(self) -> Ints:
        """int64 (W, widest): the step of each attribute's code within its marginal."""
        table = np.zeros((len(self.marginals), self.widest), dtype=np.int64)
        for w, marginal in enumerate(self.marginals):
            step = 1
            for j in reversed(range(len(marginal.attributes))):
                table[w, j] = step
                step *= self.domain.shape[marginal.attributes[j]]
        return _frozen(table)

    @property
    def widest(self) -> int:
        return max(len(marginal.attributes) for marginal in self.marginals)

    @cached_property
    def arity(self) -> Ints:
        """int64 (W,): attributes per marginal."""
        return _frozen(np.array([len(marginal.attributes) for marginal in self.marginals], dtype=np.int64))

    @property
    def queries(self) -> int:
        """Q, the number of queries."""
        return int(self.offsets[-1])

    def query(self, index: int) -> tuple[Marginal, tuple[int, ...]]:
        """The attribute set S and the target codes y of query `index`."""
        if not 0 <= index < self.queries:
            raise WorkloadError(f"Query {index} is outside 0..{self.queries - 1}.")
        w = int(np.searchsorted(self.offsets, index, side="right")) - 1
        marginal, cell = self.marginals[w], index - int(self.offsets[w])
        shape = tuple(self.domain.shape[a] for a in marginal.attributes)
        return marginal, tuple(int(code) for code in np.unravel_index(cell, shape))

    def labels(self, index: int) -> dict[str, str]:
        """Query `index` in words: attribute name -> level."""
        marginal, target = self.query(index)
        chosen = (self.domain.attributes[a] for a in marginal.attributes)
        return {attribute.name: attribute.levels[code] for attribute, code in zip(chosen, target, strict=True)}

    @cached_property
    def sha256(self) -> str:
        """A content hash over the domain and the marginals."""
        body = {
            "domain": [[attribute.name, list(attribute.levels)] for attribute in self.domain.attributes],
            "marginals": [list(marginal.attributes) for marginal in self.marginals],
        }
        return hashlib.sha256(json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode()).hexdigest()


def check_unrelated(domain: Domain, positions: Iterable[int]) -> None:
    """WorkloadError where two of these are of one lineage: a column and its parent, or two parents of one column."""
    if (pair := domain.related(positions)) is not None:
        one, other = (domain.names[position] for position in pair)
        raise WorkloadError(
            f"Columns {one!r} and {other!r} are levels of one column, so each of them tells of both what there is to "
            "tell; take one of them for a marginal."
        )


def _check_k(domain: Domain, k: int) -> None:
    most = len(domain.lineages)
    if not 1 <= k <= most:
        words = "attributes; a column and its parents count once" if domain.nestings else "attributes"
        raise WorkloadError(f"k must be between 1 and {most}, the number of {words}; {k} came.")


def _frozen(array: Ints) -> Ints:
    array.flags.writeable = False
    return array
