"""Ranges of ordered columns: where they begin and end, by edges, spikes and levels, and what is refused."""

from __future__ import annotations

import pytest

from pmwpub.errors import WorkloadError
from pmwpub.mechanisms.table_fit.intervals.range_intervals import QuantileBins
from pmwpub.release.answers.ordered_columns import OrderedColumn, written_range
from pmwpub.release.answers.quantile_answers import QuantileAnswer, quantiles_csv
from pmwpub.tabular.schema.column_types import CategoricalColumn, NumericColumn

AGE = OrderedColumn(NumericColumn(name="age", kind="numeric", edges=(0, 20, 40, 65, 100), outside="clip", missing=True))
PAY = OrderedColumn(NumericColumn(name="pay", kind="numeric", edges=(0, 0, 10, 50, 50), outside="clip"))
CLASS = OrderedColumn(CategoricalColumn(name="class", kind="ordered", levels=("low", "mid..", "high"), other=True))


@pytest.mark.parametrize(
    ("column", "low", "high", "codes", "words"),
    [
        (AGE, 20, 65, [1, 2], "from 20 to below 65"),
        (AGE, "20", "40.0", [1], "from 20 to below 40"),
        (AGE, None, 40, [0, 1], "from 0 to below 40"),
        (AGE, 65, None, [3], "from 65 to 100"),
        (AGE, 65, 100, [3], "from 65 to 100"),
        (AGE, None, None, [0, 1, 2, 3], "from 0 to 100"),
        (PAY, 0, 0, [0], "equal to 0"),
        (PAY, 0, 10, [0, 1], "from 0 to below 10"),
        (PAY, 10, 50, [2], "from 10 to below 50"),
        (PAY, 10, None, [2, 3], "from 10 to 50"),
        (PAY, 50, 50, [3], "equal to 50"),
        (CLASS, "low", "mid..", [0, 1], "from low to mid.."),
        (CLASS, "high", None, [2], "from high to high"),
    ],
)
def test_a_range_holds_the_bins_between_its_ends(
    column: OrderedColumn, low: object, high: object, codes: list[int], words: str
) -> None:
    found, said = column.between(low, high)  # type: ignore[arg-type]
    assert (list(found), said) == (codes, words)


@pytest.mark.parametrize(
    ("column", "low", "high", "words"),
    [
        (AGE, 21, 40, "near it: 0, 20, 40"),
        (AGE, 40, 20, "holds nothing"),
        (AGE, 20, 20, "holds nothing"),
        (AGE, "young", None, "ends at numbers"),
        (AGE, float("nan"), None, "no edge"),
        (CLASS, "high", "low", "holds nothing"),
        (CLASS, "(other)", None, "no level"),
    ],
)
def test_other_ends_are_refused(column: OrderedColumn, low: object, high: object, words: str) -> None:
    with pytest.raises(WorkloadError, match=words):
        column.between(low, high)  # type: ignore[arg-type]


def test_a_column_without_an_order_has_no_range() -> None:
    with pytest.raises(WorkloadError, match="no order"):
        OrderedColumn(CategoricalColumn(name="town", kind="categorical", levels=("a", "b")))


@pytest.mark.parametrize(
    ("column", "text", "ends"),
    [
        (AGE, "20..40", ("20", "40")),
        (AGE, "..40", (None, "40")),
        (AGE, "65..", ("65", None)),
        (CLASS, "low..mid..", ("low", "mid..")),
        (CLASS, "mid....high", ("mid..", "high")),
    ],
)
def test_ranges_are_written_with_two_points(column: OrderedColumn, text: str, ends: tuple[object, object]) -> None:
    assert written_range(text, column) == ends


@pytest.mark.parametrize("text", ["", "20", "..", "20-40"])
def test_what_is_not_written_so_is_refused(text: str) -> None:
    with pytest.raises(WorkloadError, match=r"FROM\.\.TO"):
        written_range(text, AGE)


def test_a_quantile_is_interpolated_in_its_bin_and_its_interval_ends_at_edges() -> None:
    found = QuantileAnswer.of(AGE, 0.5, QuantileBins(1, 0.25, 1, 2))
    assert (found.value, found.low, found.high, found.level) == (25.0, 20.0, 65.0, "[20, 40)")
    assert (found.first, found.last, found.what) == ("[20, 40)", "[40, 65)", "median of age")
    beyond = QuantileAnswer.of(AGE, 0.5, QuantileBins(0, 0.5, 1, 2))
    assert (beyond.value, beyond.released, beyond.level) == (20.0, 10.0, "[20, 40)")
    above = QuantileAnswer.of(AGE, 0.9, QuantileBins(3, 0.5, 1, 2))
    assert (above.value, above.what) == (65.0, "quantile 0.9 of age")


def test_a_quantile_of_levels_is_a_level() -> None:
    found = QuantileAnswer.of(CLASS, 0.5, QuantileBins(1, 0.5, 0, 1))
    assert (found.value, found.level, found.low, found.first) == (None, "mid..", None, "low")
    none = QuantileAnswer.of(CLASS, 0.5, QuantileBins(None, 0.0, None, None))
    assert (none.level, none.basis) == (None, "not covered")
    assert b'"0.5"' not in quantiles_csv([found, none])
    assert quantiles_csv([none]).decode().splitlines()[1].startswith('0.5,"median of class","","",')
