"""What the report shows of a release, as plain values: shares level by level, each measured query, what moved most.

Post-processing of released and public things; widths and positions are percentages of a common scale.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pmwpub.queries.incidence import PublicProblem
from pmwpub.queries.workload import Workload
from pmwpub.records import Distribution
from pmwpub.release.certificate import Certificate, TranscriptLine
from pmwpub.release.measurements import sigma_rows
from pmwpub.release.quality import Cause, causes_of, compared, touching, ways_of

LEVELS = 24
"""How many levels of one attribute are shown; the smaller ones beyond are added up."""

ROUNDS = 300
"""How many rounds the report lists; measurements.csv has all."""

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
    """One round: the noisy answer with one sigma either side, and what the public table and the release answer.

    low, high, noisy_at, public_at, released_at  places on a scale from 0 to 100 that all rounds share
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


def moved_most(certificate: Certificate, released: Distribution, workload: Workload) -> list[MovedGroup]:
    """One-, two- and three-way marginals that the release moved most, with the measurements that touch them.

    workload  the release's own
    """
    causes, groups = causes_of(certificate, released, workload), []
    for ways in ways_of(released.support.domain):
        found = compared(released, ways)
        places = found.order[:MOVED]
        longest = float(found.distance[places[0]]) or 1.0
        rows = []
        for place in places:
            names, distance = found.names(place), float(found.distance[place])
            rows.append(MovedRow(names, distance, 100 * distance / longest, touching(causes, names, limit=2)))
        groups.append(MovedGroup(ways, len(found.workload.marginals), found.complete, tuple(rows)))
    return groups


def one_way_shares(released: Distribution) -> list[AttributeShares]:
    """Every attribute's marginal: the public table's beside the release's."""
    public = Distribution.empirical(released.support)
    return [
        _attribute(one.name, one.levels, public.one_way(one.name).tolist(), released.one_way(one.name).tolist())
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


def measured_queries(certificate: Certificate, released: Distribution, workload: Workload) -> list[MeasuredQuery]:
    """Every round that the report lists, noisy answer against public table and final weights."""
    problem, public = PublicProblem(workload, released.support), Distribution.empirical(released.support)
    sigma = sigma_rows(certificate) / certificate.n
    lines = certificate.transcript[:ROUNDS]
    answers = [_answers(problem, line.number, public, released) for line in lines]
    reach = max((max(line.noisy_answer + sigma, *pair) for line, pair in zip(lines, answers, strict=True)), default=1.0)
    scale = min(1.0, reach) or 1.0
    return [
        _measured(number, line, sigma, pair, scale)
        for number, (line, pair) in enumerate(zip(lines, answers, strict=True), start=1)
    ]


def _answers(problem: PublicProblem, query: int, public: Distribution, released: Distribution) -> tuple[float, float]:
    members = problem.members(query)
    return float(public.weights[members].sum()), float(released.weights[members].sum())


def _measured(
    number: int, line: TranscriptLine, sigma: float, pair: tuple[float, float], scale: float
) -> MeasuredQuery:
    public, released = pair

    def at(share: float) -> float:
        return 100 * min(scale, max(0.0, share)) / scale

    return MeasuredQuery(
        number=number,
        query=tuple(line.query.items()),
        noisy=line.noisy_answer,
        sigma=sigma,
        public=public,
        released=released,
        low=at(line.noisy_answer - sigma),
        high=at(line.noisy_answer + sigma),
        noisy_at=at(line.noisy_answer),
        public_at=at(public),
        released_at=at(released),
    )
