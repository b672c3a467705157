"""Files that read once somebody confirms how: pickers for encoding and delimiter, and Parquet that needs none."""

from __future__ import annotations

import io
import json
from fractions import Fraction

import pandas as pd
import pytest
from pages.visits import PRIVATE, ROWS, Here, Open, add, buy, handed_over, press, stored, table, words

from pmwpub.plans import WorkloadChoice
from pmwpub.service.inputs import study_store
from pmwpub.tabular.files.text.read_options import ReadOptions
from pmwpub.tabular.schema.table_schema import Schema
from pmwpub.ui import Session

WESTERN = PRIVATE.decode().replace(",", ";").replace("young", "jünger").encode("cp1252")
SEMICOLONS = table(50, 9).replace(b",", b";")


def _candidates(town: Here) -> dict[str, ReadOptions | None]:
    return {one.name: one.options for one in study_store.study(town.service, town.population).candidates}


def test_a_candidate_with_semicolons_waits_and_is_read_once_that_is_confirmed(town: Here, visit: Open) -> None:
    app = visit("prepare", population=town.population)
    app.file_uploader[0].set_value([("new.csv", SEMICOLONS, "text/csv")])
    app.checkbox[0].check()
    add(app)
    assert "new.csv was not read. Line 1: The delimiter seems to be a semicolon" in words(app)
    assert "new.csv" not in _candidates(town)
    assert app.selectbox(key="delimiter 1").value == ";"
    stored(press(app, "Read as UTF-8 with a semicolon between cells"))
    assert "new.csv was read and stored" in words(app)
    assert _candidates(town)["new.csv"] == ReadOptions("utf-8", ";")
    assert next(
        one for one in study_store.study(town.service, town.population).candidates if one.name == "new.csv"
    ).attested


def test_the_pickers_can_be_set_otherwise_and_a_wrong_guess_loses_nothing(town: Here, visit: Open) -> None:
    app = visit("prepare", population=town.population)
    app.file_uploader[0].set_value([("new.csv", SEMICOLONS, "text/csv")])
    add(app)
    app.selectbox(key="delimiter 1").set_value("|").run()
    stored(press(app, "Read as UTF-8 with a vertical bar between cells"))
    assert not app.exception
    assert "was not read" in words(app)
    app.selectbox(key="delimiter 2").set_value(";").run()
    stored(press(app, "Read as UTF-8 with a semicolon between cells"))
    assert _candidates(town)["new.csv"] == ReadOptions("utf-8", ";")


def test_a_held_file_can_be_given_up(town: Here, visit: Open) -> None:
    app = visit("prepare", population=town.population)
    app.file_uploader[0].set_value([("new.csv", SEMICOLONS, "text/csv")])
    add(app)
    press(app, "Give this file up")
    assert "was not read" not in words(app)
    assert "new.csv" not in _candidates(town)


def test_a_file_that_no_option_helps_is_refused_and_not_held(town: Here, visit: Open) -> None:
    app = visit("prepare", population=town.population)
    app.file_uploader[0].set_value([("bad.csv", b"PK\x03\x04 not a table", "text/csv")])
    add(app)
    assert "bad.csv was refused" in words(app)
    assert not app.session_state["pmwpub session"].shelf.files


def test_a_private_table_in_another_encoding_is_loaded_once_confirmed_and_its_name_is_kept_nowhere(
    town: Here, visit: Open
) -> None:
    app = visit("prepare", population=town.population)
    app.file_uploader[-1].upload("secret-people.csv", WESTERN, "text/csv")
    press(app, "Load into this session")
    assert "The private table was not read" in words(app)
    assert "secret-people" not in words(app)
    stored(press(app, "Read as Western European (Windows-1252; Excel: CSV) with a semicolon between cells"))
    assert "400 rows" in words(app)
    assert "Read as Western European" in words(app)
    assert town.spent == 0
    assert not app.session_state["pmwpub session"].shelf.files, "the held bytes are let go"


def test_how_cells_are_to_be_written_stands_open_where_a_reading_is_confirmed_and_after_it(
    town: Here, visit: Open
) -> None:
    """A file of decimal commas and other dates loads without a word on its cells: what is said is the schema's."""
    columns = '{"name": "pay", "kind": "numeric", "edges": [0, 9], "outside": "clip"}'
    dated = '{"name": "seen", "kind": "date", "part": "month"}'
    schema = Schema.from_json('{"version": 2, "missing_tokens": [""], "columns": [' + f"{columns}, {dated}" + "]}")
    study_store.save_schema(town.service, town.population, schema)
    wanted = "numbers such as 1234.5 (pay); dates such as 2012-03-31 (seen)"

    def said(cell: str) -> tuple[str, str]:
        app = visit("prepare", population=town.population)
        app.file_uploader[-1].upload("p.csv", ("pay;seen\n" + f"{cell}\n" * ROWS).encode(), "text/csv")
        press(app, "Load into this session")
        (before,) = (str(one.value) for one in app.info if "The schema expects" in str(one.value))
        press(app, "Read as UTF-8 with a semicolon between cells")
        (after,) = (str(one.value) for one in app.caption if "The schema expects" in str(one.value))
        return before, after

    lost, fitting = said("3,5;31.03.2012"), said("3.5;2012-03-31")
    assert lost == fitting
    assert all(wanted in one.replace("\\", "") and "fits no level" in one for one in lost)


