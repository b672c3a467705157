"""The best mixture as a linear program, solved on the queries that matter and grown until no other one does.

    minimise t  subject to  |q(D) - q(mu)| <= t for every query,  mu a mixture,  t >= the proved lower bound.

Only a few queries are tight at an optimum, so rows are added when a solution violates them, and HiGHS restarts
from its last basis. It proves nothing by itself: its mixture and its row duals go to `bounds`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pmwpub.queries.incidence import PublicProblem
from pmwpub.records import Floats, Ints

TOLERANCE = 1e-10
"""HiGHS' smallest feasibility tolerance."""
GROWTH_ROWS = 300
"""At most so many violated queries join at once, the worst first."""

Rows = Callable[[Ints], Sequence[tuple[Ints, Floats]]]
"""Of each of some queries, ascending: the atoms that it is not 0 of, and what it is of them, float64."""


class CuttingPlanes:
    """A linear program over all atoms and a growing set of signed queries.

    target  float64 (Q,)  q(D)
    start   float64 (m,)  a mixture to start from
    rows    q of the atoms

    Row (q, +):  q(mu) + t >= q(D).   Row (q, -):  t - q(mu) >= -q(D).   Row 0:  sum mu = 1.

    weights   float64 (m,)  the last solution's mixture, made feasible
    dual      float64 (Q,)  the last solution's query weights y, + rows minus - rows
    entries   of the program's matrix so far: what its memory and its time grow with

    Privacy: an exact function of private counts, see Descent.
    """

    def __init__(self, target: Floats, start: Floats, rows: Rows, lower: float) -> None:
        self._rows = rows
        self._target = target
        self._signs: list[Ints] = []
        self._queries: list[Ints] = []
        self._present = np.zeros((2, len(target)), dtype=bool)
        self._solver = _empty_program(len(start), lower)
        self.weights = start
        self.dual: Floats = np.zeros(len(target))
        self.entries = len(start)

    def add_worst(self, residual: Floats, above: float, limit: int = GROWTH_ROWS) -> int:
        """Add the queries whose |q(D) - q(mu)| exceeds `above`, at most `limit`, worst first; how many were new.

        residual  float64 (Q,)  q(D) - q(mu)
        """
        fresh = np.flatnonzero(np.abs(residual) > above)
        signs = (residual[fresh] < 0).astype(np.int64)
        new = ~self._present[signs, fresh]
        fresh, signs = fresh[new], signs[new]
        if len(fresh) > limit:
            worst = np.argpartition(-np.abs(residual[fresh]), limit)[:limit]
            fresh, signs = fresh[worst], signs[worst]
        order = np.argsort(fresh, kind="stable")
        self._add_rows(fresh[order], 1 - 2 * signs[order])
        return len(fresh)

    def solve(self, iterations: int) -> bool:
        """Go on from the last basis for at most so many simplex iterations; True when the program is solved."""
        import highspy

        self._solver.setOptionValue("simplex_iteration_limit", iterations)
        self._solver.run()
        solution = self._solver.getSolution()
        if solution.value_valid:
            mass = np.maximum(np.array(solution.col_value[: len(self.weights)]), 0.0)
            if mass.sum() > 0:
                self.weights = mass / mass.sum()
        if solution.dual_valid:
            self.dual = np.zeros_like(self.dual)
            rows = np.array(solution.row_dual[1:])
            np.add.at(self.dual, np.concatenate(self._queries), np.maximum(rows, 0.0) * np.concatenate(self._signs))
        return bool(self._solver.getModelStatus() == highspy.HighsModelStatus.kOptimal)

    def _add_rows(self, queries: Ints, signs: Ints) -> None:
        import highspy

        if not len(queries):
            return
        self._present[(1 - signs) // 2, queries] = True
        self._queries.append(queries)
        self._signs.append(signs)
        height = len(self.weights)
        rows = self._rows(queries)
        starts = np.concatenate([[0], np.cumsum([len(atoms) + 1 for atoms, _ in rows])[:-1]]).astype(np.int32)
        columns = np.concatenate([np.append(atoms, height) for atoms, _ in rows]).astype(np.int32)
        values = np.concatenate([np.append(sign * each, 1.0) for (_, each), sign in zip(rows, signs, strict=True)])
        self.entries += len(columns)
        bounds = signs * self._target[queries]
        ceiling = np.full(len(queries), highspy.kHighsInf)
        self._solver.addRows(len(queries), bounds, ceiling, len(columns), starts, columns, values)


def _empty_program(atoms: int, lower: float) -> Any:
    import highspy

    # The public class prints a banner before it can be silenced; standard output belongs to the command line's JSON.
    solver = highspy._Highs()  # type: ignore[attr-defined]
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", 1)
    solver.setOptionValue("solver", "simplex")
    solver.setOptionValue("presolve", "off")  # a basis cut short inside a presolved program is lost
    solver.setOptionValue("primal_feasibility_tolerance", TOLERANCE)
    solver.setOptionValue("dual_feasibility_tolerance", TOLERANCE)
    costs = np.append(np.zeros(atoms), 1.0)
    floors = np.append(np.zeros(atoms), lower)
    ceilings = np.full(atoms + 1, highspy.kHighsInf)
    nothing = np.zeros(0, dtype=np.int32)
    solver.addCols(atoms + 1, costs, floors, ceilings, 0, nothing, nothing, np.zeros(0))
    every = np.arange(atoms, dtype=np.int32)
    solver.addRow(1.0, 1.0, atoms, every, np.ones(atoms))
    return solver


def members_of(problem: PublicProblem, queries: Ints) -> list[Ints]:
    """The atoms that satisfy each of the queries; queries ascending.

    One sweep a table, however many of its queries are asked for. In the order of cells the atoms of a prefix follow
    one another, from the first cell of the levels beside.
    """
    workload, columns = problem.workload, problem.support.columns
    tables = np.searchsorted(workload.offsets, queries, side="right") - 1
    found: list[Ints] = []
    for w in np.unique(tables):
        beside, last = np.divmod(queries[tables == w] - workload.offsets[w], workload.last_queries[w])
        upper = beside * workload.last_sizes[w] + last
        lower = upper - last if w >= len(workload.marginals) else upper
        cells = np.zeros(len(problem.support), dtype=np.int64)
        for position, stride in zip(workload.positions[w], workload.strides[w], strict=True):
            cells += columns[position].astype(np.int64) * stride
        order = np.argsort(cells, kind="stable")
        starts = np.searchsorted(cells[order], lower, side="left")
        ends = np.searchsorted(cells[order], upper, side="right")
        found += [order[start:end] for start, end in zip(starts, ends, strict=True)]
    return found
