"""synthetic.csv reads back under the schema that lies beside it: every row, every cell as the level it stands for."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from pmwpub.errors import FileRefused
from pmwpub.records import Distribution, Support
from pmwpub.release.certificates.certificate_parts import Cells
from pmwpub.release.synthesis import synthesise, synthetic_csv
from pmwpub.tabular.coding.encode import encode_public
from pmwpub.tabular.coding.public_values import StoredValues
from pmwpub.tabular.files.reading import read_table
from pmwpub.tabular.schema.table_schema import Schema

Json = dict[str, Any]


def text(*levels: str, name: str = "c", **rules: Any) -> Json:
    return {"name": name, "kind": "categorical", "levels": list(levels)} | rules


def number(*edges: float, name: str = "n", **rules: Any) -> Json:
    return {"name": name, "kind": "numeric", "edges": list(edges), "outside": "clip"} | rules


BOTH = {"missing": True, "other": True}
SCHEMAS: dict[str, Json] = {
    "bins": {"columns": [number(0, 10, 20, 99), text("a", "b")]},
    "missing without a token": {"columns": [number(0, 1, 2, **BOTH), text("a", **BOTH)]},
    "missing tokens": {"missing_tokens": ["NA", "", "-"], "columns": [number(-5, 0, 5, **BOTH), text("a", **BOTH)]},
    "one column with an empty token": {"missing_tokens": [""], "columns": [text("a", "b", missing=True)]},
    "formulas": {"columns": [text("-", "@", "=1+1", "+", "-x", "a;=b", "\t=c", "plain"), number(-3, -1.5, 0)]},
    "formulas in names": {
        "columns": [text("a", name="=job"), number(0, 1, 2, name="@age"), text("-", name="-", other=True)]
    },
    "text rules": {
        "columns": [text(" A", "b ", "Ä", strip=True, casefold=True, **BOTH), text("-X", "y", name="d", casefold=True)]
    },
    "quotes, commas, line ends": {
        "columns": [text('a"b', "c,d", "e\nf", "g\rh", "", " ", "'", "''-"), text("x", name="y")]
    },
    "decimal commas": {
        "version": 2,
        "columns": [
            number(0, 0.25, 1.5, decimal=",", **BOTH),
            number(0, 1000, 5000, name="m", decimal=",", thousands=" "),
        ],
    },
    "wide and narrow bins": {
        "columns": [
            number(-1e20, -1e-7, 0, 1e-7, 1e20, outside="other", **BOTH),
            number(0, 1, name="z", outside="none"),
        ]
    },
    "codes, spikes and dates": {
        "version": 2,
        "missing_tokens": ["NA", "-"],
        "columns": [
            number(
                0,
                0,
                1,
                9,
                9,
                20.5,
                missing=[{"code": "-9", "label": "refused"}, {"from": 97, "to": 99, "label": "none"}],
            ),
            text(
                "a",
                "-b",
                missing=[{"code": "=x", "label": "@y"}, {"code": ".", "label": "(missing)"}],
                same=["trim", "casefold"],
            ),
            {"name": "d", "kind": "date", "part": "quarter", "missing": True, "other": True},
            {"name": "y", "kind": "date", "part": "year", "levels": ["2008", "2012"]},
        ],
    },
    "clothes": {
        "version": 2,
        "columns": [
            number(-1000, -1.5, 0, 0, 2500.5, prefix="$", suffix=" US", thousands=",", same=["casefold"], **BOTH),
            number(0, 12, 1000, name="m", decimal=",", thousands=".", suffix=" %"),
            {"name": "d", "kind": "date", "part": "year", "levels": ["1999", "2004"], "order": "dmy", "pivot": 50},
        ],
    },
    "levels like bins": {
        "columns": [text("[0, 1)", "(a)", "[1, 2]", **BOTH), number(0, 1, 2, thousands=",", missing=True)]
    },
}
"""Thirteen schemas, each with a kind of cell of its own."""


def released(name: str) -> tuple[Schema, Distribution]:
    schema = Schema.from_json(json.dumps({"version": 1} | SCHEMAS[name]))
    full = Support.full(schema.domain)
    return schema, Distribution(full, np.random.default_rng(2).dirichlet(np.ones(len(full))))


@pytest.mark.parametrize("cells", ["labels", "numbers", "public-values"])
@pytest.mark.parametrize("name", SCHEMAS)
def test_every_row_reads_back_as_it_was_drawn(name: str, cells: Cells) -> None:
    schema, distribution = released(name)
    written = synthetic_csv(distribution, schema, 600, seed=4, cells=cells, values=StoredValues({}, {}))
    again = encode_public(read_table(written), schema)
    assert again.dropped == 0
    assert np.array_equal(again.dataset.codes, synthesise(distribution, 600, seed=4).codes)


def test_a_cell_that_the_schema_knows_is_never_taken_for_a_written_one() -> None:
    """The level "'-" is there, so the cell is that level, though "-" would be written so; a missing token stays one."""
    both = Schema.from_json(
        json.dumps({"version": 1, "missing_tokens": ["(other)"], "columns": [text("-", "'-", **BOTH)]})
    )
    cells = ["-", "'-", "(other)", "(missing)", "x"]
    table = read_table(("c\n" + "".join(f"{cell}\n" for cell in cells)).encode())
    assert encode_public(table, both).dataset.codes[:, 0].tolist() == [0, 1, 2, 2, 3]


def test_versions_that_could_not_read_back_are_asked_for_by_name() -> None:
    schema, distribution = released("bins")
    written = synthetic_csv(distribution, schema, 30, seed=1)
    with pytest.raises(FileRefused, match="no level"):
        encode_public(read_table(written), schema, written=False)


def test_a_spelling_with_a_comma_is_not_guessed_where_points_group_thousands() -> None:
    grouped = Schema.from_json(
        json.dumps({"version": 1, "columns": [number(0, 1000, 2000, decimal=",", thousands=".", other=True)]})
    )
    codes = encode_public(read_table(b"n\n1.500\n1.5\n"), grouped).dataset.codes[:, 0].tolist()
    assert codes == [1, 2]
