"""Which public columns are suspected of naming rows or tables, and which must not be."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmwpub.mechanisms.best_mixture.interval import BestMixture
from pmwpub.queries.counts import count
from pmwpub.queries.workload import Workload
from pmwpub.records import Support
from pmwpub.tabular.coding.encode import encode_public
from pmwpub.tabular.coding.whole_columns import coder
from pmwpub.tabular.files.reading import TextTable, read_table
from pmwpub.tabular.review.suspects import verdict_on
from pmwpub.tabular.review.table_names import separations
from pmwpub.tabular.review.verdict import Verdict
from pmwpub.tabular.review.without_suspects import public_column
from pmwpub.tabular.schema.column_types import CategoricalColumn, EncodedColumn, NumericColumn
from pmwpub.tabular.schema.table_schema import Schema

TOKENS = ("", "NA", "?")


def file(name: str, cells: Sequence[object]) -> TextTable:
    """A table with that one column beside another."""
    lines = "".join(f'"{cell}",{"fm"[place % 2]}\n' for place, cell in enumerate(cells))
    return read_table(f"{name},other column\n{lines}".encode())


def said(name: str, *columns: Sequence[object]) -> Verdict | None:
    """What is said of a column that stands in one file or several."""
    tables = [file(name, cells) for cells in columns]
    labels = [f"{letter}.csv" for letter, _ in zip("abcdef", tables, strict=False)]
    column = public_column(name, tables, labels, TOKENS)
    own = encoded_as(name, [str(cell) for cells in columns for cell in cells if str(cell) not in TOKENS])
    return verdict_on(column, own, coder(Schema.of([own], TOKENS), own))


def encoded_as(name: str, cells: Sequence[str]) -> EncodedColumn:
    """Ten equal bins of many numbers, levels of anything else."""
    try:
        numbers = [float(cell) for cell in cells]
    except ValueError:
        numbers = []
    if len(set(numbers)) <= 20:
        return CategoricalColumn(name=name, kind="categorical", levels=tuple(sorted(set(cells))), missing=True)
    low, high = min(numbers), max(numbers)
    edges = tuple(low + (high - low) * step / 10 for step in range(11))
    return NumericColumn(name=name, kind="numeric", edges=edges, outside="clip", missing=True)


def shuffled(cells: Sequence[object], seed: int = 1) -> list[object]:
    cells = list(cells)
    random.Random(seed).shuffle(cells)
    return cells


def drawn(low: int, high: int, rows: int, seed: int = 1) -> list[int]:
    draw = random.Random(seed)
    return [draw.randint(low, high) for _ in range(rows)]


WAVE = [2008] * 40
CAUGHT = [
    ("person", [range(1000, 1024)], "names rows"),
    ("v1", [range(1, 31)], "names rows"),
    ("v1", [shuffled(range(5000, 5200))], "names rows"),
    ("v1", [range(1, 300), range(300, 700)], "names rows"),
    ("respondent_id", [drawn(10**8, 10**9, 200)], "names rows"),
    ("v1", [random.Random(3).sample(range(10**8, 10**9), 1_500)], "names rows"),
    ("v1", [[f"P-{number:05d}" for number in range(80)]], "names rows"),
    ("note", [[f"answer {place} in words" for place in range(70)]], "names rows"),
    ("v1", [[*range(1, 301), *[301] * 60]], "names rows"),
    ("person_id", [[*range(1, 41), *[999] * 9]], "names rows"),
    ("person_id", [[place // 2 for place in range(60)]], "repeated id"),
    ("hhid", [shuffled([place // 3 for place in range(900)])], "repeated id"),
    ("v1", [[place // 2 + 100 for place in range(800)]], "repeated id"),
    ("v1", [[f"h{place // 3}" for place in range(600)]], "repeated id"),
    ("wave", [WAVE, [2012] * 30], "names tables"),
    ("region", [["north"] * 9, ["south"] * 9, ["north"] * 5], "names tables"),
    ("year", [[2008, 2009] * 20, [2012, 2013] * 20], "names tables"),
    ("state", [["OH", "IL"] * 20, ["TX", "CA", "NY"] * 20], "names tables"),
    (
        "serial_no",
        [random.Random(7).sample(range(5_000), 400), random.Random(8).sample(range(9_000), 400)],
        "names rows",
    ),
    ("country", [["NL"] * 25], "constant"),
    ("country", [["NL"] * 25, ["NL"] * 5], "constant"),
    ("fnlwgt", [[f"{1000 + 37.25 * place}" for place in range(90)]], "weight"),
    ("sample_weight", [[f"{0.2 + place / 70:.4f}" for place in range(90)]], "weight"),
    ("works", [["yes", "no"] * 30, ["no"] * 40], "separating"),
    ("code", [[f"{number:05d}" for number in range(100, 150)]], "may name rows"),
]
SPARED = [
    ("year", [[2008, 2009, 2010] * 20, [2010, 2010, 2009, 2008] * 20]),
    ("vote", [["yes"] * 90 + ["no"] * 10, ["yes"] * 40 + ["no"] * 60]),
    ("sex", [["f", "m"] * 30]),
    ("age", [[18 + place % 80 for place in range(100)]]),
    ("age", [sorted(drawn(18, 97, 400))]),
    ("age", [drawn(18, 97, 1_000), drawn(20, 90, 700, 2)]),
    ("income", [random.Random(4).sample(range(5_000, 150_000), 500)]),
    ("v1", [random.Random(5).sample(range(5_000, 900_000), 500)]),
    ("v1", [[f"{random.Random(place).uniform(0, 9e4):.2f}" for place in range(500)]]),
    ("income", [[0] * 300 + random.Random(6).sample(range(8_000, 90_000), 200)]),
    ("income", [[1000 + 37 * place for place in range(70)]]),
    ("amount", [[f"{1000 + 37 * place},50" for place in range(70)]]),
    ("household_size", [drawn(1, 6, 500)]),
    ("number of children", [drawn(0, 8, 300)]),
    ("hours", [[*range(20, 42), *[99] * 15]]),
    ("since", [[*range(1985, 2007), *[9999] * 15]]),
    ("body_wt", [drawn(45, 120, 300)]),
    ("body weight", [[f"{50 + place / 7:.1f}" for place in range(300)]]),
    ("day", [[f"2012-{1 + place // 28:02d}-{1 + place % 28:02d}" for place in range(300)]]),
    ("answer", [["-", "yes", "no"] * 20, ["-", "yes", "yes", "no"] * 20]),
    ("number", [[place / 8 for place in range(2_000)]]),
    ("id", [[f"{place / 7:.2f}" for place in range(40)]]),
    ("postcode", [drawn(1000, 9999, 300)]),
    ("caseload", [drawn(0, 40, 300)]),
    ("x", [["a"], ["b"]]),
    ("x", [["f"] * 3]),
    ("sector", [["a", "b", "", "c"] * 10]),
]


@pytest.mark.parametrize(("name", "columns", "kind"), CAUGHT)
def test_a_column_that_names_rows_or_tables_is_caught(name: str, columns: list[list[object]], kind: str) -> None:
    found = said(name, *columns)
    assert found is not None
    assert found.kind == kind
    assert found.leaves_out == (kind not in ("separating", "may name rows"))
    assert found.why.endswith(".")
    assert any(digit in found.why for digit in "0123456789")


@pytest.mark.parametrize(("name", "columns"), SPARED)
def test_an_attribute_is_not_suspected(name: str, columns: list[list[object]]) -> None:
    assert said(name, *columns) is None


def test_the_worst_pair_of_tables_is_named_with_what_no_reweighting_can_mend() -> None:
    """30 % of a.csv are "c", which b.csv lacks; c.csv has all three."""
    found = said("x", ["a"] * 50 + ["b"] * 20 + ["c"] * 30, ["a", "b"] * 30, ["a", "b", "c"] * 10)
    assert found is not None
    assert "33% of the rows of c.csv have a level that b.csv lacks (such as 'c')" in found.why
    assert "no reweighting of b.csv can answer this column better than to 0.333" in found.why
    assert not found.leaves_out


def test_numbers_of_one_bin_do_not_name_the_table_where_it_is_the_bin_of_all() -> None:
    """One bin of 25 numbers in both tables: neither has one value, and they have the same level."""
    tables = [file("x", [first + place for place in range(25)] * 4) for first in (0, 5)]
    column = public_column("x", tables, ["a.csv", "b.csv"], TOKENS)
    own = NumericColumn(name="x", kind="numeric", edges=(0.0, 40.0), outside="clip")
    assert verdict_on(column, own, coder(Schema.of([own], TOKENS), own)) is None
    halves = NumericColumn(name="x", kind="numeric", edges=(0.0, 50.0, 100.0), outside="clip")
    apart = public_column("x", [tables[0], file("x", list(range(60, 85)) * 4)], ["a.csv", "b.csv"], TOKENS)
    found = verdict_on(apart, halves, coder(Schema.of([halves], TOKENS), halves))
    assert found is not None
    assert "It has one level in each table ('[0, 50)' in a.csv, '[50, 100]' in b.csv)" in found.why


SHARES = st.lists(st.integers(0, 9), min_size=6, max_size=6).filter(any)


@given(SHARES, SHARES)
def test_the_error_of_a_column_is_its_best_mixture_error(wanted: list[int], there: list[int]) -> None:
    """Against the product's own certified interval on the 1-way workload of the column."""
    levels = tuple("abcdef")
    schema = Schema.of([CategoricalColumn(name="x", kind="categorical", levels=levels)])
    truth, candidate = (
        encode_public(
            read_table(("x\n" + "".join(f"{v}\n" * n for v, n in zip(levels, counts, strict=True))).encode()), schema
        )
        for counts in (wanted, there)
    )
    workload = Workload.all_kway(schema.domain, 1)
    mixture = BestMixture(count(workload, truth.dataset), workload, Support.of(candidate.dataset))
    while not mixture.exhausted and mixture.interval.upper - mixture.interval.lower > 1e-9:
        mixture.refine()
    shares = {
        name: {v: n / sum(counts) for v, n in zip(levels, counts, strict=True) if n}
        for name, counts in (("truth", wanted), ("candidate", there))
    }
    (found,) = [one for one in separations(shares) if one.truth == "truth"]
    assert float(mixture.interval.lower) - 1e-7 <= found.error <= float(mixture.interval.upper) + 1e-7
