"""A small made extract: rows and codebook as IPUMS packs them, read into text tables and schemas."""

from __future__ import annotations

import gzip
import math
from pathlib import Path

import pytest

from pmwpub.errors import FileRefused
from pmwpub.tabular.coding.encode import encode_public
from pmwpub.tabular.ipums import ACS, ACS_REDUCED, AGE_EDGES, Extract
from pmwpub.tabular.schema.drafting import draft

VARIABLES = (
    # name, width, codes
    ("YEAR", 4, {}),
    ("STATEFIP", 2, {"Ohio": 39, "Pennsylvania": 42}),
    ("SEX", 1, {"Male": 1, "Female": 2}),
    ("AGE", 3, {"Less than 1 year old": 0}),
    ("METRO", 1, {"Not identifiable": 0, "Not in metro area": 1, "In metro area": 2}),
)
ROWS = ((2018, 42, 1, 0, 2), (2018, 42, 2, 97, 0), (2018, 39, 2, 35, 1), (2010, 42, 1, 40, 1), (2018, 42, 2, 9, None))


def codebook(variables: tuple[tuple[str, int, dict[str, int]], ...] = VARIABLES, structure: str = "rectangular") -> str:
    """A DDI codebook with what IPUMS puts into one."""
    described, start = [], 1
    for name, width, codes in variables:
        categories = "".join(
            f"<catgry><catValu>{code}</catValu><labl>{label}</labl></catgry>" for label, code in codes.items()
        )
        described.append(
            f'<var ID="{name}" name="{name}" files="F1" dcml="0" intrvl="discrete">'
            f'<location StartPos="{start}" EndPos="{start + width - 1}" width="{width}"/><labl>{name}</labl>'
            f'<txt>What it is.</txt>{categories}<concept>Person</concept><varFormat type="numeric"/></var>'
        )
        start += width
    return (
        '<?xml version="1.0" encoding="UTF-8"?><codeBook xmlns="ddi:codebook:2_5"><stdyDscr>'
        '<citation><serStmt><serName abbr="usa">IPUMS USA</serName><serInfo>10.0/made</serInfo></serStmt></citation>'
        "<stdyInfo><notes>A made sample: 2018 ACS\nMore.</notes></stdyInfo><dataAccs><useStmt>"
        "<citReq>Cite it so.</citReq><conditions>None.</conditions></useStmt></dataAccs></stdyDscr>"
        '<fileDscr ID="F1"><fileTxt><fileName>made.dat</fileName><fileCont>Persons</fileCont>'
        f'<fileStrc type="{structure}"/><fileType charset="ISO-8859-1">Fixed</fileType><format>fixed</format>'
        f"<filePlac>here</filePlac></fileTxt></fileDscr><dataDscr>{''.join(described)}</dataDscr></codeBook>"
    )


def fixed_width(rows: tuple[tuple[int | None, ...], ...] = ROWS) -> str:
    widths = [width for _, width, _ in VARIABLES]
    return "".join(
        "".join(("" if cell is None else str(cell)).rjust(width) for cell, width in zip(row, widths, strict=True))
        + "\n"
        for row in rows
    )


@pytest.fixture
def ddi(tmp_path: Path) -> Path:
    (tmp_path / "made.xml").write_text(codebook())
    (tmp_path / "made.dat").write_text(fixed_width())
    return tmp_path / "made.xml"


def test_rows_of_one_state_and_year_are_text_as_ipums_codes_them(ddi: Path) -> None:
    table = Extract.open(ddi).table(["SEX", "AGE", "METRO"], {"STATEFIP": 42, "YEAR": 2018})
    assert table.header == ("SEX", "AGE", "METRO")
    assert table.frame.to_numpy().tolist() == [["1", "0", "2"], ["2", "97", "0"], ["2", "9", ""]]


def test_the_data_may_be_zipped_or_a_csv_and_may_lie_elsewhere(ddi: Path, tmp_path: Path) -> None:
    plain = Extract.open(ddi).table(["SEX", "METRO"]).frame.to_numpy().tolist()
    elsewhere = tmp_path / "other"
    elsewhere.mkdir()
    (elsewhere / "x.dat.gz").write_bytes(gzip.compress((tmp_path / "made.dat").read_bytes()))
    assert Extract.open(ddi, elsewhere / "x.dat.gz").table(["SEX", "METRO"]).frame.to_numpy().tolist() == plain
    (tmp_path / "made.dat").unlink()
    lines = [",".join("" if cell is None else str(cell) for cell in row) for row in ROWS]
    (tmp_path / "made.csv").write_text("\n".join([",".join(name for name, *_ in VARIABLES), *lines]) + "\n")
    assert Extract.open(ddi).table(["SEX", "METRO"]).frame.to_numpy().tolist() == plain


def test_the_codebook_gives_every_code_as_a_level_and_ten_bins_of_age(ddi: Path) -> None:
    extract = Extract.open(ddi)
    table = extract.table(["SEX", "AGE", "METRO"], {"YEAR": 2018})
    schema = draft([table], codebook=extract.codebook(["SEX", "AGE", "METRO"]))
    sex, age, metro = schema.domain.attributes
    assert (sex.levels, metro.levels[:3]) == (("1", "2"), ("0", "1", "2"))
    assert age.size == 10
    encoded = encode_public(table, schema)
    assert encoded.dataset.codes[:, 1].tolist() == [0, 9, 3]
    assert encoded.dropped == 1, "the row without METRO"
    assert extract.samples == ("2018 ACS",)
    assert extract.citation == "Cite it so."


def test_the_papers_variables() -> None:
    assert (len(ACS), len(set(ACS))) == (67, 67)
    assert math.comb(len(ACS_REDUCED), 5) == 3003
    assert len(AGE_EDGES) == 11


def test_what_an_extract_lacks_is_named(ddi: Path) -> None:
    extract = Extract.open(ddi)
    with pytest.raises(FileRefused, match=r"lacks RACE, VETSTAT; make one that has them"):
        extract.table(["SEX", "RACE", "VETSTAT"])
    with pytest.raises(FileRefused, match="lacks PUMA"):
        extract.table(["SEX"], {"PUMA": 1})
    with pytest.raises(FileRefused, match="lacks ACREHOUS"):
        extract.codebook()
    with pytest.raises(FileRefused, match="no row with STATEFIP = 1"):
        extract.table(["SEX"], {"STATEFIP": 1})


@pytest.mark.parametrize("content", ["", "no xml", "<codeBook/>", codebook(structure="hierarchical")])
def test_another_file_is_no_codebook(tmp_path: Path, content: str) -> None:
    (tmp_path / "made.xml").write_text(content)
    (tmp_path / "made.dat").write_text(fixed_width())
    with pytest.raises(FileRefused, match=r"no IPUMS codebook|make a rectangular one"):
        Extract.open(tmp_path / "made.xml")


def test_missing_and_misfitting_data_are_refused(ddi: Path, tmp_path: Path) -> None:
    (tmp_path / "made.dat").write_text("a line of something else\n")
    with pytest.raises(FileRefused, match="not as its codebook says"):
        Extract.open(ddi).table(["SEX", "AGE"])
    (tmp_path / "made.dat").unlink()
    with pytest.raises(FileRefused, match=r"made\.dat, is not there"):
        Extract.open(ddi)
