"""Sets of k attributes of which no two are of one lineage: which there are, how many, and a public sample of them.

A table that has an attribute together with its own parent, or two parents of one attribute, counts nothing that the
table of the attribute alone does not count: each of its cells is a sum of that table's, or empty by rule. So it is no
query of its own. Where no attribute has parents each is a lineage by itself, and the sets are all sets of k.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator, Sequence

from pmwpub.domain import Domain

Positions = tuple[int, ...]


def how_many(domain: Domain, k: int) -> int:
    """The number of sets: the k-th elementary symmetric polynomial of the sizes of the lineages."""
    return ways_to_take([len(lineage) for lineage in domain.lineages], k)[0][k]


def ways_to_take(sizes: Sequence[int], k: int) -> list[list[int]]:
    """ways[i][j]: in how many ways j members can be taken from the lineages from the i-th on, one of each at most.

    So ways[0][k] is the k-th elementary symmetric polynomial of the sizes.
    """
    ways = [[1] + [0] * k]
    for size in reversed(sizes):
        after = ways[-1]
        ways.append([1, *(after[j] + size * after[j - 1] for j in range(1, k + 1))])
    return ways[::-1]


def every(domain: Domain, k: int) -> Iterator[Positions]:
    """All sets, in lexicographic order."""
    if not domain.nestings:
        return itertools.combinations(range(len(domain.attributes)), k)
    members = (itertools.product(*some) for some in itertools.combinations(domain.lineages, k))
    return iter(sorted(tuple(sorted(one)) for chosen in members for one in chosen))


def sampled(domain: Domain, k: int, sets: int, seed: int) -> list[Positions]:
    """So many of the sets, uniform without replacement, by a public seed; ascending.

    Without parents the rule is the one that plans have had from the first on. With parents, numbers of sets are drawn
    and each is written out, so that no draw is thrown away for having two of one lineage.
    """
    generator = random.Random(seed)
    if not domain.nestings:
        return sorted(_of_all(len(domain.attributes), k, sets, generator))
    available = how_many(domain, k)
    numbers = set(generator.sample(range(available), sets)) if available <= 4 * sets else set[int]()
    while len(numbers) < sets:
        numbers.add(generator.randrange(available))
    ways = ways_to_take([len(lineage) for lineage in domain.lineages], k)
    return sorted(_numbered(domain.lineages, ways, k, number) for number in numbers)


def _of_all(attributes: int, k: int, sets: int, generator: random.Random) -> set[Positions]:
    chosen: set[Positions] = set()
    if math.comb(attributes, k) <= 4 * sets:
        chosen = set(generator.sample(list(itertools.combinations(range(attributes), k)), sets))
    while len(chosen) < sets:
        chosen.add(tuple(sorted(generator.sample(range(attributes), k))))
    return chosen


def _numbered(lineages: tuple[Positions, ...], ways: list[list[int]], k: int, number: int) -> Positions:
    """The set of a number below ways[0][k]: sets that take nothing from a lineage come before those that do."""
    taken: list[int] = []
    for place, lineage in enumerate(lineages):
        left = k - len(taken)
        if not left:
            break
        without = ways[place + 1][left]
        if number >= without:
            member, number = divmod(number - without, ways[place + 1][left - 1])
            taken.append(lineage[member])
    return tuple(sorted(taken))
