"""Which private cells are misfits, counted by hand; one person's rows move each count by at most k."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.planting import plant

from pmwpub.errors import FileRefused, SchemaError
from pmwpub.records import Ints
from pmwpub.tabular import misfit_pass
from pmwpub.tabular.coding.rows_without_id import RowsWithoutId
from pmwpub.tabular.files.reading import open_table, read_table
from pmwpub.tabular.private_pass import survey
from pmwpub.tabular.schema.table_schema import Schema

COLUMNS = (
    b'{"name": "sex", "kind": "categorical", "levels": ["F", "M"], "same": ["trim", "casefold"]},'
    b'{"name": "job", "kind": "categorical", "levels": ["cook"], "other": true, "missing": true, "same": []},'
    b'{"name": "age", "kind": "numeric", "edges": [0, 10, 20], "outside": "clip",'
    b' "missing": [{"from": 97, "to": 99, "label": "refused"}], "same": []}'
)
PLAIN = Schema.from_json(b'{"version": 2, "missing_tokens": ["NA", ""], "columns": [' + COLUMNS + b"]}")
KEEPING = Schema.from_json(
    b'{"version": 2, "missing_tokens": ["NA", ""], "columns": ['
    b'{"name": "who", "kind": "id", "beyond": "keep"},' + COLUMNS + b"]}"
)
NAMES = ("age", "job", "sex")
"""As a plan has them: ascending."""

Rows = Sequence[tuple[str, ...]]


def content(rows: Rows) -> bytes:
    return ("who,sex,job,age\n" + "".join(",".join(row) + "\n" for row in rows)).encode()


def counted(rows: Rows, *, schema: Schema = PLAIN, columns: Sequence[str] = NAMES, k: int = 1) -> Ints:
    body = content(rows)
    found = survey(open_table(body), schema, n=len(rows), rows_per_person=k)
    return misfit_pass.misfits(open_table(body), schema, columns, digest=found.digest, n=len(rows), rows_per_person=k)


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (("F", "cook", "3"), [0, 0, 0, 0]),
        ((" f ", "cook", "20"), [0, 0, 0, 0]),
        (("female", "cook", "3"), [0, 0, 1, 1]),
        (("NA", "cook", "3"), [0, 0, 1, 1]),
        (("F", "NA", "98"), [0, 0, 0, 0]),
        (("F", "Cook", "3"), [0, 1, 0, 1]),
        (("F", "cook", "21"), [1, 0, 0, 1]),
        (("F", "cook", "-1"), [1, 0, 0, 1]),
        (("F", "cook", "old"), [1, 0, 0, 1]),
        (("F", "cook", "[0. 10)"), [1, 0, 0, 1]),
        (("x", "y", "1000"), [1, 1, 1, 1]),
    ],
)
def test_a_cell_is_a_misfit_without_a_level_as_other_or_beyond_the_edges(
    row: tuple[str, ...], expected: list[int]
) -> None:
    assert counted([("p", *row)]).tolist() == expected


def test_rows_with_several_misfits_count_once_among_all() -> None:
    rows = [("p", "x", "y", "5"), ("q", "F", "y", "5"), ("r", "F", "cook", "5"), ("s", "x", "cook", "99")]
    assert counted(rows).tolist() == [0, 2, 2, 3]
    assert counted(rows, columns=["sex"]).tolist() == [2, 2]


def test_what_is_no_attribute_is_refused() -> None:
    with pytest.raises(SchemaError, match="'who'"):
        counted([("p", "F", "cook", "5")], schema=KEEPING, columns=["who"])


def test_a_file_that_changed_since_it_was_loaded_is_refused() -> None:
    rows = [("p", "F", "cook", "5")]
    found = survey(open_table(content(rows)), PLAIN, n=1)
    other = open_table(content([("p", "M", "cook", "5")]))
    with pytest.raises(FileRefused, match="changed"):
        misfit_pass.misfits(other, PLAIN, NAMES, digest=found.digest, n=1, rows_per_person=1)


def test_of_an_id_with_more_than_k_rows_k_are_looked_at_and_of_nobody_none() -> None:
    rows = [*([("p", "x", "y", "50")] * 5), ("", "x", "y", "50"), ("NA", "x", "y", "50"), ("q", "x", "cook", "5")]
    assert counted(rows, schema=KEEPING, k=2).tolist() == [2, 2, 3, 3]
    assert counted(rows, schema=KEEPING, k=5).tolist() == [5, 5, 6, 6]
    assert counted(rows, k=2).tolist() == [7, 7, 8, 8]


def test_public_shares_are_counted_by_the_same_rule() -> None:
    rows = [("p", "x", "y", "5"), ("q", "F", "y", "50"), ("r", "F", "cook", "5"), ("s", "x", "cook", "99")]
    found = misfit_pass.public_misfits(read_table(content(rows)), PLAIN, NAMES)
    assert found.tolist() == [0.25, 0.5, 0.5]


CELLS = st.tuples(
    st.sampled_from(["F", " m", "x", "NA", ""]), st.sampled_from(["cook", "Cook", "NA"]), st.sampled_from(["5", "50"])
)
ORDERS = (lambda row: row, lambda row: row[::-1], lambda row: (row[2], row[0], row[1], row[3]))


@st.composite
def neighbours(draw: st.DrawFn, most: int = 9) -> tuple[Rows, Rows]:
    """Two tables, each in an order of its own, that differ in all rows of one ID: as many rows of an ID of its own."""
    others = [(draw(st.sampled_from(["p", "q", "", "NA"])), *draw(CELLS)) for _ in range(draw(st.integers(0, 10)))]
    one = [("s", *draw(CELLS)) for _ in range(draw(st.integers(1, most)))]
    name = draw(st.sampled_from(["t", "", "NA"]))
    another = [(name, *draw(CELLS)) for _ in one]
    by = draw(st.sampled_from(ORDERS))
    return sorted([*others, *one], key=by), sorted([*others, *another], key=by)


def within(change: Ints, k: int) -> bool:
    """Each count by at most k, and all c + 1 together by at most k sqrt(c + 1) in L2."""
    return bool(np.abs(change).max() <= k and (change**2).sum() <= k * k * len(change))


@settings(max_examples=150)
@given(neighbours(), st.integers(1, 4))
def test_an_id_of_any_number_of_rows_moves_each_count_by_at_most_k(pair: tuple[Rows, Rows], k: int) -> None:
    ours, theirs = (counted(rows, schema=KEEPING, k=k) for rows in pair)
    assert within(ours - theirs, k)


@settings(max_examples=100)
@given(st.data(), st.sampled_from([1, 3]))
def test_one_person_s_k_rows_move_each_count_by_at_most_k(data: st.DataObject, k: int) -> None:
    ours, theirs = data.draw(neighbours(most=k))
    assert within(counted(ours, k=len(ours)) - counted(theirs, k=len(theirs)), k)


CROWD = [("p", "F", "cook", "5")] * 2
NOBODY = ([*CROWD, *[("s", "F", "cook", "5")] * 4], [*CROWD, *[("", "x", "y", "50")] * 4])


@pytest.mark.fault("rows without an ID counted")
def test_rows_of_nobody_that_were_looked_at_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def holds() -> bool:
        ours, theirs = (counted(rows, schema=KEEPING, k=2) for rows in NOBODY)
        return within(ours - theirs, 2)

    assert holds()
    plant(monkeypatch, RowsWithoutId, "cleared", "if self.column is not None:", "if False:")
    assert not holds()


@pytest.mark.fault("rows beyond k counted")
def test_rows_beyond_k_that_were_looked_at_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    pair = ([("s", "F", "cook", "5")] * 4, [("t", "x", "y", "50")] * 4)

    def holds() -> bool:
        ours, theirs = (counted(rows, schema=KEEPING, k=2) for rows in pair)
        return within(ours - theirs, 2)

    assert holds()
    plant(monkeypatch, misfit_pass, "misfits", "if limit is None else", "if True else")
    assert not holds()
