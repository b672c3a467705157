"""Means of a column: what each bin counts as."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from pmwpub.mechanisms.table_fit.intervals.contrast_intervals import mean_of
from pmwpub.release.answers.number_answers import NumberAnswer, middles, numbers_csv, reach_of_bins
from pmwpub.tabular.schema.column_types import NumericColumn

MOST = 1.7976931348623157e308


def test_bins_at_the_end_of_what_numbers_can_be_have_a_middle_and_a_mean() -> None:
    column = NumericColumn(name="a", kind="numeric", edges=(-MOST, 0.0, 1.0e308, MOST), outside="clip")
    found = middles(column)
    assert found == [-MOST / 2, 0.5e308, pytest.approx(1.3988465674311579e308)]
    assert mean_of(np.array([0.0, 0.25, 0.75]), [MOST, MOST, MOST]) == MOST
    assert mean_of(np.array([0.5, 0.0, 0.5]), [-MOST, None, MOST]) == 0.0


def test_levels_without_a_number_and_without_rows_count_for_nothing() -> None:
    assert mean_of(np.array([0.2, 0.3, 0.5]), [1.0, None, 8.0]) == pytest.approx(6.0)
    assert math.isnan(mean_of(np.array([0.0, 1.0, 0.0]), [1.0, None, 8.0]))


def test_binning_moves_a_mean_by_half_the_widths_of_bins_and_not_at_spikes() -> None:
    """Bins [0, 10), [10, 10] and (10, 30], and cells without a number: (0.2 5 + 0.3 0 + 0.3 10)/0.8 = 5."""
    column = NumericColumn(name="a", kind="numeric", edges=(0, 10, 10, 30), outside="clip", missing=True)
    shares = np.array([0.2, 0.3, 0.3, 0.2])
    assert reach_of_bins(column, shares) == pytest.approx(5)
    highest = [10.0, 10.0, 30.0, None]
    assert mean_of(shares, highest) - mean_of(shares, middles(column)) == pytest.approx(5), "and it is reached"
    assert reach_of_bins(column, np.array([0.0, 0.0, 0.0, 1.0])) is None
    wide = NumericColumn(name="a", kind="numeric", edges=(-MOST, MOST), outside="clip")
    assert reach_of_bins(wide, np.array([1.0])) == MOST


def test_a_mean_says_how_far_binning_may_move_it_rounded_up() -> None:
    found = replace(NumberAnswer.uncovered("mean of bin middles of a", 7.0), binning=1.2341)
    assert found.of_bins.startswith("The true mean may lie up to 1.24 further off")
    assert found.line()["binning"] == 1.2341
    assert numbers_csv([found]).splitlines()[1].endswith(b",1.2341")
    other = NumberAnswer.uncovered("share", 0.5)
    assert (other.of_bins, "binning" in other.line()) == ("", False)
