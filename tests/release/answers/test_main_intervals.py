"""What a report says of a release's intervals: the reach of each column, by the intervals themselves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from mechanisms.table_fit.intervals.drifting_world import SHAPE, released
from release.bundles import Made

from pmwpub.errors import PlanError
from pmwpub.mechanisms.table_fit.intervals.cell_intervals import CellIntervals
from pmwpub.records import Distribution
from pmwpub.release.answers import main_intervals as module
from pmwpub.release.answers.main_intervals import MISSES, MainIntervals, main_intervals
from pmwpub.release.summary import WITHOUT_INTERVAL, summary_of


@pytest.fixture(scope="module")
def intervals() -> CellIntervals:
    _, release, drift = released(0)
    return CellIntervals(release, drift)


@pytest.fixture(scope="module")
def found(intervals: CellIntervals) -> MainIntervals:
    known = main_intervals(lambda: intervals, intervals._release.tables)
    assert known is not None
    return known


def test_each_column_has_the_reach_of_its_own_intervals_the_widest_first(
    intervals: CellIntervals, found: MainIntervals
) -> None:
    assert {one.what for one in found.columns} == set(SHAPE.names)
    assert [one.largest for one in found.columns] == sorted((one.largest for one in found.columns), reverse=True)
    of_all = []
    for one in found.columns:
        cells = intervals.of((SHAPE.index(one.what),))
        half = np.maximum(cells.high - cells.shares, cells.shares - cells.low)[cells.released >= 0.01]
        assert (one.cells, one.typical, one.largest) == (len(half), float(np.median(half)), float(half.max()))
        of_all += half.tolist()
    assert found.alone.typical == float(np.median(of_all))
    assert found.pairs is not None
    assert found.pairs.cells > found.alone.cells


def test_levels_stand_in_the_schemas_order_with_their_own_intervals(
    intervals: CellIntervals, found: MainIntervals
) -> None:
    cells = intervals.of((0,))
    first = [one for one in found.levels if one.column == SHAPE.names[0]]
    assert [one.level for one in first] == list(SHAPE.attributes[0].levels)
    assert [(one.share, one.low, one.high) for one in first] == list(
        zip(cells.shares.tolist(), cells.low.tolist(), cells.high.tolist(), strict=True)
    )


def test_the_list_is_short(intervals: CellIntervals, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_LEVELS", 2)
    monkeypatch.setattr(module, "MOST_PAIRS", 1)
    short = main_intervals(lambda: intervals, intervals._release.tables)
    assert short is not None
    assert len(short.levels) == 2
    assert short.unlisted == sum(len(one.levels) for one in SHAPE.attributes) - 2
    assert short.left_out.startswith(f"{short.unlisted:,} levels are left out")
    assert replace(short, unlisted=0).left_out == ""
    assert short.pairs is not None
    assert short.pairs.cells <= 12


def test_the_summary_says_how_far_and_no_longer_that_nothing_is_known(found: MainIntervals, made: Made) -> None:
    said = summary_of(made.bundle.certificate, by_id=False, intervals=found)
    sentence = said.errors[0]
    assert not any("not known" in words for words in said.errors)
    assert f"± {100 * found.alone.typical:.2g} points" in sentence
    assert found.columns[0].what in sentence
    assert (said.levels, said.left_out) == (found.levels, found.left_out)
    assert said.cautions[0] == WITHOUT_INTERVAL
    assert "more than 3 columns" in " ".join(said.cautions), "two are in the workload, and intervals are for three"
    assert "not known" in summary_of(made.bundle.certificate, by_id=False).errors[0]


def test_a_support_that_is_too_thin_is_said(intervals: CellIntervals) -> None:
    release = intervals._release
    tilted = release.released.weights * np.where(release.released.support.codes[:, 0] == 0, 3.0, 1.0)
    off = replace(release, released=Distribution(release.released.support, tilted / tilted.sum()))
    said = main_intervals(lambda: CellIntervals(off, intervals._drift), release.tables)
    assert said is not None
    assert MISSES in said.sentences


@pytest.mark.parametrize("failure", [np.linalg.LinAlgError, KeyError, IndexError, PlanError, MemoryError, TypeError])
@pytest.mark.parametrize("place", ["__init__", "of"])
def test_a_release_is_not_lost_for_them(
    intervals: CellIntervals, monkeypatch: pytest.MonkeyPatch, place: str, failure: type[Exception]
) -> None:
    def failing(*_: object) -> None:
        raise failure

    monkeypatch.setattr(CellIntervals, place, failing)
    release, drift = intervals._release, intervals._drift
    assert main_intervals(lambda: CellIntervals(release, drift), release.tables) is None
