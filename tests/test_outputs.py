"""Outputs: never over what a command reads, whatever the path is called, and never cut off under the final name."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from support.small_tables import write_table

from pmwpub import outputs
from pmwpub.cli import main
from pmwpub.errors import FileRefused
from pmwpub.outputs import apart, writable, write_files
from pmwpub.release.bundle import ALL_FILES, INTERVALS, TABLES
from pmwpub.release.notebooks.analyst_notebook import NOTEBOOK

Shell = Callable[..., int]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PMWPUB_STORE", f"sqlite:///{tmp_path}/ledger.sqlite3")
    for name, rows in (("p.csv", 250), ("b.csv", 120)):
        write_table(tmp_path / name, rows, rows)
    assert main(["schema", "draft", "b.csv", "-o", "schema.json"]) == 0
    assert main(["ledger", "register", "P", "--n", "250", "--epsilon", "3"]) == 0
    capsys.readouterr()
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    """Every file but the ledger's."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.startswith("ledger.")
    }


def alias(way: str, source: Path, target: Path) -> None:
    """Let `target` be the same file as `source`."""
    if way == "itself":
        source.rename(target)
        source.symlink_to(target)
    elif way == "symbolic link":
        target.symlink_to(source)
    else:
        os.link(source, target)


WAYS = ("itself", "symbolic link", "hard link")


@pytest.mark.parametrize(
    ("way", "name", "source"),
    [
        *((way, "weights.csv", source) for way in WAYS for source in ("p.csv", "b.csv", "schema.json")),
        *(("hard link", name, "p.csv") for name in (*ALL_FILES, NOTEBOOK) if name != "weights.csv"),
    ],
)
def test_no_file_of_a_release_replaces_what_the_release_reads(
    folder: Path, way: str, name: str, source: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "out").mkdir()
    alias(way, folder / source, folder / "out" / name)
    before = contents(folder)
    arguments = ["release", "--population", "P", "--schema", "schema.json", "--private", "p.csv", "--public", "b.csv"]
    assert main([*arguments, "--epsilon", "1", "--rounds", "3", "-k", "2", "-o", "./out/../out"]) == 2
    assert "Nothing was charged" in capsys.readouterr().err
    assert contents(folder) == before
    assert main(["ledger", "show", "P"]) == 0
    assert '"charges": []' in capsys.readouterr().out


EVALUATE = ["evaluate", "--schema", "schema.json", "--truth", "p.csv", "--public", "b.csv", "-k", "2", "--runs", "1"]


