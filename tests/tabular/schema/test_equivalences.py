"""Rules by which two texts are one: what each takes together, and that they are equivalences."""

from __future__ import annotations

import sys
import unicodedata
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pmwpub.tabular.coding.encode import encode_public
from pmwpub.tabular.files.reading import from_frame, read_table
from pmwpub.tabular.schema.drafting import draft
from pmwpub.tabular.schema.equivalences import RULES, Equivalence, alike, compared, plain_number, telling_apart

TEXTS = st.text(max_size=8) | st.from_regex(r"\A[ +-]?[0-9]{0,4}[.]?[0-9]{0,4}(?:[eE][+-]?[0-9]{1,2})?\Z")
SOME = st.sets(st.sampled_from(RULES)).map(lambda kept: tuple(rule for rule in RULES if rule in kept))


@given(TEXTS, SOME)
def test_what_stands_for_a_text_stands_for_itself(text: str, same: tuple[Equivalence, ...]) -> None:
    once = compared(text, same)
    assert compared(once, same) == once


def test_every_letter_of_unicode_is_folded_once_and_for_all() -> None:
    for point in range(0x80, sys.maxunicode + 1):
        if not 0xD800 <= point < 0xE000:
            once = compared(chr(point), RULES)
            assert compared(once, RULES) == once
            assert compared(unicodedata.normalize("NFD", chr(point)), RULES) == once


@given(st.decimals(allow_nan=False, allow_infinity=False, places=6), st.decimals(-50, 50, places=3))
def test_two_numbers_are_one_text_if_they_are_one_number_exactly(one: Decimal, other: Decimal) -> None:
    texts = [format(value, "f") for value in (one, other)]
    assert (plain_number(texts[0]) == plain_number(texts[1])) == (Decimal(texts[0]) == Decimal(texts[1]))
    assert Decimal(plain_number(texts[0])) == Decimal(texts[0])


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1", "1"), ("1.0", "1"), ("+1", "1"), ("01", "1"), ("1.", "1"), (".5", "0.5"), ("-0", "0"), ("-00.50", "-0.5"),
        ("1e+05", "100000"), ("1E-02", "0.01"), ("12.5e+01", "125"),
        ("12345678901234567890.10", "12345678901234567890.1"),
    ],
)  # fmt: skip
def test_numbers_have_one_writing(text: str, number: str) -> None:
    assert plain_number(text) == number


@pytest.mark.parametrize(
    "text", ["1e5", "1E5", "1,5", "1_0", "", "-", ".", "+", "e+05", "٣", "inf", "nan", "0x1", " 1"]
)
def test_what_is_no_plain_number_stays_a_text(text: str) -> None:
    assert plain_number(text) == text


def test_a_heap_of_marks_beyond_any_level_is_not_sorted() -> None:
    heap = "a" + "\u0301\u0323" * 65_536
    assert compared(heap, RULES) == heap
    assert compared(" " + heap, RULES) == heap


def test_rules_that_would_take_declared_levels_together_are_left_off() -> None:
    assert telling_apart(["a", "b"]) == RULES
    assert telling_apart(["a", "A", "1", "1.0"]) == ("trim", "nfc")
    assert telling_apart(["a", " a"]) == ("nfc", "casefold", "number")
    assert alike(["a", "A", "b", "A"], ["casefold"]) == [["a", "A"], ["b"]]


@given(st.lists(TEXTS.filter(lambda text: "\x00" not in text), min_size=1, max_size=15))
def test_a_drafted_column_reads_its_levels_as_themselves_and_every_public_spelling_as_one(cells: list[str]) -> None:
    quoted = "".join(
        '"' + cell.replace('"', '""') + f'",{"fm"[place % 2]}\n' for place, cell in enumerate([*cells, "a"])
    )
    table = read_table(("x,sex\n" + quoted).encode())
    schema = draft([table])
    for column in schema.encoded:
        place = schema.placer(column)
        own = [schema.written(column, code) for code in range(column.attribute.size)]
        assert [place(text) for text in own if text is not None] == [
            c for c, text in enumerate(own) if text is not None
        ]
        assert [place(level) for level in column.attribute.levels] == list(range(column.attribute.size))
    assert encode_public(table, schema).dropped == 0
    # Frames go the same way as files.
    assert encode_public(from_frame(table.frame), schema).dropped == 0
