"""How the text of a rule names a column: plainly where it is a word, else between back quotes."""

from __future__ import annotations

KEYWORDS = ("and", "or", "not", "implies", "in")
"""Words that are no plain names, in capitals neither."""

PLAIN_NAME = r"[^\W\d]\w*(?:[.-]\w+)*"
"""A word, in which points and hyphens may stand: `hours-per-week`."""


def written_name(name: str) -> str:
    """The name in a rule's text; a back quote in it is written twice."""
    if _is_plain(name) and name.casefold() not in KEYWORDS:
        return name
    return "`" + name.replace("`", "``") + "`"


def _is_plain(name: str) -> bool:
    """Whether the name is a PLAIN_NAME: a look at each character, once."""
    words = name.replace("-", ".").split(".")
    return all(word.replace("_", "a").isalnum() for word in words) and not name[0].isdecimal()


def read_name(text: str) -> str:
    """The name that a text writes."""
    return text[1:-1].replace("``", "`") if text.startswith("`") else text
