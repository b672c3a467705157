"""Bands: adjacent bins of numbers, or adjacent years, as one level; and how bins are named and told apart."""

from __future__ import annotations

import bisect
import itertools
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from pmwpub.tabular.schema.missing_codes import text_of_number


@dataclass(frozen=True)
class LevelsOnLine:
    """Where the levels of a column lie among numbers.

    edges   every edge that a band may have, as often as it may have it: twice where one value has a level of its own
    begins  of each level the least number in it, ascending
    """

    edges: tuple[float, ...]
    begins: tuple[float, ...]

    @classmethod
    def of_bins(cls, edges: Sequence[float]) -> LevelsOnLine:
        """Bins of numbers, with their spikes."""
        return cls(tuple(edges), bin_cuts(edges)[:-1])

    @classmethod
    def of_values(cls, values: Sequence[float]) -> LevelsOnLine:
        """Levels that are one value each, ascending."""
        return cls(tuple(value for value in values for _ in range(2)), tuple(values))


def bin_labels(edges: Sequence[float]) -> tuple[str, ...]:
    """Of a spike the number, of another bin its two ends; "(" where a spike takes the lower one, "]" of the last."""
    names, behind_spike = [], False
    for code, (low, high) in enumerate(itertools.pairwise(edges)):
        closing = "]" if code == len(edges) - 2 else ")"
        name = f"{'(' if behind_spike else '['}{text_of_number(low)}, {text_of_number(high)}{closing}"
        names.append(name if low < high else text_of_number(low))
        behind_spike = low == high
    return tuple(names)


def bin_cuts(edges: Sequence[float]) -> tuple[float, ...]:
    """The edges, strictly rising: where one stands twice, the second is the next float above."""
    repeated = (low == high for low, high in zip((None, *edges), edges, strict=False))
    return tuple(math.nextafter(edge, math.inf) if twice else edge for twice, edge in zip(repeated, edges, strict=True))


def edges_with(edges: Sequence[float], bands: Sequence[float]) -> tuple[float, ...]:
    """The edges of bins with those of bands that they lack, each as often as either has it."""
    return tuple(sorted((Counter(edges) | Counter(bands)).elements()))


def band_labels(parent: str, edges: Sequence[float], line: LevelsOnLine | None) -> tuple[str, ...]:
    """The band of each of a column's levels, in their order.

    Bands are named as bins are. A value with a level of its own lies in the band that begins there, or in the last one
    where that ends there; an edge that stands twice makes it a band alone.

    Raises ValueError, in words, for a column whose levels are on no line, edges that do not rise or are none of its
    own, and bands that leave a level out.
    """
    if line is None:
        raise ValueError(
            f"the parent {parent!r} has edges, which are of numbers, and of years that are listed ascending; declare "
            "a prefix or a map"
        )
    _check_edges(parent, edges, line)
    labels, cuts = bin_labels(edges), bin_cuts(edges)
    return tuple(labels[min(bisect.bisect_right(cuts, begin), len(labels)) - 1] for begin in line.begins)


def _check_edges(parent: str, edges: Sequence[float], line: LevelsOnLine) -> None:
    if list(edges) != sorted(edges):
        raise ValueError(f"the edges of the parent {parent!r} do not rise")
    known = Counter(line.edges)
    for edge, times in Counter(edges).items():
        if not known[edge]:
            raise ValueError(
                f"the parent {parent!r} has an edge at {text_of_number(edge)}, where its column has none; near it are "
                f"{edges_near(line.edges, edge)}. Give the column that edge too, or take one of its own"
            )
        if times > known[edge]:
            raise ValueError(
                f"the parent {parent!r} has the edge {text_of_number(edge)} {'twice' if times == 2 else 'too often'}; "
                "only a value with a level of its own may stand twice, and is then a band"
            )
    for own, end, word in ((edges[0], line.edges[0], "first"), (edges[-1], line.edges[-1], "last")):
        if own != end:
            raise ValueError(
                f"the {word} edge of the parent {parent!r} is {text_of_number(own)}, that of its column "
                f"{text_of_number(end)}; bands leave no level out, so the two are one"
            )


def edges_near(edges: Sequence[float], value: float) -> str:
    """Up to three different edges, in order, in words."""
    nearest = sorted(set(edges), key=lambda edge: abs(edge - value))[:3]
    return ", ".join(map(text_of_number, sorted(nearest)))
