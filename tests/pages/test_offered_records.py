"""Records for catalogues, behind a fold of Hand over: made of the files that are offered beside them, when clicked."""

from __future__ import annotations

import hashlib
import json
import zipfile
from io import BytesIO
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pmwpub.release import checking
from pmwpub.release.bundle import CERTIFICATE, SYNTHETIC, Bundle
from pmwpub.release.certificates.certificate_signature import SIGNATURE, new_key_files
from pmwpub.release.notebooks.analyst_notebook import NOTEBOOK
from pmwpub.service.bought.release_files import release_files
from pmwpub.service.records import records_of_releases
from pmwpub.service.records.records_of_releases import record_files

BEFORE = Path(__file__).parents[1] / "release" / "before"
LOOK = {"rows": 33, "seed": 5, "cells": "numbers", "columns": "attributes"}


def bundle() -> Bundle:
    return Bundle({name: body for name, body in checking.read_folder(BEFORE / "pool").items() if name != SYNTHETIC})


def test_the_page_offers_every_record_behind_a_fold() -> None:
    def page(folder: str) -> None:
        from pathlib import Path

        from pmwpub.release import checking
        from pmwpub.release.bundle import Bundle
        from pmwpub.ui.hand_over.result_panel import downloads

        files = checking.read_folder(Path(folder))
        downloads(Bundle({name: body for name, body in files.items() if name != "synthetic.csv"}), 7, "all.zip")

    app = AppTest.from_function(page, args=(str(BEFORE / "pool"),)).run()
    assert not app.exception
    (fold,) = (one for one in app.expander if one.label == "Records for catalogues")
    assert not fold.proto.expanded
    assert [one.label for one in fold.get("download_button")] == [
        *("croissant.json", "ro-crate.zip", "registry-entry.yaml", "nist-800-226.json")
    ]


def test_a_record_describes_the_rows_that_are_offered_with_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    new_key_files(tmp_path / "key")
    monkeypatch.setenv("PMWPUB_SIGNING_KEY", str(tmp_path / "key"))
    files = {one.name: one.content() for one in release_files(bundle(), "all.zip", **LOOK)}  # type: ignore[arg-type]
    records = {one.name: one.content() for one in record_files(bundle(), **LOOK)}  # type: ignore[arg-type]
    stated = {one["name"]: one["sha256"] for one in json.loads(records["croissant.json"])["distribution"]}
    # The notebook is made anew wherever files are handed out; no certificate and no record states its bytes.
    del files["all.zip"], files[NOTEBOOK]
    assert stated == {name: hashlib.sha256(body).hexdigest() for name, body in files.items()}
    assert {SYNTHETIC, SIGNATURE, CERTIFICATE} < set(stated)
    with zipfile.ZipFile(BytesIO(records["ro-crate.zip"])) as crate:
        assert {name: crate.read(name) for name in files} == files
        assert set(crate.namelist()) == {*files, "ro-crate-metadata.json"}
    assert b"A table of 33 synthetic rows" in records["registry-entry.yaml"]
    assert json.loads(records["nist-800-226.json"])["certificate_sha256"] == stated[CERTIFICATE]


def test_what_needs_a_package_that_is_not_there_is_not_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records_of_releases, "find_spec", lambda name: None)
    assert [one.name for one in record_files(bundle(), **LOOK)] == [  # type: ignore[arg-type]
        *("croissant.json", "nist-800-226.json")
    ]
