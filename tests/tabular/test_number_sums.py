"""Sums of private numbers, by hand; one person's rows move them by at most k times what a row may add."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.planting import plant

from pmwpub.errors import FileRefused, SchemaError
from pmwpub.tabular import number_sums as summing
from pmwpub.tabular.coding.rows_without_id import RowsWithoutId
from pmwpub.tabular.files.reading import open_table
from pmwpub.tabular.number_sums import SummedColumn
from pmwpub.tabular.private_pass import survey
from pmwpub.tabular.schema.table_schema import Schema

COLUMNS = (
    b'{"name": "sex", "kind": "categorical", "levels": ["F", "M"], "same": []},'
    b'{"name": "pay", "kind": "numeric", "edges": [0, 500, 1000], "outside": "none", "prefix": "$",'
    b' "missing": [{"from": 997, "to": 999, "label": "refused"}], "same": []}'
)
PLAIN = Schema.from_json(b'{"version": 2, "missing_tokens": ["NA", ""], "columns": [' + COLUMNS + b"]}")
KEEPING = Schema.from_json(
    b'{"version": 2, "missing_tokens": ["NA", ""], "columns": ['
    b'{"name": "who", "kind": "id", "beyond": "keep"},' + COLUMNS + b"]}"
)
PAY = SummedColumn("pay", 100.0, -2, 20)
"""In hundreds, clipped to -200 to 2,000: wider than the bins."""

Rows = Sequence[tuple[str, ...]]


def content(rows: Rows) -> bytes:
    return ("who,sex,pay\n" + "".join(",".join(row) + "\n" for row in rows)).encode()


def summed(
    rows: Rows, *, schema: Schema = PLAIN, columns: Sequence[SummedColumn] = (PAY,), k: int = 1
) -> list[list[int]]:
    body = content(rows)
    found = survey(open_table(body), schema, n=len(rows), rows_per_person=k)
    sums = summing.number_sums(open_table(body), schema, columns, digest=found.digest, n=len(rows), rows_per_person=k)
    return sums.tolist()  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("cell", "units"),
    [
        ("0", 0),
        ("$ 149", 1),
        ("150", 2),
        ("-150", -1),
        ("-151", -2),
        ("-1e9", -2),
        ("1500", 15),
        ("1e300", 20),
        ("'-$150", -1),
        ("NA", None),
        ("998", None),
        ("", None),
        ("much", None),
        ("[0. 500)", None),
        ("nan", None),
    ],
)
def test_a_cell_is_so_many_units_clipped_or_no_number(cell: str, units: int | None) -> None:
    assert summed([("p", "F", cell)]) == [[0, 0] if units is None else [units, 1]]


def test_sums_are_over_the_rows_with_a_number() -> None:
    rows = [("p", "F", "100"), ("q", "M", "NA"), ("r", "x", "760"), ("s", "F", "-90")]
    assert summed(rows) == [[1 + 8 - 1, 3]]
    coarse = SummedColumn("pay", 1000.0, 0, 1)
    assert summed(rows, columns=[coarse, PAY]) == [[1, 3], [8, 3]]


def test_what_is_no_numeric_column_is_refused() -> None:
    for name in ("sex", "who", "gone"):
        with pytest.raises((SchemaError, ValueError)):
            summed([("p", "F", "5")], columns=[SummedColumn(name, 1.0, 0, 9)])


def test_a_file_that_changed_since_it_was_loaded_is_refused() -> None:
    found = survey(open_table(content([("p", "F", "5")])), PLAIN, n=1)
    other = open_table(content([("p", "F", "6")]))
    with pytest.raises(FileRefused, match="changed"):
        summing.number_sums(other, PLAIN, [PAY], digest=found.digest, n=1, rows_per_person=1)


def test_of_an_id_with_more_than_k_rows_k_are_summed_and_of_nobody_none() -> None:
    rows = [*([("p", "F", "300")] * 5), ("", "F", "300"), ("NA", "F", "300"), ("q", "M", "100")]
    assert summed(rows, schema=KEEPING, k=2) == [[7, 3]]
    assert summed(rows, schema=KEEPING, k=5) == [[16, 6]]
    assert summed(rows, k=2) == [[22, 8]]


CELLS = st.tuples(
    st.sampled_from(["F", "x"]), st.sampled_from(["0", "100", "-1e9", "1e9", "NA", "998", "much", "$250"])
)
ORDERS = (lambda row: row, lambda row: row[::-1])


@st.composite
def neighbours(draw: st.DrawFn, most: int = 9) -> tuple[Rows, Rows]:
    """Two tables, each in an order of its own, that differ in all rows of one ID: as many rows of an ID of its own."""
    others = [(draw(st.sampled_from(["p", "q", "", "NA"])), *draw(CELLS)) for _ in range(draw(st.integers(0, 10)))]
    one = [("s", *draw(CELLS)) for _ in range(draw(st.integers(1, most)))]
    name = draw(st.sampled_from(["t", "", "NA"]))
    another = [(name, *draw(CELLS)) for _ in one]
    by = draw(st.sampled_from(ORDERS))
    return sorted([*others, *one], key=by), sorted([*others, *another], key=by)


def within(ours: list[list[int]], theirs: list[list[int]], k: int) -> bool:
    """The sum by at most k times the range of what a row adds, -2 to 20; the number of rows by at most k; the sum of
    v - 5, whose terms lie between -7 and 15, 0 among them, by at most 22 k."""
    (total, number), (other_total, other_number) = ours[0], theirs[0]
    sums = abs(total - other_total), abs((total - 5 * number) - (other_total - 5 * other_number))
    return max(sums) <= 22 * k and abs(number - other_number) <= k


@settings(max_examples=70)
@given(neighbours(), st.integers(1, 4))
def test_an_id_of_any_number_of_rows_moves_sums_by_at_most_k_terms(pair: tuple[Rows, Rows], k: int) -> None:
    assert within(*(summed(rows, schema=KEEPING, k=k) for rows in pair), k)


@settings(max_examples=50)
@given(st.data(), st.sampled_from([1, 3]))
def test_one_person_s_k_rows_move_sums_by_at_most_k_terms(data: st.DataObject, k: int) -> None:
    ours, theirs = data.draw(neighbours(most=k))
    assert within(summed(ours, k=len(ours)), summed(theirs, k=len(theirs)), k)


CROWD = [("p", "F", "100")] * 2


@pytest.mark.fault("rows without an ID counted")
def test_rows_of_nobody_that_were_summed_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    pair = ([*CROWD, *[("s", "F", "-1e9")] * 4], [*CROWD, *[("", "F", "1e9")] * 4])

    def holds() -> bool:
        return within(*(summed(rows, schema=KEEPING, k=2) for rows in pair), 2)

    assert holds()
    plant(monkeypatch, RowsWithoutId, "cleared", "if self.column is not None:", "if False:")
    assert not holds()


@pytest.mark.fault("rows beyond k counted")
def test_rows_beyond_k_that_were_summed_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    pair = ([("s", "F", "-1e9")] * 4, [("t", "F", "1e9")] * 4)

    def holds() -> bool:
        return within(*(summed(rows, schema=KEEPING, k=2) for rows in pair), 2)

    assert holds()
    plant(monkeypatch, summing, "number_sums", "if limit is None else", "if True else")
    assert not holds()


@pytest.mark.fault("numbers of a mean not clipped")
def test_numbers_beyond_the_ends_that_were_not_clipped_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, SummedColumn, "units", "np.clip(np.floor(scaled + 0.5).astype(np.int64), self.low, self.high)",
          "np.floor(values / self.unit + 0.5).astype(np.int64)")  # fmt: skip
    assert not within(summed([("s", "F", "1e9")]), summed([("s", "F", "0")]), 1)
    assert np.array(summed([("s", "F", "0")])).tolist() == [[0, 1]]
