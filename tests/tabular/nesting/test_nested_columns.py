"""Parents that a person declares when a schema is drafted, and public columns that are seen to nest."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pmwpub.errors import FileRefused, SchemaError
from pmwpub.tabular.files.reading import TextTable, read_table
from pmwpub.tabular.nesting.declared_parents import by_map, with_map_read
from pmwpub.tabular.nesting.two_column_maps import read_map
from pmwpub.tabular.review.without_suspects import decided, drafted
from pmwpub.tabular.schema.codebook import read_codebook
from pmwpub.tabular.schema.draft_record import Draft, Remedy
from pmwpub.tabular.schema.drafting import propose
from pmwpub.tabular.schema.editing import rows_of, schema_of
from pmwpub.tabular.schema.table_schema import Schema

COUNTIES = {"C1": "OH", "C2": "OH", "D1": "IN", "D2": "IN", "E1": "WI"}
REGION = {"OH": "East", "IN": "East", "WI": "West"}


def public(rows: int = 200, *, astray: bool = False) -> TextTable:
    """Counties with their states, and jobs that go round; one row may have the state of another county."""
    names = list(COUNTIES)
    lines = [(names[i % 5], COUNTIES[names[i % 5]], "xyz"[i % 3]) for i in range(rows)]
    if astray:
        lines[-1] = (lines[-1][0], "OH", lines[-1][2])
    return read_table("\n".join(["county,state,job", *map(",".join, lines)]).encode() + b"\n")


def remedy(value: str, column: str = "county") -> Remedy:
    return Remedy(column, "parent", value)


def declared(*values: str) -> Draft:
    return drafted([public()], remedies=[remedy(value) for value in values])


def parents(schema: Schema) -> dict[str, tuple[str, ...]]:
    return {one.name: tuple(one.levels[code] for code in one.codes) for one in schema.parents}


def nested(draft: Draft) -> list[tuple[str, list[str]]]:
    return [(one.column, [way.flag for way in one.remedies]) for one in draft.remarks if one.kind == "nested"]


def test_a_prefix_is_declared_when_a_schema_is_drafted() -> None:
    assert parents(declared("letter:prefix:1").schema) == {"letter": ("C", "C", "D", "D", "E")}


def test_a_map_is_of_the_columns_levels_or_else_of_an_earlier_parents() -> None:
    """And what it says of other texts does no harm."""
    schema = declared(by_map("st", COUNTIES | {"county": "state"}), by_map("region", REGION | {"TX": "South"})).schema
    assert parents(schema) == {"st": tuple(COUNTIES.values()), "region": tuple(REGION[s] for s in COUNTIES.values())}
    assert schema.parents[1].child == "county"
    assert [rule.of for rule in schema.encoded[0].parents] == [None, "st"]  # type: ignore[union-attr]


def test_levels_are_found_in_a_map_by_the_columns_own_rules() -> None:
    lower = {level.lower(): parent for level, parent in COUNTIES.items()}
    assert parents(declared(by_map("st", lower)).schema) == {"st": tuple(COUNTIES.values())}


def test_a_public_column_becomes_a_parent_and_is_left_out_for_it() -> None:
    draft = declared("state:column")
    assert parents(draft.schema) == {"state": tuple(COUNTIES.values())}
    assert [column.name for column in draft.schema.columns] == ["county", "job"]
    assert [(one.name, "follows from that" in one.why) for one in draft.left_out] == [("state", True)]


def test_public_columns_that_nest_are_pointed_out_with_the_flag_that_declares_it() -> None:
    assert nested(propose([public()])) == [("county", ["--parent county=state:column"])]


def test_one_public_row_that_contradicts_is_enough() -> None:
    assert nested(propose([public(astray=True)])) == []
    assert nested(propose([public(), public(astray=True)])) == []
    with pytest.raises(SchemaError, match="does not follow from 'county'"):
        drafted([public(astray=True)], remedies=[remedy("state:column")])


def test_a_row_beyond_those_that_are_looked_at_first_counts_too() -> None:
    assert nested(propose([public(5_000, astray=True)])) == []
    assert len(nested(propose([public(5_000)]))) == 1


def test_few_rows_a_level_nest_by_chance_and_nothing_is_said() -> None:
    assert nested(propose([public(49)])) == []
    assert len(nested(propose([public(50)]))) == 1


def test_a_decision_that_is_taken_again_goes_in_the_place_of_the_earlier_one() -> None:
    column = decided([public()], [remedy("a:prefix:1"), remedy("state:column"), remedy("state:prefix:1")])
    assert [rule.name for rule in column.parents] == ["a", "state"]  # type: ignore[union-attr]
    assert column.parents[1].prefix == 1  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("state", "declared as NAME:prefix:2"),
        (":prefix:2", "declared as NAME:prefix:2"),
        ("state:eval:1", "declared as NAME:prefix:2"),
        ("state:prefix:two", "A whole number from 1 to 999"),
        ("state:prefix:0", "A whole number from 1 to 999"),
        ("s:prefix:3", "is the first 3 characters"),
        ("job:column", "does not follow from 'county'"),
        ("nowhere:column", "do not share|no levels"),
        (by_map("s", {"C1": "x"}), "lacks 4 of the 5 levels of 'county': 'C2', 'D1', 'D2', 'E1'; each"),
        ("s:map:{", "no JSON object"),
    ],
)
def test_what_declares_no_parent_is_refused_in_words(value: str, words: str) -> None:
    with pytest.raises(SchemaError, match=words):
        declared(value)


def test_only_a_column_with_levels_of_its_own_has_parents() -> None:
    numbers = read_table(b"n\n" + b"\n".join(b"%d" % i for i in range(100)) + b"\n")
    with pytest.raises(SchemaError, match="--kind n=categorical"):
        propose([numbers], remedies=[remedy("s:prefix:1", "n")])


def test_a_map_is_read_from_lines_of_two_cells() -> None:
    assert read_map("a,b\n\nc , d\n") == {"a": "b", "c": "d"}
    assert read_map("a\tb, c\n") == {"a": "b, c"}
    assert read_map(b'\xef\xbb\xbf"a;1";b\r\n') == {"a;1": "b"}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("a\n", "Line 1 of the map"),
        ("a,b\na,b,c\n", "Line 2 of the map"),
        ("a,\n", "Line 1 of the map"),
        ("a,b\na,c\n", "Line 2 of the map gives 'a' another parent"),
        ("\n \n", "The map is empty"),
        (b"\xff,a\n", "not UTF-8"),
        ('"a,b\n', "a quote that nothing ends"),
        ("a,b\n" * 100_001, "at most 100,000 lines"),
    ],
)
def test_lines_that_make_no_map_are_refused_by_their_number(content: str | bytes, words: str) -> None:
    with pytest.raises(SchemaError, match=words):
        read_map(content)


def test_a_flag_names_the_file_of_a_map(tmp_path: Path) -> None:
    path = tmp_path / "map.csv"
    path.write_text("C1,OH\n")
    assert json.loads(with_map_read(remedy(f"st:map:{path}")).value.partition("map:")[2]) == {"C1": "OH"}
    with pytest.raises(FileRefused, match="cannot be read"):
        with_map_read(remedy("st:map:nowhere.csv"))


def test_a_codebook_lists_parents_beside_levels_or_by_a_prefix() -> None:
    book = (
        "name,kind,level,label,parent:state\n"
        "county,categorical,C1,,OH\ncounty,,C2,,OH\ncounty,,D1,,IN\ncounty,parent,1,letter,\n"
        "job,categorical,x,,\njob,,y,,\n"
    )
    schema = propose([], codebook=read_codebook(book.encode())).schema
    assert parents(schema) == {"state": ("OH", "OH", "IN"), "letter": ("C", "C", "D")}


def test_a_codebook_in_json_lists_parents_as_a_schema_file_does() -> None:
    schema = declared("letter:prefix:1", by_map("st", COUNTIES)).schema
    again = propose([], codebook=read_codebook(schema.to_json().encode())).schema
    assert parents(again) == parents(schema)


@pytest.mark.parametrize(
    "book",
    [
        b"name,kind,level,label\nc,categorical,a,\nc,,b,\nc,,ab,\nc,parent,one,p\n",
        b"name,kind,level,label\nc,categorical,a,\nc,,b,\nc,,ab,\nc,parent,1,\n",
        b'[{"name": "c", "levels": ["a", "b"], "parents": {}}]',
        b'[{"name": "c", "levels": ["a", "b"], "parents": [{"name": "p"}]}]',
    ],
)
def test_a_codebook_whose_parents_make_no_sense_is_refused(book: bytes) -> None:
    with pytest.raises(SchemaError, match="parent"):
        read_codebook(book)


def test_rows_of_the_editor_keep_parents() -> None:
    schema = declared("letter:prefix:1", by_map("st", COUNTIES)).schema
    assert schema_of(rows_of(schema), schema.missing_tokens, 2) == schema


def test_a_parent_that_the_editors_levels_no_longer_fit_is_refused_by_its_row() -> None:
    schema = declared(by_map("st", COUNTIES)).schema
    rows = rows_of(schema)
    rows[0]["values"] = [*rows[0]["values"], "F1"]
    with pytest.raises(SchemaError, match=r"row 1.*lacks 'F1'"):
        schema_of(rows, schema.missing_tokens, 2)
