"""The files of a release as they are downloaded: each from the stored bytes, with the rows that were asked for."""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING

import buying
import pytest

from pmwpub.errors import PlanError
from pmwpub.release.notebooks.analyst_notebook import NOTEBOOK, analyst_notebook
from pmwpub.service.bought import releases
from pmwpub.service.bought.release_files import ROWS_ALLOWED, SEEDS_ALLOWED, Bundle, release_files
from pmwpub.service.inputs import study_store

if TYPE_CHECKING:
    from conftest import Bench


@pytest.fixture
def bundle(bench: Bench) -> Bundle:
    current = study_store.study(bench.service, bench.name)
    plan = releases.release_plan(bench.service, current, bench.candidates[:1], epsilon="1", rounds=2)
    outcome = buying.buy(bench.service, bench.private, plan)
    found = releases.released(bench.service, current, outcome.booking).bundle
    assert found is not None
    return found


def test_every_file_is_what_the_archive_holds_under_its_name(bundle: Bundle) -> None:
    files = release_files(bundle, "release-1.zip", rows=7, seed=3, cells="numbers")
    made = {one.name: one.content() for one in files}
    with zipfile.ZipFile(io.BytesIO(made.pop("release-1.zip"))) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == made
    assert made == bundle.files(7, 3, "numbers") | {NOTEBOOK: analyst_notebook(bundle)}
    assert [one.name for one in files if one.main] == ["synthetic.csv"]
    assert len(made["synthetic.csv"].splitlines()) == 8


@pytest.mark.parametrize("beyond", [{"rows": ROWS_ALLOWED[0] - 1}, {"rows": ROWS_ALLOWED[1] + 1}])
def test_rows_out_of_range_are_refused_when_the_bytes_are_made(bundle: Bundle, beyond: dict[str, int]) -> None:
    asked = {"rows": 5, "seed": SEEDS_ALLOWED[0]} | beyond
    synthetic = release_files(bundle, "release-1.zip", cells="labels", **asked)[0]
    with pytest.raises(PlanError):
        synthetic.content()
