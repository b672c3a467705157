"""JSON that can be read in one way only: schemas, codebooks, criteria, certificates, plans."""

from __future__ import annotations

import json
import math
from typing import Any

MOST_BYTES = 64 * 2**20
"""The most bytes of one text: a certificate of 10,000 rounds has about a tenth of them."""

MOST_DIGITS = 100
"""The most characters of one number."""


class RepeatedKey(ValueError):
    """A key stands twice in one object: programs differ in which of the two they take.

    key  the first one that does
    """

    def __init__(self, key: str) -> None:
        super().__init__(f"the key {key!r} stands twice in one place")
        self.key = key


def read_unrepeated(text: str | bytes) -> Any:
    """What JSON says; RepeatedKey where an object has a key twice, another ValueError for what is no JSON."""
    try:
        return json.loads(text, object_pairs_hook=_unrepeated)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def read_strictly(content: bytes) -> Any:
    """What a text says that is UTF-8 JSON and can be read in one way; ValueError for any other.

    A repeated key, NaN, an infinity and a number of over 100 characters are refused, and so are deep nesting, a
    byte order mark and more than 64 MiB.
    """
    if len(content) > MOST_BYTES:
        raise ValueError("longer than 64 MiB")
    try:
        return json.loads(
            content.decode("utf-8"),
            object_pairs_hook=_unrepeated,
            parse_constant=_refused,
            parse_int=_whole,
            parse_float=_finite,
        )
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _unrepeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise RepeatedKey(next(name for name in names if names.count(name) > 1))
    return found


def _refused(text: str) -> float:
    raise ValueError(f"{text} is no number of JSON")


def _whole(text: str) -> int:
    if len(text) > MOST_DIGITS:
        raise ValueError("a number is too long")
    return int(text)


def _finite(text: str) -> float:
    number = float(text) if len(text) <= MOST_DIGITS else math.inf
    if not math.isfinite(number):
        raise ValueError("a number is too long or too large")
    return number
