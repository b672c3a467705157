"""Cells drawn from the public tables' own numbers: where from, that they read back, and that they are rebuilt."""

from __future__ import annotations

import csv
import io
import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from release.bundles import make, public_csv

from pmwpub.errors import FileRefused, PlanError
from pmwpub.records import Dataset, Distribution, Support
from pmwpub.release import rebuild
from pmwpub.release.bundle import PUBLIC_VALUES, SYNTHETIC, VALUES, Bundle
from pmwpub.release.checking import check, require
from pmwpub.release.rebuilding import rebuilt
from pmwpub.release.synthesis import synthetic_csv
from pmwpub.tabular.coding.encode import encode_public
from pmwpub.tabular.coding.public_values import PublicValues, StoredValues
from pmwpub.tabular.files.reading import read_table
from pmwpub.tabular.schema.table_schema import Schema

COLUMNS: list[dict[str, Any]] = [
    {"name": "who", "kind": "id"},
    {"name": "gain", "kind": "numeric", "edges": [0, 100, 1000], "outside": "clip", "missing": True},
    {"name": "sex", "kind": "categorical", "levels": ["F", "M"], "missing": True},
    {"name": "note", "kind": "ignore"},
    {"name": "height", "kind": "numeric", "edges": [1, 1.5, 2.5], "outside": "none"},
]
SCHEMA = Schema.from_json(json.dumps({"version": 1, "missing_tokens": ["NA"], "columns": COLUMNS}))


def public(rows: int = 400) -> bytes:
    """Gains that are mostly 0, heights of one decimal; no note, no ID."""
    draw = random.Random(5)
    lines = ["gain,sex,height"]
    for _ in range(rows):
        gain = draw.choice(["0"] * 8 + ["NA", str(draw.choice([7, 99, 150, 2000]))])
        lines.append(f"{gain},{draw.choice(['F', 'M', 'NA'])},{draw.choice(['1.2', '1.7', '1.8', '2'])}")
    return ("\n".join(lines) + "\n").encode()


def drawn(rows: int = 3000, *, columns: str = "attributes", least: int = 10) -> tuple[list[list[str]], bytes]:
    table = read_table(public())
    support = Support.of(encode_public(table, SCHEMA).dataset)
    stored = PublicValues.of([table], SCHEMA, least=least).to_csv(SCHEMA, support)
    values = StoredValues.from_csv(stored, SCHEMA)
    body = synthetic_csv(
        Distribution.empirical(support), SCHEMA, rows, seed=3, cells=PUBLIC_VALUES, columns=columns, values=values  # type: ignore[arg-type]
    )  # fmt: skip
    return list(csv.reader(io.StringIO(body.decode()))), body


def test_cells_are_numbers_and_decimals_of_the_public_table_and_missing_ones_are_tokens() -> None:
    (header, *rows), _ = drawn()
    assert header == ["gain", "sex", "height"]
    assert {row[0] for row in rows} == {"0", "7", "99", "150", "2000", "NA"}
    assert {row[1] for row in rows} == {"F", "M", "NA"}
    assert {row[2] for row in rows} == {"1.2", "1.7", "1.8", "2"}


def test_zeros_and_means_are_the_public_ones_where_weights_are() -> None:
    """Within five standard errors of 3,000 rows: 0.04 of a share of 0.8."""
    rows = drawn()[0][1:]
    zeros = sum(row[0] == "0" for row in rows) / len(rows)
    wanted = [line.split(",")[0] for line in public().decode().splitlines()[1:]]
    assert abs(zeros - wanted.count("0") / len(wanted)) < 0.04


def test_every_row_reads_back() -> None:
    again = encode_public(read_table(drawn()[1]), SCHEMA)
    assert again.dropped == 0
    assert len(again.dataset) == 3000


def test_few_records_of_an_atom_are_never_drawn_within_it() -> None:
    """One atom of nine 5s and one of thirty 50s, in one bin: the first draws from the bin, the second its own."""
    schema = Schema.from_json(
        json.dumps(
            {
                "version": 1,
                "columns": [
                    {"name": "n", "kind": "numeric", "edges": [0, 100], "outside": "clip"},
                    {"name": "c", "kind": "categorical", "levels": ["few", "many"]},
                ],
            }
        )
    )
    table = read_table(b"n,c\n" + b"5,few\n" * 9 + b"50,many\n" * 30)
    support = Support.of(encode_public(table, schema).dataset)
    stored = PublicValues.of([table], schema).to_csv(schema, support)
    assert stored.decode().splitlines() == [
        "column,level,row,value,records", 'n,"[0, 100]",,5,9', 'n,"[0, 100]",,50,30', 'n,"[0, 100]",2,50,30',
    ]  # fmt: skip
    body = synthetic_csv(
        Distribution.uniform(support), schema, 4000, seed=1, cells=PUBLIC_VALUES,
        values=StoredValues.from_csv(stored, schema),
    )  # fmt: skip
    counts = Counter(body.decode().splitlines()[1:])
    assert set(counts) == {"5,few", "50,few", "50,many"}
    assert counts["50,many"] == 2000
    assert counts["5,few"] / 2000 == pytest.approx(9 / 39, abs=0.05)


