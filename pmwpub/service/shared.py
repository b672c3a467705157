"""What a private table has in common with public candidates, in words for the steward alone."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SharedRun:
    """A public candidate that holds `lines` lines in a row of the private table, more than chance explains."""

    sha256: str
    name: str
    lines: int

    @property
    def warning(self) -> str:
        """What the steward, and nobody else, is told."""
        return (
            f"{self.lines:,} lines in a row of the private table stand in {self.name} too, more than chance explains. "
            "If the file was made from the private table, do not use it as a candidate."
        )


@dataclass(frozen=True)
class SharedRows:
    """A public candidate, or all together, that holds `rows` rows of the private table, as coded, in any order.

    every  both have the same rows; else they have more in common than chance explains
    """

    sha256: str
    name: str
    rows: int
    every: bool

    @property
    def warning(self) -> str:
        """What the steward, and nobody else, is told."""
        shared = (
            f"The private table and {self.name} have the same {self.rows:,} rows, as the schema codes them."
            if self.every
            else f"{self.rows:,} rows of the private table, as the schema codes them, stand in {self.name} too, "
            "in whatever order: more than chance explains."
        )
        return f"{shared} If the file was made from the private table, do not use it as a candidate."


Shared = SharedRun | SharedRows

CHANGED = "This is not the table that earlier charges of this population were made for. Its budget is the same."
"""Of a private table."""
