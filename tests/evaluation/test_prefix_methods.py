"""Methods on a workload with prefixes: those that answer by rows are compared, those that answer cells refuse."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from support import tables
from support.fakes import SeededNoise

from pmwpub.errors import MethodRefused
from pmwpub.evaluation.baseline_registry import baseline_of
from pmwpub.evaluation.fits import fitted_tables
from pmwpub.evaluation.truths.run_terms import Case, RunTerms
from pmwpub.mechanisms.baselines.dual_query import DualQueryPlan, dual_query
from pmwpub.mechanisms.baselines.graphical.mst import MstPlan, mst
from pmwpub.mechanisms.baselines.matrix.residuals import ResidualSpaces
from pmwpub.mechanisms.baselines.mwem import inside
from pmwpub.mechanisms.baselines.prefix_refusal import CELLS_ALONE
from pmwpub.mechanisms.table_fit.measured_tables import measured_tables
from pmwpub.privacy.budget import ZCDP
from pmwpub.queries.counts import count
from pmwpub.queries.incidence import PublicProblem
from pmwpub.queries.prefix_tables import PrefixTable
from pmwpub.queries.workload import Workload

SHAPE = tables.ordered(tables.domain(6, 2, 3), 5, 0, 0)
WORKLOAD = Workload.all_kway(SHAPE, 2, prefixes=["a0"])
ROWS = tables.table(SHAPE, 2_000, 1)
CANDIDATE = PublicProblem(WORKLOAD, tables.support(SHAPE, 300, 2))
ROUNDS = 60


def case() -> Case:
    terms = RunTerms(WORKLOAD, len(ROWS), ZCDP.at_most(Fraction(20)))
    return Case(terms, count(WORKLOAD, ROWS), ROWS, CANDIDATE, ROUNDS, 0, SeededNoise(1))


@pytest.mark.parametrize("name", ["table-fit", "table-fit-grown", "table-fit-ranges", "mwem"])
def test_methods_that_end_with_weights_are_compared_on_prefixes_too(name: str) -> None:
    assert baseline_of(name).refusal(case().terms, ROUNDS) == ""
    assert baseline_of(name).errors(case()).max_error < 0.02


def test_importance_weights_are_compared_on_prefixes_too() -> None:
    """They know each column alone, so of the prefixes of a column alone they are near."""
    alone = Workload(SHAPE, (), (PrefixTable(0),))
    found = Case(
        RunTerms(alone, len(ROWS), ZCDP.at_most(20)), count(alone, ROWS), ROWS,
        PublicProblem(alone, CANDIDATE.support), 1, 0, SeededNoise(1),
    )  # fmt: skip
    start = np.abs(found.counts.counts / len(ROWS) - found.problem.start_sums / found.problem.support.rows).max()  # type: ignore[union-attr]
    assert baseline_of("ji-elkan").errors(found).max_error < start


@pytest.mark.parametrize("name", ["dual-query", "hdmm", "residual-planner", "mwem+on=a0/a1", "aim", "mst"])
def test_methods_that_answer_cells_refuse_in_one_sentence(name: str) -> None:
    if name in ("aim", "mst"):
        pytest.importorskip("mbi")
    assert baseline_of(name).refusal(case().terms, ROUNDS) == CELLS_ALONE
    with pytest.raises(MethodRefused, match=r"no .at most. questions"):
        baseline_of(name).errors(case())


def test_coarse_tables_are_of_the_columns_whose_prefixes_are_asked_with_a_quarter_of_the_budget(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen = []
    fit = fitted_tables.table_fit

    def watched(*given: Any, **more: Any) -> Any:
        seen.append(given[2])
        return fit(*given, **more)

    monkeypatch.setattr(fitted_tables, "table_fit", watched)
    baseline_of("table-fit-ranges").errors(case())
    (plan,) = seen
    assert [(table.attribute, table.width) for table in plan.coarse.tables] == [(0, 2), (0, 4)]
    assert sum(share.units for share in plan.coarse.shares) == case().terms.budget.units // 4
    assert sum(share.units for share in plan.shares) <= case().terms.budget.units * 3 // 4


def test_without_prefixes_there_are_no_coarse_tables_to_compare() -> None:
    baseline = baseline_of("table-fit-ranges")
    plain = RunTerms(Workload.all_kway(SHAPE, 2), len(ROWS), ZCDP.at_most(20))
    assert "no “at most” questions" in baseline.refusal(plain)
    assert "too small" in baseline.refusal(RunTerms(WORKLOAD, len(ROWS), ZCDP(4)))


def test_the_mechanisms_themselves_refuse_too() -> None:
    plan = DualQueryPlan.within(ZCDP.at_most(1), len(ROWS), 10, Fraction(1), 1)
    for call in (
        lambda: ResidualSpaces(WORKLOAD),
        lambda: inside(WORKLOAD, ["a0", "a1"]),
        lambda: mst(ROWS, WORKLOAD, MstPlan(ZCDP.at_most(1))),
        lambda: dual_query(count(WORKLOAD, ROWS), WORKLOAD, plan),
    ):
        with pytest.raises(MethodRefused, match="at most"):
            call()


def test_table_fit_measures_the_tables_of_the_marginals_and_of_the_prefix_tables_columns() -> None:
    plain = measured_tables(Workload.all_kway(SHAPE, 2))
    assert measured_tables(WORKLOAD) == plain
    crossed = Workload(SHAPE, (), (PrefixTable(0, (2,)),))
    assert [table.attributes for table in measured_tables(crossed).marginals] == [(0,), (2,), (0, 2)]
    assert not measured_tables(crossed).prefixes
