"""Files of each kind that stewards bring, through `schema draft`: read, drafted or refused as is right."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from support.input_kinds import KINDS, Kind

from pmwpub.cli import main


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_the_command_line_does_what_is_right(
    kind: Kind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PMWPUB_STORE", f"sqlite:///{tmp_path / 'ledger.sqlite'}")
    for name, body in kind.files.items():
        Path(name).write_bytes(body)
    Path("book.csv").write_bytes(kind.codebook)
    book = ["--codebook", "book.csv"] if kind.codebook else []
    draft = ["schema", "draft", *kind.files, *book, "-o", "schema.json"]
    status = main(draft)
    streams = capsys.readouterr()
    if kind.refused:
        assert status == 2
        assert kind.refused in streams.err
        (remedy,) = re.findall(r"\((--read [^)]+)\)", streams.err)
        status = main([*draft, *remedy.split(" ")])
        streams = capsys.readouterr()
    if kind.nothing:
        assert status == 2
        assert all(f"{name!r}: {why}" in streams.err for name, why in kind.left_out.items())
        return
    assert status == 0, streams.err
    found = json.loads(streams.out)
    columns = {one["name"]: one.get("levels") or one["bins"] for one in found["columns"]}
    assert columns.keys() == kind.levels.keys()
    assert all(set(wanted) <= set(columns[name]) for name, wanted in kind.levels.items())
    left = {one["name"]: one["why"] for one in found["left_out"]}
    assert left.keys() == kind.left_out.keys()
    assert all(why in left[name] for name, why in kind.left_out.items())
    assert kind.said in json.dumps([one["text"] for one in found["remarks"]]).replace('\\"', '"')
