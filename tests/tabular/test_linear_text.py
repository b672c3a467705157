"""No text in a file makes a regular expression look at its characters over and over."""

from __future__ import annotations

import ast
import itertools
import re
from pathlib import Path

import pytest
from backtracking import Steps
from hypothesis import example, given
from hypothesis import strategies as st

import pmwpub
from pmwpub import numerals
from pmwpub.domain import MAX_CHARACTERS
from pmwpub.errors import FileRefused, SchemaError
from pmwpub.release.catalogue import about_release
from pmwpub.release.notebooks import analyst_notebook
from pmwpub.tabular.files import folders
from pmwpub.tabular.files.reading import read_table
from pmwpub.tabular.files.text import inert_cells
from pmwpub.tabular.schema import equivalences
from pmwpub.tabular.schema.column_types import CategoricalColumn, IgnoredColumn
from pmwpub.tabular.schema.drafting import draft
from pmwpub.tabular.schema.proposing import clothed_numbers
from pmwpub.tabular.schema.table_schema import Schema
from pmwpub.tabular.weights import weight_column
from pmwpub.tabular.written_numbers import WrittenNumbers
from pmwpub.ui.wording import written

QUADRATIC = re.compile(r"([;|\t\r\n][\s'\"]*)(?=[=+\-@])")
"""What `inert_cells.inert` once was written with."""

MARKS = [
    WrittenNumbers(mark, group)._pattern
    for mark, group in ((".", None), (".", ","), (",", "."), (".", " "), (".", "'"), (",", "_"), (",", "\u00a0"))
]
WHOLE = [
    *(clothed_numbers._CLOTHED, equivalences._WRITTEN_NUMBER, inert_cells._FORMULA, inert_cells.PLAIN_NUMBER),
    *(about_release._WRITTEN, about_release._SPDX_WORD, weight_column._DECIMAL),
    *MARKS,
]
EVERYWHERE = [
    analyst_notebook._MARK,
    inert_cells._GAP,
    written._PUNCTUATION,
    written._ADDRESS,
    written._BACKTICKS,
    written._ACTIVE,
    folders._DIGITS,
    re.compile(r"[\s_.\-]+"),
]
HEAPS = [
    "\t",
    " ",
    "'",
    '"',
    ";",
    "|",
    "\r",
    "1",
    "1.",
    "1,",
    ",111",
    ".111",
    "e",
    "e1",
    "+",
    "-",
    "=",
    "`",
    "w",
    "ww.",
    "ht",
]
HEAPS += ["w", "ww.", "ht", "_", "a", "\t;", "\t'", "https:/", " 111", "'111", "_111", ".", "\u00a0"]


def ratio(pattern: re.Pattern[str], piece: str, tail: str, *, whole: bool) -> float:
    """How many times as many steps a text of twice the length takes."""
    counts = []
    for often in (60, 120):
        steps = Steps(pattern, piece * often + tail)
        counts.append(steps.fullmatch() if whole else steps.everywhere())
    return counts[1] / counts[0]


@pytest.mark.parametrize(
    ("pattern", "whole"),
    [*((one, True) for one in WHOLE), *((one, False) for one in EVERYWHERE)],
    ids=lambda value: value.pattern if isinstance(value, re.Pattern) else "",
)
def test_a_text_of_twice_the_length_takes_twice_the_steps(pattern: re.Pattern[str], whole: bool) -> None:
    for piece, tail in itertools.product(HEAPS, ["", "x", "=", "\n"]):
        assert ratio(pattern, piece, tail, whole=whole) < 2.3, (piece, tail)


def test_the_steps_of_a_quadratic_pattern_are_seen_to_be_quadratic() -> None:
    assert ratio(QUADRATIC, "\t", "x", whole=False) > 3.5


def test_every_regular_expression_on_file_content_is_among_those_whose_steps_are_counted() -> None:
    known = {"_DIGITS", "_C1", "_WRITTEN_NUMBER", "_FORMULA", "_GAP", "PLAIN_NUMBER", "_PUNCTUATION", "_ADDRESS"}
    known |= {"_CLOTHED", "_WRITTEN", "_SPDX_WORD", "_MARK", "_DECIMAL", "_BACKTICKS", "_ACTIVE"}
    # Of the notebook's own text, which no file changes: analyst_cells.txt.
    in_functions = {"analyst_notebook.py": 1, "column_names.py": 1, "written_numbers.py": 1, "encodings.py": 1}
    package = Path(pmwpub.__file__).parent
    files = [*package.glob("tabular/**/*.py"), *package.glob("release/**/*.py"), *package.glob("**/written.py")]
    for path in sorted(set(files)):
        tree = ast.parse(path.read_text())
        named = {
            target.id
            for node in tree.body
            if isinstance(node, ast.Assign) and _uses_re(node.value)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        assert named <= known, path
        inside = sum(_uses_re(node) for node in ast.walk(tree) if isinstance(node, ast.Call)) - len(named)
        assert inside == in_functions.get(path.name, 0), path


def _uses_re(node: ast.AST) -> bool:
    function = node.func if isinstance(node, ast.Call) else None
    return (
        isinstance(function, ast.Attribute)
        and isinstance(function.value, ast.Name)
        and function.value.id == "re"
        and function.attr != "escape"
    )


def test_numbers_in_groups_are_looked_at_up_to_a_length() -> None:
    assert numerals.ungrouped("1" + ",111" * 1_000) == "1" + ",111" * 1_000


@given(st.text("\t\r\n ;|'\"=+-@a1\u00a0", max_size=12))
@example("\t;'=;=")
@example(";\t=\t=")
def test_cells_are_written_as_they_were_by_the_pattern_before(cell: str) -> None:
    if not inert_cells.PLAIN_NUMBER.fullmatch(cell):
        safe = QUADRATIC.sub(r"\1'", cell)
        assert inert_cells.inert(cell) == ("'" + safe if inert_cells._FORMULA.match(cell) else safe)


def test_a_level_of_tabs_is_made_inert_whole() -> None:
    assert inert_cells.inert("\t" * 131_072) == "'" + "\t" * 131_072


def test_levels_and_names_are_limited_alike() -> None:
    long = "x" * (MAX_CHARACTERS + 1)
    good = CategoricalColumn(name=long[1:], kind="categorical", levels=(long[1:],))
    assert good.attribute.size == 1
    for name, level in ((long, "a"), ("a", long)):
        with pytest.raises(SchemaError, match="at most 1,000 characters"):
            Schema.from_json(
                f'{{"version": 1, "columns": [{{"name": "{name}", "kind": "categorical", "levels": ["{level}"]}}]}}'
            )


def test_a_column_with_an_overlong_cell_is_drafted_as_text_to_ignore() -> None:
    table = read_table(f"a,b\nx,{'y' * (MAX_CHARACTERS + 1)}\nz,y\n".encode())
    assert isinstance(draft([table]).columns[1], IgnoredColumn)


def test_an_overlong_name_is_refused_before_it_is_normalised(monkeypatch: pytest.MonkeyPatch) -> None:
    """Composing heaped marks anew takes steps in the square of their number."""
    seen: list[int] = []
    monkeypatch.setattr("pmwpub.tabular.files.text.column_names.normalise", lambda name: seen.append(len(name)) or name)
    with pytest.raises(FileRefused, match="100,000 characters"):
        read_table(("\u0301\u0323" * 50_000 + ",b\n1,2\n").encode())
    assert not any(length > MAX_CHARACTERS for length in seen)
