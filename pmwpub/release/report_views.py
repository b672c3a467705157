"""What the report shows of a release, as plain values: shares level by level, each measured query, what moved most.

Post-processing of released and public things; widths and positions are percentages of a common scale.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pmwpub.records import Distribution, Ints
from pmwpub.release.measured.causes import Cause, touching
from pmwpub.release.quality import compared, ways_of

LEVELS = 24
"""How many levels of one attribute are shown; the smaller ones beyond are added up."""

ROUNDS = 300
"""Measurements listed in the report; measurements.csv or tables.csv has all."""

MOVED = 6
"""How many marginals of each number of columns are listed."""


@dataclass(frozen=True)
class LevelShares:
    """One level's share of the public table and of the release, and the lengths of their bars in percent."""

    level: str
    public: float
    released: float
    public_bar: float
    released_bar: float


@dataclass(frozen=True)
class AttributeShares:
    """The one-way marginal of an attribute."""

    attribute: str
    levels: tuple[LevelShares, ...]


@dataclass(frozen=True)
class MeasuredQuery:
    """One measurement: the noisy answer with one sigma either side, and what the public table and the release answer.

    low, high, noisy_at, public_at, released_at  places on a scale from 0 to 100 that all share
    """

    number: int
    query: tuple[tuple[str, str], ...]
    noisy: float
    sigma: float
    public: float
    released: float
    low: float
    high: float
    noisy_at: float
    public_at: float
    released_at: float


@dataclass(frozen=True)
class MovedRow:
    """A marginal that moved: its columns, its total variation distance, a bar in percent, the nearest measurements."""

    names: tuple[str, ...]
    distance: float
    bar: float
    because: tuple[Cause, ...]


@dataclass(frozen=True)
class MovedGroup:
    """The k-way marginals that moved most, out of `total` that were compared; `complete`: these are all there are."""

    ways: int
    total: int
    complete: bool
    rows: tuple[MovedRow, ...]


def moved_most(causes: Sequence[Cause], released: Distribution, public: Ints | None = None) -> list[MovedGroup]:
    """One-, two- and three-way marginals that the release moved most, with the measurements that touch them."""
    groups = []
    for ways in ways_of(released.support.domain):
        found = compared(released, ways, public)
        places = found.order[:MOVED]
        longest = float(found.distance[places[0]]) or 1.0
        rows = []
        for place in places:
            names, distance = found.names(place), float(found.distance[place])
            rows.append(MovedRow(names, distance, 100 * distance / longest, touching(causes, names, limit=2)))
        groups.append(MovedGroup(ways, len(found.workload.marginals), found.complete, tuple(rows)))
    return groups


def one_way_shares(released: Distribution, public: Ints | None = None) -> list[AttributeShares]:
    """Every attribute's marginal: the public table's beside the release's. `public` as in `quality`."""
    rows = released.support.multiplicity if public is None else public
    before = Distribution(released.support, rows / rows.sum())
    return [
        _attribute(one.name, one.levels, before.one_way(one.name).tolist(), released.one_way(one.name).tolist())
        for one in released.support.domain.attributes
    ]


def _attribute(name: str, levels: Sequence[str], public: Sequence[float], released: Sequence[float]) -> AttributeShares:
    rows = [(level, float(p), float(r)) for level, p, r in zip(levels, public, released, strict=True)]
    if len(rows) > LEVELS:
        order = sorted(range(len(rows)), key=lambda code: -max(rows[code][1:]))
        rest = [rows[code] for code in sorted(order[LEVELS - 1 :])]
        rows = [rows[code] for code in sorted(order[: LEVELS - 1])]
        rows.append((f"the other {len(rest)} levels", sum(row[1] for row in rest), sum(row[2] for row in rest)))
    longest = max(max(p, r) for _, p, r in rows) or 1.0
    return AttributeShares(
        name, tuple(LevelShares(level, p, r, 100 * p / longest, 100 * r / longest) for level, p, r in rows)
    )


def measured_queries(causes: Sequence[Cause]) -> list[MeasuredQuery]:
    """Every measurement that the report lists, noisy answer against public table and final weights."""
    shown = causes[:ROUNDS]
    reach = max((max(one.noisy + one.sigma, one.public, one.released) for one in shown), default=1.0)
    scale = min(1.0, reach) or 1.0
    return [_measured(one, scale) for one in shown]


def _measured(one: Cause, scale: float) -> MeasuredQuery:
    def at(share: float) -> float:
        return 100 * min(scale, max(0.0, share)) / scale

    return MeasuredQuery(
        number=one.number,
        query=one.query,
        noisy=one.noisy,
        sigma=one.sigma,
        public=one.public,
        released=one.released,
        low=at(one.noisy - one.sigma),
        high=at(one.noisy + one.sigma),
        noisy_at=at(one.noisy),
        public_at=at(one.public),
        released_at=at(one.released),
    )
