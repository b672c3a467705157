"""Any file gives a table or a refusal in words, and any table encodes: searched for as long as one likes.

By default two hundred files; PMWPUB_AUDIT=n multiplies them:
    PMWPUB_AUDIT=500 pytest -m audit tests/tabular/test_fuzz.py
"""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, event, given, settings
from support.frame_csv import csv_bytes
from support.fuzzing import FILES, File, written
from support.statistical import AUDIT

from pmwpub.errors import FileRefused, SchemaError
from pmwpub.tabular.coding.decode import decode
from pmwpub.tabular.coding.encode import encode_public
from pmwpub.tabular.files.reading import TextTable, read_table
from pmwpub.tabular.files.text.read_options import ReadOptions
from pmwpub.tabular.overlap.copied_runs import long_run
from pmwpub.tabular.private_pass import encode_private
from pmwpub.tabular.schema.codebook import read_codebook
from pmwpub.tabular.schema.drafting import draft
from pmwpub.tabular.schema.editing import rows_of, schema_of
from pmwpub.tabular.schema.table_schema import Schema

SEARCH = settings(max_examples=40 * AUDIT, deadline=None, suppress_health_check=list(HealthCheck))
ELSEWHERE = Schema.from_json(
    b'{"version": 1, "missing_tokens": ["", "NA"], "columns": ['
    b'{"name": "c0", "kind": "categorical", "levels": ["a", "0"], "missing": true, "casefold": true},'
    b'{"name": "c1", "kind": "numeric", "edges": [0, 1.5, 1e9], "outside": "other", "other": true, "thousands": "."'
    b', "decimal": ","}, {"name": "c2", "kind": "id", "strip": true}]}'
)


def table_of(file: File) -> TextTable | None:
    """The table, or None once the refusal is seen to be one: words, a line that exists, options that differ."""
    try:
        table = read_table(file.content, options=file.options)
        event("a table")
        return table
    except FileRefused as refused:
        refusal = refused
    assert str(refusal).endswith(".")
    assert refusal.line is None or refusal.line >= 1
    assert refusal.suggestion is None or refusal.suggestion != file.options
    return None


@pytest.mark.audit
@SEARCH
@given(FILES)
def test_any_file_is_a_table_of_text_or_a_refusal(file: File) -> None:
    table = table_of(file)
    if table is None:
        return
    assert len(table) >= 1
    assert table.frame.shape == (len(table), len(table.header))
    assert len(set(table.header)) == len(table.header)
    assert all(isinstance(cell, str) and "\x00" not in cell for column in table.frame for cell in table.frame[column])


@pytest.mark.audit
@SEARCH
@given(FILES)
def test_any_public_table_drafts_encodes_and_decodes_or_is_refused(file: File) -> None:
    table = table_of(file)
    if table is None:
        return
    for binning in ("rounded", "quantiles", "width"):
        try:
            schema = draft([table], bins=3, max_levels=4, binning=binning)  # type: ignore[arg-type]
            encoded = encode_public(table, schema)
        except (SchemaError, FileRefused):
            continue
        assert schema_of(rows_of(schema), schema.missing_tokens) == schema
        assert len(encoded.dataset) + encoded.dropped == len(table)
        frame = decode(encoded.dataset, schema)
        if len(frame.columns) > 1:  # of one column named ";" nobody knows the delimiter
            assert len(read_table(csv_bytes(frame), options=ReadOptions())) == len(encoded.dataset)


@pytest.mark.audit
@SEARCH
@given(FILES)
def test_any_private_table_with_the_columns_encodes_without_a_refusal(file: File) -> None:
    table = table_of(file)
    if table is None:
        return
    try:
        encoded = encode_private(table, ELSEWHERE, n=len(table), rows_per_person=len(table))
    except SchemaError:
        assert not {"c0", "c1", "c2"} <= set(table.header)
        return
    assert len(encoded.dataset) == len(table)
    assert encoded.dataset.domain == ELSEWHERE.domain


@pytest.mark.audit
@SEARCH
@given(FILES)
def test_any_file_is_a_codebook_or_a_refusal(file: File) -> None:
    try:
        book = read_codebook(file.content, options=file.options)
        schema = draft([], codebook=book)
    except (FileRefused, SchemaError):
        return
    assert schema.domain.names


@pytest.mark.audit
@SEARCH
@given(written(), written())
def test_any_two_files_share_at_most_the_lines_of_the_shorter(one: File, two: File) -> None:
    first, second = table_of(one), table_of(two)
    if first is not None and second is not None:
        assert 0 <= long_run(first, second) <= min(len(first), len(second))
