"""Rows that get levels: their parents move along, so that what is grown is as consistent as what was read."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mechanisms.table_fit.toy_tables import CONSTANTS
from support.fakes import SeededNoise
from support.planting import plant

from pmwpub.domain import Attribute, Domain, Nesting
from pmwpub.errors import DomainError
from pmwpub.mechanisms.table_fit import nested_rows
from pmwpub.mechanisms.table_fit.fit_constants import SupportGrowth
from pmwpub.mechanisms.table_fit.measured_tables import measured_tables
from pmwpub.mechanisms.table_fit.nested_rows import give_levels
from pmwpub.mechanisms.table_fit.support_growth import GrownCell, grown_support
from pmwpub.mechanisms.table_fit.table_fit import table_fit
from pmwpub.mechanisms.table_fit.table_schedule import TableSchedule, schedule
from pmwpub.privacy.budget import ZCDP
from pmwpub.queries.counts import count
from pmwpub.queries.workload import Workload
from pmwpub.records import Codes, Dataset, Support

STATE_OF = (0, 0, 1, 1, 2, 2)
COAST_OF = (0, 1, 1, 0, 0, 1)
PLACES = Domain(
    (
        Attribute("county", ("a1", "a2", "b1", "b2", "c1", "c2")),
        Attribute("job", ("x", "y", "z")),
        Attribute("state", ("a", "b", "c")),
        Attribute("coast", ("yes", "no")),
    ),
    (Nesting(0, 2, STATE_OF), Nesting(0, 3, COAST_OF)),
)
COUNTY, JOB, STATE, COAST = range(4)


def rows_of(*pairs: tuple[int, int]) -> Codes:
    """(county, job) rows with their parents."""
    codes = np.array([(county, job, STATE_OF[county], COAST_OF[county]) for county, job in pairs], dtype=np.uint8)
    return codes


def people(rows: int, seed: int) -> Dataset:
    rng = np.random.default_rng(seed)
    return Dataset(PLACES, rows_of(*zip(rng.integers(6, size=rows), rng.integers(3, size=rows), strict=True)))


def test_another_level_of_a_column_brings_its_own_parents() -> None:
    rows = rows_of((0, 0), (1, 2))
    give_levels(rows, [COUNTY, JOB], [4, 1], Support.of(people(50, 1)))
    assert rows.tolist() == [[4, 1, 2, 0], [4, 1, 2, 0]]


def test_a_level_of_a_parent_moves_only_rows_that_lie_elsewhere_to_where_public_rows_are() -> None:
    """Of state b the public rows have b2 alone: b1 is nobody's."""
    public = Support.of(Dataset(PLACES, rows_of((0, 0), (3, 0), (3, 2), (5, 1))))
    rows = rows_of((2, 0), (0, 1), (5, 2))
    give_levels(rows, [STATE], [1], public)
    assert rows[:, COUNTY].tolist() == [2, 3, 3]
    assert rows[:, STATE].tolist() == [1, 1, 1]
    assert PLACES.is_derived(rows.T)


def test_a_state_that_no_public_row_has_shares_its_counties_out_evenly() -> None:
    public = Support.of(Dataset(PLACES, rows_of((0, 0), (3, 0))))
    rows = rows_of(*[(0, 0)] * 8)
    give_levels(rows, [STATE, JOB], [2, 2], public)
    assert sorted(rows[:, COUNTY].tolist()) == [4] * 4 + [5] * 4
    assert rows[:, JOB].tolist() == [2] * 8


def test_public_rows_of_a_state_are_taken_evenly() -> None:
    """Three rows in four of state b are in b1, and so are those that move there."""
    public = Support.of(Dataset(PLACES, rows_of((0, 0), *[(2, 0)] * 30, *[(3, 0)] * 10)))
    rows = rows_of(*[(0, 0)] * 40)
    give_levels(rows, [STATE], [1], public)
    assert np.bincount(rows[:, COUNTY], minlength=6).tolist() == [0, 0, 30, 10, 0, 0]


