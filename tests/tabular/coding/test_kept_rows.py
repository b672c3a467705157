"""k rows stay of an ID with more: a function of that ID's own rows, so that a count moves by at most k."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.planting import plant

from pmwpub.errors import FileRefused
from pmwpub.queries.counts import count
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset, Ints
from pmwpub.tabular.coding import kept_rows, person_ids
from pmwpub.tabular.coding.rows_without_id import RowsWithoutId
from pmwpub.tabular.files.reading import open_table
from pmwpub.tabular.private_pass import FileRows, survey
from pmwpub.tabular.schema.table_schema import Schema

Rows = list[tuple[str, str, str]]

KEEPING = Schema.from_json(
    b'{"version": 1, "columns": [{"name": "who", "kind": "id", "strip": true, "beyond": "keep"},'
    b'{"name": "x", "kind": "categorical", "levels": ["a", "b"]},'
    b'{"name": "y", "kind": "categorical", "levels": ["0", "1", "2"]}]}'
)
REFUSING = Schema.from_json(KEEPING.to_json().replace('"beyond": "keep"', '"beyond": null'))
WORKLOAD = Workload.of(KEEPING.domain, [("x",), ("y",), ("x", "y")])
CELLS = st.tuples(st.sampled_from("abc"), st.sampled_from("0123"))


def content(rows: Sequence[tuple[str, ...]], header: str = "who,x,y") -> bytes:
    return (header + "\n" + "".join(",".join(row) + "\n" for row in rows)).encode()


def counted(rows: Rows, k: int, *, kept: int = 1 << 20) -> Ints:
    found = survey(open_table(content(rows)), KEEPING, n=len(rows), rows_per_person=k, kept=kept)
    return count(WORKLOAD, found.admitted(n=len(rows), rows_per_person=k)).counts


@st.composite
def neighbours(draw: st.DrawFn) -> tuple[Rows, Rows]:
    """Two tables, each in an order of its own, that differ in all rows of one ID: as many rows of an ID of its own."""
    others = [(draw(st.sampled_from(["p", " p", "q", "r"])), *draw(CELLS)) for _ in range(draw(st.integers(0, 12)))]
    one = [("s", *draw(CELLS)) for _ in range(draw(st.integers(1, 9)))]
    another = [(draw(st.sampled_from(["t", " t"])), *draw(CELLS)) for _ in one]
    by = draw(st.sampled_from(ORDERS))
    return sorted([*others, *one], key=by), sorted([*others, *another], key=by)


ORDERS = (lambda row: row, lambda row: row[::-1], lambda row: (row[1], row[2], row[0]), lambda row: hash_of(row))


def hash_of(row: tuple[str, ...]) -> int:
    return sum(map(ord, "".join(row))) * 7919 % 31


def moves_by_at_most_k(pair: tuple[Rows, Rows], k: int) -> bool:
    change = counted(pair[0], k) - counted(pair[1], k)
    tables = np.split(change, WORKLOAD.offsets[1:-1])
    return bool(np.abs(change).max() <= k and all((table**2).sum() <= 2 * k * k for table in tables))


@settings(max_examples=200)
@given(neighbours(), st.integers(1, 4))
def test_counts_of_neighbours_move_by_at_most_k_however_their_files_are_sorted(pair: tuple[Rows, Rows], k: int) -> None:
    assert moves_by_at_most_k(pair, k)


CROWD = [(who, *cells) for who in "pqr" for cells in (("a", "0"), ("b", "1")) for _ in range(40)]
SORTED_ANEW = ([*CROWD, ("s", "c", "3")], [*CROWD[::-1], ("t", "a", "0")])
"""Neighbours whose other rows stand in another order."""


@pytest.mark.fault("kept rows chosen by their place in the file")
def test_a_hash_of_the_place_moves_counts_by_more_than_k(monkeypatch: pytest.MonkeyPatch) -> None:
    assert moves_by_at_most_k(SORTED_ANEW, 20)
    plant(
        monkeypatch,
        kept_rows,
        "_smallest",
        'hashes.append(_hash(number + occurrence.to_bytes(8, "big")))',
        'hashes.append(len(hashes).to_bytes(32, "big"))',
    )
    assert not moves_by_at_most_k(SORTED_ANEW, 20)


@pytest.mark.fault("rows beyond k counted")
def test_counting_one_row_more_than_k_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    pair = ([("s", "a", "0")] * 9, [("t", "b", "1")] * 9)
    assert moves_by_at_most_k(pair, 3)
    plant(monkeypatch, kept_rows, "_smallest", "rank < k", "rank <= k")
    assert not moves_by_at_most_k(pair, 3)


NOBODY = ("", "  ", "NA", " na", "-9", "-9.0")
"""IDs that are none under OF_SECOND: blank, or a missing token by the column's own rules."""
OF_SECOND = Schema.from_json(
    b'{"version": 2, "missing_tokens": ["NA", "-9"], "columns": ['
    b'{"name": "who", "kind": "id", "same": ["trim", "casefold", "number"], "beyond": "keep"},'
    b'{"name": "x", "kind": "categorical", "levels": ["a", "b"], "same": []},'
    b'{"name": "y", "kind": "categorical", "levels": ["0", "1", "2"], "same": []}]}'
)


