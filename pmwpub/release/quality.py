"""How a release differs from the public table that it started from: marginal by marginal, and atom by atom.

Everything here is post-processing of a release and of public data. `released` is on its public support, whose
multiplicities are the public table's, or on a support to which rows were added: then `public` says how often the public
table has each row, 0 for an added one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pmwpub.domain import Domain
from pmwpub.errors import DomainError
from pmwpub.queries import attribute_sets
from pmwpub.queries.incidence import PublicProblem, quantise
from pmwpub.queries.workload import Marginal, Workload
from pmwpub.records import Distribution, Floats, Ints, Support

WAYS = (1, 2, 3)
MOST_STEPS = 300_000_000
"""How many steps, an atom in a marginal each, one comparison may take: a second or so."""
MOST_CELLS = 20_000_000
SEED = 0


@dataclass(frozen=True, eq=False)
class MarginalsCompared:
    """The k-way marginals of a release beside those of its public table.

    ways               k
    workload           the marginals that are compared: all k-way ones, or a sample by a public seed
    public, released   float64 (Q,), shares of rows
    complete           whether all k-way marginals are there
    """

    ways: int
    workload: Workload
    public: Floats
    released: Floats
    complete: bool

    @cached_property
    def distance(self) -> Floats:
        """float64 (W,): the total variation distance of each marginal of the release from the public table's."""
        return distances(self.workload, self.released, self.public)

    @cached_property
    def order(self) -> tuple[int, ...]:
        """Places of the marginals, the one that moved most first."""
        return tuple(np.argsort(-self.distance, kind="stable").tolist())

    def names(self, place: int) -> tuple[str, ...]:
        """The columns of the marginal at a place in the workload."""
        return names_of(self.workload.domain, self.workload.marginals[place])

    def cells(self, place: int, shares: Floats) -> Floats:
        """The cells of one marginal out of `shares` (Q,), shaped by the levels of its columns."""
        marginal, offsets = self.workload.marginals[place], self.workload.offsets
        shape = tuple(self.workload.domain.shape[attribute] for attribute in marginal.attributes)
        return shares[offsets[place] : offsets[place + 1]].reshape(shape)


@dataclass(frozen=True)
class Concentration:
    """How much of its support a distribution uses.

    atoms      m, the distinct rows of the public table
    effective  1/sum_x w(x)^2, between 1 and m: so many equally heavy rows would be as concentrated
    largest    the largest weight
    half       the fewest atoms that hold half the weight together
    """

    atoms: int
    effective: float
    largest: float
    half: int


@dataclass(frozen=True)
class HeavyAtom:
    """One atom by its labels, in the order of the columns, with its weight in the release and in the public table."""

    row: tuple[str, ...]
    weight: float
    public: float


def public_rows(released: Support, public: Support) -> Ints:
    """int64 (m,): how often the public table has each row of a release's support.

    Raises DomainError where the support lacks a row of the public table. Both are in lexicographic order.
    """
    if released.domain != public.domain:
        raise DomainError("The release and its public table were made with different schemas.")
    codes = np.concatenate([released.codes, public.codes])
    often = np.concatenate([np.ones(len(released), dtype=np.int64), public.multiplicity])
    both = Support.merged(released.domain, codes, often)
    if not np.array_equal(both.codes, released.codes):
        raise DomainError("The release lacks rows of its public table.")
    found: Ints = both.multiplicity - 1
    return found


def compared(released: Distribution, ways: int, public: Ints | None = None) -> MarginalsCompared:
    """Compare all k-way marginals, or as many as MOST_STEPS and MOST_CELLS allow, drawn by a public seed."""
    domain, atoms = released.support.domain, len(released.support)
    workload = kway(domain, ways, atoms)
    problem = PublicProblem(workload, released.support)
    quantised = quantise(released.weights, 1)
    rows = released.support.multiplicity if public is None else public
    return MarginalsCompared(
        ways=ways,
        workload=workload,
        public=problem.sums(rows) / rows.sum(),
        released=problem.sums(quantised.values) / quantised.total,
        complete=len(workload.marginals) == attribute_sets.how_many(domain, ways),
    )


def ways_of(domain: Domain) -> tuple[int, ...]:
    """The numbers of columns whose marginals are compared."""
    return WAYS[: len(domain.lineages)]


def kway(domain: Domain, ways: int, rows: int) -> Workload:
    """All k-way marginals of a domain, or a public sample that can be counted on `rows` rows within the limits."""
    available = attribute_sets.how_many(domain, ways)
    cells = _cells(domain, ways)
    fitting = available * min(1.0, MOST_CELLS / cells, MOST_STEPS / (available * rows + cells))
    if fitting >= available:
        return Workload.all_kway(domain, ways)
    return Workload.sampled(domain, ways, max(1, int(fitting)), SEED)


def _cells(domain: Domain, ways: int) -> int:
    """The cells of all k-way marginals together: the k-th elementary symmetric polynomial of the lineages' levels."""
    levels = [sum(domain.shape[position] for position in lineage) for lineage in domain.lineages]
    return attribute_sets.ways_to_take(levels, ways)[0][ways]


def distances(workload: Workload, one: Floats, other: Floats) -> Floats:
    """float64 (W,): the total variation distance of two tables' marginals, 1/2 sum_y |p(y) - q(y)|.

    one, other  float64 (Q,), shares of rows; rows without a level make a marginal fall short of one, and that
                missing mass counts as one more cell
    """
    starts = workload.offsets[:-1]
    inside = np.add.reduceat(np.abs(one - other), starts)
    missing = np.abs(np.add.reduceat(one - other, starts))
    found: Floats = (inside + missing) / 2.0
    return found


def names_of(domain: Domain, marginal: Marginal) -> tuple[str, ...]:
    """The columns of a marginal."""
    return tuple(domain.attributes[attribute].name for attribute in marginal.attributes)


def concentration(distribution: Distribution) -> Concentration:
    """How concentrated the weights are."""
    weights = np.sort(distribution.weights)[::-1]
    return Concentration(
        atoms=len(weights),
        effective=float(1.0 / np.sum(weights * weights)),
        largest=float(weights[0]),
        half=int(np.searchsorted(np.cumsum(weights), 0.5 * weights.sum()) + 1),
    )


def heaviest(released: Distribution, limit: int = 10, public: Ints | None = None) -> tuple[HeavyAtom, ...]:
    """The atoms of the largest weights, the heaviest first."""
    support = released.support
    rows = support.multiplicity if public is None else public
    attributes = support.domain.attributes
    order = np.argsort(-released.weights, kind="stable")[:limit]
    return tuple(
        HeavyAtom(
            tuple(one.levels[code] for one, code in zip(attributes, support.codes[atom], strict=True)),
            float(released.weights[atom]),
            float(rows[atom] / rows.sum()),
        )
        for atom in order
    )
