"""When two names of populations count as one, so that nobody gets a second budget by a slip of the keyboard.

A name has several keys, and names that share one are the same: how it reads without regard to case, to white space and
to the ways in which Unicode writes one text (NFKC); the skeletons of that in small and in capital letters, and of the
name as it is written; and how it reads if a capital I among small letters is an l. A skeleton (Unicode Technical
Standard 39, section 4) puts one prototype for all characters that look alike.
The table of those is Unicode's, as confusable-homoglyphs carries it: pure Python, without a network, and pinned.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache

_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U0001d159\U0001d173-\U0001d17a"
    "\U000e0100-\U000e01ef]"
)
"""Characters that Unicode has no font draw, although Python calls them printable."""
_INNER_I = re.compile("(?<=[a-z])I")


def same(one: str, other: str) -> bool:
    """Whether two names are too alike to stand for two populations."""
    return not keys(one).isdisjoint(keys(other))


@lru_cache(maxsize=4096)
def keys(name: str) -> frozenset[str]:
    """The keys of a name: it is the same as another name where they share one.

    The folded name, also with an l for each I among small letters; the skeletons of the name in small letters, folded,
    in capitals, and as it is written.
    """
    folded = _folded(name)
    written = " ".join(unicodedata.normalize("NFKC", _INVISIBLE.sub("", name)).split())
    capitals = _skeleton(unicodedata.normalize("NFKC", folded.upper()))
    inner = _folded(_INNER_I.sub("l", written))
    return frozenset({folded, inner, _folded(_skeleton(folded)), capitals, _skeleton(written)})


def _folded(name: str) -> str:
    """A name as compatibility caseless matching sees it (Unicode Standard, section 3.13, D146), spaces collapsed."""
    once = unicodedata.normalize("NFKC", unicodedata.normalize("NFD", _INVISIBLE.sub("", name)).casefold())
    return " ".join(unicodedata.normalize("NFKC", once.casefold()).replace("i\u0307", "i").split())


def _skeleton(name: str) -> str:
    prototypes = _prototypes()
    apart = unicodedata.normalize("NFD", name)
    return unicodedata.normalize("NFD", "".join(prototypes.get(character, character) for character in apart))


@cache
def _prototypes() -> dict[str, str]:
    """The prototype of each character that has one.

    The library's table names for each character its prototype, and for each prototype all that look like it. So a
    character with several partners is a prototype, and one with a single partner has it as its prototype, unless the
    two are alone: then the smaller one is taken for both.
    """
    from confusable_homoglyphs.confusables import confusables_data  # a megabyte, for registration alone

    marks = "\u200e"  # Unicode's file writes letters that run leftwards between two of these
    partners = {key.strip(marks): [one["c"].strip(marks) for one in found] for key, found in confusables_data.items()}
    found = {}
    for character, others in partners.items():
        if len(character) == len(others) == 1:
            alone = len(partners.get(others[0], ())) < 2 and len(others[0]) == 1
            found[character] = min(character, others[0]) if alone else others[0]
    return found