def test_all_columns_give_the_header_of_the_input_with_row_numbers_and_blanks() -> None:
    (header, *rows), body = drawn(50, columns="all")
    assert header == ["who", "gain", "sex", "note", "height"]
    assert [row[0] for row in rows] == [str(number) for number in range(1, 51)]
    assert {row[3] for row in rows} == {""}
    assert encode_public(read_table(body), SCHEMA).dropped == 0


def test_spellings_that_a_spreadsheet_would_run_come_back_as_they_were() -> None:
    rules = {"edges": [-5000, 0, 5000], "outside": "clip", "thousands": ","}
    schema = Schema.from_json(json.dumps({"version": 1, "columns": [{"name": "=n", "kind": "numeric"} | rules]}))
    table = read_table(b'=n\n"-1,500"\n"2,000"\n-3\n+4\n')
    support = Support.of(encode_public(table, schema).dataset)
    values = StoredValues.from_csv(PublicValues.of([table], schema).to_csv(schema, support), schema)
    assert values.bins == {(0, 0): Counter({"-1,500": 1, "-3": 1}), (0, 1): Counter({"2,000": 1, "+4": 1})}
    body = synthetic_csv(Distribution.uniform(support), schema, 40, seed=1, cells=PUBLIC_VALUES, values=values)
    again = encode_public(read_table(body), schema)
    assert again.dropped == 0
    assert np.bincount(again.dataset.codes[:, 0]).tolist() == [20, 20]


@pytest.fixture(scope="module")
def made() -> Any:
    return make([public_csv(60, 1), public_csv(40, 2)])


def test_the_certificate_holds_and_the_bundle_has_what_was_drawn_from(made: Any) -> None:
    plain, files = made.bundle.files(50, 1), made.bundle.files(50, 1, PUBLIC_VALUES, "all")
    assert VALUES in files
    assert VALUES not in plain
    certificate = json.loads(files["certificate.json"])
    assert certificate["cells"] == "public-values in all columns"
    assert VALUES in certificate["files"]
    assert VALUES not in json.loads(plain["certificate.json"])["files"]
    require(check(files))
    changed = files | {VALUES: files[VALUES].replace(b",1\n", b",2\n")}
    wrong = {finding.statement for finding in check(changed) if finding.problem}
    assert f"{VALUES} has the hash that the certificate states" in wrong
    assert f"{SYNTHETIC} is drawn from the weights by its seed" in wrong
    missing = {name: body for name, body in files.items() if name != VALUES}
    assert any("missing" in finding.problem for finding in check(missing))


def test_the_script_makes_values_and_rows_again(made: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = made.write(tmp_path, rows=30, seed=4, cells=PUBLIC_VALUES)
    publics = [str(path) for path in sorted(tmp_path.glob("public*.csv"))]
    assert rebuild.main([*publics, "--from", str(out)]) == 0
    assert f"{VALUES}: agrees" in capsys.readouterr().out
    stated = made.bundle.stated(made.bundle.files(30, 4, PUBLIC_VALUES), 30, 4, PUBLIC_VALUES)
    files = rebuilt(stated, made.bundle.parts["schema.json"], made.publics)
    assert files[VALUES] == made.bundle.parts[VALUES]
    (out / VALUES).write_bytes(files[VALUES] + b"\n")
    assert rebuild.main([*publics, "--from", str(out)]) == 1


def test_a_release_from_before_has_no_public_values_and_says_so(made: Any) -> None:
    older = Bundle({name: body for name, body in made.bundle.parts.items() if name != VALUES})
    with pytest.raises(PlanError, match="before public values"):
        older.files(5, 0, PUBLIC_VALUES)
    assert older.files(5, 0) == made.bundle.files(5, 0)


@pytest.mark.parametrize("content", [b"", b"a,b\n1,2\n", b"column,level,row,value,records\nn,x,,1,1\n", b"\xff"])
def test_a_file_that_is_no_table_of_values_is_refused(content: bytes) -> None:
    with pytest.raises(FileRefused, match="public values"):
        StoredValues.from_csv(content, SCHEMA)


def test_a_bin_without_a_public_number_is_drawn_inside() -> None:
    full = Support.full(SCHEMA.domain)
    only = Distribution.uniform(Support.of(Dataset(SCHEMA.domain, full.codes[:1])))
    body = synthetic_csv(only, SCHEMA, 5, seed=0, cells=PUBLIC_VALUES, values=StoredValues({}, {}))
    assert encode_public(read_table(body), SCHEMA).dropped == 0
