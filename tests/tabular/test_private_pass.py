"""A private table in a stream: the same counts, checks and refusals however it is cut; nothing unchecked is counted."""

from __future__ import annotations

import gzip
import io
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import corpus
from support.fuzzing import FILES, File
from support.statistical import AUDIT

from pmwpub.errors import BudgetError, FileRefused, PmwPubError, SchemaError
from pmwpub.queries.counts import count
from pmwpub.queries.workload import Workload
from pmwpub.records import Dataset
from pmwpub.tabular import private_pass
from pmwpub.tabular.coding import person_ids
from pmwpub.tabular.files import parquet, reading, source
from pmwpub.tabular.files.reading import FileLimits, open_table, read_table
from pmwpub.tabular.files.text import regular_lines
from pmwpub.tabular.files.text.read_options import ReadOptions
from pmwpub.tabular.private_pass import FileRows, encode_private, survey
from pmwpub.tabular.schema.table_schema import Schema

SCHEMA = Schema.from_json(json.dumps(corpus.SCHEMA))
ELSEWHERE = Schema.from_json(
    b'{"version": 1, "missing_tokens": ["", "NA"], "columns": ['
    b'{"name": "c0", "kind": "categorical", "levels": ["a", "0"], "missing": true, "casefold": true},'
    b'{"name": "c1", "kind": "numeric", "edges": [0, 1.5, 1e9], "outside": "other", "other": true}]}'
)
PEOPLE = Schema.from_json(
    b'{"version": 1, "columns": [{"name": "who", "kind": "id", "strip": true},'
    b'{"name": "x", "kind": "categorical", "levels": ["a", "b"]}]}'
)


@dataclass(frozen=True)
class Cuts:
    """How finely files are cut: bytes of a chunk, cells of a batch, rows of a Parquet batch."""

    chunk: int
    cells: int
    rows: int

    def apply(self, patch: pytest.MonkeyPatch) -> None:
        patch.setattr(source, "CHUNK", self.chunk)
        patch.setattr(reading, "_BATCH", self.cells)
        patch.setattr(parquet, "_BATCH", self.rows)
        patch.setattr(regular_lines, "_BLOCK", self.chunk)


FINE = Cuts(7, 1, 1)
CUTS = st.builds(Cuts, st.integers(1, 40), st.integers(1, 20), st.integers(1, 5))


@dataclass(frozen=True)
class Found:
    """What becomes of a file: its counts and what else the survey says, or the refusal, word for word."""

    counts: tuple[int, ...] = ()
    digest: bytes = b""
    unplaced: tuple[tuple[str, int], ...] = ()
    ignored: tuple[str, ...] = ()
    words: str = ""
    line: int | None = None
    suggestion: ReadOptions | None = None


def found(table: bytes | Path, options: ReadOptions | None, schema: Schema, *, kept: int) -> Found:
    workload = Workload.all_kway(schema.domain, min(2, len(schema.domain.names)))
    try:
        stream = open_table(table, options=options, limits=FileLimits())
        seen = survey(stream, schema, n=1, kept=kept)
        counts = count(workload, seen.rows).counts
        unplaced = tuple(sorted(seen.unplaced.items()))
        return Found(tuple(counts.tolist()), seen.digest, unplaced, seen.ignored)
    except FileRefused as refusal:
        return Found(words=str(refusal), line=refusal.line, suggestion=refusal.suggestion)
    except SchemaError as refusal:
        return Found(words=str(refusal))


def whole(content: bytes, options: ReadOptions | None, schema: Schema) -> Found:
    """The same by way of a table of text in memory and its encoding."""
    workload = Workload.all_kway(schema.domain, min(2, len(schema.domain.names)))
    try:
        table = read_table(content, options=options)
        encoded = encode_private(table, schema, n=len(table))
    except FileRefused as refusal:
        return Found(words=str(refusal), line=refusal.line, suggestion=refusal.suggestion)
    except SchemaError as refusal:
        return Found(words=str(refusal))
    counts = tuple(count(workload, encoded.dataset).counts.tolist())
    return Found(counts, table.same_rows(), tuple(sorted(encoded.unplaced.items())), encoded.ignored)