def counted_second(rows: Rows, k: int, *, kept: int = 1 << 20) -> Ints:
    found = survey(open_table(content(rows)), OF_SECOND, n=len(rows), rows_per_person=k, kept=kept)
    private = count(WORKLOAD, found.admitted(n=len(rows), rows_per_person=k))
    assert private.n == len(rows)
    return private.counts


@st.composite
def neighbours_without_id(draw: st.DrawFn) -> tuple[Rows, Rows]:
    """Some of the rows without an ID are one person's: as many rows of an ID of its own stand in their place."""
    who = st.sampled_from(["p", "q", *NOBODY])
    others = [(draw(who), *draw(CELLS)) for _ in range(draw(st.integers(0, 12)))]
    one = [(draw(st.sampled_from(NOBODY)), *draw(CELLS)) for _ in range(draw(st.integers(1, 9)))]
    another = [("t", *draw(CELLS)) for _ in one]
    by = draw(st.sampled_from(ORDERS))
    return sorted([*others, *one], key=by), sorted([*others, *another], key=by)


@settings(max_examples=200)
@given(neighbours_without_id(), st.integers(1, 4), st.sampled_from([0, 1 << 20]))
def test_a_person_without_an_id_moves_counts_by_at_most_k(pair: tuple[Rows, Rows], k: int, kept: int) -> None:
    change = counted_second(pair[0], k, kept=kept) - counted_second(pair[1], k, kept=kept)
    tables = np.split(change, WORKLOAD.offsets[1:-1])
    assert np.abs(change).max() <= k
    assert all((table**2).sum() <= 2 * k * k for table in tables)


@pytest.mark.parametrize("kept", [0, 1 << 20])
@pytest.mark.parametrize("nobody", NOBODY)
def test_rows_without_an_id_count_in_n_alone(nobody: str, kept: int) -> None:
    rows = [(nobody, "a", "0")] * 3 + [("p", "a", "0"), ("NAN", "a", "0")]
    assert (
        counted_second(rows, 3, kept=kept).tolist() == counted_second([("p", "a", "0"), ("NAN", "a", "0")], 3).tolist()
    )


STRANGERS = ([("", "a", "0")] * 9 + [("p", "b", "1")], [("", "a", "0")] * 8 + [("t", "a", "0"), ("p", "b", "1")])
"""One of nine people without an ID is replaced by somebody with one, of equal cells: with k = 1, one count moves."""
ALIKE = ([("", "a", "0"), ("", "b", "1")], [("", "b", "1"), ("t", "b", "1")])
"""The one row that would stay of those without an ID, were they one person's, is replaced; then the other would."""


@pytest.mark.fault("rows without an ID counted")
def test_rows_without_an_id_taken_for_one_persons_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    turned = tuple([(who, {"a": "b", "b": "a"}[x], y) for who, x, y in rows] for rows in ALIKE)
    pairs = (STRANGERS, ALIKE, ([*turned[0]], [*turned[1]]))
    assert all(moves_by_at_most_k(pair, 1) for pair in pairs)
    plant(monkeypatch, RowsWithoutId, "among", "not text.strip() or text in self.tokens", "False")
    assert not all(moves_by_at_most_k(pair, 1) for pair in pairs)


