"""Column names: how one is normalised, which characters it may not hold, when two look alike."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from pmwpub.domain import MAX_CHARACTERS

# Characters that draw nothing although Unicode does not class them as format or control characters.
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def normalise(name: str) -> str:
    """`name` without padding, in Unicode's composed form (NFC)."""
    return unicodedata.normalize("NFC", name).strip()


def has_unseen(name: str) -> bool:
    """Whether `name` holds a zero-width, control or line-separating character."""
    if name.isascii():
        return not name.isprintable()
    return any(character in _BLANK or unicodedata.category(character) in _UNSEEN for character in name)


def alike(name: str) -> str:
    """What stays of `name` when case, spaces and separators are ignored: equal for look-alikes."""
    return re.sub(r"[\s_.\-]+", "", unicodedata.normalize("NFKC", name).casefold())


def checked(name: str) -> str:
    """`name` normalised; ValueError for one that no column may have."""
    if len(name) > MAX_CHARACTERS:  # first, for normalising takes long where marks are heaped up
        raise ValueError(f"a column's name has at most {MAX_CHARACTERS:,} characters")
    name = normalise(name)
    if not name or has_unseen(name):
        raise ValueError("a column needs a name without zero-width or control characters")
    return name


def lacking_columns(lacking: Sequence[str], header: Sequence[str]) -> str:
    """In words, that a file lacks columns, and which of its own are those in another spelling."""
    spelt = {alike(name): position for position, name in enumerate(header, start=1)}
    hints = [
        f" Column {spelt[alike(name)]} of the file looks like {name!r} but is spelt differently; rename it."
        for name in lacking
        if alike(name) in spelt
    ]
    listed = ", ".join(repr(name) for name in lacking)
    return (
        f"The file lacks columns that the schema needs: {listed}. Check that its first line is the header."
        + "".join(hints)
    )
