"""The row that satisfies most of a sample of queries: an integer program with a time limit, and a heuristic.

Everything here is public once the sample is drawn.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from pmwpub.mechanisms.baselines.climbed_rows import climbed
from pmwpub.mechanisms.baselines.query_samples import Sample, SignedQuery
from pmwpub.queries.workload import Workload
from pmwpub.records import Floats, Ints


class RowOrigin(StrEnum):
    """Where a row comes from."""

    OPTIMAL = "integer program, proved best"
    CUT_SHORT = "integer program, cut short by its limits"
    HEURISTIC = "heuristic, no better row found within the limits"


@dataclass(frozen=True)
class SolverLimits:
    """When an integer program is cut short.

    seconds  of wall time; 0: no program, the heuristic alone. A row that the clock cut short is another one on another
             machine, or on the same one when it is busy
    nodes    of its search tree
    """

    seconds: float = math.inf
    nodes: int = 2_000


@dataclass(frozen=True)
class Response:
    """A row of codes, how many queries of the sample it satisfies, and how it was found."""

    row: tuple[int, ...]
    satisfied: int
    found: RowOrigin


def best_response(
    workload: Workload, sample: Sequence[SignedQuery], limits: SolverLimits, *, ties: random.Random
) -> Response:
    """The row that satisfies most of the sample, proved so where the program ends within its limits.

    The heuristic comes first, and what it finds is the program's first solution. A program that says "proved", within
    the tolerances of its floats, of a worse row is not believed. Attributes that no query names get a level at random.
    Where columns have parents a row is one whose parents are its children's; the program does not know of them, so
    there the heuristic stands alone.
    """
    chosen = Sample.of(workload, sample)
    best = climbed(chosen, workload.domain, ties)
    found = RowOrigin.HEURISTIC
    if limits.seconds > 0 and not workload.domain.nestings:
        row, proved = _solved(chosen, workload.domain.shape, best, limits)
        more = chosen.satisfied(row) - chosen.satisfied(best)
        if more > 0 or (proved and more == 0):
            best, found = row, RowOrigin.OPTIMAL if proved else RowOrigin.CUT_SHORT
    return Response(tuple(int(code) for code in best), chosen.satisfied(best), found)


def _solved(sample: Sample, shape: tuple[int, ...], start: Ints, limits: SolverLimits) -> tuple[Ints, bool]:
    """A row from the integer program, and whether it is proved best.

    x_al = 1 if attribute a has level l, only for levels that a query asks for and one other; exactly one an attribute.
    A query of positive gain holds at most as much as each x it asks for; one of negative gain at least as much as these
    say together: z >= sum of its x - (their number - 1). With whole x every z is whole at the optimum.
    """
    import highspy

    levels = _levels(sample, shape, start)
    program = _program(sample, levels)
    solver = highspy._Highs()  # type: ignore[attr-defined]
    for option, value in (
        ("output_flag", False), ("threads", 1), ("time_limit", limits.seconds),
        ("mip_max_nodes", limits.nodes), ("mip_rel_gap", 0.0), ("mip_abs_gap", 0.5),
    ):  # fmt: skip
        solver.setOptionValue(option, value)
    solver.passModel(program)
    solver.setSolution(_warm(sample, levels, start))
    solver.run()
    solution = solver.getSolution()
    if not solution.value_valid:
        return start, False
    values, row, column = np.array(solution.col_value), start.copy(), 0
    for attribute, offered in enumerate(levels):
        if len(offered):
            row[attribute] = offered[int(values[column : column + len(offered)].argmax())]
            column += len(offered)
    return row, bool(solver.getModelStatus() == highspy.HighsModelStatus.kOptimal)


def _levels(sample: Sample, shape: tuple[int, ...], start: Ints) -> list[list[int]]:
    """The levels to choose from, by attribute: those asked for, and one that no query asks for.

    None for an attribute that no query names.
    """
    offered = []
    for attribute, size in enumerate(shape):
        asked = set(sample.codes[sample.codes[:, attribute] >= 0, attribute].tolist())
        spare = [level for level in [int(start[attribute]), *range(size)] if level not in asked][:1]
        offered.append(sorted(asked | set(spare)) if asked else [])
    return offered


def _program(sample: Sample, levels: list[list[int]]) -> Any:
    import highspy

    column = {
        (attribute, level): number
        for number, (attribute, level) in enumerate((a, level) for a, offered in enumerate(levels) for level in offered)
    }
    choices, queries = len(column), len(sample.gains)
    entries, lower, upper = _rows(sample, levels, column)
    program = highspy.HighsLp()
    program.num_col_, program.num_row_ = choices + queries, len(lower)
    program.sense_ = highspy.ObjSense.kMaximize
    program.col_cost_ = np.concatenate([np.zeros(choices), sample.gains.astype(float)])
    program.col_lower_, program.col_upper_ = np.zeros(choices + queries), np.ones(choices + queries)
    program.row_lower_, program.row_upper_ = np.array(lower), np.array(upper)
    program.integrality_ = [highspy.HighsVarType.kInteger] * choices + [highspy.HighsVarType.kContinuous] * queries
    program.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    program.a_matrix_.start_ = np.cumsum([0, *map(len, entries)]).astype(np.int32)
    program.a_matrix_.index_ = np.array([place for row in entries for place, _ in row], dtype=np.int32)
    program.a_matrix_.value_ = np.array([value for row in entries for _, value in row])
    return program


Entries = list[list[tuple[int, float]]]


def _rows(
    sample: Sample, levels: list[list[int]], column: dict[tuple[int, int], int]
) -> tuple[Entries, list[float], list[float]]:
    """(column, value) of each row, and its bounds."""
    import highspy

    infinity = float(highspy.kHighsInf)
    entries: Entries = [[(column[a, level], 1.0) for level in offered] for a, offered in enumerate(levels) if offered]
    lower, upper = [1.0] * len(entries), [1.0] * len(entries)
    for number, (codes, gain) in enumerate(zip(sample.codes, sample.gains, strict=True)):
        asked = [column[a, int(code)] for a, code in enumerate(codes) if code >= 0]
        held = len(column) + number
        if gain > 0:
            entries += [[(held, -1.0), (place, 1.0)] for place in asked]
            lower, upper = lower + [0.0] * len(asked), upper + [infinity] * len(asked)
        else:
            entries.append([(held, 1.0), *((place, -1.0) for place in asked)])
            lower, upper = [*lower, 1.0 - len(asked)], [*upper, infinity]
    return entries, lower, upper


def _warm(sample: Sample, levels: list[list[int]], row: Ints) -> Any:
    import highspy

    holds = np.all((sample.codes == row) | (sample.codes < 0), axis=1)
    choice: Floats = np.array([float(row[a] == level) for a, offered in enumerate(levels) for level in offered])
    solution = highspy.HighsSolution()
    solution.col_value = np.concatenate([choice, holds.astype(float)])
    return solution
