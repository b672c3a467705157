"""How the text of a rule names a column: plainly where it is a word, else between back quotes."""

from __future__ import annotations

import re

KEYWORDS = ("and", "or", "not", "implies", "in")
"""Words that are no plain names, in capitals neither."""

PLAIN_NAME = r"[^\W\d]\w*(?:[.-]\w+)*"
"""A word, in which points and hyphens may stand: `hours-per-week`."""


def written_name(name: str) -> str:
    """The name in a rule's text; a back quote in it is written twice."""
    if re.fullmatch(PLAIN_NAME, name) and name.casefold() not in KEYWORDS:
        return name
    return "`" + name.replace("`", "``") + "`"


def read_name(text: str) -> str:
    """The name that a text writes."""
    return text[1:-1].replace("``", "`") if text.startswith("`") else text
