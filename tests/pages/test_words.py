"""Foreign text in Markdown slots."""

from __future__ import annotations

import pytest

from pmwpub.session.words import plain


@pytest.mark.parametrize("text", ["https://evil.example/p", "HTTP://evil.example", "www.evil.example", "a@evil.org"])
def test_an_address_is_broken_by_an_invisible_joiner_so_that_it_makes_no_link(text: str) -> None:
    shown = plain(text)
    assert shown.replace("\\", "").replace("\u2060", "") == text
    assert shown.count("\u2060") == 1


def test_every_sign_of_markup_is_escaped_and_lines_are_joined() -> None:
    assert plain("# a\n*b* <c>") == r"\# a \*b\* \<c\>"
