"""How the numbers of a column are written: the marks in them, and what stands before or behind them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, get_args

from pmwpub.tabular.plain_numbers import PLAIN

FirstMark = Literal[",", ".", " ", "'", "_"]
ThousandsMark = Literal[",", ".", " ", "'", "_", "\u00a0", "\u202f", "\u2019"]
"""Between groups of three digits; a no-break space, a narrow one and a curved apostrophe came later."""
FIRST_MARKS: tuple[FirstMark, ...] = get_args(FirstMark)
MARKS: tuple[ThousandsMark, ...] = get_args(ThousandsMark)


@dataclass(frozen=True)
class WrittenNumbers:
    """One way to write numbers.

    prefix, suffix  what may stand beside a number, white space towards it included
    tidy            how the column compares texts: these two are read as it compares them
    """

    decimal: str
    thousands: str | None
    prefix: str = ""
    suffix: str = ""
    tidy: Callable[[str], str] = field(default=str, repr=False)

    def check(self) -> None:
        """ValueError for what cannot stand beside a number, since it would be read as a part of it."""
        for affix in filter(None, (self.prefix, self.suffix)):
            bare = self.tidy(affix.strip())
            if not bare or set(bare) <= PLAIN or any(map(str.isdigit, bare)) or set(bare) & {"+", "-", "\n", "\r"}:
                raise ValueError("what stands beside numbers is a sign or a word, such as $, % or EUR, without digits")

    def value(self, text: str) -> float | None:
        """The number that a tidied text writes, an infinity where it is too large; None for anything else."""
        if not self._pattern.fullmatch(text):
            text = self._undressed(text)
            if not self._pattern.fullmatch(text):
                return None
        if self.thousands:
            text = text.replace(self.thousands, "")
        return float(text.replace(self.decimal, "."))

    def _undressed(self, text: str) -> str:
        """A text without what stands beside its number, a sign before it and white space left aside; "" without any."""
        before, behind = self._affixes
        sign = text[: text.startswith(("+", "-"))]
        number = text[len(sign) :].strip()
        if before and number.startswith(before):
            number = number[len(before) :].strip()
        elif not behind or not number.endswith(behind):
            return ""
        if behind and number.endswith(behind):
            number = number[: -len(behind)].strip()
        return "" if sign and number.startswith(("+", "-")) else sign + number

    @cached_property
    def _affixes(self) -> tuple[str, str]:
        return self.tidy(self.prefix.strip()), self.tidy(self.suffix.strip())

    def dressed(self, text: str) -> str:
        """A number with what stands beside it; a minus goes before all."""
        if not self.prefix and not self.suffix:
            return text
        minus = text[: text.startswith("-")]
        return f"{minus}{self.prefix}{text[len(minus) :]}{self.suffix}"

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        whole = r"\d+"
        if self.thousands:
            whole = rf"(?:\d{{1,3}}(?:{re.escape(self.thousands)}\d{{3}})+|\d+)"
        mark = re.escape(self.decimal)
        number = rf"(?:{whole}(?:{mark}\d*)?|{mark}\d+)(?:e[+-]?\d+)?"
        return re.compile(rf"[+-]?(?:{number}|inf(?:inity)?)", re.ASCII | re.IGNORECASE)
