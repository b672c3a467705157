"""A schema on its way: from a file or a codebook, and levels and bins that the candidates give."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pmwpub.errors import FileRefused, SchemaError
from pmwpub.service.inputs import schema_editing, study_store
from pmwpub.service.inputs.file_reading import ReadOptions, proposed

if TYPE_CHECKING:
    from conftest import Bench

CODEBOOK = b"name;kind;level\njob;categorical;cook\njob;;clerk\n"


def test_a_schema_file_is_read_back_and_anything_else_is_refused(bench: Bench) -> None:
    schema = study_store.study(bench.service, bench.name).schema
    assert schema is not None
    assert schema_editing.read_schema(schema.to_json().encode()) == schema
    with pytest.raises(SchemaError):
        schema_editing.read_schema(b"{}")


def test_rows_of_a_schema_make_the_same_schema_again(bench: Bench) -> None:
    schema = study_store.study(bench.service, bench.name).schema
    assert schema is not None
    assert schema_editing.schema_of(schema_editing.rows_of(schema), schema.missing_tokens) == schema


def test_a_codebook_is_read_under_the_options_that_somebody_confirmed(bench: Bench) -> None:
    with pytest.raises(FileRefused) as caught:
        schema_editing.drafted(bench.service, bench.name, book=CODEBOOK)
    assert proposed(caught.value) == ReadOptions("utf-8", ";")
    schema = schema_editing.drafted(bench.service, bench.name, book=CODEBOOK, options=ReadOptions("utf-8", ";"))
    assert next(one for one in schema.encoded if one.name == "job").own_levels == ("cook", "clerk")


def test_levels_and_bins_come_from_the_candidates(bench: Bench) -> None:
    levels = schema_editing.levels_of(bench.service, bench.name, {"name": "job"}, ())
    assert levels == ["clerk", "cook", "smith"]
    row = {"name": "age", "kind": "numeric", "decimal": "."}
    edges = schema_editing.bins_of(bench.service, bench.name, row, bins=3, binning="width")
    assert len(edges) == 4
    assert [float(edge) for edge in edges] == sorted({float(edge) for edge in edges})
    levels_alone = {"name": "job", "kind": "categorical"}
    assert schema_editing.bins_of(bench.service, bench.name, levels_alone, bins=3, binning="width") == []
    with pytest.raises(SchemaError, match="no number"):
        schema_editing.bins_of(bench.service, bench.name, {**row, "name": "job"}, bins=3, binning="width")


def test_only_a_refused_file_proposes_another_way_of_reading() -> None:
    options = ReadOptions("cp1252", ",")
    assert proposed(FileRefused("Not UTF-8.", suggestion=options)) == options
    assert proposed(FileRefused("Empty.")) is None
    assert proposed(SchemaError("No schema.")) is None


def test_an_unfinished_edit_is_kept_until_it_is_dropped(bench: Bench) -> None:
    assert schema_editing.unfinished(bench.service, bench.name) is None
    for body in (b"one", b"two"):
        schema_editing.keep(bench.service, bench.name, body)
    assert schema_editing.unfinished(bench.service, bench.name) == b"two"
    schema_editing.drop(bench.service, bench.name)
    assert schema_editing.unfinished(bench.service, bench.name) is None
