"""Exports opened in a real spreadsheet, LibreOffice without a screen: no cell of theirs is a formula.

Runs where `soffice` is installed; nothing here installs it.
"""

from __future__ import annotations

import csv
import io
import re
import shutil
import subprocess
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pandas as pd
import pytest
from release.bundles import make, public_csv
from support.frame_csv import csv_bytes

from pmwpub.release.bundle import SYNTHETIC, WEIGHTS
from pmwpub.service.history_files import history_csv

pytestmark = pytest.mark.spreadsheet

SOFFICE = shutil.which("soffice")
PAYLOADS = [
    "=1+1", "+1+1", "-1+1", "@SUM(1)", " =1+1", "\t=1+1", "\u00a0=1+1", "'=1+1", "=HYPERLINK(\"http://x.example\",\"y\")",
    "=cmd|' /C calc'!A0", "-5+cmd|' /C calc'!A0", "a;=1+1", "a\t=1+1", "a|=1+1", "a\n=1+1", 'a";=1+1', "a,=1+1",
    "＝1+1", "=WEBSERVICE(\"http://x.example\")", "=1+1\n", "plain", "-5", "1e3",
]  # fmt: skip
IMPORTS = {
    "commas": "44,34,76,1,,0,false,true",
    "commas, special numbers, spaces trimmed": "44,34,76,1,,0,false,true,false,false,true",
    "semicolons": "59,34,76,1,,0,false,true,false,false,true",
    "tabs": "9,34,76,1,,0,false,true,false,false,true",
    "every separator": "44/59/9/124,34,76,1,,0,false,true,false,false,true",
}
"""Ways to open a CSV: separators, quote, UTF-8, first line, types, language, as text, special numbers, ..., trimmed."""

Open = Callable[[Mapping[str, bytes], str], dict[str, str]]


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Open:
    """Open CSVs in one of the ways, recalculate, save them as spreadsheets; the cells of each in XML."""
    if SOFFICE is None:
        pytest.skip("LibreOffice is not installed.")
    folder = tmp_path_factory.mktemp("calc")

    def convert(files: Mapping[str, bytes], way: str) -> dict[str, str]:
        for name, content in files.items():
            (folder / name).write_bytes(content)
        profile, out = f"-env:UserInstallation={(folder / 'profile').as_uri()}", folder / "out"
        command = [str(SOFFICE), profile, "--headless", f"--infilter=CSV:{way}", "--convert-to", "fods", "--outdir"]
        subprocess.run(
            [*command, out, *(folder / name for name in files)], check=True, capture_output=True, timeout=120
        )
        return {name: (out / name).with_suffix(".fods").read_text("utf-8") for name in files}

    return convert


def formulas(cells: str) -> list[str]:
    """What a spreadsheet calculates, and what it links to."""
    return re.findall(r'table:formula="[^"]*"|xlink:href="http[^"]*"', cells)


def raw(cells: list[str]) -> bytes:
    """A CSV that defuses nothing."""
    text = io.StringIO(newline="")
    csv.writer(text).writerows([["x"], *([cell] for cell in cells)])
    return text.getvalue().encode()


@pytest.mark.parametrize("way", IMPORTS)
def test_no_payload_is_calculated_and_without_the_defence_many_are(way: str, opened: Open) -> None:
    files = {
        "raw.csv": raw(PAYLOADS),
        "wide.csv": csv_bytes(pd.DataFrame({"=x": PAYLOADS, "n": [-1.5] * len(PAYLOADS)})),
        "narrow.csv": csv_bytes(pd.DataFrame({"x": PAYLOADS})),
        "ledger.csv": history_csv([{"id": 1, "purpose": payload} for payload in PAYLOADS]),
    }
    found = {name: formulas(cells) for name, cells in opened(files, IMPORTS[way]).items()}
    assert len(found.pop("raw.csv")) >= 4, "the spreadsheet does run formulas"
    assert not any(found.values()), found


@pytest.mark.parametrize("way", ["commas", "every separator"])
def test_no_cell_of_a_release_is_calculated(way: str, opened: Open) -> None:
    files = make([public_csv(80, 3)]).bundle.files(rows=60, seed=1)
    cells = opened({name: body for name, body in files.items() if name.endswith(".csv")}, IMPORTS[way])
    assert not any(formulas(found) for found in cells.values())
    for name in (SYNTHETIC, WEIGHTS):
        assert "HYPERLINK(1)" in cells[name], "the payload is there, as text"


def test_a_workbook_of_the_new_kind_has_none_either(tmp_path: Path) -> None:
    if SOFFICE is None:
        pytest.skip("LibreOffice is not installed.")
    path = tmp_path / "cells.csv"
    for content, some in ((csv_bytes(pd.DataFrame({"=x": PAYLOADS})), False), (raw(PAYLOADS), True)):
        path.write_bytes(content)
        profile = f"-env:UserInstallation={(tmp_path / 'profile').as_uri()}"
        command = [SOFFICE, profile, "--headless", "--convert-to", "xlsx", "--outdir", str(tmp_path), str(path)]
        subprocess.run(command, check=True, capture_output=True, timeout=120)
        with zipfile.ZipFile(path.with_suffix(".xlsx")) as book:
            assert (b"<f" in book.read("xl/worksheets/sheet1.xml")) == some
