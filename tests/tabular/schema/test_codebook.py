"""Codebooks in CSV and JSON, alone and with public tables."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pmwpub.cli import main
from pmwpub.errors import FileRefused, SchemaError
from pmwpub.tabular.files.reading import read_table
from pmwpub.tabular.files.text.read_options import ReadOptions
from pmwpub.tabular.schema.codebook import read_codebook
from pmwpub.tabular.schema.column_types import CategoricalColumn, IdColumn, IgnoredColumn, MissingCode, NumericColumn
from pmwpub.tabular.schema.drafting import draft
from pmwpub.tabular.schema.equivalences import RULES
from pmwpub.tabular.schema.table_schema import Schema

BOOK = b"""name,kind,level,label,other,outside
sex,categorical,1,male,,
sex,,2,female,,
age,numeric,0,,yes,other
age,,18,,,
age,,120,,,
age,missing,-9,refused,,
job,categorical,NA,Namibian,no,
person,id,,,,
note,ignore,,free text,,
"""


def test_a_csv_codebook_gives_codes_edges_rules_roles_and_missing_tokens() -> None:
    schema = draft([], codebook=read_codebook(BOOK))
    assert (schema.version, schema.missing_tokens) == (2, ("", "NA", "?"))
    refused = (MissingCode(code="-9", label="refused"),)
    age = NumericColumn(
        name="age", kind="numeric", edges=(0, 18, 120), outside="other", other=True, missing=refused, same=RULES
    )
    assert schema.columns == (
        CategoricalColumn(name="sex", kind="categorical", levels=("1", "2"), same=RULES),
        age,
        CategoricalColumn(name="job", kind="categorical", levels=("NA",), same=RULES),
        IdColumn(name="person", kind="id", same=("trim",)),
        IgnoredColumn(name="note", kind="ignore"),
    )


def test_the_usual_tokens_hold_where_they_are_no_levels_unless_the_codebook_names_others() -> None:
    schema = draft(
        [],
        codebook=read_codebook(
            b"name,kind,level\ncountry,categorical,NA\ncountry,,DE\nx,,\nx,,1\n".replace(b"x,,\n", b"x,categorical,2\n")
        ),
    )
    country, other = schema.encoded
    assert [schema.placer(column)("NA") < column.no_level for column in (country, other)] == [True, False]
    assert draft([], codebook=read_codebook(BOOK + b",missing,-8,,,\n")).missing_tokens == ("-8",)


def test_a_json_codebook_may_be_a_list_name_labels_and_leave_kinds_out() -> None:
    book = [
        {"name": "sex", "levels": {"1": "male", "2": "female"}},
        {"name": "age", "edges": [0, 18.0, 120], "missing": True},
        {"name": "year", "kind": "categorical", "levels": [2012, 2018]},
        {"name": "person", "kind": "id", "strip": True},
    ]
    schema = draft([], codebook=read_codebook(json.dumps(book).encode()))
    assert [column.kind for column in schema.columns] == ["categorical", "numeric", "categorical", "id"]
    assert schema.domain.attributes[0].levels == ("1", "2")
    assert schema.domain.attributes[1].levels == ("[0, 18)", "[18, 120]", "(missing)")
    assert schema.domain.attributes[2].levels == ("2012", "2018")
    assert schema.id_column == IdColumn(name="person", kind="id", same=("trim",))


def test_a_schema_file_is_a_codebook_of_itself() -> None:
    schema = draft([], codebook=read_codebook(BOOK))
    assert draft([], codebook=read_codebook(schema.to_json().encode())) == schema


def test_what_the_codebook_leaves_open_comes_from_the_public_tables() -> None:
    book = read_codebook(
        b'name,kind,level,decimal,thousands\nincome,numeric,,",",.\njob,categorical,,,\nsex,categorical,F,,\n'
    )
    rows = "".join(f'"{i}.000,5",{("cook", "clerk", "?")[i % 3]},F,{i % 4}\n' for i in range(1, 50))
    table = read_table(f"income,job,sex,kids\n{rows}".encode())
    schema = draft([table], codebook=book, bins=4, binning="quantiles")
    income, job, sex, kids = schema.encoded
    assert isinstance(income, NumericColumn)
    assert (income.edges[0], income.edges[-1], len(income.edges)) == (1_000.5, 49_000.5, 5)
    assert job.own_levels == ("clerk", "cook")
    assert sex.own_levels == ("F",)
    assert kids.own_levels == ("0", "1", "2", "3")


def test_a_codebook_in_another_dialect_is_read_once_that_is_confirmed(tmp_path: Path) -> None:
    path = tmp_path / "book.csv"
    path.write_bytes("name;kind;level\nstraße;categorical;1\n".encode("cp1252"))
    with pytest.raises(FileRefused) as caught:
        read_codebook(path)
    assert caught.value.suggestion == ReadOptions("cp1252", ";")
    (entry,) = read_codebook(path, options=ReadOptions("cp1252", ";")).entries
    assert entry.name == "straße"


@pytest.mark.parametrize(
    ("book", "words"),
    [
        (b"a,b\n1,2\n", "columns name, kind and level"),
        (b"name,kind,level\nsex,text,1\n", "no kind"),
        (b"name,kind,level\nsex,,1\n", "no kind"),
        (b"name,kind,level\nsex,categorical,1\nsex,numeric,2\n", "two kinds"),
        (b"name,kind,level\nsex,categorical,1\nsex,,1\n", "must differ"),
        (b"name,kind,level\nage,numeric,old\nage,,2\n", "numbers with a point"),
        (b"name,kind,level\nage,numeric,2\nage,,1\n", "rise"),
        (b"name,kind,level\nage,numeric,nan\nage,,1\n", "finite"),
        (b"name,kind,level,other\nsex,categorical,1,perhaps\n", "yes or no"),
        (b"name,kind,level,outside\nage,numeric,1,far\nage,,2,\n", "outside"),
        (b"name,kind,level\nage,numeric,\n", "no number in the public tables"),
        (b"name,kind,level\njob,categorical,\n", "no levels"),
        (b"name,kind,level\nsex,categorical,1\nsex,missing,1\n", "missing code"),
        (b"name,kind,level\nperson,id,\n", "at least one"),
        (b"{", "cannot be parsed"),
        (b"[" * 100_000, "cannot be parsed"),
        (b"[1]", "list of objects"),
        (b'{"columns": 3}', "list of objects"),
        (b'[{"kind": "id"}]', "no name"),
        (b'[{"name": "a"}]', "no kind"),
        (b'[{"name": "a", "levels": "xyz"}]', "no list"),
        (b'[{"name": "a", "levels": [true]}]', "texts or numbers"),
        (b'{"columns": [], "missing_tokens": "NA"}', "list of texts"),
        (b'[{"name": "a", "levels": ["\xff"]}]', "cannot be parsed"),
    ],
)
def test_other_codebooks_are_refused_in_words(book: bytes, words: str) -> None:
    with pytest.raises(SchemaError, match=words):
        draft([], codebook=read_codebook(book))


def test_a_codebook_that_is_not_there_is_refused(tmp_path: Path) -> None:
    for name in ("none.json", "none.csv"):
        with pytest.raises(FileRefused, match="cannot be opened"):
            read_codebook(tmp_path / name)


def test_the_docstrings_example_is_a_codebook() -> None:
    from pmwpub.tabular.schema import codebook as module

    lines = [line[4:] for line in (module.__doc__ or "").splitlines() if line.startswith("    ")]
    schema = draft([], codebook=read_codebook("\n".join(lines).encode()))
    assert schema.domain.names == ("sex", "age")
    assert Schema.from_json(schema.to_json()) == schema


ASIDE = [
    {"name": "sex", "kind": "categorical", "levels": ["F", "M"], "unit": "code", "total": 2},
    {"name": "v", "kind": "weight", "cap": "4", "unit": 0.5, "total": "52000"},
    {"name": "w", "kind": "weight"},
]


def test_a_weight_keeps_its_cap_unit_and_total_from_json_and_from_csv() -> None:
    lines = (
        b"name,kind,level,cap,unit,total\nsex,categorical,F,,code,2\nsex,,M,,,\nv,weight,,4,0.5,52000\nw,weight,,,,\n"
    )
    for book in (json.dumps(ASIDE).encode(), lines):
        schema = draft([], codebook=read_codebook(book))
        written = [{k: v for k, v in one.items() if k != "same"} for one in json.loads(schema.to_json())["columns"][1:]]
        assert written == [ASIDE[1] | {"unit": "0.5"}, ASIDE[2]]


def test_an_id_keeps_what_becomes_of_its_further_rows() -> None:
    book = json.dumps([ASIDE[0], {"name": "p", "kind": "id", "beyond": "keep"}]).encode()
    assert draft([], codebook=read_codebook(book)).rows_beyond == "keep"


@pytest.mark.parametrize("keys", [{"cap": 4}, {"cap": "4", "unit": "3"}, {"cap": True, "unit": 1}, {"total": 9}])
def test_a_weight_whose_numbers_mean_nothing_is_refused(keys: dict[str, object]) -> None:
    book = json.dumps([ASIDE[0], {"name": "v", "kind": "weight"} | keys]).encode()
    with pytest.raises(SchemaError, match="from the codebook"):
        draft([], codebook=read_codebook(book))


def test_the_command_line_drafts_from_a_codebook_alone_or_with_tables(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    book, table, out = tmp_path / "book.csv", tmp_path / "b.csv", tmp_path / "schema.json"
    book.write_bytes("name|kind|level\nsex|categorical|♀\nage|numeric|\n".encode("utf-16"))
    table.write_text("sex,age,kids\n" + "".join(f"♀,{i},{i % 3}\n" for i in range(60)), encoding="utf-8")
    read = ["--read", f"{book}=utf-16,bar"]
    assert main(["schema", "draft", "--codebook", str(book), "-o", str(out)]) == 2
    assert " ".join(read) in capsys.readouterr().err
    assert main(["schema", "draft", "--codebook", str(book), *read, "-o", str(out)]) == 2
    assert "no number in the public tables" in capsys.readouterr().err
    assert main(["schema", "draft", "-o", str(out)]) == 2
    arguments = ["schema", "draft", str(table), "--codebook", str(book), *read, "--bins", "4", "--binning", "width"]
    assert main([*arguments, "-o", str(out)]) == 0
    schema = Schema.from_json(out.read_bytes())
    assert schema.domain.names == ("sex", "age", "kids")
    assert schema.domain.attributes[1].levels == ("[0, 14.75)", "[14.75, 29.5)", "[29.5, 44.25)", "[44.25, 59]")
    assert main([*arguments, "-o", str(tmp_path / "none" / "schema.json")]) == 2
    assert "cannot be written" in capsys.readouterr().err
