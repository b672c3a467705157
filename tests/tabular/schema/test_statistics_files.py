"""Codebooks from Stata and SPSS files: what the reader's description of a file becomes."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pmwpub.errors import FileRefused, PlanError
from pmwpub.tabular.files.reading import read_table
from pmwpub.tabular.schema.codebook import read_codebook
from pmwpub.tabular.schema.drafting import propose

SPSS = SimpleNamespace(
    column_names=["sex", "hours", "name", "age", "seek"],
    variable_value_labels={
        "sex": {1.0: "male", 2.0: "female", 9.0: "no answer"},
        "hours": {97.0: "refused"},
        "age": {99.0: "n/a"},
        "seek": {1.0: "yes", 8.0: "missing", 9.0: "missing"},
    },
    missing_ranges={
        "sex": [{"lo": 9.0, "hi": 9.0}],
        "hours": [{"lo": 97.0, "hi": 99.0}],
        "age": [{"lo": 99.0, "hi": 99.0}, {"lo": -1.0, "hi": -1.0}],
        "seek": [{"lo": 8.0, "hi": 9.0}],
    },
    variable_measure={"sex": "nominal", "hours": "scale", "name": "unknown", "age": "scale", "seek": "nominal"},
)
"""As pyreadstat 1.3 describes a file that it wrote with these labels and missing ranges."""

STATA = SimpleNamespace(
    column_names=["sex"],
    variable_value_labels={"sex": {1: "male", 2: "female", "a": "refused"}},
    missing_ranges={},
    variable_measure={"sex": "unknown"},
)


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reader, in so far as it describes files."""

    def describe(path: str, **asked: Any) -> tuple[None, Any]:
        assert asked == {"metadataonly": True, "user_missing": True}
        if "broken" in path:
            raise LookupError("no such format")
        return None, STATA if path.endswith("dta") else SPSS

    readers = dict.fromkeys(("read_sav", "read_dta", "read_por"), describe)
    errors = dict.fromkeys(("ReadstatError", "PyreadstatError"), LookupError)
    monkeypatch.setitem(sys.modules, "pyreadstat", SimpleNamespace(**readers, **errors))


@pytest.mark.usefixtures("reader")
def test_labels_and_missing_ranges_become_levels_and_missing_codes() -> None:
    rows = "".join(f"{1 + i % 2},{i % 60},n{i % 3},{20 + i % 50},{1 + i % 2}\n" for i in range(120))
    table = read_table(("sex,hours,name,age,seek\n" + rows + "9.0,98,n0,-1,8\n1,97,n1,99,9\n").encode())
    draft = propose([table], codebook=read_codebook(Path("survey.sav")))
    found = {column.name: column for column in draft.schema.encoded}
    assert found["sex"].attribute.levels == ("1", "2", "no answer")
    assert found["hours"].missing_levels == ("refused", "missing 98 to 99")
    assert found["age"].missing_levels == ("n/a", "missing -1")
    assert found["seek"].attribute.levels == ("1", "missing (8)", "missing (9)")
    assert found["name"].attribute.levels == ("n0", "n1", "n2")
    assert [draft.schema.placer(found["hours"])(cell) for cell in ("97", "98", "99.0")] == [
        len(found["hours"].own_levels) + place for place in (0, 1, 1)
    ]
    assert [draft.schema.written(found["seek"], code) for code in (1, 2)] == ["8", "9"]


@pytest.mark.usefixtures("reader")
def test_letters_of_stata_are_missing_codes() -> None:
    (sex,) = propose([], codebook=read_codebook(Path("survey.dta"))).schema.encoded
    assert sex.attribute.levels == ("1", "2", "refused")
    assert sex.missing_codes[0].code == ".a"


@pytest.mark.usefixtures("reader")
def test_a_file_that_cannot_be_read_is_refused_by_its_name() -> None:
    with pytest.raises(FileRefused, match=r"broken\.sav cannot be read"):
        read_codebook(Path("broken.sav"))


def test_without_the_extra_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyreadstat", None)
    with pytest.raises(PlanError, match=r"pmwpub\[codebooks\]"):
        read_codebook(Path("survey.sav"))


@pytest.mark.skipif(importlib.util.find_spec("pyreadstat") is None, reason="the extra is not installed")
def test_a_file_of_spss_is_described_as_above(tmp_path: Path) -> None:
    import pandas as pd
    import pyreadstat

    frame = pd.DataFrame({"sex": [1.0, 2.0], "hours": [20.0, 97.0], "name": ["a", "b"], "age": [30.0, 99.0]})
    labels = {name: SPSS.variable_value_labels[name] for name in ("sex", "hours", "age")}
    ranges = {"sex": [9], "hours": [{"lo": 97, "hi": 99}], "age": [99, -1]}
    measures = {name: SPSS.variable_measure[name] for name in frame.columns}
    pyreadstat.write_sav(
        frame, str(tmp_path / "a.sav"), variable_value_labels=labels, missing_ranges=ranges, variable_measure=measures
    )
    _, meta = pyreadstat.read_sav(str(tmp_path / "a.sav"), metadataonly=True, user_missing=True)
    for name in frame.columns:
        assert meta.variable_value_labels.get(name, {}) == SPSS.variable_value_labels.get(name, {})
        assert sorted(map(str, meta.missing_ranges.get(name, []))) == sorted(
            map(str, SPSS.missing_ranges.get(name, []))
        )
        assert meta.variable_measure[name] == SPSS.variable_measure[name]
