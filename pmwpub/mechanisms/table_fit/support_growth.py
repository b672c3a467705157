"""Growing the support: rows for people of whom no public row tells, where noisy 2-way tables show that they exist."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from pmwpub.errors import PlanError
from pmwpub.mechanisms.table_fit.fit_constants import SupportGrowth
from pmwpub.mechanisms.table_fit.nested_rows import evenly, give_levels
from pmwpub.mechanisms.table_fit.one_way_estimates import OneWayEstimates, scales
from pmwpub.mechanisms.table_fit.table_schedule import TableSchedule
from pmwpub.queries.incidence import PublicProblem
from pmwpub.records import Bools, Codes, Floats, Ints, Support

ROUNDING = 1e-9
"""By which a machine's arithmetic may move a threshold, of itself."""

CANDIDATES = 4096
"""Where there are structural zeros: of so many public atoms of a level, at most, copies are looked at for a cell."""

TRIES = 4
"""So many times `most_cells` cells are tried, at most, for one in which a row can be made."""


@dataclass(frozen=True)
class GrownCell:
    """A cell that no public row is in, and that gets rows.

    cell    its position among the cells of the schedule's tables
    weight  of its rows together; a public row's is the `row_weight` of the plan

    Raises PlanError for what no release has.
    """

    cell: int
    weight: int

    def __post_init__(self) -> None:
        if self.cell < 0 or self.weight < 1:
            raise PlanError("Added rows have a cell and a weight.")


@dataclass(frozen=True, eq=False)
class _EmptyCells:
    """Cells of 2-way tables that no public row is in, of tables whose noise is small enough to tell.

    cells       int64 (e,)    positions among the cells of the schedule's tables, ascending
    thresholds  float64 (e,)  the share of rows above which noise alone hardly explains what is counted in each
    """

    cells: Ints
    thresholds: Floats

    @classmethod
    def of(cls, growth: SupportGrowth, schedule: TableSchedule, support: Support, n: int) -> _EmptyCells:
        edges, deviations = schedule.tables.offsets, scales(schedule, n)
        telling = (schedule.tables.arity == 2) & (deviations <= growth.largest_noise)
        sigmas = np.repeat(deviations, np.diff(edges))
        empty = np.repeat(telling, np.diff(edges)) & (PublicProblem(schedule.tables, support).start_sums == 0)
        cells = np.flatnonzero(empty).astype(np.int64)
        quantile = NormalDist().inv_cdf(1.0 - growth.false_growth / max(1, len(cells)))
        return cls(cells, quantile * sigmas[cells])


def evident_cells(
    schedule: TableSchedule, support: Support, noisy: Ints, estimates: OneWayEstimates, n: int
) -> tuple[GrownCell, ...]:
    """The 2-way cells that get rows: no public row is in them, and noise alone hardly explains what was counted there.

    Of E such cells whose table's noise is at most `largest_noise`, those count whose noisy share lies above sigma times
    the normal quantile of 1 - `false_growth`/E: were all of them empty, one would get rows with a probability of about
    `false_growth`. A cell's share is its noisy one, at most the upper ends of its two 1-way estimates. Of more than
    `most_cells`, those of the largest shares have rows. Where the domain has structural zeros, a cell in which no row
    could be made gets none, whatever was counted: of what is noisy, then public, nothing new is asked. Cells that their
    two levels alone exclude are passed over; of the others the first `TRIES` times `most_cells` are tried.

    noisy  int64 (cells of the schedule's tables,), noisy counts of n rows
    """
    growth = schedule.growth
    if growth is None:
        return ()
    empty = _EmptyCells.of(growth, schedule, support, n)
    share = noisy[empty.cells] / n
    evident = np.flatnonzero(share > empty.thresholds)
    cells, share = empty.cells[evident], share[evident]
    share = np.minimum(share, _upper_ends(schedule, estimates, cells, growth))
    order = np.argsort(-share, kind="stable")
    order = order[share[order] > 0.0]
    if support.domain.zeros is not None:
        order = order[_possible(schedule, support, cells[order], growth.most_cells)]
    order = order[: growth.most_cells]
    return _weighed(cells[order], share[order], support, growth) if len(order) else ()


