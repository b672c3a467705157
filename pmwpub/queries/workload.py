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
from pmwpub.queries.prefix_tables import PrefixTable, prefix_tables
from pmwpub.records import Ints

MAX_QUERIES = 200_000_000

AT_MOST = "at most "
"""What stands before the level of a prefix in a query's words."""


@dataclass(frozen=True, order=True)
class Marginal:
    """A set S of attribute positions, ascending; its queries are the cells y of their product."""

    attributes: tuple[int, ...]

    def __post_init__(self) -> None:
        if not self.attributes or list(self.attributes) != sorted(set(self.attributes)) or self.attributes[0] < 0:
            raise WorkloadError("A marginal needs ascending, distinct attribute positions.")


@dataclass(frozen=True)
class Condition:
    """That a row's code of one attribute lies between two codes, both included."""

    attribute: int
    least: int
    most: int


@dataclass(frozen=True)
class Workload:
    """Marginals in a fixed order; query i is one cell (S, y) of one of them (Definition 2.2 of Liu et al. 2021), or
    one prefix of one of the prefix tables, which come behind all marginals.

    tables        the marginals, then the prefix tables: T of them, of which W are marginals
    offsets       int64 (T+1,): the queries of table w are offsets[w] .. offsets[w+1]-1; of a marginal the cell y is at
                  position sum_j y_j * strides[w, j] (last attribute fastest), of a prefix table the prefix j < L-1 of
                  the cell y beside at the position of y times L-1, plus j
    cell_offsets  int64 (T+1,): where the cells of each table lie, on which `queries.cell_space` adds; the offsets where
                  no table has prefixes

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
    prefixes: tuple[PrefixTable, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "marginals", tuple(self.marginals))
        object.__setattr__(self, "prefixes", tuple(self.prefixes))
        if not self.tables:
            raise WorkloadError("A workload needs at least one marginal.")
        if len(set(self.tables)) != len(self.tables):
            raise WorkloadError("A workload lists each marginal once.")
        if max(max(table.attributes) for table in self.tables) >= len(self.domain.attributes):
            raise WorkloadError("A marginal names an attribute that the domain lacks.")
        if any(table.prefixes(self.domain) < 1 for table in self.prefixes):
            raise WorkloadError("A prefix table needs an attribute with at least two levels in order.")
        if sum(self._sizes) > MAX_QUERIES:
            raise WorkloadError(
                f"The workload has {sum(self._sizes):,} queries, more than {MAX_QUERIES:,}; "
                "lower k, sample marginals, or bin."
            )

    @classmethod
    def all_kway(cls, domain: Domain, k: int, *, prefixes: Iterable[str] = ()) -> Workload:
        """Every set of k attributes of which no two are of one lineage, in lexicographic order.

        prefixes  attributes whose prefixes count too: each alone, and in the cells of every attribute that one
                  marginal has together with it
        """
        _check_k(domain, k)
        return cls(domain, tuple(map(Marginal, attribute_sets.every(domain, k)))).with_prefixes(prefixes)

    @classmethod
    def sampled(cls, domain: Domain, k: int, marginals: int, seed: int, *, prefixes: Iterable[str] = ()) -> Workload:
        """`marginals` of the k-way marginals, uniform without replacement, by a public seed; ascending. `prefixes` as
        in `all_kway`."""
        _check_k(domain, k)
        available = attribute_sets.how_many(domain, k)
        if not 1 <= marginals <= available:
            raise WorkloadError(
                f"Between 1 and {available:,} {k}-way marginals can be sampled; {marginals:,} were asked for."
            )
        sets = attribute_sets.sampled(domain, k, marginals, seed)
        return cls(domain, tuple(map(Marginal, sets))).with_prefixes(prefixes)

    @classmethod
    def of(cls, domain: Domain, names: Iterable[Iterable[str]], *, prefixes: Iterable[str] = ()) -> Workload:
        """Hand-picked marginals by attribute names; WorkloadError for one that has two of one lineage. `prefixes` as in
        `all_kway`."""
        groups = [tuple(sorted({domain.index(name) for name in group})) for group in names]
        for group in groups:
            check_unrelated(domain, group)
        return cls(domain, tuple(map(Marginal, groups))).with_prefixes(prefixes)

    def with_prefixes(self, names: Iterable[str]) -> Workload:
        """The same marginals with the prefix tables of these attributes, and no others."""
        sets = [marginal.attributes for marginal in self.marginals]
        return Workload(self.domain, self.marginals, prefix_tables(self.domain, sets, names))

    def restricted(self, marginals: int, seed: int) -> Workload:
        """A public sub-workload of at most `marginals` tables, prefix tables among them, in this workload's order."""
        if marginals >= len(self.tables):
            return self
        picked = sorted(random.Random(seed).sample(range(len(self.tables)), marginals))
        plain = len(self.marginals)
        of_cells = tuple(self.marginals[w] for w in picked if w < plain)
        return Workload(self.domain, of_cells, tuple(self.prefixes[w - plain] for w in picked if w >= plain))

    @cached_property
    def tables(self) -> tuple[Marginal | PrefixTable, ...]:
        """The marginals, then the prefix tables."""
        return (*self.marginals, *self.prefixes)

    @property
    def _sizes(self) -> tuple[int, ...]:
        """The cells of each table."""
        shape = self.domain.shape
        return tuple(math.prod(shape[a] for a in table.attributes) for table in self.tables)

    @cached_property
    def cell_offsets(self) -> Ints:
        """int64 (T+1,)."""
        return _summed(self._sizes)

    @cached_property
    def offsets(self) -> Ints:
        """int64 (T+1,)."""
        own = tuple(table.queries(self.domain) for table in self.prefixes)
        return _summed(self._sizes[: len(self.marginals)] + own) if own else self.cell_offsets

    @cached_property
    def last_sizes(self) -> Ints:
        """int64 (T,): the levels of each table's last attribute."""
        return _frozen(np.array([self.domain.shape[table.attributes[-1]] for table in self.tables], dtype=np.int64))

    @cached_property
    def last_queries(self) -> Ints:
        """int64 (T,): the queries of each table for one cell of its other attributes."""
        found = self.last_sizes.copy()
        found[len(self.marginals) :] = [table.prefixes(self.domain) for table in self.prefixes]
        return _frozen(found)

    @cached_property
    def positions(self) -> Ints:
        """int64 (T, widest): attribute positions, padded with 0 (whose stride is then 0)."""
        positions = np.zeros((len(self.tables), self.widest), dtype=np.int64)
        for w, table in enumerate(self.tables):
            positions[w, : len(table.attributes)] = table.attributes
        return _frozen(positions)

    @cached_property
    def strides(self) -> Ints:
        """int64 (T, widest): the step of each attribute's code within the cells of its table."""
        strides = np.zeros((len(self.tables), self.widest), dtype=np.int64)
        for w, table in enumerate(self.tables):
            step = 1
            for j in reversed(range(len(table.attributes))):
                strides[w, j] = step
                step *= self.domain.shape[table.attributes[j]]
        return _frozen(strides)

    @property
    def widest(self) -> int:
        return max(len(table.attributes) for table in self.tables)

    @cached_property
    def arity(self) -> Ints:
        """int64 (T,): attributes per table."""
        return _frozen(np.array([len(table.attributes) for table in self.tables], dtype=np.int64))

    @property
    def cells(self) -> int:
        """The cells of all tables: at least as many as queries."""
        return int(self.cell_offsets[-1])

    @property
    def queries(self) -> int:
        """Q, the number of queries."""
        return int(self.offsets[-1])

    def query(self, index: int) -> tuple[Marginal, tuple[int, ...]]:
        """The attribute set S and the target codes y of query `index`; WorkloadError where that is a prefix."""
        w = self._table_of(index)
        if w >= len(self.marginals):
            raise WorkloadError(f'Query {index} asks "at most", so it is no cell of a marginal.')
        return self.marginals[w], self._codes(w, index)

    def is_prefix(self, index: int) -> bool:
        """Whether query `index` asks "at most"."""
        return self._table_of(index) >= len(self.marginals)

    def conditions(self, index: int) -> tuple[Condition, ...]:
        """What a row must have to satisfy query `index`, a condition for each of its attributes."""
        w = self._table_of(index)
        targets = zip(self.tables[w].attributes, self._codes(w, index), strict=True)
        found = [Condition(a, code, code) for a, code in targets]
        if w >= len(self.marginals):
            found[-1] = Condition(found[-1].attribute, 0, found[-1].most)
        return tuple(found)

    def labels(self, index: int) -> dict[str, str]:
        """Query `index` in words: attribute name -> level, or -> "at most" a level."""
        opening = {self.tables[self._table_of(index)].attributes[-1]: AT_MOST} if self.is_prefix(index) else {}
        chosen = [(self.domain.attributes[one.attribute], one) for one in self.conditions(index)]
        return {held.name: opening.get(one.attribute, "") + held.levels[one.most] for held, one in chosen}

    def _table_of(self, index: int) -> int:
        if not 0 <= index < self.queries:
            raise WorkloadError(f"Query {index} is outside 0..{self.queries - 1}.")
        return int(np.searchsorted(self.offsets, index, side="right")) - 1

    def _codes(self, w: int, index: int) -> tuple[int, ...]:
        """The codes of a query of table w; of a prefix the last one is the largest that satisfies it."""
        shape = (*(self.domain.shape[a] for a in self.tables[w].attributes[:-1]), int(self.last_queries[w]))
        return tuple(int(code) for code in np.unravel_index(index - int(self.offsets[w]), shape))

    @cached_property
    def sha256(self) -> str:
        """A content hash over the domain, the marginals and, where there are any, the prefix tables: of each the
        attributes beside, the ordered one, and how many levels are in order."""
        body = {
            "domain": [[attribute.name, list(attribute.levels)] for attribute in self.domain.attributes],
            "marginals": [list(marginal.attributes) for marginal in self.marginals],
        }
        if self.prefixes:
            body["prefixes"] = [[*table.attributes, table.prefixes(self.domain) + 1] for table in self.prefixes]
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


def _summed(sizes: Iterable[int]) -> Ints:
    return _frozen(np.concatenate([[0], np.cumsum(np.array(tuple(sizes), dtype=np.int64))]).astype(np.int64))


def _frozen(array: Ints) -> Ints:
    array.flags.writeable = False
    return array