def planned(support: Support, budget: int = 5) -> TableSchedule:
    return schedule(
        measured_tables(Workload.all_kway(PLACES, 2)),
        support,
        ZCDP.at_most(Fraction(budget)),
        rows_per_person=1,
        complete=True,
        constants=CONSTANTS,
        growth=SupportGrowth(),
    )


def test_no_table_of_a_column_and_its_parent_is_measured_and_each_parent_alone_is() -> None:
    tables = [one.attributes for one in measured_tables(Workload.all_kway(PLACES, 2)).marginals]
    assert tables == [(COUNTY,), (JOB,), (STATE,), (COAST,), (COUNTY, JOB), (JOB, STATE), (JOB, COAST)]


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_every_grown_row_has_its_cell_and_the_parents_of_its_children(data: st.DataObject) -> None:
    """Whatever public rows there are, and whichever cells without any get rows."""
    kept = data.draw(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 2)), min_size=1, max_size=12))
    support = Support.of(Dataset(PLACES, rows_of(*kept)))
    plan = planned(support)
    empty = []
    for cell in range(int(plan.tables.offsets[plan.one_way]), plan.tables.queries):
        marginal, levels = plan.tables.query(cell)
        if not np.all(support.codes[:, list(marginal.attributes)] == levels, axis=1).any():
            empty.append((cell, marginal, levels))
    if not empty:
        return
    cell, marginal, levels = data.draw(st.sampled_from(empty))
    grown = grown_support(plan, support, [GrownCell(cell, 40)])
    assert PLACES.is_derived(grown.codes.T)
    has = np.all(grown.codes[:, list(marginal.attributes)] == levels, axis=1)
    assert int(grown.multiplicity[has].sum()) == 40
    assert int(grown.multiplicity.sum()) == support.rows * SupportGrowth().row_weight + 40


def test_a_fit_grows_people_whom_no_public_row_tells_of_with_their_state() -> None:
    """A sixth of the private rows are of job z in state c, where no public row is."""
    private = people(3_000, 1)
    codes = people(900, 2).codes
    public = Support.of(Dataset(PLACES, codes[(codes[:, STATE] != 2) | (codes[:, JOB] != 2)]))
    plan = planned(public)
    release = table_fit(count(plan.tables, private), public, plan, noise=SeededNoise(4))
    grown = release.distribution.support
    assert len(grown) > len(public)
    assert PLACES.is_derived(grown.codes.T)
    there = (grown.columns[STATE] == 2) & (grown.columns[JOB] == 2)
    assert float(release.distribution.weights[there].sum()) > 0.05


@pytest.mark.fault("a grown row's parents left as they were")
def test_parents_that_stay_behind_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, nested_rows, "give_levels", "domain.derive(rows.T)", "pass")
    support = Support.of(Dataset(PLACES, rows_of((0, 0), (2, 1))))
    plan = planned(support)
    monkeypatch.setattr("pmwpub.mechanisms.table_fit.support_growth.give_levels", nested_rows.give_levels)
    cell = int(plan.tables.offsets[plan.one_way]) + 4 * 3 + 2
    with pytest.raises(DomainError, match="not the one of its child"):
        grown_support(plan, support, [GrownCell(cell, 40)])


def test_a_support_whose_rows_contradict_themselves_is_refused() -> None:
    wrong = rows_of((0, 0))
    wrong[0, STATE] = 1
    with pytest.raises(DomainError, match="not the one of its child"):
        Support.of(Dataset(PLACES, wrong))


def test_all_possible_rows_are_those_of_the_columns_with_their_parents() -> None:
    full = Support.full(PLACES)
    assert len(full) == PLACES.size == 18
    assert sorted(map(tuple, full.codes.tolist())) == sorted(
        map(tuple, rows_of(*((county, job) for county in range(6) for job in range(3))).tolist())
    )


def test_a_parent_without_levels_under_it_is_no_nesting() -> None:
    with pytest.raises(DomainError):
        replace(PLACES, nestings=(Nesting(0, 2, (0, 0, 1, 1, 1, 1)),))