def _possible(schedule: TableSchedule, support: Support, cells: Ints, most: int) -> Ints:
    """int64: the places of the first `most` of these cells in which a row can be made, among those that are tried."""
    tried = np.flatnonzero(~_excluded(schedule, support, cells))[: TRIES * most]
    found = (place for place in tried if any(map(len, _halves(schedule, support, int(cells[place]), 1))))
    return np.fromiter(itertools.islice(found, most), dtype=np.int64)


def _excluded(schedule: TableSchedule, support: Support, cells: Ints) -> Bools:
    """bool (cells,): which cells are zeros by their two levels and these levels' parents, whatever else a row has."""
    domain = support.domain
    rows = np.tile(np.array(domain.shape, dtype=support.codes.dtype), (len(cells), 1))  # no level anywhere
    for row, cell in zip(rows, cells, strict=True):
        marginal, levels = schedule.tables.query(int(cell))
        row[list(marginal.attributes)] = levels
    for one in domain.nestings:
        known = rows[:, one.child] < domain.attributes[one.child].size
        rows[known, one.parent] = one.of(rows[known, one.child], domain.attributes[one.parent].size)
    return np.zeros(len(cells), dtype=np.bool_) if domain.zeros is None else np.asarray(domain.zeros.broken(rows))


def _upper_ends(schedule: TableSchedule, estimates: OneWayEstimates, cells: Ints, growth: SupportGrowth) -> Floats:
    """float64 (e,): for each 2-way cell the less of the upper ends of its two 1-way estimates."""
    upper = estimates.shares + growth.upper_deviations * estimates.deviations
    place = {attribute: i for i, attribute in enumerate(schedule.attributes)}
    starts, ends = schedule.tables.offsets, np.zeros(len(cells))
    for i, cell in enumerate(cells):
        marginal, codes = schedule.tables.query(int(cell))
        pairs = zip(marginal.attributes, codes, strict=True)
        ends[i] = min(upper[starts[place[attribute]] + code] for attribute, code in pairs)
    return ends


def check_evident(schedule: TableSchedule, support: Support, noisy: Ints, cells: Sequence[GrownCell], n: int) -> None:
    """Raises PlanError for a cell that the noisy tables do not show; a rounding of the last digits is no matter."""
    if cells and schedule.growth is not None:
        empty = _EmptyCells.of(schedule.growth, schedule, support, n)
        evident = set(empty.cells[noisy[empty.cells] / n > empty.thresholds * (1.0 - ROUNDING)].tolist())
        if not {one.cell for one in cells} <= evident:
            raise PlanError("Rows were added for a cell in which the noisy tables show nobody.")
        most = schedule.growth.most_share / (1.0 - schedule.growth.most_share)
        if sum(one.weight for one in cells) > most * support.rows * schedule.growth.row_weight + len(cells):
            raise PlanError("More rows were added than a run may add.")


def _weighed(cells: Ints, shares: Floats, support: Support, growth: SupportGrowth) -> tuple[GrownCell, ...]:
    """The cells with the whole weight of their rows: the added rows are at most `most_share` of all together."""
    total = float(shares.sum())
    kept = min(total, growth.most_share)
    whole = support.rows * growth.row_weight / (1.0 - kept)
    weights = (max(1, round(float(share) * kept / total * whole)) for share in shares)
    return tuple(GrownCell(int(cell), weight) for cell, weight in zip(cells, weights, strict=True))


