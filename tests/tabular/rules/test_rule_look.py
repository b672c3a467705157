"""Private rows that break a rule, where somebody pays for the count: by hand, and moved by at most k by one person."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.planting import plant
from tabular.test_misfit_pass import KEEPING, NAMES, PLAIN, Rows, content, neighbours, within

from pmwpub.errors import SchemaError
from pmwpub.records import Ints
from pmwpub.tabular import misfit_pass
from pmwpub.tabular.files.reading import open_table
from pmwpub.tabular.private_pass import survey
from pmwpub.tabular.rules.rule_parsing import read_rule
from pmwpub.tabular.schema.table_schema import Schema

RULE = read_rule('sex = "F" implies job = "cook" and age < 10')


def counted(rows: Rows, schema: Schema = PLAIN, k: int = 1) -> Ints:
    body, ruled = content(rows), schema.with_rules([RULE])
    found = survey(open_table(body), ruled, n=len(rows), rows_per_person=k)
    stream = open_table(body)
    return misfit_pass.misfits(stream, ruled, NAMES, digest=found.digest, n=len(rows), rows_per_person=k, rules=True)


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (("F", "cook", "3"), [0, 0, 0, 0, 0]),
        (("F", "cook", "13"), [0, 0, 0, 1, 0]),
        (("M", "cook", "13"), [0, 0, 0, 0, 0]),
        (("F", "Cook", "3"), [0, 1, 0, 0, 1]),  # "(other)" hides a job: unknown, so not broken
        (("F", "cook", "50"), [1, 0, 0, 1, 1]),  # clipped to [10, 20]
        (("x", "cook", "13"), [0, 0, 1, 0, 1]),  # a sex without a level is unknown
    ],
)
def test_rows_that_break_a_rule_are_counted_behind_the_columns(row: tuple[str, ...], expected: list[int]) -> None:
    assert counted([("p", *row)]).tolist() == expected


def test_of_an_id_with_more_than_k_rows_k_are_held_against_the_rules_and_of_nobody_none() -> None:
    rows = [*([("p", "F", "cook", "13")] * 5), ("", "F", "cook", "13"), ("q", "F", "cook", "13")]
    assert counted(rows, KEEPING, k=2).tolist() == [0, 0, 0, 3, 0]


@settings(max_examples=100)
@given(neighbours(), st.integers(1, 4))
def test_an_id_of_any_number_of_rows_moves_each_count_by_at_most_k(pair: tuple[Rows, Rows], k: int) -> None:
    ours, theirs = (counted(rows, KEEPING, k) for rows in pair)
    assert within(ours - theirs, k)


@settings(max_examples=60)
@given(st.data(), st.sampled_from([1, 3]))
def test_one_person_s_k_rows_move_each_count_by_at_most_k(data: st.DataObject, k: int) -> None:
    ours, theirs = data.draw(neighbours(most=k))
    assert within(counted(ours, k=len(ours)) - counted(theirs, k=len(theirs)), k)


def test_a_schema_without_rules_has_nothing_to_count() -> None:
    body = content([("p", "F", "cook", "3")])
    found = survey(open_table(body), PLAIN, n=1, rows_per_person=1)
    with pytest.raises(SchemaError, match="no rules"):
        misfit_pass.misfits(open_table(body), PLAIN, NAMES, digest=found.digest, n=1, rows_per_person=1, rules=True)


@pytest.mark.fault("rows that break a rule counted although they do not stay")
def test_rows_beyond_k_that_are_held_against_rules_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    pair = ([("s", "F", "cook", "3")] * 4, [("t", "F", "cook", "13")] * 4)

    def holds() -> bool:
        ours, theirs = (counted(rows, KEEPING, 2) for rows in pair)
        return within(ours - theirs, 2)

    assert holds()
    plant(monkeypatch, misfit_pass, "misfits", "if limit is None else", "if True else")
    assert not holds()
    assert np.abs(counted(pair[0], KEEPING, 2) - counted(pair[1], KEEPING, 2)).max() == 4
