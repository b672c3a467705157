"""Means of a column: what each bin counts as."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pmwpub.mechanisms.table_fit.intervals.contrast_intervals import mean_of
from pmwpub.release.answers.number_answers import middles
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