@pytest.mark.parametrize(
    ("way", "source", "flags"),
    [
        *((way, "p.csv", flags) for way in WAYS for flags in (["-o", "out"], ["-o", "e", "--html", "out"])),
        *((way, "b.csv", ["-o", "journal"]) for way in WAYS),
        *(
            ("hard link", source, ["-o", "out"])
            for source in ("schema.json", "ledger.sqlite3", "ledger.sqlite3.witness")
        ),
    ],
)
def test_no_output_of_evaluate_replaces_an_input_or_the_ledger(
    folder: Path, way: str, source: str, flags: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    alias(way, folder / source, folder / ("journal.partial" if "journal" in flags else "out"))
    before, store = contents(folder), (folder / source).read_bytes()
    assert main([*EVALUATE, *flags]) == 2
    assert "would be written over" in capsys.readouterr().err
    assert (contents(folder), (folder / source).read_bytes()) == (before, store)


@pytest.mark.parametrize("page", ["e.csv", "./e.csv", "e.csv.partial", "linked.csv"])
def test_two_outputs_are_two_files(folder: Path, page: str, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "linked.csv").symlink_to(folder / "e.csv")
    assert main([*EVALUATE, "-o", "e.csv", "--html", page]) == 2
    assert "two outputs" in capsys.readouterr().err
    assert not (folder / "e.csv").exists()


@pytest.mark.parametrize("out", ["b.csv", "book.csv", "ledger.sqlite3", "ledger.sqlite3-wal", "ledger.sqlite3.witness"])
def test_a_drafted_schema_replaces_no_table_no_codebook_and_no_ledger(
    folder: Path, out: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "book.csv").write_text("column,code\n")
    before = contents(folder), (folder / "ledger.sqlite3").read_bytes()
    assert main(["schema", "draft", "b.csv", "--codebook", "book.csv", "-o", out]) == 2
    assert "would be written over" in capsys.readouterr().err
    assert (contents(folder), (folder / "ledger.sqlite3").read_bytes()) == before


def test_a_backup_is_no_file_of_the_store_and_a_restore_does_not_remove_its_source(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("ledger.sqlite3-wal", "ledger.sqlite3-journal", "ledger.sqlite3.restoring"):
        assert main(["ledger", "backup", name]) == 2
        assert not (folder / name).exists()
    assert main(["ledger", "backup", "copy.sqlite3"]) == 0
    kept = (folder / "copy.sqlite3").rename(folder / "ledger.sqlite3.restoring")
    body = kept.read_bytes()
    assert main(["ledger", "restore", kept.name]) == 2
    assert kept.read_bytes() == body


def test_a_file_of_a_folder_that_is_read_is_an_input(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "part.0.parquet").write_bytes(b"")
    apart([tmp_path / "parts" / "part.1.parquet"], [tmp_path / "parts"])
    with pytest.raises(FileRefused):
        apart([tmp_path / "parts" / "part.0.parquet"], [tmp_path / "parts"])


def test_what_is_no_file_or_has_no_folder_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for name in ("pipe", "folder", "none/file"):
        with pytest.raises(FileRefused, match="cannot be written"):
            writable([tmp_path / "fine", tmp_path / name])
    assert {path.name for path in tmp_path.iterdir()} == {"pipe", "folder"}


def test_a_disk_that_fills_up_leaves_the_earlier_files_and_no_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files({tmp_path / "one": b"1"})
    real, left = os.fsync, [1]

    def full(descriptor: int) -> None:
        if not left:
            raise OSError(errno.ENOSPC, "No space left on device")
        left.pop()
        real(descriptor)

    (tmp_path / "old").write_bytes(b"0")
    monkeypatch.setattr(outputs.os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_files({tmp_path / "one": b"11", tmp_path / "two": b"22"}, gone=[tmp_path / "old"])
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"one": b"1", "old": b"0"}


def test_what_no_longer_holds_is_gone_once_the_new_files_are_there(tmp_path: Path) -> None:
    (tmp_path / "old").write_bytes(b"0")
    write_files({tmp_path / "one": b"1"}, gone=[tmp_path / "old", tmp_path / "never"])
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"one": b"1"}


def test_a_replaced_file_keeps_its_mode_and_what_a_link_names_is_replaced_and_not_the_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "real").chmod(0o640)
    (tmp_path / "link").symlink_to("real")
    write_files({tmp_path / "link": b"new"})
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"
    assert (tmp_path / "real").stat().st_mode & 0o777 == 0o640


def test_a_release_that_cannot_be_written_leaves_no_file_and_is_there_for_another_folder(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["release", "--population", "P", "--schema", "schema.json", "--private", "p.csv", "--public", "b.csv"]
    arguments += ["--epsilon", "1", "--rounds", "3", "-k", "2", "-o"]

    real = outputs._write

    def full(path: Path, body: bytes, *, like: Path) -> None:
        real(path, body[:100], like=like)
        if like.name == "weights.csv":
            raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(outputs, "_write", full)
        assert main([*arguments, "out"]) == 2
    assert "The result is stored" in capsys.readouterr().err
    assert not (folder / "out").exists()
    assert main([*arguments, "again"]) == 0
    assert '"stored_earlier": true' in capsys.readouterr().out
    assert {path.name for path in (folder / "again").iterdir()} == {*ALL_FILES, NOTEBOOK} - {TABLES, INTERVALS}
