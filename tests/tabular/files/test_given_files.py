"""Which file of a command a saying or a refusal is about."""

from __future__ import annotations

from pathlib import Path

import pytest

from pmwpub.errors import FileRefused
from pmwpub.tabular.files.given_files import Files
from pmwpub.tabular.files.text.read_options import ReadOptions


def test_each_file_has_its_own_options_also_with_an_equals_sign_in_its_name(tmp_path: Path) -> None:
    one, two = tmp_path / "a=b.csv", tmp_path / "c.csv"
    one.write_bytes("é;b\n1;2\n".encode("cp1252"))
    two.write_bytes(b"a,b\n1,2\n")
    files = Files([f"{one}=cp1252,semicolon"], [str(one), str(two), None])
    assert files.options(str(one)) == ReadOptions("cp1252", ";")
    assert files.options(str(two)) is None
    assert files.table(str(one)).header == ("é", "b")
    assert files.table(str(two)).header == ("a", "b")


def test_a_refusal_names_its_file_and_what_confirms_the_suggestion(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"a;b\n1;2\n")
    with pytest.raises(FileRefused) as caught:
        Files([], [str(path)]).table(str(path))
    assert str(caught.value).startswith(f"{path}: Line 1: ")
    assert str(caught.value).endswith(f"(--read {path}=utf-8,semicolon)")
    assert caught.value.suggestion == ReadOptions("utf-8", ";")


@pytest.mark.parametrize("said", [["a.csv"], ["b.csv=cp1252"], ["=cp1252"], ["a.csv=ebcdic"], ["a.csv=tab"] * 2])
def test_a_saying_about_no_file_or_twice_or_in_other_words_is_refused(said: list[str]) -> None:
    with pytest.raises(FileRefused):
        Files(said, ["a.csv", None])
