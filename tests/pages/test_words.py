"""Foreign text in Markdown slots."""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import pmwpub
from pmwpub.figures import style
from pmwpub.privacy.budget import UNIT, ZCDP, ApproxDP, as_fraction, epsilon_of, zcdp_of
from pmwpub.rounding import moment, up
from pmwpub.service.budget_left import left
from pmwpub.service.terms import as_typed
from pmwpub.ui.widgets.number_fields import as_number
from pmwpub.ui.wording.written import exact, loss, number, plain, shown_inert


@pytest.mark.parametrize("text", ["https://evil.example/p", "HTTP://evil.example", "www.evil.example", "a@evil.org"])
def test_an_address_is_shown_in_a_code_span_and_copied_as_it_is(text: str) -> None:
    """The rules of CommonMark, 6.1: the first run of as many backticks ends a span, whatever else stands in it."""
    assert plain(f"See *{text}, or  @ all") == f"See `*{text},` or \\@ all"
    for word in (f"`{text}`", f"``{text}", f"<{text}`a``b>"):
        fence, content = re.fullmatch(r"(`+)(.*?)(?<!`)\1", plain(word)).groups()  # type: ignore[union-attr]
        assert content.strip(" ") == word
        assert fence not in re.findall("`+", word)


@given(st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S"))))
@example("a@b.org")
@example("https://www.evil.example/`x`")
def test_nothing_invisible_is_added_to_foreign_text(text: str) -> None:
    added = Counter(plain(text)) - Counter(text)
    assert set(added) <= {"\\", "`", " "}


def test_every_sign_of_markup_is_escaped_and_lines_are_joined() -> None:
    assert plain("# a\n*b* <c>") == r"\# a \*b\* \<c\>"


@given(st.integers(0, 10**17), st.sampled_from([Fraction(1, 10**4), Fraction(1, 3 * 10**9)]))
@example(zcdp_of(ApproxDP(Fraction(2), Fraction(1, 10**4))).units, Fraction(1, 10**4))
def test_what_is_left_can_be_bought_and_a_loss_is_never_understated(units: int, delta: Fraction) -> None:
    budget = ZCDP(units)
    shown, epsilon = as_fraction(left(budget, delta)), as_fraction(epsilon_of(budget, delta))
    assert shown <= epsilon or zcdp_of(ApproxDP(shown, delta)) <= budget
    assert as_fraction(loss(epsilon)) >= epsilon
    assert as_fraction(loss(delta)) >= delta
    assert as_fraction(exact(Fraction(units + 1, 3 * UNIT))) >= Fraction(units + 1, 3 * UNIT)


@given(st.fractions(min_value=Fraction(1, 10**30), max_value=9000, max_denominator=10**40))
@example(Fraction(1, 36_842**2))
@example(Fraction(15, 10**6))
def test_a_loss_as_the_pages_write_it_is_read_back_not_below_it_and_within_its_digits(value: Fraction) -> None:
    for written, digits in ((loss(value), 3), (exact(value), 12), (up(value), 4)):
        assert value <= as_fraction(written) <= value * (1 + Fraction(1, 10 ** (digits - 1)))
        assert as_number(written, "ε", "0", "9000000000", so="") == as_fraction(written)
    assert as_fraction(as_typed(value)) == value
    assert (
        value * (1 - Fraction(1, 100)) <= as_fraction(number(value).replace(",", "")) <= value * (1 + Fraction(1, 100))
    )


@pytest.mark.parametrize(
    ("value", "written"), [(999.4, "999"), (999.6, "1,000"), (7312.4, "7,310"), (2e7, "20,000,000"), (1e9, "1e9")]
)
def test_thousands_are_written_out_up_to_a_billion(value: float, written: str) -> None:
    assert number(value) == written


@pytest.mark.parametrize("value", [2.7789e-8, 1.5e-5, 3e-13, 2e9])
def test_a_power_of_ten_is_written_one_way_only(value: float) -> None:
    written = {number(value), up(Fraction(number(value)), 3), loss(float(number(value))), style.number(value)}
    assert len(written) == 1
    assert not re.search(r"e-0|e\+", *written)


@pytest.mark.parametrize(("text", "read"), [("2.78e-8", "2.78e-8"), ("1.5e-05", "1.5e-5"), ("1/20", "0.05")])
def test_the_ways_that_small_numbers_and_shares_are_written_are_read(text: str, read: str) -> None:
    assert as_fraction(text) == Fraction(read)


@pytest.mark.parametrize("total", ["2", "0.1", "1.23", "7"])
def test_an_untouched_total_is_left_whole_and_a_touched_one_is_not(total: str) -> None:
    delta = Fraction(1, 10**8)
    budget = zcdp_of(ApproxDP(as_fraction(total), delta))
    assert left(budget, delta) == total
    assert as_fraction(left(budget - ZCDP(1), delta)) < as_fraction(total)


def test_losses_are_rounded_up_and_decimals_that_were_typed_stay() -> None:
    assert (loss(0.123000001), loss(Fraction(1, 9)), loss(2.5)) == ("0.124", "0.112", "2.5")
    assert (exact(Fraction(1, 8)), exact(Fraction(1, 3))) == ("0.125", "0.333333333334")


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("2026-11-29T23:22:04+00:00", "2026-11-29 23:22:04 UTC"),
        ("2026-11-29T23:22:04.123456+00:00", "2026-11-29 23:22:04 UTC"),
        ("2026-11-29T23:22:04.123456", "2026-11-29 23:22:04 UTC"),
        ("2026-11-30T00:22:04+01:00", "2026-11-29 23:22:04 UTC"),
        ("", ""),
        ("none", "none"),
    ],
)
def test_a_time_is_read_to_the_second_in_one_zone_that_is_named(written: str, read: str) -> None:
    assert moment(written) == read


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("![i](//evil.example/p.png)", r"\!\[i\]\(\/\/evil\.example\/p\.png\)"),
        ("<b>bold</b>", r"\<b\>bold\<\/b\>"),
        (":red[x]", r"\:red\[x\]"),
        ("# of rooms", r"\# of rooms"),
        ("1. first", r"1\. first"),
        ("- x", r"\- x"),
        ("&lt;", r"\&lt\;"),
        ("www.evil.example", "`www.evil.example`"),
        ("release (noisy), 12.5 %", "release (noisy), 12.5 %"),
        ("-6", "-6"),
    ],
)
def test_a_cell_is_inert_and_left_alone_where_nothing_in_it_would_be_obeyed(text: str, written: str) -> None:
    assert shown_inert(text) == written


def test_tables_that_are_read_as_markdown_are_drawn_in_one_place() -> None:
    root = Path(pmwpub.__file__).parent
    files = [*root.glob("ui/**/*.py"), *root.parent.glob("pages/*.py")]
    drawn = [path for path in files if re.search(r"\b(?:st|place|part)\.table\(", path.read_text())]
    assert [path.name for path in drawn] == ["text_table.py"]
