"""Candidates as they are stored and read again; drafting from them; the warning on shared lines."""

from __future__ import annotations

import gzip
import io
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from pmwpub.errors import FileRefused, PlanError
from pmwpub.jobs import InlineEngine
from pmwpub.ledger import Ledger, Population, documents
from pmwpub.plans import AssessmentPlan, WorkloadChoice
from pmwpub.service import Alike, Service
from pmwpub.service.inputs import reviewing, stored_tables, study_store
from pmwpub.tabular.files.reading import read_table
from pmwpub.tabular.files.text.read_options import ReadOptions
from pmwpub.tabular.schema.codebook import read_codebook
from pmwpub.tabular.schema.column_types import IgnoredColumn, NumericColumn

if TYPE_CHECKING:
    from conftest import Bench

OPTIONS = ReadOptions("cp1252", ";")
OTHER = b"sex,age,job\n" + b"F,20,cook\nM,45,clerk\n" * 20
WESTERN = "sex;age;job\nF;20;köchin\nM;45;clerk\n".encode("cp1252")


@pytest.fixture
def plain(service: Service) -> Service:
    service.ledger.register(Population("P", 2, 1, "one person", Fraction(1), Fraction(1, 4)))
    return service


def test_a_candidate_is_read_again_as_it_was_confirmed_and_its_bytes_are_raw(plain: Service, url: str) -> None:
    with pytest.raises(FileRefused) as caught:
        study_store.add_candidate(plain, "P", "w.csv", WESTERN, attested=True)
    assert caught.value.suggestion == OPTIONS
    assert study_store.study(plain, "P").candidates == ()
    sha256 = study_store.add_candidate(plain, "P", "w.csv", WESTERN, attested=False, options=OPTIONS)
    study_store.attest(plain, "P", sha256, attested=True)
    study_store.save_schema(plain, "P", study_store.draft_schema(plain, "P"))
    with Ledger.open(url) as ledger:
        again = Service(ledger, InlineEngine())
        facts = study_store.study(again, "P").candidate(sha256)
        assert facts.options == OPTIONS
        assert facts.attested
        assert facts.support is not None
        assert "köchin" in facts.support.domain.attributes[2].levels
        assert stored_tables.content(again, "P", sha256) == WESTERN


def test_the_same_bytes_read_in_another_way_are_another_candidate_only_after_removal(plain: Service) -> None:
    sha256 = study_store.add_candidate(plain, "P", "w.csv", WESTERN, attested=True, options=OPTIONS)
    other = ReadOptions("latin-1", ";")
    with pytest.raises(FileRefused, match="remove"):
        study_store.add_candidate(plain, "P", "w.csv", WESTERN, attested=True, options=other)
    assert study_store.study(plain, "P").candidate(sha256).options == OPTIONS
    study_store.remove_candidate(plain, "P", sha256)
    assert study_store.add_candidate(plain, "P", "w.csv", WESTERN, attested=True, options=other) == sha256
    assert study_store.study(plain, "P").candidate(sha256).options == other


def test_private_and_public_files_have_their_own_options_and_parquet_needs_none(plain: Service) -> None:
    import pandas as pd

    packed = io.BytesIO()
    frame = {"sex": ["F", "M", "M"], "age": [20, 45, 45], "job": ["köchin", "clerk", "clerk"]}
    pd.DataFrame(frame).to_parquet(packed)
    sha256 = study_store.add_candidate(plain, "P", "w.parquet", packed.getvalue(), attested=True)
    study_store.save_schema(plain, "P", study_store.draft_schema(plain, "P"))
    private = study_store.load_private(plain, "P", WESTERN, options=OPTIONS)
    assert private.options == OPTIONS
    assert private.unplaced_cells == 0
    public = study_store.study(plain, "P").candidate(sha256).dataset
    assert public is not None
    assert np.array_equal(private.dataset.codes, public.codes[:2])
    assert len(private.overlaps) == len(study_store.compared_again(plain, private).overlaps) == 0


def test_a_piece_of_the_private_table_among_the_candidates_is_pointed_out_to_the_steward(bench: Bench) -> None:
    assert bench.private.overlaps == ()
    lines = bench.private_csv.splitlines()
    piece = b"\n".join([lines[0], *lines[40:90], b""])
    sha256 = study_store.add_candidate(bench.service, bench.name, "piece.csv", piece, attested=True)
    (later,) = study_store.compared_again(bench.service, bench.private).overlaps
    (loaded,) = study_store.load_private(bench.service, bench.name, bench.private_csv).overlaps
    assert later == loaded
    assert (loaded.sha256, loaded.name, loaded.alike) == (sha256, "piece.csv", Alike.LINES)
    assert "piece.csv" in loaded.warning
    assert not any(character.isdigit() for character in loaded.warning)
    assert "piece" not in repr(study_store.load_private(bench.service, bench.name, bench.private_csv))


def named(service: Service, population: str) -> dict[str, tuple[str, bool]]:
    """Each candidate's name and whether it is attested."""
    return {one.sha256: (one.name, one.attested) for one in study_store.study(service, population).candidates}


def test_bytes_that_are_a_candidate_keep_its_name_and_attestation(bench: Bench) -> None:
    known, first = named(bench.service, bench.name), bench.candidates[0]
    body = stored_tables.content(bench.service, bench.name, first)
    assert known[first][1]
    for attested in (False, True):
        assert study_store.add_candidate(bench.service, bench.name, "other.csv", body, attested=attested) == first
        assert named(bench.service, bench.name) == known
    study_store.attest(bench.service, bench.name, first, attested=False)
    study_store.add_candidate(bench.service, bench.name, "other.csv", body, attested=False)
    assert named(bench.service, bench.name) == known | {first: (known[first][0], False)}
    study_store.add_candidate(bench.service, bench.name, "other.csv", body, attested=True)
    assert named(bench.service, bench.name) == known


