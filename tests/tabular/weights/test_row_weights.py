"""The weights of a file's rows: the same in memory and read anew, whatever the cells say; faults in either path."""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.planting import plant

from pmwpub.errors import DomainError, PlanError
from pmwpub.queries.counts import WeighedRows, count
from pmwpub.queries.weighed_counts import weighed_sums
from pmwpub.queries.workload import Workload
from pmwpub.tabular.files.reading import open_table
from pmwpub.tabular.private_pass import KEPT, survey
from pmwpub.tabular.schema.table_schema import Schema
from pmwpub.tabular.weights import row_weights
from pmwpub.tabular.weights.row_weights import WeighedFile, WeighedTable, WeightReader
from pmwpub.tabular.weights.weight_column import WeightColumn
from pmwpub.tasks.counting_cluster import spread

SCHEMA = Schema.from_json(
    json.dumps(
        {
            "version": 2,
            "missing_tokens": ["NA"],
            "columns": [
                {"name": "sex", "kind": "categorical", "levels": ["F", "M"], "same": []},
                {"name": "w", "kind": "weight", "cap": 7, "unit": 1},
            ],
        }
    )
)
WORKLOAD = Workload.all_kway(SCHEMA.domain, 1)
CELLS = st.sampled_from(["0", "7", "3", "3.5", "100", "1e9", "-5", "", "NA", "x", "inf", "nan"])
ROWS = st.lists(st.tuples(st.sampled_from(["F", "M", "?"]), CELLS), min_size=2, max_size=8)
UNITS = {"0": 0, "7": 7, "3": 3, "3.5": 4, "100": 7, "1e9": 7}
Loaded = WeighedTable | WeighedFile


def loaded(rows: list[tuple[str, str]], kept: int) -> Loaded:
    content = "\n".join(["w,sex", *(f"{weight},{sex}" for sex, weight in rows)]) + "\n"
    found = survey(open_table(content.encode()), SCHEMA, n=len(rows), kept=kept)
    rows_found = found.admitted(n=len(rows), rows_per_person=1)
    assert isinstance(rows_found, WeighedTable | WeighedFile)
    assert isinstance(rows_found, WeighedTable) == (kept > 0)
    return rows_found


kept = pytest.mark.parametrize("kept", [KEPT, 0], ids=["in memory", "read anew"])


@kept
@settings(max_examples=40)
@given(ROWS)
def test_a_file_s_weights_are_those_of_its_cells_by_hand(kept: int, rows: list[tuple[str, str]]) -> None:
    expected = [sum(UNITS.get(weight, 0) for sex, weight in rows if sex == one) for one in "FM"]
    assert weighed_sums(WORKLOAD, loaded(rows, kept), 7).tolist() == expected


def largest_move(kept: int) -> int:
    """How far a person can move a count whose weight's cell goes from nothing to 1,000,000 and from woman to man."""
    cells = ["0", "", "1000000", "7", "-3"]
    found = [weighed_sums(WORKLOAD, loaded([("F", "1"), (sex, w)], kept), 7) for sex in "FM" for w in cells]
    return max(int(np.abs(one - other).max()) for one in found for other in found)


@kept
def test_one_person_moves_a_count_by_the_cap_whatever_the_cell_says(kept: int) -> None:
    assert largest_move(kept) == 7


def cap_ignored(patch: pytest.MonkeyPatch) -> None:
    plant(patch, WeightColumn, "weight_of", "min(max(floor(number / unit + Fraction(1, 2)), 0), cap)",
          "max(floor(number / unit + Fraction(1, 2)), 0)")  # fmt: skip


def unclipped_in_one_path(patch: pytest.MonkeyPatch) -> None:
    """Only where rows are read anew."""
    plant(patch, WeighedFile, "weighed_blocks", "self.rows.read_with_weights()", "unclipped(self.rows)")

    def unclipped(rows: object) -> object:
        for chunk in rows.table.chunks():  # type: ignore[attr-defined]
            own = [float(cell or 0) for cell in chunk.texts(0)]
            codes = np.array([["FM".index(cell) for cell in chunk.texts(1)]], dtype=np.uint8)
            yield codes, np.array(own, dtype=np.int64)

    patch.setattr(row_weights, "unclipped", unclipped, raising=False)


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(cap_ignored, marks=pytest.mark.fault("cap ignored")),
        pytest.param(unclipped_in_one_path, marks=pytest.mark.fault("unclipped weight in one path")),
    ],
)
def test_a_weight_beyond_the_cap_reaches_no_count(
    fault: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Clipping is done where cells are read, and held again where they are counted."""
    fault(monkeypatch)
    with pytest.raises(DomainError, match="weighs more than the cap"):
        largest_move(0)


@pytest.mark.fault("cap ignored")
def test_an_ignored_cap_is_caught_by_the_property_where_nothing_else_holds_it(monkeypatch: pytest.MonkeyPatch) -> None:
    cap_ignored(monkeypatch)
    found = [sum(SCHEMA.weight_column.weight_of(cell) for cell in ("1", own)) for own in ("0", "1000000")]  # type: ignore[union-attr]
    assert abs(found[0] - found[1]) > 7


def test_a_schema_that_weighs_no_row_has_no_reader() -> None:
    plain = SCHEMA.with_column(WeightColumn(name="w", kind="weight"))
    assert WeightReader.of(["sex", "w"], plain) is None


def test_a_cluster_does_not_weigh_rows() -> None:
    with pytest.raises(PlanError, match="does not weigh them"):
        spread(loaded([("F", "1"), ("M", "2")], 0), b"", "tcp://127.0.0.1:1")


@pytest.mark.parametrize("kept", [KEPT, 0], ids=["in memory", "read anew"])
def test_rows_of_a_schema_that_weighs_none_are_counted_as_ever(kept: int) -> None:
    plain = SCHEMA.with_column(WeightColumn(name="w", kind="weight"))
    found = survey(open_table(b"w,sex\n5,F\n,F\n1,M\n"), plain, n=3, kept=kept).admitted(n=3, rows_per_person=1)
    assert not isinstance(found, WeighedRows)
    assert count(WORKLOAD, found).counts.tolist() == [2, 1]
