"""What a private table has in common with public ones, in words for the steward alone, and never in numbers."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Alike(StrEnum):
    """In what way two tables are alike."""

    LINES = "lines"
    ROWS = "rows"
    SAME = "same"


_WORDS = {
    Alike.LINES: "Lines in a row of the private table stand in {name} too, more than chance explains.",
    Alike.ROWS: "Rows of the private table, as the schema codes them, stand in {name} too, in whatever order: more "
    "than chance explains.",
    Alike.SAME: "The private table and {name} have the same rows, as the schema codes them.",
}


@dataclass(frozen=True)
class Overlap:
    """A public table, or several together, that holds rows of the private one, more than chance explains.

    sha256  that of the file, or those of several joined by "+"
    name    the name by which the steward knows it
    """

    sha256: str
    name: str
    alike: Alike

    @property
    def warning(self) -> str:
        """What the steward, and nobody else, is told: no number of private rows is in it."""
        found = _WORDS[self.alike].format(name=self.name)
        return f"{found} If the file was made from the private table, do not use it as a candidate."


CHANGED = "This is not the table that earlier charges of this population were made for. Its budget is the same."
"""What is said of a private table that changed since a charge."""

NOT_COMPARED = "This session holds no private table, so nothing was compared."
NOTHING_ALIKE = "Nothing in it is like the private table that this session holds."
"""What is said of a public file before it is stored."""