FILES_OF_THE_CORPUS = [one for one in (*corpus.CONTAINER, *corpus.SYNTAX, *corpus.HEADER) if len(one.content) < 100_000]


@pytest.mark.parametrize("one", FILES_OF_THE_CORPUS, ids=lambda one: one.name)
@pytest.mark.parametrize("confirmed", [False, True])
def test_a_file_of_the_corpus_is_counted_or_refused_alike_in_a_stream(
    one: corpus.Case, confirmed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / f"private{one.ending}"
    path.write_bytes(one.content)
    options = one.options if confirmed else None
    content = gzip.decompress(one.content) if one.ending == ".csv.gz" else one.content
    expected = whole(content, options, SCHEMA)
    assert bool(expected.words) == (one.verdict == "refuse" or (one.verdict == "confirm" and not confirmed))
    assert found(content, options, SCHEMA, kept=1 << 30) == expected
    FINE.apply(monkeypatch)
    assert found(path, options, SCHEMA, kept=0) == expected
    assert whole(content, options, SCHEMA) == expected


@settings(max_examples=60 * AUDIT, deadline=None, suppress_health_check=list(HealthCheck))
@given(FILES, CUTS)
def test_any_file_is_counted_or_refused_alike_however_it_is_cut(file: File, cuts: Cuts) -> None:
    expected = whole(file.content, file.options, ELSEWHERE)
    with pytest.MonkeyPatch.context() as patch:
        cuts.apply(patch)
        assert found(file.content, file.options, ELSEWHERE, kept=0) == expected


ORDINARY = st.characters(codec="utf-8", exclude_characters='",\n\r\x00')
PLAIN_CELLS = st.text(ORDINARY | st.sampled_from("\t\ufeff\u2028\x85\x0b"), max_size=4)
REGULAR = st.lists(st.lists(PLAIN_CELLS, min_size=3, max_size=3), min_size=1, max_size=8)


@settings(max_examples=150 * AUDIT, deadline=None, suppress_health_check=list(HealthCheck))
@given(REGULAR, st.sampled_from(["\n", "\r\n"]), st.booleans(), st.integers(0, 2), st.booleans(), CUTS)
def test_regular_text_is_read_alike_by_arrow_and_by_pythons_parser(
    rows: list[list[str]], end: str, ended: bool, blank: int, quoted: bool, cuts: Cuts
) -> None:
    if quoted:
        rows = [['"' + cell.replace("\t", ',""') + '"' for cell in row] for row in rows]
    lines = [end * blank + ",".join(row) for row in [['"c0"', "c1", "x"], *rows]]
    content = (end.join(lines) + end * (ended + blank)).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(regular_lines, "is_regular", lambda text, delimiter: False)
        slow = found(content, None, ELSEWHERE, kept=0)
    assert slow == found(content, None, ELSEWHERE, kept=0)
    table = open_table(content)
    assert all(isinstance(chunk, regular_lines._Columns) for chunk in table.chunks()), "the fast way must be taken"
    with pytest.MonkeyPatch.context() as patch:
        cuts.apply(patch)
        assert slow == found(content, None, ELSEWHERE, kept=0)


@pytest.mark.parametrize("size", range(1, 40))
def test_a_row_is_read_alike_wherever_the_rows_before_it_end(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each row begins with a byte order mark, which is a character like any other but at the start of a file."""
    monkeypatch.setattr(source, "CHUNK", 16)
    monkeypatch.setattr(regular_lines, "_BLOCK", 16)
    rows = ["q" * size + ",1", *["\ufeffx,1", "zzz,1"] * 30]
    table = open_table("\n".join(["a,b", *rows]).encode())
    chunks = list(table.chunks())
    assert len(chunks) > 5
    assert all(isinstance(chunk, regular_lines._Columns) for chunk in chunks)
    cells = [cell for chunk in chunks for cell in chunk.texts(0)]
    assert cells == [row.partition(",")[0] for row in rows]


@pytest.mark.parametrize(
    "text",
    [
        'a,b\n"1\n",2\n',
        'a,b\n"1,2"\n',
        "a,b\n1,2\r3,4\n",
        "a,b\n1,2\r",
        "a,b\n1\n",
        "a,b\n1,2,3\n",
        "a\n1\n",
        "",
        "\n\n",
        "a,b\n\r\r\n1,2\n",
        "a,b\n1," + "x" * 100_001 + "\n",
        "x" * 300_000,
    ],
    ids=range(12),
)
def test_quoted_line_ends_lone_returns_ragged_rows_and_single_columns_go_the_slow_way(text: str) -> None:
    for size in (1, 2, 3, 100) if len(text) < 100 else (50_000,):
        pieces = [text.encode()[i : i + size] for i in range(0, len(text), size)]
        assert not regular_lines.is_regular(lambda pieces=pieces: iter(pieces), ",")


def parts(folder: Path, tables: dict[str, dict[str, list[str]]]) -> Path:
    for name, columns in tables.items():
        pq.write_table(pa.table(columns), folder / name)
    return folder


def test_a_folder_of_parquet_files_is_one_table_in_the_order_of_its_numbers(tmp_path: Path) -> None:
    pieces = {f"part.{i}.parquet": {"x": [str(i)]} for i in (10, 9, 2)} | {"_meta.parquet": {"x": ["no"]}}
    table = open_table(parts(tmp_path, pieces))
    assert [chunk.coded(0).distinct[0] for chunk in table.chunks()] == ["2", "9", "10"]


def test_a_folder_without_parts_or_with_other_columns_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileRefused, match=r"no \.parquet file"):
        open_table(tmp_path)
    parts(tmp_path, {"1.parquet": {"x": ["a"]}, "2.parquet": {"y": ["a"]}})
    with pytest.raises(FileRefused, match="Part 2"):
        open_table(tmp_path)


def test_a_refusal_names_the_part_that_is_broken(tmp_path: Path) -> None:
    parts(tmp_path, {f"{i}.parquet": {"x": ["a"]} for i in (1, 2, 3)})
    sound = (tmp_path / "2.parquet").read_bytes()
    (tmp_path / "2.parquet").write_bytes(sound[:-20])
    with pytest.raises(FileRefused, match=r"^Part 2 of the table: .*cut off"):
        open_table(tmp_path)
    (tmp_path / "2.parquet").write_bytes(sound)
    table = open_table(tmp_path)
    (tmp_path / "3.parquet").unlink()
    with pytest.raises(FileRefused, match=r"^Part 3 of the table: .*opened"):
        list(table.chunks())


def people(*rows: tuple[str, str]) -> bytes:
    return ("who,x\n" + "".join(f"{who},{x}\n" for who, x in rows)).encode()


ROWS = st.lists(st.tuples(st.sampled_from(["p", " p", "q", "r", ""]), st.sampled_from("abc")), min_size=1, max_size=12)


@settings(max_examples=150)
@given(ROWS, st.integers(1, 4), st.integers(1, 5), st.integers(1, 8))
def test_more_rows_of_one_id_than_declared_are_found_in_however_many_passes(
    rows: list[tuple[str, str]], k: int, at_once: int, cells: int
) -> None:
    most = max(Counter(who.strip() for who, _ in rows).values())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(person_ids, "_AT_ONCE", at_once)
        Cuts(cells, cells, 1).apply(patch)
        seen = survey(open_table(people(*rows)), PEOPLE, n=len(rows), rows_per_person=k, kept=0)
    if most <= k:
        assert len(seen.admitted(n=len(rows), rows_per_person=k)) == len(rows)
    else:
        with pytest.raises(FileRefused, match="may carry one ID"):
            seen.admitted(n=len(rows), rows_per_person=k)


def test_another_number_of_rows_is_refused_and_n_and_k_below_one(tmp_path: Path) -> None:
    table = open_table(people(("p", "a"), ("q", "b")))
    with pytest.raises(FileRefused, match=r"n = 3 rows; the file has 2"):
        survey(table, PEOPLE, n=3, kept=0).admitted(n=3, rows_per_person=1)
    for n, k in ((0, 1), (1, 0)):
        with pytest.raises(BudgetError):
            survey(table, PEOPLE, n=n, rows_per_person=k)


def test_a_file_with_far_more_rows_than_registered_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(private_pass, "_BEYOND", 10)
    Cuts(8, 2, 1).apply(monkeypatch)
    seen = survey(open_table(people(*[("p", "a")] * 10_000)), PEOPLE, n=2, kept=0)
    with pytest.raises(FileRefused, match=r"at least 1[5-9]\."):
        seen.admitted(n=2, rows_per_person=1)


@pytest.mark.parametrize(
    "changed",
    [people(("p", "a"), ("p", "a")), people(("p", "a")), people(("p", "a"), ("q", "b"), ("q", "b"))],
    ids=["an ID twice", "a row less", "a row more"],
)
def test_rows_that_changed_after_the_survey_are_never_counted(tmp_path: Path, changed: bytes) -> None:
    path = tmp_path / "private.csv"
    path.write_bytes(people(("p", "a"), ("q", "a")))
    rows = survey(open_table(path), PEOPLE, n=2, kept=0).admitted(n=2, rows_per_person=1)
    workload = Workload.all_kway(PEOPLE.domain, 1)
    assert isinstance(rows, FileRows)
    assert count(workload, rows).counts.tolist() == [2, 0]
    path.write_bytes(changed)
    with pytest.raises(FileRefused, match="changed after it was loaded"):
        count(workload, rows)


def test_few_rows_stay_in_memory_and_many_in_their_file() -> None:
    table = people(("p", "a"), ("q", "b"))
    few, many = (survey(open_table(table), PEOPLE, n=2, kept=kept) for kept in (16, 1))
    assert isinstance(few.rows, Dataset)
    assert few.numbers is not None
    assert isinstance(many.rows, FileRows)
    assert many.numbers is None
    assert few.digest == many.digest


def test_neither_a_survey_nor_its_rows_show_anything() -> None:
    seen = survey(open_table(people((corpus.CANARY, "a"))), PEOPLE, n=1, kept=0)
    assert corpus.CANARY not in repr(seen) + repr(seen.rows) + repr(open_table(people((corpus.CANARY, "a"))))


def _columns(rows: int) -> dict[str, Any]:
    rng = np.random.default_rng(1)
    return {f"a{j}": pa.array(rng.choice(["0", "1", "2"], rows)).dictionary_encode() for j in range(20)}


def test_memory_does_not_grow_with_the_rows(tmp_path: Path) -> None:
    """Ten times the rows: what Arrow holds at once stays within a few batches."""
    columns = ",".join(f'{{"name": "a{j}", "kind": "categorical", "levels": ["0", "1", "2"]}}' for j in range(20))
    schema = Schema.from_json(f'{{"version": 1, "columns": [{columns}]}}')
    peaks = []
    for rows in (100_000, 1_000_000):
        path = tmp_path / f"{rows}.parquet"
        pq.write_table(pa.table(_columns(rows)), path, row_group_size=50_000)
        held = []
        table = open_table(path)
        for _ in private_pass.ahead(table.chunks()):
            held.append(pa.total_allocated_bytes())
        assert len(survey(table, schema, n=rows, kept=0).rows) == rows
        peaks.append(max(held))
    assert peaks[1] < 2 * peaks[0] + (1 << 20)


def test_a_refusal_in_the_reading_thread_is_the_readers() -> None:
    def broken() -> Iterator[Any]:
        yield from open_table(people(("p", "a"))).chunks()
        raise FileRefused("cut off")

    with pytest.raises(PmwPubError, match="cut off"):
        list(private_pass.ahead(broken()))


def test_a_packed_parquet_table_is_read_whole_within_the_limits(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    pq.write_table(pa.table({"who": ["p"], "x": ["a"]}), buffer)
    path = tmp_path / "private.csv.gz"
    path.write_bytes(gzip.compress(buffer.getvalue()))
    assert found(path, None, PEOPLE, kept=0).counts == (1, 0)
