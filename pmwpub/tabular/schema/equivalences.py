"""Public rules by which two texts are one value: white space, Unicode form, case, how a number is written.

Each rule is a map of texts onto texts that leaves its own results as they are; a column applies those that it names,
in the order of RULES. They come from public facts and cost nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache
from typing import Literal, get_args

from pmwpub.domain import MAX_CHARACTERS

Equivalence = Literal["trim", "nfc", "casefold", "number"]
RULES: tuple[Equivalence, ...] = get_args(Equivalence)
"""White space around it; composed letters; upper and lower case; 1, 1.0, +1, 01 and 1e+00."""

_TIMES = 4
"""Every letter of Unicode has settled by then."""

_LONGEST = 10 * MAX_CHARACTERS
"""Letters of a text that is still normalised, which takes quadratic time where marks are heaped up. A longer text is no
level: composing leaves a third of the letters at least, and folding makes three of one at most."""

_WRITTEN_NUMBER = re.compile(r"([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]\d{1,3}))?", re.ASCII | re.IGNORECASE)


def plain_number(text: str) -> str:
    """A number without sign of plus, zeros at its ends or exponent; any other text as it stands. Exact: no float.

    An exponent counts only with its sign, as programs write it (1e+05); a code such as 1E5 stays a text.
    """
    if not text.isascii() or text[-1:].isalpha():
        return text
    found = _WRITTEN_NUMBER.fullmatch(text)
    if found is None or not (found[2] or found[3]):
        return text
    whole, fraction, exponent = found[2], found[3] or "", int(found[4] or 0)
    digits, point = whole + fraction, len(whole) + exponent
    if point < 0:
        digits, point = "0" * -point + digits, 0
    digits = digits.ljust(point, "0")
    whole, fraction = digits[:point].lstrip("0"), digits[point:].rstrip("0")
    if not whole and not fraction:
        return "0"
    sign = "-" if found[1] == "-" else ""
    return sign + (whole or "0") + ("." + fraction if fraction else "")


def _nfc(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def _casefold(text: str) -> str:
    """Case folding as Unicode's canonical caseless match has it, between two normal forms, until nothing changes."""
    if text.isascii():
        return text.lower()
    for _ in range(_TIMES):
        folded = unicodedata.normalize("NFC", unicodedata.normalize("NFD", text).casefold())
        if folded == text:
            break
        text = folded
    return text


_MAPS: Mapping[Equivalence, Callable[[str], str]] = {
    "trim": str.strip,
    "nfc": _nfc,
    "casefold": _casefold,
    "number": plain_number,
}


def compared(text: str, same: Collection[Equivalence]) -> str:
    """The text that stands for all texts that are one with `text` under the rules."""
    return _all_of(tuple(same))(text)


@cache
def _all_of(same: tuple[Equivalence, ...]) -> Callable[[str], str]:
    """The rules one after the other; for texts of ASCII, which most are, in as few steps as there are."""
    maps = [_MAPS[rule] for rule in RULES if rule in same]
    trim, fold, number = ("trim" in same), ("casefold" in same), ("number" in same)

    def apply(text: str) -> str:
        if text.isascii() or len(text) > _LONGEST:
            text = text.strip() if trim else text
            text = text.lower() if fold and text.isascii() else text
            return plain_number(text) if number else text
        for one in maps:
            text = one(text)
        return text

    return apply


def grouped(texts: Iterable[str], key: Callable[[str], str]) -> list[list[str]]:
    """The different texts in groups of one key; order of first appearance."""
    groups: dict[str, list[str]] = {}
    for text in dict.fromkeys(texts):
        groups.setdefault(key(text), []).append(text)
    return list(groups.values())


def alike(texts: Iterable[str], same: Collection[Equivalence]) -> list[list[str]]:
    """The different texts in groups that are one value under the rules."""
    return grouped(texts, lambda text: compared(text, same))


def telling_apart(texts: Sequence[str], same: Collection[Equivalence] = RULES) -> tuple[Equivalence, ...]:
    """As many of the rules as leave all these texts different, tried in the order of RULES."""
    kept: tuple[Equivalence, ...] = ()
    for rule in RULES:
        if rule in same and len(alike(texts, (*kept, rule))) == len(set(texts)):
            kept = (*kept, rule)
    return kept