def test_a_schema_is_drafted_with_a_codebook_and_edges_come_from_candidates(bench: Bench) -> None:
    book = read_codebook(b"name,kind,level\njob,categorical,cook\njob,,clerk\nage,numeric,\n")
    schema = study_store.draft_schema(bench.service, bench.name, codebook=book, bins=3, binning="width")
    assert [column.name for column in schema.columns] == ["job", "age", "sex"]
    age = schema.encoded[1]
    assert isinstance(age, NumericColumn)
    assert reviewing.bin_edges(bench.service, bench.name, age, bins=3, binning="width") == age.edges
    assert len(age.edges) == 4


def test_notes_written_before_options_existed_are_read_as_before(bench: Bench) -> None:
    note = stored_tables.note(bench.service, bench.name, bench.candidates[0])
    assert set(note) == {"name", "attested", "rows"}
    assert stored_tables.options_of(note) is None
    body = bench.service.ledger.document(bench.name, stored_tables.CANDIDATE, bench.candidates[0])
    assert gzip.decompress(body) == stored_tables.content(bench.service, bench.name, bench.candidates[0])


def test_a_plan_says_how_its_public_tables_are_read_and_is_refused_once_they_are_read_otherwise(bench: Bench) -> None:
    first = bench.candidates[0]
    body = stored_tables.content(bench.service, bench.name, first).replace(b"cook", b"clerk")
    plans = []
    for options in (None, ReadOptions(), ReadOptions("cp1252"), ReadOptions("cp850")):
        sha256 = study_store.add_candidate(bench.service, bench.name, "w.csv", body, attested=True, options=options)
        current = study_store.study(bench.service, bench.name)
        inputs = current.inputs([sha256, first])
        assert dict(inputs.read_as) == ({} if options in (None, ReadOptions()) else {sha256: options.spelt})
        plans.append(AssessmentPlan(n=300, rows_per_person=1, inputs=inputs, epsilon="1"))
        current.check_readings(inputs)
        for other in plans:
            if other != plans[-1]:
                with pytest.raises(PlanError, match="another way of reading"):
                    current.check_readings(other.inputs)
        study_store.remove_candidate(bench.service, bench.name, sha256)
    assert len({plan.sha256 for plan in plans}) == 3


def test_bytes_of_a_candidate_without_its_note_are_no_candidate_and_can_be_added(bench: Bench) -> None:
    """A program of before could be killed between the two."""
    service, name, body = bench.service, bench.name, OTHER
    table = read_table(body)
    service.ledger.put_document(name, stored_tables.CANDIDATE, table.sha256, gzip.compress(body, mtime=0))
    assert [one.sha256 for one in study_store.study(service, name).candidates] == bench.candidates
    assert table.sha256 not in stored_tables.keys(service, name)
    assert study_store.add_candidate(service, name, "e.csv", body, attested=True) == table.sha256
    assert sorted(one.name for one in study_store.study(service, name).candidates) == [
        "b.csv",
        "c.csv",
        "d.csv",
        "e.csv",
    ]


def test_a_candidate_comes_and_goes_with_its_note_in_one_transaction(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever write breaks off, no candidate lacks its note and no note its candidate."""
    service, name, body = bench.service, bench.name, OTHER
    sha256 = read_table(body).sha256
    put, seen = documents.put, []

    def breaks(connection: Any, population_id: int, kind: str, key: str, content: bytes) -> None:
        seen.append(kind)
        if kind == stored_tables.NOTE:
            raise KeyboardInterrupt
        put(connection, population_id, kind, key, content)

    with monkeypatch.context() as patched:
        patched.setattr(documents, "put", breaks)
        with pytest.raises(KeyboardInterrupt):
            study_store.add_candidate(service, name, "e.csv", body, attested=True)
    assert seen == [stored_tables.CANDIDATE, stored_tables.NOTE]
    assert all(one.key != sha256 for one in service.ledger.documents(name, stored_tables.CANDIDATE))
    study_store.remove_candidate(service, name, bench.candidates[0])
    for kind in (stored_tables.CANDIDATE, stored_tables.NOTE):
        assert {one.key for one in service.ledger.documents(name, kind)} == set(bench.candidates[1:])


def test_a_workload_of_columns_that_the_schema_has_no_longer_is_none(bench: Bench) -> None:
    study_store.choose_workload(bench.service, bench.name, WorkloadChoice.picked([["sex", "job"]]))
    current = study_store.study(bench.service, bench.name)
    assert current.schema is not None
    without = current.schema.with_column(IgnoredColumn(name="job", kind="ignore"))
    study_store.save_schema(bench.service, bench.name, without)
    assert study_store.study(bench.service, bench.name).choice is None
    study_store.save_schema(bench.service, bench.name, current.schema)
    assert study_store.study(bench.service, bench.name).choice == current.choice


def test_a_document_that_is_stored_once_stays(plain: Service) -> None:
    plain.ledger.put_document("P", "kind", "key", b"first", once=True)
    plain.ledger.put_document("P", "kind", "key", b"second", once=True)
    assert plain.ledger.document("P", "kind", "key") == b"first"
