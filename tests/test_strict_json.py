"""JSON that names a key twice in one object is refused wherever a file of JSON is read, and the key is named."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from pmwpub.errors import PlanError, SchemaError
from pmwpub.ledger.recovery.witness_lines import StoreLine, parsed, spelt
from pmwpub.plans.criteria import criteria_of
from pmwpub.release.rebuilding import near_strengths
from pmwpub.strict_json import RepeatedKey, read_strictly, read_unrepeated
from pmwpub.tabular.schema.codebook import read_codebook
from pmwpub.tabular.schema.table_schema import Schema
from pmwpub.tasks.simulation_work import read_part

TWICE = b'{"a": [{"b": 1, "c": 2, "b": 1}]}'


@pytest.mark.parametrize("read", [read_unrepeated, read_strictly])
def test_a_key_that_stands_twice_in_one_object_is_named(read: Callable[[bytes], Any]) -> None:
    with pytest.raises(RepeatedKey, match="'b' stands twice") as refusal:
        read(TWICE)
    assert refusal.value.key == "b"
    assert read(b'{"a": [{"b": 1}, {"b": 2}]}') == {"a": [{"b": 1}, {"b": 2}]}


def test_what_is_nested_too_deeply_is_no_json_of_ours() -> None:
    with pytest.raises(ValueError, match="nested"):
        read_unrepeated("[" * 100_000)


def test_a_schema_and_a_codebook_are_refused_with_the_key_that_they_name_twice() -> None:
    column = '{"name": "sex", "kind": "categorical", "levels": ["F", "M"]'
    with pytest.raises(SchemaError, match="schema has the key 'kind' twice"):
        Schema.from_json(f'{{"version": 1, "columns": [{column}, "kind": "categorical"}}]}}')
    with pytest.raises(SchemaError, match="codebook has the key 'levels' twice"):
        read_codebook(f'[{column}, "levels": ["M", "F"]}}]'.encode())
    assert read_codebook(f"[{column}}}]".encode()).entries[0].values == ("F", "M")


def test_criteria_that_name_a_key_twice_are_refused() -> None:
    with pytest.raises(PlanError):
        criteria_of(b'[{"kind": "largest", "within": "0.05", "within": "0.5"}]')


def test_a_line_of_a_journal_or_a_witness_that_names_a_key_twice_is_none() -> None:
    line = spelt(StoreLine("a" * 32), "b" * 64)
    assert parsed(line, "b" * 64) == StoreLine("a" * 32)
    twice = line.replace(b'{"', b'{"previous":"' + b"c" * 64 + b'","', 1)
    assert json.loads(twice)["previous"] == "b" * 64, "whoever takes the last would find the chain whole"
    with pytest.raises(RepeatedKey):
        parsed(twice, "b" * 64)
    with pytest.raises(PlanError):
        read_part(b'[{"seed": 1, "seed": 2}, {}]')


def test_strengths_that_name_a_column_twice_are_not_the_stored_ones() -> None:
    stored = b'{"strengths": {"sex": 20.0}, "pair_strength": 40.0}'
    assert near_strengths(stored, stored)
    assert not near_strengths(stored, stored.replace(b'{"sex"', b'{"sex": 1.0, "sex"'))