def test_a_wrong_n_names_the_way_out_and_is_not_said_any_more_once_n_is_corrected(town: Here, visit: Open) -> None:
    """Also of a file that is still held, for another reading might have had the registered number of rows."""
    app = visit("prepare", population=town.population)
    app.file_uploader[-1].upload("people.csv", PRIVATE.replace(b",", b";") + b"\nF;old;no", "text/csv")
    press(app, "Load into this session")
    press(app, "Read as UTF-8 with a semicolon between cells")
    assert f"registered with n = {ROWS} rows; the file has {ROWS + 1}" in words(app)
    assert "Change the terms on Protect, or pmwpub ledger amend --n" in words(app)
    town.service.ledger.amend(town.population, n=ROWS + 1)
    app.run()
    assert "registered with n" not in words(app)
    assert "The terms changed since then: read it again." in words(app)
    press(app, "Read as UTF-8 with a semicolon between cells")
    assert f"{ROWS + 1} rows" in words(app)


@pytest.mark.parametrize(("cell", "warned"), [("3,5", True), ("3.5", False)])
def test_hand_over_warns_of_a_released_column_whose_cells_fit_no_level(
    town: Here, visit: Open, cell: str, warned: bool
) -> None:
    """At an ε of 100 the sums are off by a few rows of 400: 0 is far below the half, 400 far above it."""
    town.service.ledger.amend(town.population, epsilon=Fraction(400))
    columns = [
        {"name": "sex", "kind": "categorical", "levels": ["F", "M"]},
        {"name": "pay", "kind": "numeric", "edges": [0, 4, 9], "outside": "clip"},
    ]
    schema = Schema.from_json(json.dumps({"version": 2, "missing_tokens": [""], "columns": columns}))
    study_store.save_schema(town.service, town.population, schema)
    public = b"sex,pay\n" + b"F,2\nM,3\nF,5\n" * 40
    study_store.add_candidate(town.service, town.population, "paid.csv", public, attested=True)
    study_store.choose_workload(town.service, town.population, WorkloadChoice(k=2))
    body = ("sex;pay\n" + f"F;{cell}\nM;{cell}\n" * (ROWS // 2)).encode()
    private = study_store.load_private(town.service, town.population, body, options=ReadOptions("utf-8", ";"))
    app = visit("release", Session(town.population, private), population=town.population)
    app.text_input(key="release epsilon").set_value("100").run()
    buy(app, "Buy this release")
    app = handed_over(app)
    said = [str(one.value) for one in app.warning if "probably do not fit the schema" in str(one.value)]
    assert len(said) == warned
    assert all("levels of pay add up to about" in one for one in said)


def test_another_population_lets_held_files_go(town: Here, visit: Open) -> None:
    app = visit("prepare", population=town.population)
    app.file_uploader[-1].upload("people.csv", WESTERN, "text/csv")
    press(app, "Load into this session")
    session: Session = app.session_state["pmwpub session"]
    assert session.shelf.files
    assert "jünger" not in repr(session)
    session.open(None)
    assert not session.shelf.files


def test_parquet_uploads_need_no_options(town: Here, visit: Open) -> None:
    def parquet(content: bytes) -> bytes:
        packed = io.BytesIO()
        pd.read_csv(io.BytesIO(content)).to_parquet(packed)
        return packed.getvalue()

    app = visit("prepare", population=town.population)
    app.file_uploader[0].set_value([("new.parquet", parquet(table(50, 9)), "application/octet-stream")])
    add(app)
    assert _candidates(town)["new.parquet"] is None
    app.file_uploader[-1].upload("people.parquet", parquet(PRIVATE), "application/octet-stream")
    press(app, "Load into this session")
    assert "400 rows" in words(app)


def test_a_long_run_of_shared_lines_is_a_warning_to_the_steward_alone(town: Here, steward: Open, visit: Open) -> None:
    copied = PRIVATE.split(b"\n")
    study_store.add_candidate(town.service, town.population, "copy.csv", b"\n".join(copied[:200]), attested=True)
    app = steward("prepare")
    assert "Lines in a row of the private table stand in copy.csv too" in words(app)
    assert "Lines in a row" not in words(visit("prepare", population=town.population))


def test_the_warning_comes_too_when_the_copy_is_added_after_the_private_table(town: Here, steward: Open) -> None:
    app = steward("prepare")
    copied = b"\n".join(PRIVATE.split(b"\n")[:200])
    app.file_uploader[0].set_value([("copy.csv", copied, "text/csv")])
    add(app)
    assert "Lines in a row of the private table stand in copy.csv too" in words(app)


def test_what_the_schema_expects_of_the_private_file_is_said_before_and_after_it_is_loaded(
    town: Here, steward: Open, visit: Open
) -> None:
    """The words are those of the schema: a file that fits and one that does not get the same."""
    wanted = "A header with the columns sex, age, work, in any order; others are ignored."
    app = visit("prepare", population=town.population)
    assert wanted in words(app)
    before = [str(one.value) for one in app.markdown if wanted in str(one.value)]
    app.file_uploader[-1].upload("people.csv", PRIVATE.replace(b"young", b"YOUNG;"), "text/csv")
    press(app, "Load into this session")
    assert [str(one.value) for one in app.markdown if wanted in str(one.value)] == before
    assert wanted in words(steward("prepare"))


def test_a_forgotten_attestation_is_asked_for_above_store(town: Here, visit: Open) -> None:
    app = visit("prepare", population=town.population)
    app.file_uploader[0].set_value([("new.csv", table(50, 9), "text/csv")])
    press(app, "Add")
    assert "Nobody attested yet that new.csv was not made from the private data." in words(app)
    next(box for box in app.checkbox if str(box.key).startswith("attest offers ")).check().run()
    stored(app)
    found = {one.name: one.attested for one in study_store.study(town.service, town.population).candidates}
    assert found["new.csv"]
    app.file_uploader[0].set_value([("later.csv", table(50, 10), "text/csv")])
    add(app)
    assert "later.csv is not attested: nothing can be bought on it until you tick below." in words(app)
