"""A private table by path: known again in every shape, checked against candidates, counted from its file."""

from __future__ import annotations

import gzip
import io
from pathlib import Path
from typing import TYPE_CHECKING

import buying
import numpy as np
import pandas as pd
import pytest

from pmwpub.errors import FileRefused, PlanError
from pmwpub.queries.counts import count
from pmwpub.queries.workload import Workload
from pmwpub.service import Alike
from pmwpub.service.bought import releases
from pmwpub.service.inputs import stored_tables, study_store
from pmwpub.tabular.files.text.read_options import ReadOptions
from pmwpub.tabular.private_pass import FileRows

if TYPE_CHECKING:
    from conftest import Bench


@pytest.fixture
def streamed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of a private table stays in memory."""
    monkeypatch.setattr(study_store, "KEPT", 0)


def in_shape(folder: Path, shape: str, content: bytes) -> Path:
    """The table as a file or a folder of that ending."""
    path = folder / f"private{shape}"
    frame = pd.read_csv(io.BytesIO(content))
    if shape == ".csv":
        path.write_bytes(content)
    elif shape == ".csv.gz":
        path.write_bytes(gzip.compress(content))
    elif shape == ".parquet":
        frame.to_parquet(path, index=False)
    else:
        path.mkdir()
        for part in range(3):
            frame[part * 100 : (part + 1) * 100].to_parquet(path / f"part.{part}.parquet", index=False)
    return path


SHAPES = (".csv", ".csv.gz", ".parquet", "")


@pytest.mark.usefixtures("streamed")
@pytest.mark.parametrize("shape", SHAPES)
def test_a_file_of_any_shape_is_the_table_that_was_uploaded(bench: Bench, shape: str, tmp_path: Path) -> None:
    current = study_store.study(bench.service, bench.name)
    plan = releases.release_plan(bench.service, current, bench.candidates[:1], epsilon="1", rounds=2)
    first = buying.buy(bench.service, bench.private, plan)
    private = study_store.load_private(bench.service, bench.name, in_shape(tmp_path, shape, bench.private_csv))
    assert isinstance(private.dataset, FileRows)
    assert private.rows == bench.private.rows
    assert private.verdict.kind == "same"
    workload = current.workload()
    assert np.array_equal(count(workload, private.dataset).counts, count(workload, bench.private.dataset).counts)
    again = buying.buy(bench.service, private, plan)
    assert (again.fresh, again.result) == (False, first.result)
    assert buying.buy(bench.service, private, plan, repeat=1).status == "done"


@pytest.mark.usefixtures("streamed")
def test_a_stream_is_checked_against_candidates_and_n(bench: Bench, tmp_path: Path) -> None:
    path = tmp_path / "private.csv"
    path.write_bytes(stored_tables.content(bench.service, bench.name, bench.candidates[0]))
    with pytest.raises(FileRefused, match="one of the public candidates"):
        study_store.load_private(bench.service, bench.name, path)
    path.write_bytes(b"\n".join(bench.private_csv.splitlines()[:-1]))
    with pytest.raises(FileRefused, match="registered with n = 300 rows; the file has 299"):
        study_store.load_private(bench.service, bench.name, path)
    path.write_bytes(bench.private_csv)
    lines = bench.private_csv.splitlines()
    piece = b"\n".join([lines[0], *lines[40:90], b""])
    study_store.add_candidate(bench.service, bench.name, "piece.csv", piece, attested=True)
    private = study_store.load_private(bench.service, bench.name, path)
    assert private.numbers is None
    assert [one.alike for one in private.overlaps] == [Alike.LINES]
    assert study_store.compared_again(bench.service, private).overlaps == private.overlaps


@pytest.mark.usefixtures("streamed")
def test_a_file_that_changes_after_it_was_charged_gives_no_result(bench: Bench, tmp_path: Path) -> None:
    path = tmp_path / "private.csv"
    path.write_bytes(bench.private_csv)
    current = study_store.study(bench.service, bench.name)
    plan = releases.release_plan(bench.service, current, bench.candidates[:1], epsilon="1", rounds=2)
    private = study_store.load_private(bench.service, bench.name, path)
    path.write_bytes(bench.private_csv.replace(b"\nF,", b"\nM,", 1))
    with pytest.raises(FileRefused, match="changed after it was loaded"):
        buying.buy(bench.service, private, plan)
    (booking,) = bench.service.bought(bench.name, "release")
    assert bench.service.outcome(booking).status == "no result"
    with pytest.raises(FileRefused, match="changed after it was loaded"):
        count(Workload.all_kway(private.dataset.domain, 1), private.dataset)


def test_a_cluster_is_asked_for_parquet_files_alone(bench: Bench, tmp_path: Path) -> None:
    for source in (bench.private_csv, in_shape(tmp_path, ".csv", bench.private_csv)):
        with pytest.raises(PlanError, match="Parquet"):
            study_store.load_private(bench.service, bench.name, source, cluster="tcp://127.0.0.1:9")


def test_reading_says_how_far_it_is_and_a_reading_that_is_stopped_holds_nothing(bench: Bench) -> None:
    class Stopped(Exception):
        pass

    told: list[tuple[int, int]] = []
    study_store.load_private(
        bench.service, bench.name, bench.private_csv, progress=lambda done, total: told.append((done, total))
    )
    assert told[-1] == (300, 300)

    def stop(done: int, total: int) -> None:
        raise Stopped

    with pytest.raises(Stopped):
        study_store.load_private(bench.service, bench.name, bench.private_csv, progress=stop)
    assert bench.service.ledger.balance(bench.name).spent.units == 0


def test_a_private_file_without_a_header_is_read_so_where_the_schema_was_drafted_from_such(bench: Bench) -> None:
    service, name = bench.service, bench.name
    for one in study_store.study(service, name).candidates:
        study_store.remove_candidate(service, name, one.sha256)
    bare = bench.private_csv.split(b"\n", 1)[1]
    options = ReadOptions(no_header=True)
    half = b"\n".join(bare.split(b"\n")[:150]) + b"\n"
    study_store.add_candidate(service, name, "bare.csv", half, attested=True, options=options)
    study_store.save_schema(service, name, study_store.draft_schema(service, name))
    other = b"\n".join(bare.split(b"\n")[::-1][1:]) + b"\n"
    with pytest.raises(FileRefused, match="columns are numbered, as in files without a header") as caught:
        study_store.load_private(service, name, other)
    assert caught.value.suggestion == options
    assert len(study_store.load_private(service, name, other, options=options).dataset) == 300