def test_without_the_rule_blank_ids_are_checked_against_k_as_any() -> None:
    rows = [("", "a", "0"), (" ", "b", "1"), ("q", "b", "2")]
    refused = survey(open_table(content(rows)), REFUSING, n=3, rows_per_person=1)
    with pytest.raises(FileRefused, match="may carry one ID"):
        refused.admitted(n=3, rows_per_person=1)
    admitted = survey(open_table(content(rows)), REFUSING, n=3, rows_per_person=2)
    assert count(WORKLOAD, admitted.admitted(n=3, rows_per_person=2)).counts[:2].tolist() == [1, 2]


SOME_ROWS = st.lists(
    st.tuples(st.sampled_from(["p", " p", "q", ""]), st.sampled_from("ab"), st.sampled_from("ab")),
    min_size=1,
    max_size=14,
)


@settings(max_examples=100)
@given(SOME_ROWS, st.integers(1, 4), st.integers(1, 5))
def test_of_each_id_as_many_rows_stay_as_it_has_up_to_k(rows: Rows, k: int, at_once: int) -> None:
    """All cells of x have a level here, so the 1-way counts add up to the rows that stay; n is the raw count.

    Rows without an ID have none of it.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(person_ids, "_AT_ONCE", at_once)
        found = survey(open_table(content(rows)), KEEPING, n=len(rows), rows_per_person=k)
    stay = sum(min(k, often) for often in Counter(who.strip() for who, _, _ in rows if who).values())
    private = count(Workload.of(KEEPING.domain, [("x",)]), found.rows)
    assert private.counts.sum() == stay
    assert private.n == len(rows) == len(found.rows)


@settings(max_examples=50)
@given(st.permutations([("p", x, y) for x in "aab" for y in "012"]), st.integers(1, 9))
def test_the_order_of_rows_and_of_columns_changes_nothing(rows: Rows, k: int) -> None:
    turned = content([(y, x, who) for who, x, y in rows[::-1]], "y,x,who")
    found = survey(open_table(turned), KEEPING, n=len(rows), rows_per_person=k)
    assert np.array_equal(count(WORKLOAD, found.rows).counts, counted(rows, k))


def test_rows_that_stay_in_their_file_are_limited_in_each_pass() -> None:
    rows = [("p", "a", str(place % 3)) for place in range(9)] + [("q", "b", "1")] * 2
    found = survey(open_table(content(rows)), KEEPING, n=len(rows), rows_per_person=2, kept=0)
    assert isinstance(found.rows, FileRows)
    first, second = (np.concatenate([*found.rows.blocks()], axis=1) for _ in range(2))
    assert np.array_equal(first, second)
    assert ((first[0] == KEEPING.encoded[0].no_level) == (first[1] == KEEPING.encoded[1].no_level)).all()
    assert (first[0] < 2).sum() == 4
    assert np.array_equal(counted(rows, 2), counted(rows, 2, kept=0))


def test_without_the_rule_more_rows_are_refused_and_with_it_none_changes_a_table_that_has_no_more() -> None:
    rows = [("p", "a", "0"), ("p", "b", "1"), ("q", "c", "2")]
    refused = survey(open_table(content(rows)), REFUSING, n=3, rows_per_person=1)
    with pytest.raises(FileRefused, match="may carry one ID"):
        refused.admitted(n=3, rows_per_person=1)
    plain, keeping = (survey(open_table(content(rows)), one, n=3, rows_per_person=2) for one in (REFUSING, KEEPING))
    assert isinstance(plain.rows, Dataset)
    assert isinstance(keeping.rows, Dataset)
    assert np.array_equal(plain.rows.codes, keeping.rows.codes)


def test_a_schema_without_the_rule_keeps_its_bytes_and_hash() -> None:
    column = '{"name": "who", "kind": "id", "strip": true}'
    old = Schema.from_json(
        f'{{"version": 1, "columns": [{column}, {{"name": "x", "kind": "categorical", "levels": ["a"]}}]}}'
    )
    assert "beyond" not in old.to_json()
    assert old.sha256 == "e506114061cf9b7c660b14941e1001c2163ab2fffb5491077747ca2c879182d6"
    assert REFUSING.sha256 != KEEPING.sha256
    assert Schema.from_json(KEEPING.to_json()) == KEEPING