def grown_support(schedule: TableSchedule, support: Support, cells: Sequence[GrownCell]) -> Support:
    """The support with rows for these cells; itself where there are none. Public rows then count `row_weight` each.

    The rows of a cell (a = u, b = v) are public rows that have a = u, with b set to v, and public rows that have b = v,
    with a set to u: half of its weight each, on at most half of `rows_a_cell` rows, taken evenly from the public ones
    in their order. Where no public row has a level, all of them are taken from. What nests with a level that is set
    moves along (`nested_rows`): an added row's parents are those of its children, as everybody's. Of structural zeros
    no row is made: they are taken from the others, and where one half has none, the other has its weight. Then at most
    `CANDIDATES` public rows of a level are looked at, evenly taken where it has more atoms.

    Raises PlanError for a cell that is in no 2-way table, that public rows are in, or in which no row could be made.
    """
    if not cells:
        return support
    growth = schedule.growth
    if growth is None:
        raise PlanError("A plan that grows no rows has none to add.")
    held = PublicProblem(schedule.tables, support).start_sums
    pairs = int(schedule.tables.offsets[schedule.one_way])
    if any(not pairs <= one.cell < len(held) or held[one.cell] for one in cells):
        raise PlanError("Rows are added for cells of 2-way tables that no public row is in, and for no others.")
    codes, repeats = [support.codes], [support.multiplicity * growth.row_weight]
    for one in cells:
        for rows, weights in _crossed(schedule, support, one, growth.rows_a_cell // 2):
            codes.append(rows)
            repeats.append(weights)
    return Support.merged(support.domain, np.concatenate(codes), np.concatenate(repeats))


def _crossed(schedule: TableSchedule, support: Support, cell: GrownCell, most: int) -> Iterator[tuple[Codes, Ints]]:
    """Rows of a cell with their weights, from public rows of either of its levels."""
    halves = _halves(schedule, support, cell.cell, most)
    parts = (cell.weight - cell.weight // 2, cell.weight // 2)
    if not all(map(len, halves)):
        parts = (cell.weight, 0) if len(halves[0]) else (0, cell.weight)
        if not any(map(len, halves)):
            raise PlanError("Rows are added for a cell in which no row could be made without breaking a rule.")
    for rows, part in zip(halves, parts, strict=True):
        if not len(rows):
            continue
        weights = np.full(len(rows), part // len(rows), dtype=np.int64)
        weights[: part % len(rows)] += 1
        yield rows[weights > 0], weights[weights > 0]


def _halves(schedule: TableSchedule, support: Support, cell: int, most: int) -> tuple[Codes, Codes]:
    """Of each of a cell's two levels `most` rows that are put into the cell; none where each would be a zero."""
    marginal, levels = schedule.tables.query(cell)
    found = []
    for attribute, level in zip(marginal.attributes, levels, strict=True):
        own = np.flatnonzero(support.columns[attribute] == level)
        own = own if len(own) else np.arange(len(support))
        if support.domain.zeros is None:
            found.append(_put_into(schedule, support, evenly(own, support.multiplicity, most), cell))
            continue
        own, often = _candidates(own, support)
        rows = _put_into(schedule, support, own, cell)
        allowed = np.flatnonzero(~support.domain.zeros.broken(rows))
        places = evenly(allowed, often, most) if len(allowed) else allowed
        found.append(rows[places])
    return found[0], found[1]


def _candidates(atoms: Ints, support: Support) -> tuple[Ints, Ints]:
    """The atoms, and how often each counts; of more than `CANDIDATES` so many, evenly, as often as each comes."""
    if len(atoms) <= CANDIDATES:
        return atoms, support.multiplicity[atoms]
    found, often = np.unique(evenly(atoms, support.multiplicity, CANDIDATES), return_counts=True)
    return found, often.astype(np.int64)


def _put_into(schedule: TableSchedule, support: Support, atoms: Ints, cell: int) -> Codes:
    """Copies of the atoms with the two levels of a cell, and all that nests with these."""
    marginal, levels = schedule.tables.query(cell)
    moved = support.codes[atoms].copy()
    give_levels(moved, marginal.attributes, levels, support)
    return moved
